//! Games as the journal sees them: records without a board behind them.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.
#![allow(dead_code)] // Each test file uses its own part.

use std::path::Path;
use zeitnot_proto::command::Party;
use zeitnot_proto::control::GameSummary;
use zeitnot_proto::event::Spent;
use zeitnot_proto::rules::{GameId, Rules, Setup, Start, Terms};
use zeitnot_proto::{ByColor, Color, Entry, Event, Outcome, Seq, Stamp, Text};
use zeitnot_server::data_dir::DataDir;
use zeitnot_server::journal::{EncodedRow, Finished, Journal, Options, Record, SqliteJournal, StoreError};

/// A journal in `dir` with the default options.
pub fn open(dir: &Path) -> SqliteJournal {
    open_with(dir, Options::default())
}

/// A journal in `dir`.
pub fn open_with(dir: &Path, options: Options) -> SqliteJournal {
    SqliteJournal::open(&DataDir::create(dir).unwrap(), options).unwrap()
}

/// A decision as the journal takes it.
pub fn encoded(record: &Record) -> EncodedRow {
    EncodedRow::encode(record).unwrap()
}

/// Appends and waits for the answer.
pub fn append(journal: &SqliteJournal, record: &Record) -> Result<Stamp, StoreError> {
    journal.append(encoded(record), None).blocking_recv().unwrap()
}

/// Appends the decision that ends a game, and waits for the answer.
pub fn finish(journal: &SqliteJournal, record: &Record, finished: Finished) -> Result<Stamp, StoreError> {
    journal.append(encoded(record), Some(Box::new(finished))).blocking_recv().unwrap()
}

/// What game number `game` between `white` and `black` is created with.
pub fn setup(game: u64, white: &str, black: &str) -> Setup {
    Setup {
        game: GameId(game),
        players: ByColor::new(white.try_into().unwrap(), black.try_into().unwrap()),
        terms: Terms {
            time_control: "300+3".parse().unwrap(),
            rules: Rules::default(),
            start: Start::default(),
            spectator_delay_us: 0,
        },
        event: Text::default(),
        round: Text::default(),
    }
}

/// The first decision of a game.
pub fn created(game: u64, white: &str, black: &str) -> Record {
    record(game, 0, 0, Party::Server, vec![Event::GameCreated(Box::new(setup(game, white, black)))])
}

/// A decision.
pub fn record(game: u64, first: u32, at: u64, by: Party, events: Vec<Event>) -> Record {
    Record {
        game: GameId(game),
        first: Seq(first),
        turn_began: (first > 1).then(|| Stamp(at.saturating_sub(500_000))),
        at: Stamp(at),
        by,
        command_id: by.side().map(|_| u64::from(first)),
        entries: events.into_iter().map(|event| Entry { article: None, event }).collect(),
    }
}

/// A move: the event numbered `seq`, the knights going out and home.
pub fn a_move(game: u64, seq: u32, at: u64) -> Record {
    let ply = (seq + 3) % 4;
    let (side, mv) = match ply {
        0 => (Color::White, "g1f3"),
        1 => (Color::Black, "g8f6"),
        2 => (Color::White, "f3g1"),
        _ => (Color::Black, "f6g8"),
    };
    let event = Event::MoveCompleted {
        side,
        mv: mv.parse().unwrap(),
        spent: Spent { elapsed_us: 500_000, compensated_us: 0, charged_us: 500_000 },
        clocks_us: ByColor::both(300_000_000),
    };
    record(game, seq, at, side.into(), vec![event])
}

/// The end of a game.
pub fn ended(game: u64, first: u32, at: u64, outcome: Outcome) -> Record {
    record(game, first, at, Party::White, vec![Event::ended(outcome)])
}

/// What a game leaves behind.
pub fn finished(game: u64, white: &str, black: &str, outcome: Option<Outcome>) -> Finished {
    let setup = setup(game, white, black);
    Finished {
        summary: GameSummary {
            game: setup.game,
            players: setup.players,
            time_control: setup.terms.time_control,
            outcome,
            over: true,
            plies: 1,
        },
        edition: "fide-2023",
        speed: "standard",
        moves: "g1f3".to_owned(),
        pgn: format!("[White \"{white}\"]\n"),
        created: Stamp(1_000_000),
        ended: Stamp(2_000_000),
    }
}
