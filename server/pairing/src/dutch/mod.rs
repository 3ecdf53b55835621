//! The FIDE (Dutch) System, C.04.3, in force from 1 February 2026.
//!
//! A round is paired bracket by bracket from the top. Within a bracket the best pairing is a maximum-weight matching
//! whose weights pack the criteria C4 to C21 in their order (`criteria.rs`); among the best, the first in the order of
//! art. 4 (`bracket.rs`). Two shortcuts keep large fields fast and are checked against the full matching: what lies
//! below a bracket is left out of the graph when it provably takes in any floater (`completion.rs`), and a bracket
//! whose best pairing can be bounded by counting needs no general matching at all (`quick.rs`).

mod bracket;
mod colour;
mod completion;
mod criteria;
#[cfg(test)]
mod exhaustive;
mod field;
mod quick;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use bracket::Found;
pub use colour::{ColourRule, Preference, Strength};
pub use field::Float;

use crate::points::Points;
use crate::round::{Bye, Color, Tpn};
use crate::tournament::{Player, Tournament};
use bracket::Paired;
use criteria::{Bracket, Quality};
use field::Field;

/// Why a round cannot be paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairingError {
    /// The number of rounds is not known (TRF-2026 record 142, TRF(bx) `XXR`).
    RoundsUnknown,
    /// Rounds count from 1.
    NoSuchRound,
    /// All rounds are paired.
    NoRoundLeft {
        /// How many there are.
        rounds: usize,
    },
    /// The initial colour has not been drawn (record 152, `XXC`).
    InitialColourUnknown,
    /// Nobody is there to be paired.
    NotEnoughPlayers,
    /// The field is odd and nobody may receive the bye (C2).
    NoByeTaker,
    /// The arbiter has assigned the bye of this round, and the rest is odd again.
    ByeAlreadyAssigned(Tpn),
    /// No pairing meets the absolute criteria; the chief arbiter decides (art. 1.9.3).
    NoPairing,
    /// More score groups than any weight here can hold.
    TooManyScoreGroups,
}

impl fmt::Display for PairingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundsUnknown => write!(f, "the number of rounds is not set"),
            Self::NoSuchRound => write!(f, "rounds count from 1"),
            Self::NoRoundLeft { rounds } => write!(f, "all {rounds} rounds have been paired"),
            Self::InitialColourUnknown => write!(f, "the initial colour has not been drawn"),
            Self::NotEnoughPlayers => write!(f, "not enough players"),
            Self::NoByeTaker => write!(f, "the field is odd and nobody may receive the bye (C2)"),
            Self::ByeAlreadyAssigned(tpn) => {
                write!(f, "the bye is assigned to player {tpn}, and without him the field is odd")
            }
            Self::NoPairing => {
                write!(
                    f,
                    "no pairing meets the absolute criteria C1 to C3; the chief arbiter decides (1.9.3)"
                )
            }
            Self::TooManyScoreGroups => write!(f, "too many score groups"),
        }
    }
}

impl std::error::Error for PairingError {}

/// One board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// White.
    pub white: Tpn,
    /// Black.
    pub black: Tpn,
    /// Why these two, and why these colours.
    pub reason: Reason,
}

/// How a player came to the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// The player.
    pub tpn: Tpn,
    /// Score, fictitious points included.
    pub score: Points,
    /// What was preferred.
    pub preference: Preference,
    /// Whether it was granted (or there was none).
    pub granted: bool,
    /// Floats of the last two rounds, the latest first.
    pub history: [Float; 2],
}

/// A quality criterion that a pair does not meet by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unmet {
    /// C10: someone gets a colour difference beyond two.
    ColourDifference,
    /// C11: someone gets a colour for the third time running.
    ThirdInARow,
    /// C12: someone misses a colour preference.
    Preference,
    /// C13: someone misses a strong one.
    StrongPreference,
    /// C14 and C18: the higher ranked floats down as in the last round.
    DownAgain,
    /// C15 and C19: the lower ranked floats up as in the last round.
    UpAgain,
    /// C16 and C20: the higher ranked floats down as two rounds ago.
    DownTwoRoundsAgo,
    /// C17 and C21: the lower ranked floats up as two rounds ago.
    UpTwoRoundsAgo,
}

impl Unmet {
    /// The criteria by their names in the rules.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ColourDifference => "C10",
            Self::ThirdInARow => "C11",
            Self::Preference => "C12",
            Self::StrongPreference => "C13",
            Self::DownAgain => "C14/C18",
            Self::UpAgain => "C15/C19",
            Self::DownTwoRoundsAgo => "C16/C20",
            Self::UpTwoRoundsAgo => "C17/C21",
        }
    }
}

/// The reason for a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The score of the bracket's residents; `None` if the engine did not pair this board.
    pub bracket: Option<Points>,
    /// The higher ranked of the two.
    pub higher: Side,
    /// The lower ranked.
    pub lower: Side,
    /// Whether the candidate was the first one, or reached by altering it.
    pub found: Found,
    /// Quality criteria this pair does not meet.
    pub unmet: Vec<Unmet>,
    /// The article that gave the colours.
    pub rule: ColourRule,
}

