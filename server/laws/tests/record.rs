//! Facts about positions, and all recorded games.
#![allow(clippy::unwrap_used)]

use zeitnot_laws::{Arrival, Game};
use zeitnot_proto::command::{DrawBasis, Party};
use zeitnot_proto::rules::{Edition, GameId, Rules, Setup, Start, Terms};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{ByColor, Color, Command, List, Reason, Refusal, Stamp, Text};

const T0: Stamp = Stamp(1_000_000_000);

fn open(edition: Edition, fen: &str, start: &str, clocks_us: ByColor<Option<u64>>) -> Game {
    let moves = start.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
    let start = Start {
        fen: (!fen.is_empty()).then(|| Text::cut(fen)),
        moves: List::new(moves).unwrap(),
        clocks_us,
        ..Start::default()
    };
    let rules = Rules { edition, ..Rules::default() };
    let setup = Setup {
        game: GameId(1),
        players: ByColor::new(Text::cut("anna"), Text::cut("bert")),
        terms: Terms { time_control: "7200".parse().unwrap(), rules, start, spectator_delay_us: 0 },
        event: Text::default(),
        round: Text::default(),
    };
    let (mut game, entries) = Game::open(setup, T0).unwrap();
    for entry in &entries {
        game.apply(T0, &entry.event);
    }
    game.turn_began(T0);
    game
}

fn give(game: &mut Game, at: Stamp, command: &Command) -> Result<(), Refusal> {
    let by = Party::from(game.turn());
    let decision = game.decide(Arrival { at, lag_us: 0 }, by, command);
    for entry in &decision.events {
        game.apply(at, &entry.event);
    }
    game.turn_began(at);
    decision.answer
}

fn play(game: &mut Game, moves: &str) -> Result<(), Refusal> {
    for mv in moves.split_whitespace() {
        give(game, T0, &Command::Move { mv: mv.parse().unwrap(), offer_draw: false })?;
    }
    Ok(())
}

fn reason(game: &Game) -> Option<Reason> {
    match game.status() {
        Status::Ended(outcome) => Some(outcome.reason),
        _ => None,
    }
}

/// What a claim in this game comes to: the reason of the draw, or nothing if it is rejected.
fn claim(game: &Game, basis: DrawBasis, intended: Option<&str>) -> Option<Reason> {
    let mut game = game.clone();
    let intended = intended.map(|mv| mv.parse().unwrap());
    give(&mut game, T0, &Command::ClaimDraw { basis, intended }).unwrap();
    reason(&game)
}

/// The row of this id: start position and moves.
fn row(id: &str) -> (String, String) {
    let table = include_str!("data/sequences.tsv");
    let line = table.lines().find(|line| line.split('\t').next() == Some(id)).unwrap();
    let mut cells = line.split('\t').skip(1);
    let fen = cells.next().unwrap().to_owned();
    let moves = cells.next().unwrap();
    (fen, if moves == "-" { String::new() } else { moves.to_owned() })
}

fn game(edition: Edition, id: &str) -> Game {
    let (fen, moves) = row(id);
    let mut game = open(edition, &fen, "", ByColor::new(None, None));
    play(&mut game, &moves).unwrap();
    game
}

// Law 1997 9.2a, 9.2b, 2014 9.2a, 9.2b, 2023 9.2.1, 9.2.2, 9.2.3: occurrences, the start position among them.
#[test]
fn repetition() {
    for edition in Edition::ALL {
        let claims = |id: &str| claim(&game(edition, id), DrawBasis::Threefold, None);
        assert_eq!(claims("R01"), Some(Reason::Threefold));
        assert_eq!(claims("R04"), None);
        assert_eq!(claims("R06"), Some(Reason::Threefold));
        assert_eq!(claims("R12"), None);
        assert_eq!(claims("R16"), Some(Reason::Threefold));
        let before = game(edition, "R02");
        assert_eq!(claim(&before, DrawBasis::Threefold, Some("f6g8")), Some(Reason::Threefold));
        assert_eq!(claim(&before, DrawBasis::Threefold, None), None);
    }
}

// Law 2014 9.6a, 2023 9.6.1: five occurrences end the game; 1997 knows no such rule.
#[test]
fn fivefold() {
    let (fen, moves) = row("F01");
    for (edition, drawn) in Edition::ALL.into_iter().zip([false, true, true]) {
        let mut game = open(edition, &fen, "", ByColor::new(None, None));
        play(&mut game, &moves).unwrap();
        assert_eq!(reason(&game), drawn.then_some(Reason::Fivefold), "{edition:?}");
    }
}

// Law 2014 9.6b, 2023 9.6.2: seventy-five moves, mate first.
#[test]
fn seventy_five_moves() {
    for (edition, drawn) in Edition::ALL.into_iter().zip([false, true, true]) {
        let (fen, _) = row("S01");
        let mut mates = open(edition, &fen, "", ByColor::new(None, None));
        play(&mut mates, "b1b8").unwrap();
        assert_eq!(reason(&mates), Some(Reason::Checkmate));
        let mut quiet = open(edition, &fen, "", ByColor::new(None, None));
        play(&mut quiet, "b1c1").unwrap();
        assert_eq!(reason(&quiet), drawn.then_some(Reason::SeventyFive), "{edition:?}");
    }
}

