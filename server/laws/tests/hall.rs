//! What goes on around a game: adjournment, scoresheets, notes of the arbiter, who may do what.
#![allow(clippy::unwrap_used)]

mod support;

use support::{Case, Table};
use zeitnot_laws::Rulebook;
use zeitnot_proto::command::{Party, TouchKind, Why};
use zeitnot_proto::event::Audience;
use zeitnot_proto::rules::{Conduct, Edition, Speed};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{Color, Command, Event, Reason, Refusal};

fn mv(text: &str) -> zeitnot_proto::Move {
    text.parse().unwrap()
}

/// A game adjourned at one second, White to seal.
fn adjourned(edition: Edition) -> Table {
    let mut table = Case { edition, hour: true, ..Case::default() }.open();
    for by in [Party::White, Party::Black] {
        table.give(0, by, &Command::MarkPresent).unwrap();
    }
    table.play(0, "e2e4").unwrap();
    table.play(0, "g7g5").unwrap();
    table.play(0, "b1c3").unwrap();
    table.play(0, "f7f5").unwrap();
    table.give(1000, Party::Arbiter, &Command::Adjourn { reason: Why::default() }).unwrap();
    table
}

// Law 1997 A, 2014 Guidelines I, 2023 I.1, I.6, I.7: sealed on one's own time, hidden, executed at the resumption.
#[test]
fn a_sealed_mate() {
    for edition in Edition::ALL {
        let mut table = adjourned(edition);
        assert_eq!(table.game.status(), Status::Adjourned);
        let seal = |text: &str| Command::SealMove { mv: mv(text) };
        assert_eq!(table.give(2000, Party::Black, &seal("e7e5")), Err(Refusal::NotHavingMove));
        table.give(2000, Party::White, &seal("d2d4")).unwrap();
        table.give(3000, Party::White, &seal("d1h5")).unwrap();
        table.give(5000, Party::White, &Command::PressClock).unwrap();
        assert_eq!(table.give(6000, Party::White, &seal("d2d4")), Err(Refusal::MoveAlreadyMade));
        let sealed = table.events.iter().rfind(|entry| entry.event.name() == "move_sealed").unwrap();
        assert_eq!(sealed.event.audience(), Audience::Side(Color::White));
        // White stays away; that Black is there suffices.
        table.give(86_300_000, Party::Black, &Command::MarkPresent).unwrap();
        table.give(86_400_000, Party::Arbiter, &Command::Resume).unwrap();
        assert_eq!(table.reason(), Some(Reason::Checkmate));
        assert_eq!(table.game.reading().main_us.white, 7_195_000_000);
    }
}

// Law 1997 A, 6.6, 2014 Guidelines I, 6.7a, 2023 I.1, I.7, 6.7.1: while the replier is away his clock runs; then the move is executed; the default time counts anew.
#[test]
fn a_sealed_move_and_nobody_to_reply() {
    let mut table = adjourned(Edition::Fide1997);
    table.give(2000, Party::White, &Command::SealMove { mv: mv("d2d4") }).unwrap();
    table.give(2000, Party::White, &Command::PressClock).unwrap();
    table.give(10_000_000, Party::Arbiter, &Command::Resume).unwrap();
    assert_eq!(table.game.running(), Some(Color::Black));
    assert_eq!(table.game.plies(), 4);
    let mut late = Table { game: table.game.clone(), events: Vec::new() };
    table.give(10_060_000, Party::Black, &Command::MarkPresent).unwrap();
    assert_eq!(table.game.plies(), 5);
    assert_eq!(table.game.reading().main_us.black, 7_140_000_000);
    late.wait(13_600_001);
    assert_eq!(late.reason(), Some(Reason::ForfeitBoth));
}

// Law 1997 A, 2014 Guidelines I, 2023 I.9: a sealed move that is not legal loses.
#[test]
fn an_illegal_sealed_move() {
    for edition in Edition::ALL {
        let mut table = adjourned(edition);
        table.give(2000, Party::White, &Command::SealMove { mv: mv("d1d5") }).unwrap();
        table.give(2000, Party::White, &Command::PressClock).unwrap();
        table.give(8000, Party::Black, &Command::MarkPresent).unwrap();
        table.give(9000, Party::Arbiter, &Command::Resume).unwrap();
        let Status::Ended(outcome) = table.game.status() else { panic!("it goes on") };
        assert_eq!(outcome.result(), "0-1");
    }
}

