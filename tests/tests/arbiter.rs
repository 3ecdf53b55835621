//! The arbiter's role over QUIC: the queue, rulings, and who may not give them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use zeitnot_proto::command::{DrawBasis, Verdict};
use zeitnot_proto::control::{Credential, Notice, Reply, Request, ToClient};
use zeitnot_proto::game_stream::{Attach, FromGame, Seat, ToGame};
use zeitnot_proto::rules::{Setting, Terms, Value};
use zeitnot_proto::{ByColor, Color, Command, Event, List, Reason, Refusal, Score, Seq, Text};
use zeitnot_tests::Server;
use zeitnot_tests::games::{Guest, Table, terms};
use zeitnot_tests::raw::{Stream, answer, request};

fn word(name: &str, value: &str) -> Setting {
    Setting { name: Text::new(name).unwrap(), value: Value::Word(Text::new(value).unwrap()) }
}

/// Terms of a game with an arbiter in the hall who verifies claims.
fn supervised() -> Terms {
    let mut terms = terms("600");
    terms.rules.options =
        List::new(vec![word("arbiter", "present"), word("verify_claims", "arbiter")]).unwrap();
    terms
}

async fn arbiter(server: &Server) -> Guest {
    let said = server.run(&["token", "create", "arbiter", "--role", "arbiter"]).unwrap();
    let token = said.split_whitespace().find(|word| word.starts_with("zeitnot_")).unwrap();
    Guest::as_bearer(server, Credential::Token(Text::new(token).unwrap())).await
}

async fn referee(arbiter: &Guest, table: &Table) -> Stream {
    let attach = Attach { game: table.game, seat: Seat::Arbiter, after: None, legal_moves: false };
    let mut stream = arbiter.raw.attach(attach).await;
    assert!(matches!(stream.next::<FromGame>().await, Ok(FromGame::Snapshot { .. })));
    stream
}

async fn rule(stream: &mut Stream, id: u64, command: Command) -> Result<Seq, Refusal> {
    stream.send(&ToGame::Command { id, on: None, command }).await;
    answer(stream, id).await
}

#[tokio::test]
async fn a_claim_waits_in_the_queue_until_the_arbiter_has_ruled() {
    // Law 2023 9.5.1, 9.5.2: the clocks stand while the claim is examined.
    let mut server = Server::start();
    let mut arbiter_in_the_hall = arbiter(&server).await;
    let mut table = Table::new(&server, supervised()).await;
    table.play(&"g1f3 g8f6 f3g1 f6g8 ".repeat(2)).await;
    let claim = Command::ClaimDraw { basis: DrawBasis::Threefold, intended: None };
    table.seats.white.command(claim).await.unwrap();
    let noticed = loop {
        let next = arbiter_in_the_hall.control.next::<ToClient>().await.unwrap();
        if let ToClient::Notice(Notice::Awaiting(awaiting)) = next {
            break awaiting;
        }
    };
    assert_eq!((noticed.game, &*noticed.topic, noticed.side), (table.game, "9.2", Some(Color::White)));
    let listed = request(&mut arbiter_in_the_hall.control, 1, Request::ListAwaiting).await;
    let Ok(Reply::Awaiting { page, more: false }) = listed else { panic!("{listed:?}") };
    assert_eq!(page[..], [noticed]);
    assert_eq!(
        request(&mut table.guests.white.control, 9, Request::ListAwaiting).await,
        Err(Refusal::NotAllowed)
    );

    // The queue is a fold of what is durable: it is there after a crash, too.
    let credentials = ByColor::new(table.guests.white.credential(), table.guests.black.credential());
    server.crash();
    let mut back = arbiter(&server).await;
    let listed = request(&mut back.control, 1, Request::ListAwaiting).await;
    assert!(matches!(&listed, Ok(Reply::Awaiting { page, .. }) if page.len() == 1), "{listed:?}");
    let white = Guest::as_bearer(&server, credentials.white).await;
    let mut seat = white.sit(table.game).await;
    assert_eq!(seat.snapshot.clock.running, None);
    let mut bench = referee(&back, &table).await;
    let upheld = Command::RuleClaim { verdict: Verdict::Upheld, bonus_us: 0, reason: Text::default() };
    rule(&mut bench, 1, upheld).await.unwrap();
    match seat.ended().await {
        Event::GameEnded { white, black, reason, .. } => {
            assert_eq!((white, black, reason), (Score::HALF, Score::HALF, Reason::Threefold));
        }
        other => panic!("{other:?}"),
    }
    let listed = request(&mut back.control, 2, Request::ListAwaiting).await;
    assert!(matches!(&listed, Ok(Reply::Awaiting { page, .. }) if page.is_empty()), "{listed:?}");
}

