//! Every way in which a game can end, over QUIC, against the server as it runs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use zeitnot_proto::command::DrawBasis;
use zeitnot_proto::rules::{Edition, Setting, Value};
use zeitnot_proto::{ByColor, Color, Command, Event, List, Reason, Refusal, Score, Text};
use zeitnot_tests::Server;
use zeitnot_tests::games::{Guest, Table, agree, terms};

/// Terms that start from a position.
fn from(fen: &str, time_control: &str) -> zeitnot_proto::rules::Terms {
    let mut terms = terms(time_control);
    terms.start.fen = Some(Text::new(fen).unwrap());
    terms
}

fn option(name: &str, value: Value) -> Setting {
    Setting { name: Text::new(name).unwrap(), value }
}

/// What both players were told about the end.
async fn end(table: &mut Table) -> (String, Reason) {
    let told = ByColor::new(table.seats.white.ended().await, table.seats.black.ended().await);
    assert_eq!(told.white, told.black, "both sides see the same");
    match told.white {
        Event::GameEnded { white, black, reason, .. } => (format!("{white}-{black}"), reason),
        other => panic!("a result was due, {other:?} came"),
    }
}

#[tokio::test]
async fn checkmate() {
    // Law 2023 5.1.1: mate ends the game at once.
    let server = Server::start();
    let mut table = Table::new(&server, terms("300+3")).await;
    table.play("f2f3 e7e5 g2g4 d8h4").await;
    assert_eq!(end(&mut table).await, ("0-1".into(), Reason::Checkmate));
    assert_eq!(table.seats.white.play("a2a3").await, Err(Refusal::GameOver));
    assert_eq!(server.metrics().count("zeitnot_games_ended_total{reason=\"checkmate\"}"), 1);
}

#[tokio::test]
async fn stalemate() {
    // Law 2023 5.2.1: no legal move and no check is a draw.
    let server = Server::start();
    let mut table = Table::new(&server, from("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "300")).await;
    table.play("g5g6").await;
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::Stalemate));
}

#[tokio::test]
async fn dead_position() {
    // Law 2023 5.2.2: two bare kings.
    let server = Server::start();
    let mut table = Table::new(&server, from("8/8/8/3k4/4P3/8/8/K7 b - - 0 1", "300")).await;
    table.seats.black.play("d5e4").await.unwrap();
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::DeadPosition));
}

#[tokio::test]
async fn resignation() {
    // Law 2023 5.1.2, and its proviso: a side that can never mate does not win.
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play("e2e4 e7e5").await;
    table.seats.white.command(Command::Resign).await.unwrap();
    assert_eq!(end(&mut table).await, ("0-1".into(), Reason::Resignation));

    let mut table = Table::new(&server, from("8/8/8/3k4/8/3PK3/8/8 w - - 0 1", "300")).await;
    table.seats.white.command(Command::Resign).await.unwrap();
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::ResignVsNoMate));
}

#[tokio::test]
async fn agreement() {
    // Law 2023 9.1.2: an offer with the move, accepted in the opponent's time.
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play("e2e4 e7e5").await;
    let offer = Command::Move { mv: "g1f3".parse().unwrap(), offer_draw: true };
    table.seats.white.command(offer).await.unwrap();
    table.seats.black.sees("g1f3").await;
    table.seats.black.command(Command::AcceptDraw).await.unwrap();
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::Agreement));
}

#[tokio::test]
async fn an_offer_lapses_with_the_reply() {
    // Law 2023 9.1.2.1: the reply declines it.
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play("e2e4 e7e5").await;
    table.seats.white.command(Command::Move { mv: "g1f3".parse().unwrap(), offer_draw: true }).await.unwrap();
    table.seats.black.sees("g1f3").await;
    table.seats.black.play("b8c6").await.unwrap();
    table.seats.white.until(|event| matches!(event, Event::OfferLapsed { .. })).await;
    assert_eq!(table.seats.black.command(Command::AcceptDraw).await, Err(Refusal::NoOffer));
}

const THERE_AND_BACK: &str = "g1f3 g8f6 f3g1 f6g8 ";

#[tokio::test]
async fn threefold_on_a_claim_and_not_before() {
    // Law 2023 9.2.2: the position has appeared for the third time and the player on move claims it.
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play(&THERE_AND_BACK.repeat(2)).await;
    table
        .seats
        .white
        .command(Command::ClaimDraw { basis: DrawBasis::Threefold, intended: None })
        .await
        .unwrap();
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::Threefold));
}