// Law 1997 9.3a, 9.3b, 9.4, 2014 9.3a, 9.3b, 9.4, 2023 9.3.1, 9.3.2, 9.4: fifty moves on claim, by the one on move.
#[test]
fn fifty_moves() {
    for edition in Edition::ALL {
        let before = game(edition, "M01");
        assert_eq!(claim(&before, DrawBasis::Fifty, Some("e2a2")), Some(Reason::Fifty));
        assert_eq!(claim(&before, DrawBasis::Fifty, None), None);
        let mut after = game(edition, "M05");
        assert_eq!(reason(&after), None);
        let late = Command::ClaimDraw { basis: DrawBasis::Fifty, intended: None };
        let decision = after.decide(Arrival { at: T0, lag_us: 0 }, Party::White, &late);
        assert_eq!(decision.answer, Err(Refusal::NotHavingMove));
        give(&mut after, T0, &late).unwrap();
        assert_eq!(reason(&after), Some(Reason::Fifty));
    }
}

// Law 1997 5.2, 9.6, 1.3, 2014 5.2a, 5.2b, 9.7, 1.3, 2023 5.2.1, 5.2.2, 1.4.3: stalemate and dead positions precede every later flag.
#[test]
fn stalemate_and_dead_positions() {
    for edition in Edition::ALL {
        assert_eq!(reason(&game(edition, "T01")), Some(Reason::Stalemate));
        assert_eq!(reason(&game(edition, "T03")), Some(Reason::DeadPosition));
        assert_eq!(reason(&game(edition, "D04")), None);
    }
}

// Law 1997 6.9, 2014 6.9, 2023 6.9: time runs out against a side that can never mate, or can.
#[test]
fn flags_and_mating_material() {
    for (id, draws) in [("O01", true), ("O05", false), ("O08", true)] {
        let (fen, _) = row(id);
        let mut game = open(Edition::Fide2023, &fen, "", ByColor::both(Some(1_000_000)));
        let due = game.poll_timeout().unwrap();
        for entry in game.decide_timeout(due).events {
            game.apply(due, &entry.event);
        }
        let wanted = if draws { Reason::TimeVsNoMate } else { Reason::Time };
        assert_eq!(reason(&game), Some(wanted), "{id}");
    }
}

// Law 1997 3.5(a)(2)a, 3.4d, 3.5(b), 3.4e, 2014 3.8b, 3.7d, 3.9, 3.7e, 2023 3.8.2, 3.7.3, 3.9: castling through check, a pinned capture in passing, a promotion without a piece.
#[test]
fn moves_that_are_none() {
    let tries = |id: &str, mv: &str| {
        let mut game = game(Edition::Fide2023, id);
        play(&mut game, mv)
    };
    assert_eq!(tries("C01", "e1g1"), Err(Refusal::IllegalMove));
    assert_eq!(tries("E01", "e5d6"), Err(Refusal::IllegalMove));
    assert_eq!(tries("P01", "a7a8"), Err(Refusal::PromotionRequired));
    assert_eq!(tries("P01", "a7a8q"), Ok(()));
}

/// Every recorded game replays, and what stands on the board at its end is what the record says.
// Law 1997 5.1a, 5.2, 9.2b, 9.3b, 9.6: only mate, stalemate and dead positions end a game by themselves.
#[test]
fn recorded_games() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/real-games.tsv");
    let table = std::fs::read_to_string(path).unwrap();
    let mut games = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [result, plies, last, moves] = cells[..] else { panic!("{line}") };
        let mut game = open(Edition::Fide1997, "", "", ByColor::new(None, None));
        play(&mut game, moves).unwrap();
        games += 1;
        assert_eq!(game.plies().to_string(), plies);
        let reason = reason(&game);
        match last {
            "mate" => assert_eq!(reason, Some(Reason::Checkmate), "{line}"),
            "stalemate" => assert_eq!(reason, Some(Reason::Stalemate), "{line}"),
            "insufficient" => assert_eq!(reason, Some(Reason::DeadPosition), "{line}"),
            _ => assert_eq!(reason, None, "{line}"),
        }
        if last.starts_with("rep") {
            assert_eq!(claim(&game, DrawBasis::Threefold, None), Some(Reason::Threefold), "{line}");
        }
        if last.starts_with("50") {
            assert_eq!(claim(&game, DrawBasis::Fifty, None), Some(Reason::Fifty), "{line}");
        }
        if let Status::Ended(outcome) = game.status() {
            assert_eq!(outcome.result(), result, "{line}");
        }
    }
    assert_eq!(games, 924);
}

#[test]
fn names_of_moves() {
    let game =
        open(Edition::Fide2023, "r3k2r/8/8/8/8/8/4p3/R3K2R w KQkq - 0 1", "", ByColor::new(None, None));
    let names: Vec<String> = game.legal_moves().iter().map(|legal| legal.san.to_string()).collect();
    assert!(names.contains(&"Kxe2".to_owned()), "{names:?}");
    let castles =
        open(Edition::Fide2023, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "", ByColor::new(None, None));
    let moves = castles.legal_moves();
    let named = |san: &str| moves.iter().find(|legal| &*legal.san == san).map(|legal| legal.mv.to_string());
    assert_eq!(named("O-O").as_deref(), Some("e1g1"));
    assert_eq!(named("O-O-O").as_deref(), Some("e1c1"));
    assert_eq!(castles.turn(), Color::White);
}
