//! Games written in portable notation.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod common;

use common::{created, record};
use zeitnot_proto::command::Party;
use zeitnot_proto::event::Spent;
use zeitnot_proto::rules::{Setup, Start};
use zeitnot_proto::{ByColor, Color, Event, List, Move, Outcome, Reason, Score, Text};
use zeitnot_server::journal::Record;
use zeitnot_server::pgn::{PgnError, render};

/// A game in the making.
struct Sheet {
    records: Vec<Record>,
    seq: u32,
    side: Color,
}

impl Sheet {
    fn new(start: Start) -> Sheet {
        let mut first = created(7, "ann", "bob");
        let Event::GameCreated(setup) = &mut first.entries[0].event else { unreachable!() };
        setup.terms.start = start;
        first.at = zeitnot_proto::Stamp(1_795_988_045_000_000);
        let side = match &setup.terms.start.fen {
            Some(fen) if fen.contains(" b ") => Color::Black,
            _ => Color::White,
        };
        Sheet { records: vec![first], seq: 1, side }
    }

    fn setup(&mut self) -> &mut Setup {
        let Event::GameCreated(setup) = &mut self.records[0].entries[0].event else { unreachable!() };
        setup
    }

    fn event(&mut self, event: Event) -> &mut Sheet {
        self.records.push(record(7, self.seq, 5, Party::Server, vec![event]));
        self.seq += 1;
        self
    }

    fn moves(&mut self, moves: &str) -> &mut Sheet {
        for mv in moves.split(' ') {
            let event = Event::MoveCompleted {
                side: self.side,
                mv: mv.parse().unwrap(),
                spent: Spent { elapsed_us: 2_500_000, compensated_us: 0, charged_us: 2_500_000 },
                clocks_us: ByColor::new(300_000_000, 297_500_000),
            };
            self.side = !self.side;
            self.event(event);
        }
        self
    }

    fn end(&mut self, outcome: Outcome) -> String {
        self.event(Event::ended(outcome));
        render(&self.records).unwrap()
    }
}

fn moves_of(moves: &str) -> List<Move, 1024> {
    List::new(moves.split(' ').map(|mv| mv.parse().unwrap()).collect()).unwrap()
}

#[test]
fn a_whole_game() {
    let mut sheet = Sheet::new(Start::default());
    sheet.moves("f2f3 e7e5");
    sheet.event(Event::DrawOffered { side: Color::Black, proper: true });
    sheet.event(Event::DrawOffered { side: Color::White, proper: false });
    sheet.moves("g2g4 d8h4");
    let pgn = sheet.end(Outcome::win(Color::Black, Reason::Checkmate));
    let expected = r#"[Event "?"]
[Site "?"]
[Date "2026.11.29"]
[Round "-"]
[White "ann"]
[Black "bob"]
[Result "0-1"]
[GameId "7"]
[UTCDate "2026.11.29"]
[UTCTime "21:34:05"]
[TimeControl "300+3"]
[Termination "normal"]
[Reason "checkmate"]
[Rules "fide-2023"]
[Speed "standard"]

1. f3 { [%clk 0:05:00] [%emt 0:00:02.500] } 1... e5 { (=) (=) by white
[%clk 0:04:57.500] [%emt 0:00:02.500] } 2. g4 { [%clk 0:05:00]
[%emt 0:00:02.500] } 2... Qh4# { [%clk 0:04:57.500] [%emt 0:00:02.500] } 0-1

"#;
    assert_eq!(pgn, expected);
}

#[test]
fn a_result_without_a_word_in_pgn_says_its_scores() {
    let zero = Outcome { scores: ByColor::both(Score::ZERO), reason: Reason::BothLose, played: true };
    let pgn = Sheet::new(Start::default()).moves("e2e4").end(zero);
    for tag in
        ["[Result \"*\"]", "[WhiteScore \"0\"]", "[BlackScore \"0\"]", "[Termination \"rules infraction\"]"]
    {
        assert!(pgn.contains(tag), "{tag} in {pgn}");
    }
    assert!(pgn.ends_with(" *\n\n"));
}

#[test]
fn what_was_taken_back_is_gone() {
    let mut sheet = Sheet::new(Start::default());
    sheet.moves("e2e4 e7e5 g1f3");
    sheet.event(Event::PositionRestored {
        ply: 1,
        clocks_us: ByColor::both(300_000_000),
        bound: None,
        as_at_ply: false,
    });
    sheet.side = Color::Black;
    let pgn = sheet.moves("c7c5").end(Outcome::draw(Reason::Agreement));
    assert!(pgn.contains("1... c5") && !pgn.contains("e5 {") && pgn.contains("1/2-1/2\n"), "{pgn}");
}

#[test]
fn another_start_stands_in_tags_and_its_moves_in_the_text() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30";
    let start = Start { fen: Some(Text::cut(fen)), moves: moves_of("e8e7 e2e4"), ..Start::default() };
    let pgn = Sheet::new(start).moves("e7e6").end(Outcome::draw(Reason::Agreement));
    assert!(pgn.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")), "{pgn}");
    assert!(pgn.contains("\n\n30... Ke7 31. e4 Ke6 { [%clk"), "{pgn}");
}

