//! Results: a pair of scores and a reason, never a three-valued enum (0-0, 0-1/2 and 1/2-0 exist).

use crate::board::{ByColor, Color};
use crate::bounded::Text;
use crate::limits::WORD_MAX;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// What one side scores, as a fraction of a won game in lowest terms: 1, 1/2 or 0, and whatever an
/// arbiter may try to declare besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Score {
    numerator: u8,
    denominator: u8,
}

impl Score {
    /// A won game.
    pub const ONE: Score = Score { numerator: 1, denominator: 1 };
    /// A drawn game.
    pub const HALF: Score = Score { numerator: 1, denominator: 2 };
    /// A lost game.
    pub const ZERO: Score = Score { numerator: 0, denominator: 1 };

    /// The fraction in lowest terms; none if the denominator is 0.
    pub const fn new(numerator: u8, denominator: u8) -> Option<Score> {
        if denominator == 0 {
            return None;
        }
        let (mut a, mut b) = (numerator, denominator);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Some(Score { numerator: numerator / a, denominator: denominator / a })
    }

    /// Numerator and denominator, in lowest terms.
    pub const fn parts(self) -> (u8, u8) {
        (self.numerator, self.denominator)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            d => write!(f, "{}/{d}", self.numerator),
        }
    }
}

/// A text that is no fraction of two small numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadScore;

impl fmt::Display for BadScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a score: write 1, 1/2 or 0")
    }
}

impl std::error::Error for BadScore {}

impl FromStr for Score {
    type Err = BadScore;

    fn from_str(text: &str) -> Result<Score, BadScore> {
        let (n, d) = text.split_once('/').unwrap_or((text, "1"));
        let n = n.parse().map_err(|_| BadScore)?;
        Score::new(n, d.parse().map_err(|_| BadScore)?).ok_or(BadScore)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            [self.numerator, self.denominator].serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
        if deserializer.is_human_readable() {
            return <std::borrow::Cow<'de, str>>::deserialize(deserializer)?
                .parse()
                .map_err(D::Error::custom);
        }
        let [numerator, denominator] = <[u8; 2]>::deserialize(deserializer)?;
        let score = Score::new(numerator, denominator).ok_or_else(|| D::Error::custom(BadScore))?;
        // One encoding for one value.
        if score.parts() == (numerator, denominator) { Ok(score) } else { Err(D::Error::custom(BadScore)) }
    }
}

/// Why a game ended as it did.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Mate.
    Checkmate,
    /// Stalemate.
    Stalemate,
    /// Neither side can mate by any series of legal moves.
    DeadPosition,
    /// A player resigned.
    Resignation,
    /// A player resigned against a side that can never mate (2023 5.1.2).
    ResignVsNoMate,
    /// A flag fell.
    Time,
    /// A flag fell against a side that can never mate.
    TimeVsNoMate,
    /// Both agreed to a draw.
    Agreement,
    /// A correct claim of three occurrences.
    Threefold,
    /// A correct claim of fifty moves.
    Fifty,
    /// Five occurrences.
    #[serde(rename = "fivefold")]
    Fivefold,
    /// Seventy-five moves.
    #[serde(rename = "seventyfive")]
    SeventyFive,
    /// Both flags were down.
    BothFlags,
    /// An arbiter drew a quickplay finish.
    QpfDraw,
    /// Too many illegal moves.
    IllegalMoves,
    /// Too many illegal moves against a side that can never mate.
    IllegalVsNoMate,
    /// One player did not come in time.
    Forfeit,
    /// Neither came in time.
    ForfeitBoth,
    /// An arbiter's sanction.
    Sanction,
    /// Persistent refusal to comply with the Laws.
    Refusal,
    /// Both were at fault.
    BothLose,
    /// An arbiter adjudicated.
    Adjudication,
    /// The opponent left a casual game and did not come back within the grace.
    Abandoned,
    /// What an arbiter named.
    Named(Text<WORD_MAX>),
}

impl Reason {
    /// The reason in snake case, or what the arbiter named.
    pub fn name(&self) -> &str {
        match self {
            Reason::Checkmate => "checkmate",
            Reason::Stalemate => "stalemate",
            Reason::DeadPosition => "dead_position",
            Reason::Resignation => "resignation",
            Reason::ResignVsNoMate => "resign_vs_no_mate",
            Reason::Time => "time",
            Reason::TimeVsNoMate => "time_vs_no_mate",
            Reason::Agreement => "agreement",
            Reason::Threefold => "threefold",
            Reason::Fifty => "fifty",
            Reason::Fivefold => "fivefold",
            Reason::SeventyFive => "seventyfive",
            Reason::BothFlags => "both_flags",
            Reason::QpfDraw => "qpf_draw",
            Reason::IllegalMoves => "illegal_moves",
            Reason::IllegalVsNoMate => "illegal_vs_no_mate",
            Reason::Forfeit => "forfeit",
            Reason::ForfeitBoth => "forfeit_both",
            Reason::Sanction => "sanction",
            Reason::Refusal => "refusal",
            Reason::BothLose => "both_lose",
            Reason::Adjudication => "adjudication",
            Reason::Abandoned => "abandoned",
            Reason::Named(text) => text,
        }
    }

    /// The reason of this name; one that is not listed is an arbiter's own.
    pub fn from_name(name: &str) -> Reason {
        const LISTED: [Reason; 23] = [
            Reason::Checkmate,
            Reason::Stalemate,
            Reason::DeadPosition,
            Reason::Resignation,
            Reason::ResignVsNoMate,
            Reason::Time,
            Reason::TimeVsNoMate,
            Reason::Agreement,
            Reason::Threefold,
            Reason::Fifty,
            Reason::Fivefold,
            Reason::SeventyFive,
            Reason::BothFlags,
            Reason::QpfDraw,
            Reason::IllegalMoves,
            Reason::IllegalVsNoMate,
            Reason::Forfeit,
            Reason::ForfeitBoth,
            Reason::Sanction,
            Reason::Refusal,
            Reason::BothLose,
            Reason::Adjudication,
            Reason::Abandoned,
        ];
        LISTED
            .into_iter()
            .find(|reason| reason.name() == name)
            .unwrap_or_else(|| Reason::Named(Text::cut(name)))
    }
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// What each side scores.
    pub scores: ByColor<Score>,
    /// Why.
    pub reason: Reason,
    /// Whether it counts as a played game for pairing and rating.
    pub played: bool,
}

impl Outcome {
    /// `winner` wins for `reason`, in a played game.
    pub fn win(winner: Color, reason: Reason) -> Outcome {
        let mut scores = ByColor::both(Score::ZERO);
        scores[winner] = Score::ONE;
        Outcome { scores, reason, played: true }
    }

    /// A draw for `reason`.
    pub fn draw(reason: Reason) -> Outcome {
        Outcome { scores: ByColor::both(Score::HALF), reason, played: true }
    }

    /// The result as it is written: `1-0`, `1/2-1/2`, `0-1/2`.
    pub fn result(&self) -> String {
        format!("{}-{}", self.scores.white, self.scores.black)
    }
}