/// A paired round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// From 1.
    pub round: usize,
    /// In board order (C.04.2 art. 3.6).
    pub boards: Vec<Board>,
    /// Who receives the pairing-allocated bye.
    pub bye: Option<Tpn>,
    /// Players who stay out, with the kind of bye they asked for or were given.
    pub out: Vec<(Tpn, Bye)>,
}

/// Ways of solving that must agree; the default is all shortcuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Method {
    /// Leave out of the graph what provably takes in any floater.
    pub cut: bool,
    /// Try a bracket without a general matching first.
    pub quick: bool,
}

impl Default for Method {
    fn default() -> Self {
        Self { cut: true, quick: true }
    }
}

/// Pairs the round after the last one with opponents.
///
/// # Errors
/// What is missing, or that the round cannot be paired.
pub fn pair(tournament: &Tournament) -> Result<Pairing, PairingError> {
    pair_round(tournament, tournament.rounds_paired() + 1, Method::default())
}

/// Pairs a given round from what is known before it; later rounds of the tournament are not looked at.
///
/// # Errors
/// As [`pair`].
pub fn pair_round(tournament: &Tournament, round: usize, method: Method) -> Result<Pairing, PairingError> {
    let field = Field::new(tournament, round)?;
    let assigned = |p: &&Player| tournament.bye_for(p, round) == Some(Bye::Allocated);
    if let (1, Some(player)) = (field.len() % 2, tournament.players.iter().find(assigned)) {
        return Err(PairingError::ByeAlreadyAssigned(player.tpn));
    }
    let solved = solve(&field, method)?;
    let mut boards: Vec<(usize, usize, Board)> =
        solved.pairs.iter().map(|pair| (pair.high, pair.low, board(&field, pair))).collect();
    // C.04.2 art. 3.6: the higher player's score, the other's score, the higher player's number.
    boards.sort_by_key(|&(high, low, _)| {
        let (a, b) = (&field.seats[high], &field.seats[low]);
        (std::cmp::Reverse((a.score, b.score)), a.tpn)
    });
    let out =
        tournament.players.iter().filter_map(|p| Some((p.tpn, tournament.bye_for(p, round)?))).collect();
    Ok(Pairing {
        round,
        boards: boards.into_iter().map(|(.., board)| board).collect(),
        bye: solved.bye.map(|seat| field.seats[seat].tpn),
        out,
    })
}

/// A pair of seats with its bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) high: usize,
    pub(crate) low: usize,
    group: usize,
    found: Found,
}

/// All pairs of a round by seats.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Solved {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) bye: Option<usize>,
}

pub(crate) fn solve(field: &Field, method: Method) -> Result<Solved, PairingError> {
    let bye_score = if method.cut { completion::bye_score(field)? } else { completion::solve(field)? };
    let mut moved: Vec<usize> = Vec::new();
    let mut pairs = Vec::new();
    for group in 0..field.groups.len() {
        let residents: Vec<usize> = field.groups[group].clone().collect();
        let paired = pair_bracket(field, &moved, group, bye_score, method)?;
        let mut free: Vec<usize> = moved.iter().chain(&residents).copied().collect();
        free.retain(|&seat| !paired.pairs.iter().any(|&(u, v)| u == seat || v == seat));
        pairs.extend(paired.pairs.iter().map(|&(high, low)| Pair { high, low, group, found: paired.found }));
        moved = free;
    }
    match moved.as_slice() {
        [] => Ok(Solved { pairs, bye: None }),
        &[one] => Ok(Solved { pairs, bye: Some(one) }),
        _ => Err(PairingError::NoPairing),
    }
}

fn pair_bracket(
    field: &Field,
    moved: &[usize],
    group: usize,
    bye_score: Option<Points>,
    method: Method,
) -> Result<Paired, PairingError> {
    let residents = field.groups[group].clone();
    if moved.is_empty() && residents.len() == 1 && group + 1 < field.groups.len() {
        // A lone player floats.
        return Ok(Paired { pairs: Vec::new(), found: Found::Natural, left: 1 });
    }
    for depth in if method.cut { 0..3 } else { 2..3 } {
        let Some(limit) = scope_limit(field, moved, group, bye_score, depth) else { continue };
        if depth == 0 && method.quick && limit >= 1 {
            let seats: Vec<usize> = residents.clone().collect();
            if let Some(paired) = quick::pair(field, moved, &seats, &|_| true) {
                return Ok(paired);
            }
        }
        if depth == 2 && method.quick && group + 1 == field.groups.len() {
            let seats: Vec<usize> = residents.clone().collect();
            let takes_bye = last_floaters(field, &seats, bye_score);
            if let Some(paired) = quick::pair(field, moved, &seats, &|seat| takes_bye.contains(&seat)) {
                return Ok(paired);
            }
        }
        let mut bracket = bracket(field, moved, group, bye_score, depth);
        let paired = bracket::pair(&mut bracket).ok_or(PairingError::TooManyScoreGroups)?;
        if depth == 2 || paired.left <= limit {
            return Ok(paired);
        }
    }
    Err(PairingError::NoPairing)
}

