//! Tournament report files: TRF-2026 and the older TRF(bx) with its pairing extensions.
//!
//! A report keeps the text it was read from. Writing renders only what has changed since, so a file that was read and
//! not touched comes out byte for byte, and records this crate does not know survive.

mod consistency;
mod line;
mod read;
mod write;

use std::borrow::Cow;
use std::fmt;

use crate::round::Tpn;
use crate::tournament::Tournament;

/// Which records carry what TRF16 could not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Records 142, 152, 162, 192, 240, 250, 260.
    #[default]
    Trf2026,
    /// `XXR`, `XXC`, `XXA`, `XXP` and `BBW` to `BBU`.
    Bx,
}

/// The text of a file: UTF-8 where it is that, otherwise Latin-1, in which older programs write names.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrfError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong, in words.
    pub message: String,
}

impl fmt::Display for TrfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for TrfError {}

/// What a line of the file is about, so that writing knows which lines a change concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// One of the plain text records, by its tag.
    Text(&'static str),
    PlayerCount,
    RatedCount,
    Rounds,
    InitialColour,
    Points,
    Player(Tpn),
    Byes,
    Accelerations,
    Forbidden,
    Adjustments,
    /// Kept as it stands.
    Opaque,
}

#[derive(Clone, Debug)]
struct SourceLine {
    text: String,
    ending: &'static str,
    subject: Subject,
}

/// A tournament with the file it came from.
#[derive(Clone, Debug)]
pub struct Report {
    /// What the file says; change it freely and write the report again.
    pub tournament: Tournament,
    /// Things that are odd but do not prevent pairing.
    pub warnings: Vec<TrfError>,
    dialect: Dialect,
    /// Not read from a file, so that everything is to be said.
    fresh: bool,
    source: Vec<SourceLine>,
    as_read: Tournament,
}

impl Report {
    /// Reads a file.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn read(text: &str) -> Result<Self, TrfError> {
        read::read(text)
    }

    /// A report of a tournament that has no file yet.
    pub fn new(tournament: Tournament, dialect: Dialect) -> Self {
        Self {
            tournament,
            warnings: Vec::new(),
            dialect,
            fresh: true,
            source: Vec::new(),
            as_read: Tournament::default(),
        }
    }

    /// The file's text: lines about things that have not changed since [`Report::read`] as they were, the others
    /// rendered anew.
    pub fn write(&self) -> String {
        write::write(self)
    }

    /// The dialect the file was read in, or is to be written in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
}
