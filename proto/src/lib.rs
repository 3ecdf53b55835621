//! The vocabulary of Zeitnot and its binary codec.
//!
//! A command and an event are the same types on the wire, in the laws, in the journal and in the
//! client; there is no second set and no mapping layer. This crate knows no I/O, no async and no
//! rules of chess: it can say `e2e5`, but not whether that is legal.
//!
//! | module | what it names |
//! |---|---|
//! | [`board`] | colours, squares, roles, moves |
//! | [`time`] | stamps and intervals, in microseconds |
//! | [`time_control`] | periods, increments, delays, and their notation |
//! | [`rules`] | edition, speed, conduct and options of a game; its set-up |
//! | [`command`] | what a player, an arbiter or a device asks for in a game |
//! | [`event`] | what happened in a game |
//! | [`outcome`] | scores and the reasons of a result |
//! | [`refusal`] | why something was not done |
//! | [`snapshot`] | a game as it stands, for those who join it |
//! | [`control`] | the control stream: hello, lobby, challenges, lists |
//! | [`tournament`] | tournaments: settings, requests, standings, notices |
//! | [`game_stream`] | the stream of one game |
//! | [`bounded`] | texts and lists that cannot outgrow their frame |
//! | [`codec`] | frames: length, bincode, and the checks on hostile bytes |
//! | [`close`] | close and reset codes |
//! | [`limits`] | every bound of the protocol |
//!
//! The wire is specified in `PROTOCOL.md` beside this crate's manifest, with golden vectors in
//! `vectors/`.

pub mod board;
pub mod bounded;
pub mod close;
pub mod codec;
pub mod command;
pub mod control;
pub mod event;
pub mod game_stream;
pub mod limits;
pub mod outcome;
pub mod refusal;
pub mod rules;
pub mod snapshot;
pub mod time;
pub mod time_control;
pub mod tournament;

pub use board::{ByColor, Color, Move, Role, Square};
pub use bounded::{List, Text};
pub use command::{Command, Party};
pub use event::{Entry, Event};
pub use outcome::{Outcome, Reason, Score};
pub use refusal::Refusal;
pub use rules::{GameId, Rules, Setup};
pub use time::{Interval, Stamp};
pub use time_control::TimeControl;

/// The number of an event in its game, from 0 (the creation of the game).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u32);

impl Seq {
    /// The number after this one.
    #[must_use]
    pub fn next(self) -> Seq {
        Seq(self.0.saturating_add(1))
    }
}

/// The version of the protocol that this crate speaks, as sent in `Hello` and `Welcome`.
pub const PROTOCOL_VERSION: u16 = 1;

/// The ALPN protocol name of version 1 (RFC 7301).
pub const ALPN: &[u8] = b"zeitnot/1";
