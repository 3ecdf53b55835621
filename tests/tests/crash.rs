//! Killed at any instant, nothing that anyone was told is missing; clocks go on as they should.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use zeitnot_proto::game_stream::{FromGame, ToGame};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{Color, Command, Event, GameId, Move, Seq};
use zeitnot_tests::Server;
use zeitnot_tests::games::{Guest, SeatAt, Table, terms};

/// Moves that can be repeated for ever under the edition of 1997.
const SHUFFLE: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];

/// What a game's players were told before the server died.
struct Told {
    game: GameId,
    credentials: [zeitnot_proto::control::Credential; 2],
    /// Moves that somebody saw or had acknowledged, in order.
    moves: Vec<Move>,
    last: Seq,
}

/// Plays until the server dies.
async fn play_on(mut table: Table, died: Arc<AtomicBool>) -> Told {
    let mut moves = Vec::new();
    let mut last = Seq(0);
    'playing: for (ply, id) in (0..).zip(1..) {
        let side = if ply % 2 == 0 { Color::White } else { Color::Black };
        let mv: Move = SHUFFLE[ply % 4].parse().unwrap();
        let on = Some(table.seats[side].position);
        let command = Command::Move { mv, offer_draw: false };
        table.seats[side].stream.send(&ToGame::Command { id, on, command }).await;
        for reader in [side, !side] {
            loop {
                // A dead server says nothing; what came before its death has been read by then.
                let next = table.seats[reader].stream.next::<FromGame>();
                let Ok(next) = tokio::time::timeout(Duration::from_millis(300), next).await else {
                    if died.load(Ordering::Relaxed) {
                        break 'playing;
                    }
                    continue;
                };
                match next {
                    Ok(FromGame::Events(events)) => {
                        table.seats[reader].position = events.position_seq;
                        let count = u32::try_from(events.entries.len()).unwrap();
                        last = last.max(Seq(events.first.0 + count - 1));
                        if events
                            .entries
                            .iter()
                            .any(|entry| matches!(entry.event, Event::MoveCompleted { .. }))
                        {
                            if moves.len() == ply {
                                moves.push(mv);
                            }
                            break;
                        }
                    }
                    Ok(FromGame::Answer { result, .. }) => {
                        let seq = result.unwrap_or_else(|refusal| panic!("ply {ply}: {refusal:?}"));
                        last = last.max(seq);
                    }
                    Ok(_) => {}
                    Err(_) => break 'playing,
                }
            }
        }
    }
    let credentials = [table.guests.white.credential(), table.guests.black.credential()];
    Told { game: table.game, credentials, moves, last }
}