/// In the last bracket the floater takes the bye: the candidates with fewest unplayed games (C2, C5, C9).
fn last_floaters(field: &Field, residents: &[usize], bye_score: Option<Points>) -> Vec<usize> {
    let candidates = || {
        residents.iter().copied().filter(|&seat| {
            field.seats[seat].bye_eligible && bye_score.is_some_and(|b| field.seats[seat].score <= b)
        })
    };
    let fewest = candidates().map(|seat| field.seats[seat].unplayed).min();
    candidates().filter(|&seat| Some(field.seats[seat].unplayed) == fewest).collect()
}

/// How many floaters may leave a bracket looked at only so deep (0: the bracket, 1: with the next group, 2: everything)
/// for the answer to be that of the whole field. `None` if that is not certain for any number.
fn scope_limit(
    field: &Field,
    moved: &[usize],
    group: usize,
    bye_score: Option<Points>,
    depth: usize,
) -> Option<usize> {
    if depth == 2 {
        return Some(usize::MAX);
    }
    let above = moved.first().copied().unwrap_or(field.groups[group].start);
    let next = field.groups.get(group + 1)?.clone();
    let below = next.end..field.len();
    let has_candidate = |range: std::ops::Range<usize>| {
        bye_score
            .is_none_or(|best| field.seats[range].iter().any(|seat| seat.bye_eligible && seat.score <= best))
    };
    // The bye is taken below what is looked at.
    let rest = if below.is_empty() { next.clone() } else { below.clone() };
    if !has_candidate(rest) {
        return None;
    }
    if depth == 1 {
        return if below.is_empty() { None } else { completion::spare(field, below, above..next.end) };
    }
    // The next group takes in the floaters and leaves at most one, whom those below take in.
    if !below.is_empty() && completion::spare(field, below, above..next.end).is_none_or(|spare| spare < 1) {
        return None;
    }
    completion::spare(field, next.clone(), above..next.start)
}

fn bracket<'a>(
    field: &'a Field,
    moved: &[usize],
    group: usize,
    bye_score: Option<Points>,
    depth: usize,
) -> Bracket<'a> {
    let mut vertices = moved.to_vec();
    vertices.extend(field.groups[group].clone());
    let residents = moved.len()..vertices.len();
    let mut next = vertices.len()..vertices.len();
    if depth > 0
        && let Some(range) = field.groups.get(group + 1)
    {
        vertices.extend(range.clone());
        next.end = vertices.len();
        if depth == 2 {
            vertices.extend(range.end..field.len());
        }
    }
    Bracket {
        field,
        vertices,
        moved: moved.len(),
        residents,
        next,
        completion: depth == 2,
        bye_score,
        bye_inside: false,
    }
}

fn board(field: &Field, pair: &Pair) -> Board {
    let (colour, rule) = colour::allocate(field, pair.high, pair.low);
    let (a, b) = (&field.seats[pair.high], &field.seats[pair.low]);
    let (white, black) = if colour == Color::White { (a.tpn, b.tpn) } else { (b.tpn, a.tpn) };
    let side = |seat: &field::Seat, colour: Color| Side {
        tpn: seat.tpn,
        score: seat.score,
        preference: seat.preference,
        granted: seat.preference.colour.is_none_or(|wanted| wanted == colour),
        history: seat.floats,
    };
    let reason = Reason {
        bracket: field.group_score(pair.group),
        higher: side(a, colour),
        lower: side(b, !colour),
        found: pair.found,
        unmet: unmet(field, pair),
        rule,
    };
    Board { white, black, reason }
}

/// The quality criteria a pair does not meet by itself.
fn unmet(field: &Field, pair: &Pair) -> Vec<Unmet> {
    let (a, b) = (&field.seats[pair.high], &field.seats[pair.low]);
    let quality = Quality::of(field, pair.high, pair.low);
    let floats = a.score != b.score;
    let again = |float, seat: &field::Seat, back: usize| floats && seat.floats[back] == float;
    [
        (!quality.difference, Unmet::ColourDifference),
        (!quality.no_third, Unmet::ThirdInARow),
        (!quality.preferences, Unmet::Preference),
        (!quality.strong, Unmet::StrongPreference),
        (again(Float::Down, a, 0), Unmet::DownAgain),
        (again(Float::Up, b, 0), Unmet::UpAgain),
        (again(Float::Down, a, 1), Unmet::DownTwoRoundsAgo),
        (again(Float::Up, b, 1), Unmet::UpTwoRoundsAgo),
    ]
    .into_iter()
    .filter_map(|(missed, criterion)| missed.then_some(criterion))
    .collect()
}
