//! What a game is played under: edition, speed, conduct, options, time control, players, start.

use crate::board::{ByColor, Color, Move};
use crate::bounded::{List, Text};
use crate::limits::{FEN_MAX, NAME_MAX, OPTIONS_MAX, START_MOVES_MAX, WORD_MAX};
use crate::time::Stamp;
use crate::time_control::TimeControl;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of a game on its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameId(pub u64);

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The name of an identity: it is what a player is known and remembered by.
pub type Name = Text<NAME_MAX>;

/// An edition of the FIDE Laws of Chess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum Edition {
    /// In force from 1 July 1997.
    #[serde(rename = "fide-1997")]
    Fide1997,
    /// In force from 1 July 2014.
    #[serde(rename = "fide-2014")]
    Fide2014,
    /// In force from 1 January 2023.
    #[default]
    #[serde(rename = "fide-2023")]
    Fide2023,
}

impl Edition {
    /// All editions, oldest first.
    pub const ALL: [Edition; 3] = [Edition::Fide1997, Edition::Fide2014, Edition::Fide2023];

    /// `"fide-1997"`, `"fide-2014"` or `"fide-2023"`.
    pub const fn name(self) -> &'static str {
        match self {
            Edition::Fide1997 => "fide-1997",
            Edition::Fide2014 => "fide-2014",
            Edition::Fide2023 => "fide-2023",
        }
    }
}

/// The speed that the Laws distinguish (Appendices A and B; 1997: B and C).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speed {
    /// Standard play.
    #[default]
    Standard,
    /// Rapid chess.
    Rapid,
    /// Blitz.
    Blitz,
}

impl Speed {
    /// All speeds.
    pub const ALL: [Speed; 3] = [Speed::Standard, Speed::Rapid, Speed::Blitz];

    /// `"standard"`, `"rapid"` or `"blitz"`.
    pub const fn name(self) -> &'static str {
        match self {
            Speed::Standard => "standard",
            Speed::Rapid => "rapid",
            Speed::Blitz => "blitz",
        }
    }
}

/// How moves come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conduct {
    /// On a screen: a move is made and completed at once.
    #[default]
    Online,
    /// On a real board with a real clock: touch, make, press.
    Board,
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// On or off.
    Flag(bool),
    /// A number without a unit.
    Count(u64),
    /// A span, in microseconds.
    SpanUs(u64),
    /// One of the words that the option knows.
    Word(Text<WORD_MAX>),
}

/// One option, by its name in snake case: it replaces what edition and speed would give.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Setting {
    /// The name, as in `docs/options.md`.
    pub name: Text<WORD_MAX>,
    /// The value.
    pub value: Value,
}

/// The rules of a game: an edition's for a speed, and what the organizer decided differently.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Rules {
    /// The edition of the Laws.
    pub edition: Edition,
    /// The speed.
    pub speed: Speed,
    /// Screen or board.
    pub conduct: Conduct,
    /// A casual game: abort, takebacks by consent and a claim against the absent are possible.
    pub casual: bool,
    /// What differs from the values of edition and speed.
    pub options: List<Setting, OPTIONS_MAX>,
}

/// Where a game starts from. The default is the initial array with full clocks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Start {
    /// The position before `moves`; the initial array if none.
    pub fen: Option<Text<FEN_MAX>>,
    /// Half-moves completed before the game starts here. They count for repetition and for the
    /// numbers of moves completed.
    pub moves: List<Move, START_MOVES_MAX>,
    /// Main time left, in microseconds, where it is not that of the first period.
    pub clocks_us: ByColor<Option<u64>>,
    /// Moves completed, where it is not what `moves` gives.
    pub completed: ByColor<Option<u32>>,
    /// The current period, from 1.
    pub period: ByColor<Option<u16>>,
    /// The appointed time (Article 6.6 of 2023), where there is one.
    pub scheduled: Option<Stamp>,
}

/// What a pair of players agrees on, or an organizer sets, before there is a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The time control.
    pub time_control: TimeControl,
    /// The rules.
    #[serde(default)]
    pub rules: Rules,
    /// The start.
    #[serde(default)]
    pub start: Start,
    /// How much later spectators see what happens, in microseconds.
    #[serde(default)]
    pub spectator_delay_us: u64,
}

/// Everything that a game is created with: its first event records it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The number of the game.
    pub game: GameId,
    /// Who has which men.
    pub players: ByColor<Name>,
    /// What was agreed or set.
    pub terms: Terms,
    /// The PGN tag Event; empty if there is none.
    pub event: Text<WORD_MAX>,
    /// The PGN tag Round; empty if there is none.
    pub round: Text<WORD_MAX>,
}

impl Setup {
    /// The side that `name` plays, if it is a player of this game. Someone who plays both sides has
    /// White's seat here.
    pub fn side_of(&self, name: &str) -> Option<Color> {
        Color::BOTH.into_iter().find(|&side| &*self.players[side] == name)
    }
}
