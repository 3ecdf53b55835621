//! The stream of one game: a bidirectional stream that a client opens after its control stream.
//! Its first frame is `Attach`; closing it is leaving the game.

use crate::Seq;
use crate::bounded::List;
use crate::codec::Frame;
use crate::command::{Command, Party};
use crate::event::Entry;
use crate::limits::{CLIENT_FRAME_MAX, EVENTS_MAX, LEGAL_MOVES_MAX, SERVER_FRAME_MAX};
use crate::refusal::Refusal;
use crate::rules::GameId;
use crate::snapshot::{ClockReading, LegalMove, Snapshot};
use crate::time::Stamp;
use serde::{Deserialize, Serialize};

/// In which capacity somebody attaches to a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    /// A player of the game; the server knows which side.
    Player,
    /// A spectator.
    Spectator,
    /// The arbiter.
    Arbiter,
    /// An electronic board or clock; an arbiter's or organizer's identity speaks for it.
    Device,
}

/// The first frame of a game's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Attach {
    /// Which game.
    pub game: GameId,
    /// In which capacity.
    pub seat: Seat,
    /// The last event that the client has: the missing ones follow. None asks for a snapshot.
    pub after: Option<Seq>,
    /// Whether the legal moves are to come with each position.
    pub legal_moves: bool,
}

/// What a client sends on a game's stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToGame {
    /// Opens the stream; nothing else may come before it, nor a second one.
    Attach(Attach),
    /// A command.
    Command {
        /// The client's number for it. Numbers of one side in one game only go up; the same number
        /// again is the same command, answered and not repeated.
        id: u64,
        /// The last event that changed the position, as the sender knows it. Required where
        /// [`Command::names_position`] says so.
        on: Option<Seq>,
        /// The command.
        command: Command,
    },
    /// Asks for the missing events after this one, or for a snapshot if none.
    Resync {
        /// The last event that the client has.
        after: Option<Seq>,
    },
}

impl Frame for ToGame {
    const MAX: usize = CLIENT_FRAME_MAX;
    const VARIANTS: u32 = 3;
}

/// What the server sends on a game's stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromGame {
    /// The game as it stands. What the reader had before does not count any more.
    Snapshot {
        /// The server's time when it wrote this.
        now: Stamp,
        /// The game.
        snapshot: Box<Snapshot>,
    },
    /// Events of one decision, durable and in order.
    Events(Box<Events>),
    /// What came of a command: the last event that it caused, or why it was refused.
    Answer {
        /// The command's number.
        id: u64,
        /// What came of it.
        result: Result<Seq, Refusal>,
    },
    /// The legal moves of the position, for those who asked for them.
    LegalMoves {
        /// The event that brought the position about.
        on: Seq,
        /// The moves, in the order of their squares; bound ones only, where a claim or a touch binds.
        moves: List<LegalMove, LEGAL_MOVES_MAX>,
    },
    /// Another connection of the same identity plays on; this stream ends.
    TakenOver,
}

impl Frame for FromGame {
    const MAX: usize = SERVER_FRAME_MAX;
    const VARIANTS: u32 = 5;
}

/// The events of one decision, and what the clocks show after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Events {
    /// The number of the first.
    pub first: Seq,
    /// The stamp that they were decided at.
    pub at: Stamp,
    /// Who caused them.
    pub by: Party,
    /// The events.
    pub entries: List<Entry, EVENTS_MAX>,
    /// The last event that changed the position: the next move names it.
    pub position_seq: Seq,
    /// The clocks after them.
    pub clock: ClockReading,
    /// The server's time when it wrote this.
    pub now: Stamp,
}