#[test]
fn a_move_that_is_made_and_then_completed_is_one_move() {
    let mut sheet = Sheet::new(Start::default());
    let made = Event::MoveMade { side: Color::White, mv: "e2e4".parse().unwrap(), illegal: false };
    let illegal = Event::MoveMade { side: Color::White, mv: "e2e5".parse().unwrap(), illegal: true };
    let pgn = sheet.event(illegal).event(made).moves("e2e4 e7e5").end(Outcome::draw(Reason::Agreement));
    assert!(pgn.contains("1. e4 { [%clk 0:05:00] [%emt 0:00:02.500] } 1... e5"), "{pgn}");
    // The mating move need not be completed.
    let mut sheet = Sheet::new(Start::default());
    sheet.moves("f2f3 e7e5 g2g4");
    let mate = Event::MoveMade { side: Color::Black, mv: "d8h4".parse().unwrap(), illegal: false };
    let pgn = sheet.event(mate).end(Outcome::win(Color::Black, Reason::Checkmate));
    assert!(pgn.contains("2... Qh4# 0-1"), "{pgn}");
}

/// The odd games of `golden/odd-games.pgn`, which another program reads in the end-to-end tests, with
/// result, number of moves and moves of each.
fn odd_games() -> [(String, &'static str); 5] {
    let draw = || Outcome::draw(Reason::Agreement);
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30";
    let start = Start { fen: Some(Text::cut(fen)), moves: moves_of("e8e7 e2e4"), ..Start::default() };
    let with_start = Sheet::new(start).moves("e7e6").end(draw());

    let mut offers = Sheet::new(Start::default());
    offers.event(Event::DrawOffered { side: Color::Black, proper: false });
    offers.moves("e2e4 e7e5").event(Event::DrawOffered { side: Color::Black, proper: true });

    let mut restored = Sheet::new(Start::default());
    let clocks_us = ByColor::both(300_000_000);
    restored.moves("e2e4 e7e5 g1f3");
    restored.event(Event::PositionRestored { ply: 1, clocks_us, bound: None, as_at_ply: false });
    restored.side = Color::Black;

    let zero = Outcome { scores: ByColor::both(Score::ZERO), reason: Reason::BothLose, played: true };
    let mut untimed = Sheet::new(Start::default());
    untimed.setup().terms.time_control = "-".parse().unwrap();
    untimed.setup().event = Text::cut("the \"Cup\" \\o/");
    [
        (with_start, "1/2-1/2\t3\topen\te8e7 e2e4 e7e6"),
        (offers.end(draw()), "1/2-1/2\t2\topen\te2e4 e7e5"),
        (restored.moves("c7c5").end(draw()), "1/2-1/2\t2\topen\te2e4 c7c5"),
        (Sheet::new(Start::default()).moves("d2d4").end(zero), "*\t1\topen\td2d4"),
        (untimed.moves("f2f4 d7d5 e1f2").end(draw()), "1/2-1/2\t3\topen\tf2f4 d7d5 e1f2"),
    ]
}

#[test]
fn odd_games_are_written_as_another_program_reads_them() {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let (pgn, lines): (Vec<_>, Vec<_>) = odd_games().into_iter().unzip();
    let (pgn, lines) = (pgn.concat(), lines.join("\n") + "\n");
    if std::env::var_os("ZEITNOT_WRITE_GOLDEN").is_some() {
        std::fs::write(golden.join("odd-games.pgn"), &pgn).unwrap();
        std::fs::write(golden.join("odd-games.tsv"), &lines).unwrap();
    }
    assert_eq!(pgn, std::fs::read_to_string(golden.join("odd-games.pgn")).unwrap());
    assert_eq!(lines, std::fs::read_to_string(golden.join("odd-games.tsv")).unwrap());
}

#[test]
fn an_illegal_move_that_stands_ends_what_can_be_written() {
    let pgn = Sheet::new(Start::default()).moves("e2e4 e7e3 d2d4").end(Outcome::draw(Reason::Agreement));
    assert!(pgn.replace('\n', " ").contains("{ illegal, and what was played after it: e7e3 d2d4 } 1/2-1/2"));
}

#[test]
fn a_game_under_way_and_one_that_does_not_count() {
    let mut sheet = Sheet::new(Start::default());
    sheet.setup().terms.rules.casual = true;
    sheet.setup().terms.time_control = "-".parse().unwrap();
    let pgn = render(&sheet.moves("e2e4").records).unwrap();
    for tag in ["[Event \"Casual game\"]", "[Termination \"unterminated\"]", "[TimeControl \"-\"]"] {
        assert!(pgn.contains(tag), "{tag} in {pgn}");
    }
    sheet.event(Event::GameAnnulled { reason: Text::default() });
    assert!(render(&sheet.records).unwrap().contains("[Termination \"abandoned\"]"));
    sheet.event(Event::ColoursSwapped);
    assert!(render(&sheet.records).unwrap().contains("[White \"bob\"]\n[Black \"ann\"]"));
    assert_eq!(render(&sheet.records[1..]), Err(PgnError::NoCreation));
    assert_eq!(render(&[]), Err(PgnError::NoCreation));
}
