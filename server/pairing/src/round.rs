//! What stands in a player's row for one round.

use serde::{Deserialize, Serialize};
pub use zeitnot_proto::board::Color;

/// A tournament pairing number: the place in the initial order, from 1.
pub type Tpn = u16;

/// The score of a game that was played, seen from one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Score {
    /// Won.
    Win,
    /// Drawn.
    Draw,
    /// Lost.
    Loss,
}

impl Score {
    /// The same game from the other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Draw => Self::Draw,
            Self::Loss => Self::Win,
        }
    }
}

/// A round without an opponent. The kind says who chose it, which its points cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bye {
    /// Requested, worth a draw. Does not bar a pairing-allocated bye.
    Half,
    /// Requested or granted, worth a win.
    Full,
    /// A known absence.
    Zero,
    /// Allocated by the pairing because the field was odd; at most once to a player.
    Allocated,
}

/// One round of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Entry {
    /// A game that was played.
    Played {
        /// The opponent.
        opponent: Tpn,
        /// This player's colour.
        colour: Color,
        /// This player's score.
        score: Score,
        /// Whether the game lasted at least a move by each side and so counts for rating.
        rated: bool,
    },
    /// Paired, but one or both did not appear.
    Forfeit {
        /// The opponent.
        opponent: Tpn,
        /// The colour that had been assigned, if the file says so.
        colour: Option<Color>,
        /// Whether this player is awarded the win.
        won: bool,
    },
    /// Paired, without a result so far.
    Paired {
        /// The opponent.
        opponent: Tpn,
        /// This player's colour.
        colour: Color,
    },
    /// No opponent, by request or by allocation.
    Bye(Bye),
    /// Nothing: not yet entered, withdrawn, or the round is still to come. Worth a known absence.
    #[default]
    Absent,
}

impl Entry {
    /// The opponent, whether the game was played or not.
    pub const fn opponent(self) -> Option<Tpn> {
        match self {
            Self::Played { opponent, .. }
            | Self::Forfeit { opponent, .. }
            | Self::Paired { opponent, .. } => Some(opponent),
            Self::Bye(_) | Self::Absent => None,
        }
    }

    /// The colour and opponent of a game that was played.
    pub const fn played(self) -> Option<(Tpn, Color)> {
        match self {
            Self::Played { opponent, colour, .. } => Some((opponent, colour)),
            _ => None,
        }
    }

    /// Whether the pairing of the round produced this entry, as against an absence.
    pub const fn was_paired(self) -> bool {
        !matches!(self, Self::Bye(Bye::Half | Bye::Full | Bye::Zero) | Self::Absent)
    }

    /// A voluntary unplayed round: a requested bye, an absence or a forfeit loss (C.07 art. 16).
    pub const fn is_voluntary(self) -> bool {
        matches!(self, Self::Bye(Bye::Half | Bye::Zero) | Self::Absent | Self::Forfeit { won: false, .. })
    }
}
