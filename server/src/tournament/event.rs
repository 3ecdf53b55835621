//! What happens in a tournament: the rows of its journal.
//!
//! Players are named by their place in the order of entry, which never changes; pairing numbers may,
//! until the fourth round is paired (C.04.2).

use serde::{Deserialize, Serialize};
use zeitnot_proto::Stamp;
use zeitnot_proto::board::Color;
use zeitnot_proto::command::Why;
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::tournament::{BoardResult, ByeKind, Entrant, TournamentSettings};

/// A player by his place in the order of entry, from 0.
pub type Player = u16;

/// Which game of a knockout a board is, all from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MatchKey {
    /// The round of the bracket.
    pub round: u16,
    /// The match in it, from the top.
    pub pairing: u16,
    /// Games proper, play-offs, armageddon.
    pub stage: u16,
    /// The game of that stage.
    pub game: u16,
}

/// A board that was paired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairedBoard {
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// The number that its game has or will have; none where there is nothing to play.
    pub game: Option<GameId>,
    /// The game of a knockout match.
    pub key: Option<MatchKey>,
    /// The result, where there is nothing to play.
    pub result: Option<BoardResult>,
}

/// A pairing by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByHand {
    /// Why, as the arbiter says.
    pub reason: Why,
    /// Boards that the rules would have given instead, in words.
    pub instead: Vec<String>,
}

/// A round that was paired, or boards that came to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paired {
    /// The round, from 1.
    pub round: u16,
    /// The boards in order.
    pub boards: Vec<PairedBoard>,
    /// Who stays out, and how.
    pub out: Vec<(Player, ByeKind)>,
    /// When White's clocks start.
    pub starts_at: Stamp,
    /// The pairing was the arbiter's own.
    pub by_hand: Option<ByHand>,
}

/// How a player left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Departure {
    /// Of his own accord, or taken out.
    Withdrawn,
    /// Expelled from the event.
    Expelled,
}

/// An event of a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// It exists.
    Created {
        /// What was decided.
        settings: Box<TournamentSettings>,
        /// Who runs it.
        director: Name,
    },
    /// It was decided otherwise, before the start.
    Changed(Box<TournamentSettings>),
    /// A player entered, or more is known about one.
    Entered(Box<Entrant>),
    /// A player is there.
    Present(Player),
    /// A player left.
    Departed {
        /// Who.
        player: Player,
        /// How.
        how: Departure,
        /// Why.
        reason: Why,
    },
    /// A bye in a round to come.
    ByeGiven {
        /// Who.
        player: Player,
        /// Which round.
        round: u16,
        /// Which kind.
        kind: ByeKind,
    },
    /// These do not meet.
    Forbidden(Vec<Player>),
    /// Registration was opened or closed.
    Registration {
        /// Whether it is open.
        open: bool,
    },
    /// The list was closed and the lots were drawn.
    Started {
        /// Players in the order of their numbers.
        order: Vec<Player>,
        /// The initial colour.
        initial_color: Color,
    },
    /// Numbers were given anew, because somebody entered late.
    Renumbered(Vec<Player>),
    /// A round was paired, or boards came to it.
    Paired(Box<Paired>),
    /// The last pairing was taken back.
    Unpaired {
        /// Why.
        reason: Why,
    },
    /// A board has a result.
    Result {
        /// Which round.
        round: u16,
        /// Which board, from 1.
        board: u16,
        /// The result.
        result: BoardResult,
        /// Whether an arbiter entered it: then the game's own no longer counts.
        by_arbiter: bool,
        /// Why.
        reason: Why,
    },
    /// Only an arbiter can enter the result of a board.
    Question {
        /// Which round.
        round: u16,
        /// Which board.
        board: u16,
        /// What happened there.
        what: Why,
    },
    /// Every board of the last round has a result.
    RoundOver,
    /// The next round could not be paired by itself; the director has to act.
    NotPaired(Why),
    /// Something was announced.
    Announced(Why),
    /// It is over.
    Finished {
        /// Why, if before its last round.
        reason: Why,
    },
}
