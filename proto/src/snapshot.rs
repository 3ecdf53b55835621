//! A game as it stands, for those who join it without having seen its events.

use crate::Seq;
use crate::board::{ByColor, Color, Move};
use crate::bounded::{List, Text};
use crate::command::DrawBasis;
use crate::limits::{FEN_MAX, PLIES_MAX, SAN_MAX, WORD_MAX};
use crate::outcome::Outcome;
use crate::rules::Setup;
use crate::time::Stamp;
use serde::{Deserialize, Serialize};

/// The clocks at an instant. A reader's display goes on from here by itself: main time of the running
/// side is `main_us` until `began + delay_us`, and falls from there on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ClockReading {
    /// Main time of both sides, in microseconds, as at `began`.
    pub main_us: ByColor<u64>,
    /// Whose clock runs.
    pub running: Option<Color>,
    /// Since when it runs; none while what started it is not durable yet, or if nobody's runs.
    pub began: Option<Stamp>,
    /// Delay of the running turn not used at `began`, in microseconds.
    pub delay_us: u64,
}

/// How far a game has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Created, not begun: it waits for its players or its hour.
    Waiting,
    /// Under way.
    Playing,
    /// The clocks stand.
    Paused,
    /// The clocks stand until an arbiter has ruled on this.
    AwaitingRuling(Text<WORD_MAX>),
    /// Adjourned.
    Adjourned,
    /// Over.
    Ended(Outcome),
    /// Void: it does not count.
    Annulled,
}

impl Status {
    /// Whether nothing can happen on the board any more.
    pub const fn is_over(&self) -> bool {
        matches!(self, Status::Ended(_) | Status::Annulled)
    }
}

/// A claim that has been made and not ruled on, or the move that a ruled claim binds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenClaim {
    /// Whose.
    pub side: Color,
    /// The ground, of a claim under 9.2 or 9.3.
    pub basis: Option<DrawBasis>,
}

/// A game as it stands after its event `seq`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// What it was created with.
    pub setup: Setup,
    /// The last event that this snapshot includes.
    pub seq: Seq,
    /// The last event that changed the position: a move names it.
    pub position_seq: Seq,
    /// The position on the board.
    pub fen: Text<FEN_MAX>,
    /// Moves that led there from the start position, those of the set-up included.
    pub moves: List<Move, PLIES_MAX>,
    /// Moves completed by each side.
    pub completed: ByColor<u32>,
    /// The period that each side is in, from 1.
    pub period: ByColor<u16>,
    /// The clocks.
    pub clock: ClockReading,
    /// How far the game has come.
    pub status: Status,
    /// The side whose draw offer is live.
    pub offer: Option<Color>,
    /// The side whose request for a takeback is live.
    pub takeback: Option<Color>,
    /// A claim that awaits a ruling.
    pub claim: Option<OpenClaim>,
    /// The moves that the side on move is bound to (by a touched man or by a claim); none if free.
    pub bound_to: Option<List<Move, 256>>,
    /// Whether each player's connection is here.
    pub present: ByColor<bool>,
    /// The highest command id that this reader's side has had accepted.
    pub last_command: Option<u64>,
}

/// A legal move with its name in algebraic notation (Appendix C of 2023).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegalMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// Its name.
    pub san: Text<SAN_MAX>,
}
