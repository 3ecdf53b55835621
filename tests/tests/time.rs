//! The clocks of the real server: what a stamp decides, and what is charged to nobody.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;
use zeitnot_proto::event::Spent;
use zeitnot_proto::{Color, Command, Event, Refusal, Stamp};
use zeitnot_tests::Server;
use zeitnot_tests::games::{SeatAt, Table, terms};

/// The event that matches, with the stamp of its decision.
fn find(seat: &SeatAt, wanted: impl Fn(&Event) -> bool) -> Option<(Stamp, Event)> {
    let events =
        seat.seen.iter().flat_map(|events| events.entries.iter().map(|entry| (events.at, &entry.event)));
    events.filter(|(_, event)| wanted(event)).map(|(at, event)| (at, event.clone())).next_back()
}

#[tokio::test]
async fn a_move_well_before_the_flag_and_one_well_after_it() {
    // Law 2023 6.9.
    let server = Server::start();
    let mut table = Table::new(&server, terms("1")).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    table.play("e2e4").await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(table.seats.black.play("e7e5").await, Err(Refusal::GameOver));
    let (_, fell) = find(&table.seats.black, |event| matches!(event, Event::FlagFell { .. })).unwrap();
    assert!(matches!(fell, Event::FlagFell { side: Color::Black, .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_around_the_flag_are_judged_by_their_stamps() {
    // Law 2023 6.1.1, 6.9: a turn that began at t0 with r left covers [t0, t0 + r).
    let server = Server::start();
    let contact = server.contact();
    let mut games = Vec::new();
    for game in 0..40u64 {
        games.push(tokio::spawn(async move {
            let mut table = Table::new(contact, terms("1")).await;
            let began = loop {
                if let Some(events) = table.seats.white.seen.last()
                    && let Some(began) = events.clock.began
                {
                    break began;
                }
                if let Some(began) = table.seats.white.snapshot.clock.began {
                    break began;
                }
                table.seats.white.next().await;
            };
            // From six milliseconds before the flag to six after it.
            tokio::time::sleep(Duration::from_micros(994_000 + game * 300)).await;
            let answer = table.seats.white.play("e2e4").await;
            let flag = began.plus(1_000_000);
            if answer.is_ok() {
                let moved = find(&table.seats.white, |event| matches!(event, Event::MoveCompleted { .. }));
                let (at, _) = moved.unwrap();
                assert!(at < flag, "a move stamped {at} was let in after the flag at {flag}");
            } else {
                // The clocks stand for as long as it takes to find out whether Black could mate.
                assert!(matches!(answer, Err(Refusal::GameOver | Refusal::ClocksPaused)), "{answer:?}");
                let fell = find(&table.seats.white, |event| matches!(event, Event::FlagFell { .. }));
                let Some((_, Event::FlagFell { earliest, latest, .. })) = fell else { panic!("no flag") };
                assert_eq!((earliest, latest), (flag, flag), "exactly when the time had run out");
            }
            answer.is_ok()
        }));
    }
    let mut in_time = 0;
    for game in games {
        in_time += u32::from(game.await.unwrap());
    }
    println!("{in_time} of 40 moves came in time");
}

#[tokio::test]
async fn time_is_charged_from_the_beginning_of_the_turn_to_the_stamp() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("300+3")).await;
    table.play("e2e4 e7e5 g1f3 b8c6").await;
    let mut main = table.seats.white.snapshot.clock.main_us;
    let mut began = table.seats.white.snapshot.clock.began;
    for events in &table.seats.white.seen {
        for entry in &events.entries {
            if let Event::MoveCompleted { side, spent, clocks_us, .. } = &entry.event {
                let Spent { elapsed_us, compensated_us, charged_us } = *spent;
                assert_eq!(
                    elapsed_us,
                    events.at.since(began.unwrap()),
                    "from the beginning of the turn to the stamp"
                );
                assert_eq!((charged_us, compensated_us), (elapsed_us, 0));
                assert_eq!(
                    clocks_us[*side],
                    main[*side] - charged_us + 3_000_000,
                    "and the increment is added"
                );
                assert_eq!(clocks_us[!*side], main[!*side], "the other clock stands");
                main = *clocks_us;
            }
        }
        assert_eq!(events.clock.main_us, main);
        // The turn begins at the commit: after the stamp, and nobody pays for the time between.
        assert!(events.clock.began.is_none_or(|b| b >= events.at || Some(b) == began));
        began = events.clock.began;
    }
}

#[tokio::test]
async fn a_flag_that_fell_while_nobody_looked_falls_when_it_should() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("2")).await;
    let Event::FlagFell { earliest, .. } =
        table.seats.black.until(|event| matches!(event, Event::FlagFell { .. })).await
    else {
        unreachable!()
    };
    let clocks = table.seats.black.seen.iter().rev().find_map(|events| events.clock.began);
    let began = clocks.or(table.seats.black.snapshot.clock.began);
    if let Some(began) = began {
        assert_eq!(earliest, began.plus(2_000_000));
    }
    table.seats.white.ended().await;
    assert_eq!(table.seats.white.command(Command::OfferDraw).await, Err(Refusal::GameOver));
}
