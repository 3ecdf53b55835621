//! Scenarios: the Laws as executable cases.
//!
//! A scenario is a TOML text: a game, a time line of inputs, and what must come of it. It runs through the same
//! [`Game::decide`](crate::Game::decide), [`apply`](crate::Game::apply) and
//! [`decide_timeout`](crate::Game::decide_timeout) that live games use, on virtual time. A search that a ruling
//! asks for is answered at once.

mod read;
mod report;
mod run;
mod tree;

pub use read::BASE;
pub use report::{Field, Reported};
pub use run::{Failure, FinalState, Outcome, Table};
use std::fmt;
use zeitnot_proto::command::Party;
use zeitnot_proto::rules::Terms;
use zeitnot_proto::{ByColor, Color, Command};

/// A file that is not a scenario: where and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.what)
    }
}

impl std::error::Error for FormError {}

/// A scenario: one or more runs.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its id.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// One run for each variant and edition.
    pub runs: Vec<Run>,
}

/// One game with its time line.
#[derive(Debug, Clone)]
pub struct Run {
    /// The variant and the edition, for people.
    pub name: String,
    /// The variant; empty if the file has none.
    pub variant: String,
    /// What is played.
    pub terms: Terms,
    /// Who is there at the beginning, where there is an appointed time.
    pub present: ByColor<bool>,
    /// The appointed time, in microseconds from t = 0.
    pub scheduled_us: Option<u64>,
    /// The inputs in their order.
    pub steps: Vec<Step>,
    /// How it has to end.
    pub end: End,
}

/// One input, or none.
#[derive(Debug, Clone)]
pub struct Step {
    /// The line it stands on.
    pub line: usize,
    /// Its stamp, in microseconds from t = 0.
    pub at_us: u64,
    /// When a runtime gets to it, if later.
    pub processed_at_us: Option<u64>,
    /// Who gives what; none to wait.
    pub input: Option<(Party, Command)>,
    /// Events that it has to cause, in order.
    pub expect: Vec<Expected>,
    /// The state right after it.
    pub after: Expectations,
}

/// The end of a run.
#[derive(Debug, Clone)]
pub struct End {
    /// The line it stands on.
    pub line: usize,
    /// When it is, in microseconds from t = 0.
    pub at_us: u64,
    /// Events since the last step.
    pub expect: Vec<Expected>,
    /// Events that must not occur.
    pub never: Vec<Expected>,
    /// Events that must occur.
    pub ever: Vec<Expected>,
    /// The state.
    pub state: Expectations,
}

/// An event that is looked for: its name and those of its fields that are looked at.
#[derive(Debug, Clone)]
pub struct Expected {
    /// The line it stands on.
    pub line: usize,
    /// The name of the event.
    pub event: String,
    /// Names and values as the file has them.
    pub fields: Vec<(String, Wanted)>,
}

/// A value that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A text: a word, a time, a score, a move.
    Text(String),
    /// A number.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// Several, in any order.
    List(Vec<String>),
}

/// What is looked at in a state; what is left out is not.
#[derive(Debug, Clone, Default)]
pub struct Expectations {
    /// The line they stand on.
    pub line: usize,
    /// FEN; fields may be left out from the right.
    pub fen: Option<String>,
    /// Main time left, in microseconds.
    pub clocks_us: ByColor<Option<u64>>,
    /// Whose clock runs; inner none for nobody's.
    pub running: Option<Option<Color>>,
    /// `none` or the pair of scores.
    pub result: Option<String>,
    /// The reason of the result.
    pub reason: Option<String>,
    /// The period of each side.
    pub period: ByColor<Option<u64>>,
    /// Moves completed.
    pub completed: ByColor<Option<u64>>,
    /// Moves that the side to move may make.
    pub allowed: Option<Vec<String>>,
    /// Whether the game counts as played.
    pub played: Option<bool>,
}

impl Scenario {
    /// Reads a scenario.
    pub fn read(text: &str) -> Result<Scenario, FormError> {
        read::scenario(text)
    }
}