fn endless() -> zeitnot_proto::rules::Terms {
    let mut terms = terms("600");
    terms.rules.edition = zeitnot_proto::rules::Edition::Fide1997;
    terms
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_was_told_is_missing_after_a_kill() {
    let mut server = Server::start();
    let mut played = 0;
    for round in 0..4u64 {
        let died = Arc::new(AtomicBool::new(false));
        let mut games = Vec::new();
        for _ in 0..12 {
            let table = Table::new(&server, endless()).await;
            games.push(tokio::spawn(play_on(table, Arc::clone(&died))));
        }
        let seed = u64::from(std::process::id()) + round * 7_919;
        let instant = Duration::from_millis(150 + seed % 350);
        println!("round {round}: killed after {instant:?}");
        tokio::time::sleep(instant).await;
        server.kill();
        died.store(true, Ordering::Relaxed);
        let mut told = Vec::new();
        for game in games {
            told.push(game.await.unwrap());
        }
        server.restart();
        for told in told {
            played += told.moves.len();
            check(&server, told).await;
        }
    }
    assert!(played > 100, "only {played} moves were played: the test says little");
}

/// What the players were told is in the game, and the game goes on.
async fn check(server: &Server, told: Told) {
    let [white, black] = told.credentials;
    let (white, black) = (Guest::as_bearer(server, white).await, Guest::as_bearer(server, black).await);
    assert!(white.welcome.games.contains(&told.game), "game {} is gone", told.game);
    let (mut white, mut black) = (white.sit(told.game).await, black.sit(told.game).await);
    let kept = &white.snapshot.moves;
    assert!(kept.len() >= told.moves.len(), "{} moves told, {} kept", told.moves.len(), kept.len());
    assert_eq!(kept[..told.moves.len()], told.moves[..], "the moves that were told");
    assert!(white.snapshot.seq >= told.last, "{:?} told, {:?} kept", told.last, white.snapshot.seq);
    // A move that nobody was told of may be there too: the next one is for whoever is on move now.
    let next = SHUFFLE[kept.len() % 4];
    let on_move: &mut SeatAt = if kept.len() % 2 == 0 { &mut white } else { &mut black };
    // The clocks run again when both are back.
    on_move.until(|event| matches!(event, Event::ClockResumed { .. })).await;
    on_move.play(next).await.unwrap();
}

#[tokio::test]
async fn clocks_stand_while_the_server_is_away() {
    // Law 2023 6.11.1: an interruption is nobody's time.
    let mut server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play("e2e4 e7e5").await;
    let before = table.seats.white.seen.last().unwrap().clock;
    let credentials = [table.guests.white.credential(), table.guests.black.credential()];
    // Long enough for a heartbeat: time up to the last one is White's.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    server.kill();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    server.restart();
    let [white, black] = credentials;
    let (white, black) = (Guest::as_bearer(&server, white).await, Guest::as_bearer(&server, black).await);
    let white = white.sit(table.game).await;
    assert_eq!(white.snapshot.clock.running, None, "nobody's clock runs while Black is away");
    let charged = before.main_us.white - white.snapshot.clock.main_us.white;
    assert!(
        (1_000_000..=2_700_000).contains(&charged),
        "charged {charged} us: up to the last heartbeat, no more"
    );
    assert_eq!(white.snapshot.clock.main_us.black, before.main_us.black);
    let mut black = black.sit(table.game).await;
    black.until(|event| matches!(event, Event::ClockResumed { side: Color::White })).await;
}

#[tokio::test]
async fn a_resent_command_is_recognized_across_a_crash() {
    let mut server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    let on = Some(table.seats.white.position);
    let command = Command::Move { mv: "e2e4".parse().unwrap(), offer_draw: false };
    let first = table.seats.white.command_as(9, on, command.clone()).await.unwrap();
    let credential = table.guests.white.credential();
    server.crash();
    let white = Guest::as_bearer(&server, credential).await;
    let mut seat = white.sit(table.game).await;
    assert_eq!(seat.snapshot.last_command, Some(9));
    assert_eq!(seat.command_as(9, on, command).await, Ok(first));
    assert_eq!(seat.snapshot.moves.len(), 1);
}

#[tokio::test]
async fn a_server_that_is_asked_to_end_loses_nothing_and_charges_nobody() {
    use zeitnot_proto::control::{Notice, ToClient};
    let mut server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play("e2e4 e7e5").await;
    let credentials = [table.guests.white.credential(), table.guests.black.credential()];
    assert!(server.terminate().success());
    loop {
        match table.guests.white.control.next::<ToClient>().await {
            Ok(ToClient::Notice(Notice::Draining { retry_after_us })) => {
                assert!(retry_after_us > 0);
                break;
            }
            Ok(_) => {}
            Err(end) => panic!("a notice was due, the stream ended: {end:?}"),
        }
    }
    let stood = loop {
        match table.seats.white.stream.next::<FromGame>().await {
            Ok(FromGame::Events(events)) if events.clock.running.is_none() => break events.clock,
            Ok(_) => {}
            Err(end) => panic!("the clocks were to stop, the stream ended: {end:?}"),
        }
    };
    tokio::time::sleep(Duration::from_millis(500)).await;
    server.restart();
    let [white, black] = credentials;
    let (white, black) = (Guest::as_bearer(&server, white).await, Guest::as_bearer(&server, black).await);
    let seat = white.sit(table.game).await;
    assert_eq!(seat.snapshot.clock.main_us, stood.main_us, "not a microsecond was charged");
    assert!(matches!(seat.snapshot.status, Status::Paused | Status::Playing), "{:?}", seat.snapshot.status);
    let mut black = black.sit(table.game).await;
    black.until(|event| matches!(event, Event::ClockResumed { side: Color::White })).await;
}