#[tokio::test]
async fn a_wrong_claim_costs_and_the_game_goes_on() {
    // Law 2023 9.5.3: two minutes for the opponent.
    let server = Server::start();
    let mut table = Table::new(&server, terms("600")).await;
    table.play(THERE_AND_BACK).await;
    table
        .seats
        .white
        .command(Command::ClaimDraw { basis: DrawBasis::Threefold, intended: None })
        .await
        .unwrap();
    let Event::PenaltyApplied { black_us, .. } =
        table.seats.black.until(|event| matches!(event, Event::PenaltyApplied { .. })).await
    else {
        unreachable!()
    };
    assert!(black_us > 600_000_000 && black_us <= 720_000_000, "{black_us}");
    let again = Command::ClaimDraw { basis: DrawBasis::Threefold, intended: None };
    assert_eq!(table.seats.white.command(again).await, Err(Refusal::AlreadyClaimed));
    table.seats.white.play("e2e4").await.unwrap();
}

#[tokio::test]
async fn fivefold_without_a_claim() {
    // Law 2023 9.6.1: five occurrences end the game by themselves.
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play(&THERE_AND_BACK.repeat(4)).await;
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::Fivefold));
}

#[tokio::test]
async fn five_occurrences_are_nothing_in_1997() {
    // Law 1997 9.2: only on a claim, however often.
    let server = Server::start();
    let mut old = terms("300");
    old.rules.edition = Edition::Fide1997;
    let mut table = Table::new(&server, old).await;
    table.play(&THERE_AND_BACK.repeat(4)).await;
    table.seats.white.play("e2e4").await.unwrap();
}

#[tokio::test]
async fn fifty_and_seventy_five_moves() {
    // Law 2023 9.3.1: an announced move completes the fifty; 9.6.2: seventy-five need no claim.
    let server = Server::start();
    let mut table = Table::new(&server, from("8/8/4k3/8/8/2R1K3/8/8 w - - 99 80", "300")).await;
    let claim = Command::ClaimDraw { basis: DrawBasis::Fifty, intended: Some("c3c4".parse().unwrap()) };
    table.seats.white.command(claim).await.unwrap();
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::Fifty));

    let mut table = Table::new(&server, from("7k/8/6K1/8/8/8/8/R7 w - - 149 120", "300")).await;
    table.play("a1a2").await;
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::SeventyFive));

    let mut table = Table::new(&server, from("7k/8/6K1/8/8/8/8/R7 w - - 149 120", "300")).await;
    table.play("a1a8").await;
    assert_eq!(end(&mut table).await, ("1-0".into(), Reason::Checkmate), "mate prevails");
}

#[tokio::test]
async fn a_flag_falls() {
    // Law 2023 6.9: a loss, or a draw where the opponent can never mate.
    let server = Server::start();
    let mut table = Table::new(&server, terms("1")).await;
    table.play("e2e4").await;
    assert_eq!(end(&mut table).await, ("1-0".into(), Reason::Time));

    let mut table = Table::new(&server, from("8/8/8/3k4/8/3PK3/8/8 w - - 0 1", "1")).await;
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::TimeVsNoMate));
}

#[tokio::test]
async fn a_search_decides_whether_the_opponent_could_mate() {
    // Law 2023 6.9: every legal move takes the queen, so that no series of moves mates; material alone does
    // not say so.
    let server = Server::start();
    let mut solved = from("6k1/8/8/8/8/8/1q5R/K7 w - - 0 1", "1");
    solved.rules.options =
        List::new(vec![option("dead_position", Value::Word(Text::cut("solver")))]).unwrap();
    let mut table = Table::new(&server, solved).await;
    assert_eq!(end(&mut table).await, ("1/2-1/2".into(), Reason::TimeVsNoMate));
    assert_eq!(server.metrics().count("zeitnot_mate_searches_total{answer=\"never\"}"), 1);
}

#[tokio::test]
async fn a_search_that_comes_to_no_end_leaves_the_win_and_the_position_in_the_log() {
    // Law 2023 6.9: what is not proved counts as "could mate". The position is the one in which the flag fell.
    let server = Server::with(&["--limit-mate-search-positions", "1"]);
    let mut solved = terms("1");
    solved.rules.options =
        List::new(vec![option("dead_position", Value::Word(Text::cut("solver")))]).unwrap();
    let mut table = Table::new(&server, solved).await;
    table.play("e2e4").await;
    assert_eq!(end(&mut table).await, ("1-0".into(), Reason::Time));
    assert_eq!(server.metrics().count("zeitnot_mate_searches_total{answer=\"unknown\"}"), 1);
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let log = server.log();
    let line = log.lines().find(|line| line.contains(fen)).unwrap_or_default();
    assert!(line.contains("WARN") && line.contains("game"), "{log}");
}

#[tokio::test]
async fn an_abort_before_both_have_moved() {
    let server = Server::start();
    let mut casual = terms("300");
    casual.rules.casual = true;
    let mut table = Table::new(&server, casual.clone()).await;
    table.play("e2e4").await;
    table.seats.black.command(Command::Abort).await.unwrap();
    assert!(matches!(table.seats.white.ended().await, Event::GameAnnulled { .. }));

    let mut table = Table::new(&server, casual).await;
    table.play("e2e4 e7e5").await;
    assert_eq!(table.seats.white.command(Command::Abort).await, Err(Refusal::TooLate));

    let mut table = Table::new(&server, terms("300")).await;
    assert_eq!(table.seats.white.command(Command::Abort).await, Err(Refusal::NotCasual));
}

