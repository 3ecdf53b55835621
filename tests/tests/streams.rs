//! Streams of games: reconnecting, taking over, catching up, resending.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;
use zeitnot_proto::close::Code;
use zeitnot_proto::game_stream::{Attach, FromGame, Seat};
use zeitnot_proto::{Color, Command, Event, Move, Refusal, Seq};
use zeitnot_tests::Server;
use zeitnot_tests::games::{Guest, Table, terms};
use zeitnot_tests::raw::End;

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_second_connection_of_the_same_player_takes_over() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play("e2e4").await;
    let again = Guest::as_bearer(&server, table.guests.black.credential()).await;
    assert_eq!(again.welcome.name, table.guests.black.welcome.name);
    assert!(again.welcome.games.contains(&table.game), "a game under way is in the welcome");
    let mut seat = again.sit(table.game).await;
    loop {
        match table.seats.black.stream.next::<FromGame>().await {
            Ok(FromGame::TakenOver) => break,
            Ok(_) => {}
            Err(end) => panic!("{end:?}"),
        }
    }
    let end = table.seats.black.stream.end::<FromGame>().await;
    assert!(matches!(end, End::Finished | End::Reset(Some(Code::TakenOver))), "{end:?}");
    seat.play("e7e5").await.unwrap();
    table.seats.white.sees("e7e5").await;
    let gone = |event: &Event| matches!(event, Event::PresenceChanged { present: false, .. });
    let told = table.seats.white.seen.iter().flat_map(|events| events.entries.iter());
    assert!(!told.clone().any(|entry| gone(&entry.event)), "nobody left");
}

#[tokio::test]
async fn who_comes_back_gets_what_he_missed_and_no_more() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play("e2e4 e7e5").await;
    let last = table.seats.black.last;
    let credential = table.guests.black.credential();
    table.guests.black.raw.quic.close(0u32.into(), b"");
    let gone = |event: &Event| matches!(event, Event::PresenceChanged { side: Color::Black, present: false });
    table.seats.white.until(gone).await;
    table.seats.white.play("g1f3").await.unwrap();

    let again = Guest::as_bearer(&server, credential).await;
    let attach = Attach { game: table.game, seat: Seat::Player, after: Some(last), legal_moves: false };
    let mut stream = again.raw.attach(attach).await;
    let mut expected = last.next();
    let mut moves = Vec::new();
    while moves.is_empty() {
        match stream.next::<FromGame>().await {
            Ok(FromGame::Events(events)) => {
                assert_eq!(events.first, expected, "gapless from where the client was");
                let live = table.seats.white.seen.iter().find(|live| live.first == events.first).unwrap();
                assert_eq!(
                    (events.position_seq, &events.clock),
                    (live.position_seq, &live.clock),
                    "as it was told then"
                );
                expected = Seq(expected.0 + u32::try_from(events.entries.len()).unwrap());
                moves.extend(events.entries.iter().filter_map(|entry| match entry.event {
                    Event::MoveCompleted { mv, .. } => Some(mv),
                    _ => None,
                }));
            }
            other => panic!("events were due, {other:?} came"),
        }
    }
    assert_eq!(moves, [mv("g1f3")]);
}

#[tokio::test]
async fn an_event_from_the_future_brings_a_snapshot() {
    let server = Server::start();
    let table = Table::new(&server, terms("300")).await;
    let watcher = Guest::new(&server).await;
    let attach =
        Attach { game: table.game, seat: Seat::Spectator, after: Some(Seq(1_000_000)), legal_moves: true };
    let mut stream = watcher.raw.attach(attach).await;
    assert!(matches!(stream.next::<FromGame>().await, Ok(FromGame::Snapshot { .. })));
    match stream.next::<FromGame>().await {
        Ok(FromGame::LegalMoves { moves, .. }) => {
            assert_eq!(moves.len(), 20);
            assert!(moves.iter().any(|legal| &*legal.san == "Nf3" && legal.mv == mv("g1f3")));
        }
        other => panic!("legal moves were due, {other:?} came"),
    }
}

#[tokio::test]
async fn the_same_command_twice_is_done_once() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    let on = Some(table.seats.white.position);
    let command = Command::Move { mv: mv("e2e4"), offer_draw: false };
    let first = table.seats.white.command_as(50, on, command.clone()).await.unwrap();
    let again = table.seats.white.command_as(50, on, command.clone()).await.unwrap();
    assert_eq!(first, again, "the same answer");
    assert_eq!(server.metrics().count("zeitnot_duplicates_total"), 1);
    assert_eq!(server.metrics().count("zeitnot_moves_total"), 1);
    assert_eq!(table.seats.white.command_as(49, on, command.clone()).await, Err(Refusal::Duplicate));
    assert_eq!(table.seats.white.command_as(51, on, command.clone()).await, Err(Refusal::Stale));
    assert_eq!(table.seats.white.command_as(52, None, command).await, Err(Refusal::Malformed));
    table.seats.black.sees("e2e4").await;
    table.seats.black.play("e7e5").await.unwrap();
}

#[tokio::test]
async fn a_spectator_watches_and_may_not_move() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    let watcher = Guest::new(&server).await;
    let attach = Attach { game: table.game, seat: Seat::Spectator, after: None, legal_moves: false };
    let mut stream = watcher.raw.attach(attach).await;
    assert!(matches!(stream.next::<FromGame>().await, Ok(FromGame::Snapshot { .. })));
    let command = Command::Move { mv: mv("e2e4"), offer_draw: false };
    let on = Some(table.seats.white.position);
    stream.send(&zeitnot_proto::game_stream::ToGame::Command { id: 1, on, command }).await;
    assert_eq!(zeitnot_tests::raw::answer(&mut stream, 1).await, Err(Refusal::NotPlayer));
    table.play("e2e4").await;
    loop {
        if let Ok(FromGame::Events(events)) = stream.next::<FromGame>().await
            && events.entries.iter().any(|entry| matches!(entry.event, Event::MoveCompleted { .. }))
        {
            break;
        }
    }
}

#[tokio::test]
async fn spectators_see_a_delayed_game_later() {
    let server = Server::start();
    let mut late = terms("300");
    late.spectator_delay_us = 1_500_000;
    let mut table = Table::new(&server, late).await;
    table.play("e2e4").await;
    let watcher = Guest::new(&server).await;
    let attach = Attach { game: table.game, seat: Seat::Spectator, after: None, legal_moves: false };
    let mut stream = watcher.raw.attach(attach).await;
    match stream.next::<FromGame>().await {
        Ok(FromGame::Snapshot { snapshot, .. }) => assert!(snapshot.moves.is_empty(), "the move is too new"),
        other => panic!("{other:?}"),
    }
    let seen = loop {
        if let Ok(FromGame::Events(events)) = stream.next::<FromGame>().await
            && events.entries.iter().any(|entry| matches!(entry.event, Event::MoveCompleted { .. }))
        {
            break events;
        }
    };
    assert!(seen.now.since(seen.at) >= 1_500_000, "not before the delay has passed");
}

#[tokio::test]
async fn a_client_learns_at_once_that_the_server_is_a_new_one() {
    let mut server = Server::start();
    let table = Table::new(&server, terms("300")).await;
    server.crash();
    // Its next packet is answered by a stateless reset (RFC 9000, 10.3): the keys survive the restart.
    let quic = &table.guests.white.raw.quic;
    let _unanswered = quic.open_bi().await;
    let error = tokio::time::timeout(Duration::from_secs(10), quic.closed()).await.unwrap();
    assert_eq!(error, quinn::ConnectionError::Reset);
}
