//! The conversations of PROTOCOL.md, part 2: attaching, catching up, taking over, sending again, leaving.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;
use zeitnot_proto::close::Code;
use zeitnot_proto::control::{Notice, Reply, Request, ToClient};
use zeitnot_proto::game_stream::{Attach, FromGame, Seat, ToGame};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{Color, Event, Refusal, Seq};
use zeitnot_tests::Server;
use zeitnot_tests::games::{Guest, Table, terms};
use zeitnot_tests::raw::{self, End, Stream};

async fn snapshot(stream: &mut Stream) -> zeitnot_proto::snapshot::Snapshot {
    match stream.next::<FromGame>().await {
        Ok(FromGame::Snapshot { snapshot, .. }) => *snapshot,
        other => panic!("a snapshot was due, {other:?} came"),
    }
}

async fn events(stream: &mut Stream) -> zeitnot_proto::game_stream::Events {
    match stream.next::<FromGame>().await {
        Ok(FromGame::Events(events)) => *events,
        other => panic!("events were due, {other:?} came"),
    }
}

fn watch(table: &Table, after: Option<Seq>) -> Attach {
    Attach { game: table.game, seat: Seat::Spectator, after, legal_moves: false }
}

#[tokio::test]
async fn missing_events_follow_an_attach() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("300+3")).await;
    let known = table.seats.black.last;
    table.play("e2e4 e7e5 g1f3").await;
    let spectator = Guest::new(&server).await;
    let last = table.seats.white.last;

    let mut stream = spectator.raw.attach(watch(&table, Some(known))).await;
    let (mut next, mut moves) = (known.next(), 0);
    while next <= last {
        let events = events(&mut stream).await;
        assert_eq!(events.first, next);
        next = Seq(next.0 + u32::try_from(events.entries.len()).unwrap());
        moves += events.entries.iter().filter(|e| matches!(e.event, Event::MoveCompleted { .. })).count();
    }
    assert_eq!(moves, 3, "as they came to others");
    table.seats.black.play("b8c6").await.unwrap();
    assert_eq!(events(&mut stream).await.first, next, "and then what happens");

    // A number that the game does not have yet.
    let mut ahead = spectator.raw.attach(watch(&table, Some(Seq(9_999)))).await;
    assert_eq!(snapshot(&mut ahead).await.moves.len(), 4);
    // Again, on a stream that has it all.
    stream.send(&ToGame::Resync { after: None }).await;
    let whole = snapshot(&mut stream).await;
    assert_eq!(whole.moves.len(), 4);
    assert_eq!(whole.status, Status::Playing);
    let seen = table.seats.white.seen.last().unwrap();
    let before = Seq(seen.first.0 - 1);
    stream.send(&ToGame::Resync { after: Some(before) }).await;
    assert_eq!(events(&mut stream).await.first, seen.first);
}

#[tokio::test]
async fn an_answer_comes_after_the_events_that_it_names() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("300+3")).await;
    let seat = &mut table.seats.white;
    let answered = seat.play("e2e4").await.unwrap();
    assert_eq!(answered, seat.last, "nothing is answered before it was told");
}

#[tokio::test]
async fn legal_moves_come_with_their_names() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("300+3")).await;
    let attach = Attach { legal_moves: true, ..watch(&table, None) };
    let guest = Guest::new(&server).await;
    let mut stream = guest.raw.attach(attach).await;
    let whole = snapshot(&mut stream).await;
    let names = |frame: Result<FromGame, End>| match frame {
        Ok(FromGame::LegalMoves { on, moves }) => {
            (on, moves.iter().map(|m| m.san.to_string()).collect::<Vec<_>>())
        }
        other => panic!("legal moves were due, {other:?} came"),
    };
    let (on, first) = names(stream.next().await);
    assert_eq!((on, first.len()), (whole.position_seq, 20));
    assert!(first.contains(&"Nf3".to_string()) && first.contains(&"e4".to_string()));
    table.seats.white.play("e2e4").await.unwrap();
    let position = events(&mut stream).await.position_seq;
    let (on, second) = names(stream.next().await);
    assert_eq!((on, second.len()), (position, 20));
    assert!(second.contains(&"e5".to_string()));
}

#[tokio::test]
async fn a_server_that_goes_down_says_so() {
    let mut server = Server::start();
    let mut table = Table::new(&server, terms("300+3")).await;
    table.play("e2e4").await;
    server.signal(rustix::process::Signal::TERM);
    let Table { guests, .. } = &mut table;
    let guest = &mut guests.white;
    loop {
        match guest.control.next::<ToClient>().await {
            Ok(ToClient::Notice(Notice::Draining { retry_after_us })) => {
                assert!(retry_after_us > 0);
                break;
            }
            Ok(_) => {}
            Err(end) => panic!("a notice was due, the stream ended: {end:?}"),
        }
    }
    assert_eq!(guest.raw.closed().await, End::Closed(Some(Code::Draining)));
    assert!(server.wait(Duration::from_secs(20)).success());
    server.restart();
    let white = Guest::as_bearer(&server, guest.credential()).await;
    assert_eq!(white.sit(table.game).await.snapshot.moves.len(), 1);
}

#[tokio::test]
async fn seeks_find_one_another() {
    let server = Server::start();
    let (mut one, mut two) = (Guest::new(&server).await, Guest::new(&server).await);
    let proposal = |color| zeitnot_proto::control::Proposal { color, terms: terms("60+1") };
    let seek = |color| Request::Seek(proposal(color));
    let id = match raw::request(&mut one.control, 1, seek(Some(Color::White))).await {
        Ok(Reply::Offered(id)) => id,
        other => panic!("{other:?}"),
    };
    match raw::request(&mut two.control, 1, Request::ListSeeks { after: None }).await {
        Ok(Reply::Seeks { page, more: false }) => assert_eq!(page[0].id, id),
        other => panic!("{other:?}"),
    }
    let game = match raw::request(&mut two.control, 2, seek(None)).await {
        Ok(Reply::Game(game)) => game,
        other => panic!("{other:?}"),
    };
    match one.control.next::<ToClient>().await {
        Ok(ToClient::Notice(Notice::GameReady { setup, side: Color::White, from })) => {
            assert_eq!((setup.game, from), (game, Some(id)));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        raw::request(&mut one.control, 2, Request::AcceptSeek(id)).await,
        Err(Refusal::NoSuchOffer)
    ));
}