#[tokio::test]
async fn an_arbiter_stops_the_clocks_and_starts_them_again() {
    // Law 2023 6.11.1, 6.11.3.
    let server = Server::start();
    let hall = arbiter(&server).await;
    let mut table = Table::new(&server, supervised()).await;
    table.play("e2e4 e7e5").await;
    let mut bench = referee(&hall, &table).await;
    rule(&mut bench, 1, Command::Pause { reason: Text::cut("fire drill") }).await.unwrap();
    table.seats.white.until(|event| matches!(event, Event::ClockPaused { .. })).await;
    assert_eq!(table.seats.white.play("g1f3").await, Err(Refusal::ClocksPaused));
    rule(&mut bench, 2, Command::Resume).await.unwrap();
    table.seats.white.until(|event| matches!(event, Event::ClockResumed { side: Color::White })).await;
    table.seats.white.play("g1f3").await.unwrap();
}

#[tokio::test]
async fn players_and_spectators_are_no_arbiters() {
    // Law 2023 12.1, 12.7: only the arbiter rules.
    let server = Server::start();
    let mut table = Table::new(&server, supervised()).await;
    table.play("e2e4").await;
    for command in [
        Command::Pause { reason: Text::default() },
        Command::Resume,
        Command::CallFlag { side: Color::White },
        Command::Annul { reason: Text::default() },
        Command::SwapColours,
        Command::ConsentDraw,
    ] {
        assert_eq!(table.seats.black.command(command).await, Err(Refusal::NotArbiter));
    }
    for command in [
        Command::Presence { side: Color::White, present: false },
        Command::Interrupt { until: zeitnot_proto::Stamp(1) },
    ] {
        assert_eq!(table.seats.black.command(command).await, Err(Refusal::NotAllowed));
    }
    let attach = Attach { game: table.game, seat: Seat::Arbiter, after: None, legal_moves: false };
    let mut stream = table.guests.black.raw.attach(attach).await;
    let end = stream.end::<FromGame>().await;
    assert_eq!(end, zeitnot_tests::raw::End::Reset(Some(zeitnot_proto::close::Code::NoSuchGame)));
}

#[tokio::test]
async fn a_result_is_declared_and_corrected() {
    // Law 2023 12.9, 10.2: a pair of scores and a reason; not every pair can be given.
    let server = Server::start();
    let hall = arbiter(&server).await;
    let mut table = Table::new(&server, supervised()).await;
    table.play("e2e4 e7e5").await;
    let mut bench = referee(&hall, &table).await;
    let declare = |white: &str, black: &str, reason: &str| Command::DeclareResult {
        scores: ByColor::new(white.parse().unwrap(), black.parse().unwrap()),
        reason: Text::cut(reason),
    };
    assert_eq!(rule(&mut bench, 1, declare("3/4", "1/4", "half a mistake")).await, Err(Refusal::BadScore));
    rule(&mut bench, 2, declare("0", "1/2", "refusal")).await.unwrap();
    match table.seats.white.ended().await {
        Event::GameEnded { white, black, reason, .. } => {
            assert_eq!((white, black, reason), (Score::ZERO, Score::HALF, Reason::Refusal));
        }
        other => panic!("{other:?}"),
    }
    rule(&mut bench, 3, declare("0", "1", "refusal")).await.unwrap();
    let corrected = |event: &Event| matches!(event, Event::GameEnded { black, .. } if *black == Score::ONE);
    table.seats.white.until(corrected).await;
    let shown = request(&mut table.guests.white.control, 3, Request::ShowGame(table.game)).await;
    let Ok(Reply::Games { page, .. }) = shown else { panic!("{shown:?}") };
    assert_eq!(page[0].outcome.as_ref().unwrap().result(), "0-1", "the table has the corrected result");
}