// Law 1997 8.4, 8.5a, 8.5b, 2014 8.4, 8.5a, 8.5b, 2023 8.4, 8.5.1, 8.5.2: after the flag the sheet comes first.
#[test]
fn scoresheets_by_hand() {
    for edition in Edition::ALL {
        let case = Case {
            edition,
            conduct: Conduct::Board,
            time_control: "1/60:3600",
            options: vec![("recording_required", "on"), ("period_add", "at_flag")],
            ..Case::default()
        };
        let mut table = case.open();
        let made = |text: &str| Command::MoveMade { mv: mv(text), raw: false };
        table.give(1000, Party::White, &made("e2e4")).unwrap();
        table.give(1000, Party::White, &Command::PressClock).unwrap();
        table.give(2000, Party::Black, &made("e7e5")).unwrap();
        table.give(2000, Party::Black, &Command::PressClock).unwrap();
        // White's minute runs out with the move made: the next period opens, and the sheet is due.
        table.wait(70_000);
        assert_eq!(table.game.periods().white, 2);
        assert_eq!(table.give(71_000, Party::White, &made("g1f3")), Err(Refusal::ScoresheetDue));
        let touch =
            Command::Touch { square: "g1".parse().unwrap(), kind: TouchKind::Intent, together: false };
        assert_eq!(table.give(71_000, Party::White, &touch), Err(Refusal::ScoresheetDue));
        table.give(72_000, Party::White, &Command::ScoresheetUpdated).unwrap();
        table.give(73_000, Party::White, &made("g1f3")).unwrap();
    }
}

// Law 1997 8.4, 2014 8.4, 2023 8.4: four minutes fifty-nine; ten seconds a move exempt, thirty do not.
#[test]
fn exempt_from_recording() {
    use zeitnot_proto::Stamp;
    for (time_control, exempt) in [("301+10", true), ("301+30", false), ("301", true)] {
        for edition in Edition::ALL {
            let options = vec![("increment_timing", "after_each_move")];
            let table = Case { edition, time_control, options, ..Case::default() }.open();
            let at = |seconds: u64| Stamp(support::T0 + seconds * 1_000_000);
            assert!(!table.game.is_exempt_from_recording(Color::White, at(1)), "five minutes are left");
            assert_eq!(table.game.is_exempt_from_recording(Color::White, at(2)), exempt, "{time_control}");
            assert!(!table.game.is_exempt_from_recording(Color::Black, at(2)));
        }
    }
}

// Law 1997 7.1b, 12.2, 4.1, 2014 7.2b, 11.3, 4.1, 2023 7.2.2, 11.3: noted, and the game goes on as it was.
#[test]
fn notes_of_the_arbiter() {
    for edition in Edition::ALL {
        let mut table = Case { edition, ..Case::default() }.open();
        let before = table.game.fen();
        table.give(1, Party::Arbiter, &Command::TransferBoard).unwrap();
        let reason = Why::cut("a telephone rang");
        table.give(2, Party::Arbiter, &Command::ReportFairPlay { side: Color::White, reason }).unwrap();
        table.give(3, Party::Arbiter, &Command::ReportTwoHands { side: Color::White }).unwrap();
        assert_eq!(table.game.fen(), before);
        assert_eq!(table.game.status(), Status::Playing);
        assert!(table.names().iter().filter(|name| **name == "noted").count() >= 2);
    }
}

// Law 1997 12.4, 2014 11.2, 2023 11.2: who is away lets his clock run.
#[test]
fn absence_has_no_effect_by_itself() {
    let mut table = Case::default().open();
    let presence = |present| Command::Presence { side: Color::White, present };
    table.give(0, Party::Server, &presence(true)).unwrap();
    table.give(1000, Party::Server, &presence(false)).unwrap();
    table.play(5000, "e2e4").unwrap();
    assert_eq!(table.game.reading().main_us.white, 7_195_000_000);
}