#[tokio::test]
async fn a_first_move_that_does_not_come() {
    let server = Server::start();
    let mut impatient = terms("300");
    impatient.rules.options = List::new(vec![option("first_move_timeout", Value::SpanUs(300_000))]).unwrap();
    let mut table = Table::new(&server, impatient.clone()).await;
    assert!(matches!(table.seats.black.ended().await, Event::GameAnnulled { .. }));

    // Nor does a game wait for ever for a player who does not come to it.
    let mut guests = ByColor::new(Guest::new(&server).await, Guest::new(&server).await);
    let game = agree(&mut guests, impatient).await;
    let mut alone = guests.white.sit(game).await;
    assert!(matches!(alone.ended().await, Event::GameAnnulled { .. }));
}

#[tokio::test]
async fn takebacks_by_consent() {
    let server = Server::start();
    let mut casual = terms("300");
    casual.rules.casual = true;
    let mut table = Table::new(&server, casual).await;
    table.play("e2e4 e7e5").await;
    table.seats.white.command(Command::OfferTakeback).await.unwrap();
    table.seats.black.until(|event| matches!(event, Event::TakebackOffered { side: Color::White, .. })).await;
    table.seats.black.command(Command::AcceptTakeback).await.unwrap();
    table.seats.white.until(|event| matches!(event, Event::PositionRestored { ply: 0, .. })).await;
    table.seats.white.play("d2d4").await.unwrap();

    let mut table = Table::new(&server, terms("300")).await;
    table.play("e2e4 e7e5").await;
    assert_eq!(table.seats.white.command(Command::OfferTakeback).await, Err(Refusal::NotCasual));
}

#[tokio::test]
async fn an_opponent_who_left_a_casual_game() {
    let server = Server::start();
    let mut casual = terms("300");
    casual.rules.casual = true;
    casual.rules.options = List::new(vec![option("absence_grace", Value::SpanUs(300_000))]).unwrap();
    let mut table = Table::new(&server, casual).await;
    table.play("e2e4 e7e5").await;
    assert_eq!(table.seats.white.command(Command::ClaimAbandoned).await, Err(Refusal::OpponentPresent));
    table.guests.black.raw.quic.close(0u32.into(), b"");
    let gone = |event: &Event| matches!(event, Event::PresenceChanged { side: Color::Black, present: false });
    table.seats.white.until(gone).await;
    while table.seats.white.command(Command::ClaimAbandoned).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    match table.seats.white.ended().await {
        Event::GameEnded { white, reason, .. } => {
            assert_eq!((white, reason), (Score::ONE, Reason::Abandoned));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_untimed_game_has_no_flag() {
    let server = Server::start();
    let mut table = Table::new(&server, terms("-")).await;
    table.play("f2f3 e7e5 g2g4 d8h4").await;
    assert_eq!(end(&mut table).await, ("0-1".into(), Reason::Checkmate));
    assert_eq!(table.seats.white.snapshot.clock.running, None);
}

#[tokio::test]
async fn a_rematch_changes_colours() {
    use zeitnot_proto::control::{Reply, Request};
    use zeitnot_tests::raw::request;
    let server = Server::start();
    let mut table = Table::new(&server, terms("300")).await;
    table.play("f2f3 e7e5 g2g4 d8h4").await;
    end(&mut table).await;
    let offered = request(&mut table.guests.white.control, 7, Request::Rematch(table.game)).await;
    assert_eq!(offered, Ok(Reply::Done));
    let again = request(&mut table.guests.black.control, 7, Request::Rematch(table.game)).await;
    let Ok(Reply::Game(game)) = again else { panic!("{again:?}") };
    let seat = table.guests.black.sit(game).await;
    assert_eq!(seat.snapshot.setup.players.white, table.guests.black.welcome.name);
}

#[tokio::test]
async fn terms_that_cannot_be_used_are_refused() {
    use zeitnot_proto::control::{Proposal, Request};
    use zeitnot_tests::raw::request;
    let server = Server::start();
    let mut guests = ByColor::new(Guest::new(&server).await, Guest::new(&server).await);
    let nine_pawns = from("rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "300");
    let mut unknown = terms("300");
    unknown.rules.options = List::new(vec![option("no_such_option", Value::Flag(true))]).unwrap();
    for bad in [nine_pawns, from("nonsense", "300"), unknown] {
        let seek = Request::Seek(Proposal { color: None, terms: bad });
        assert_eq!(request(&mut guests.white.control, 1, seek).await, Err(Refusal::BadStart));
    }
    agree(&mut guests, terms("300")).await;
}