// Law 1997 13.1, 13.2, 12.1, 13.7, 2014 12.1, 12.2, 11.1, 12.7, 2023 12.1, 12.2, 11.1, 12.7: each has his own commands.
#[test]
fn who_may_do_what() {
    let mut table = Case::default().open();
    let pause = Command::Pause { reason: Why::default() };
    assert_eq!(table.give(1, Party::White, &pause), Err(Refusal::NotArbiter));
    assert_eq!(table.give(1, Party::Device, &pause), Err(Refusal::NotArbiter));
    let plays = Command::Move { mv: mv("e2e4"), offer_draw: false };
    for by in [Party::Arbiter, Party::Device, Party::Server] {
        assert_eq!(table.give(1, by, &plays), Err(Refusal::NotPlayer));
    }
    let away = Command::Presence { side: Color::White, present: false };
    assert_eq!(table.give(1, Party::White, &away), Err(Refusal::NotAllowed));
    table.give(1, Party::Arbiter, &pause).unwrap();
    assert_eq!(table.give(2, Party::White, &Command::Resume), Err(Refusal::NotArbiter));
}

// Law 1997 6.14, 13.6, 2014 6.13, 12.6, 2023 6.12, 12.6: nothing that players get points out a claim.
#[test]
fn no_hint_of_a_claim() {
    let mut table = Case::default().open();
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2) {
        table.play(1, text).unwrap();
    }
    let twice = table.game.snapshot();
    assert!(twice.claim.is_none() && twice.bound_to.is_none() && twice.offer.is_none());
    assert!(!table.names().iter().any(|name| name.starts_with("claim") || *name == "arbiter_called"));
}

// Law 2014 8.7, 2023 8.7: confirmed, it stands unless the arbiter corrects it.
#[test]
fn a_confirmed_result() {
    let mut table = Case::default().open();
    assert_eq!(table.give(1, Party::White, &Command::ConfirmResult), Err(Refusal::NotNeeded));
    table.give(1, Party::White, &Command::Resign).unwrap();
    table.give(2, Party::White, &Command::ConfirmResult).unwrap();
    table.give(2, Party::Black, &Command::ConfirmResult).unwrap();
    table.give(3, Party::Black, &Command::ConfirmResult).unwrap();
    let confirmed = table.names().iter().filter(|name| **name == "result_confirmed").count();
    assert_eq!(confirmed, 2);
    assert_eq!(table.reason(), Some(Reason::Resignation));
}

// Law 1997 B1, C1, 2014 A.1, B.1, 2023 A.1, B.1: fast games by the time for sixty moves.
#[test]
fn speeds() {
    let speed = |edition, tc: &str| Rulebook::speed_of(edition, &tc.parse().unwrap());
    assert_eq!(speed(Edition::Fide1997, "600"), Speed::Blitz);
    assert_eq!(speed(Edition::Fide1997, "900"), Speed::Rapid);
    assert_eq!(speed(Edition::Fide1997, "3600"), Speed::Rapid);
    for edition in [Edition::Fide2014, Edition::Fide2023] {
        assert_eq!(speed(edition, "600"), Speed::Blitz);
        assert_eq!(speed(edition, "300+6"), Speed::Rapid);
        assert_eq!(speed(edition, "600+5"), Speed::Rapid);
        assert_eq!(speed(edition, "3600"), Speed::Standard);
    }
    let case = Case { time_control: "300", options: vec![("speed_bounds", "enforced")], ..Case::default() };
    assert_eq!(case.try_open().err(), Some(Refusal::BadStart));
}

#[test]
fn options_that_nobody_knows() {
    for (name, value) in [("flag_mode", "perhaps"), ("no_such_option", "1"), ("min_moves", "soon")] {
        let case = Case { options: vec![(name, value)], ..Case::default() };
        assert_eq!(case.try_open().err(), Some(Refusal::BadStart), "{name} = {value}");
    }
}

// Law 1997 7.2, 2014 7.3, 2023 7.3: the players change sides, and the result goes to the colours played.
#[test]
fn swapped_colours() {
    let mut table = Case::default().open();
    assert_eq!(table.game.setup().side_of("anna"), Some(Color::White));
    table.give(1, Party::Arbiter, &Command::SwapColours).unwrap();
    assert_eq!(table.game.setup().side_of("anna"), Some(Color::Black));
    assert!(matches!(table.events.last().unwrap().event, Event::ColoursSwapped));
}
