//! Tie-breaks of C.07 (in force from 1 March 2026), each with the contributions it is made of.

mod criterion;
mod encounter;
mod opponents;
mod own;
mod ratings;
mod ratio;
mod table;

use std::fmt;

pub use criterion::{Criterion, Kind, UnknownCriterion, parse_list};
pub use ratio::Ratio;
pub use table::Mode;

use crate::points::Points;
use crate::round::Tpn;
use crate::tournament::Tournament;
use table::Table;

/// What a contribution stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An opponent met, or counted as met.
    Opponent(Tpn),
    /// The dummy opponent of an unplayed round (art. 16.4).
    Dummy {
        /// Whether the cap of 16.4.1 or 16.4.2 held it below the player's own score.
        capped: bool,
    },
    /// The round itself.
    Round,
}

/// One summand of a tie-break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// From 1; 0 for what belongs to no round.
    pub round: usize,
    /// Where it comes from.
    pub source: Source,
    /// How much.
    pub value: Ratio,
    /// A cut or a median leaves it out.
    pub cut: bool,
}

/// A tie-break's value with its contributions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The value; `None` where there is none (no rated opponent, or a direct encounter that decides nothing).
    pub value: Option<Ratio>,
    /// Its summands, in order of rounds.
    pub contributions: Vec<Contribution>,
}

impl Value {
    fn plain(value: Ratio) -> Self {
        Self { value: Some(value), contributions: Vec::new() }
    }

    /// The sum of what is not cut.
    fn sum(contributions: Vec<Contribution>) -> Self {
        let value = contributions.iter().filter(|c| !c.cut).map(|c| c.value).sum();
        Self { value: Some(value), contributions }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => f.pad(&value.to_string()),
            None => f.pad("-"),
        }
    }
}

/// Why a list of tie-breaks cannot be used as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The Buchholz family is barred from round robins (note to art. 8).
    BuchholzInRoundRobin(Criterion),
    /// Someone has no rating, and no rating for the unrated was announced: the criterion is dropped.
    Unrated(Criterion),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuchholzInRoundRobin(criterion) => {
                write!(f, "{criterion} must not be used in a round robin (C.07 art. 8)")
            }
            Self::Unrated(criterion) => {
                write!(
                    f,
                    "{criterion} is dropped: not everyone has a rating (announce one with {criterion}/U1400)"
                )
            }
        }
    }
}

/// Computes tie-breaks of one state of a tournament.
#[derive(Debug)]
pub struct TieBreaks<'a> {
    table: Table<'a>,
    fore: Table<'a>,
}

impl<'a> TieBreaks<'a> {
    /// After `rounds` rounds.
    pub fn new(tournament: &'a Tournament, mode: Mode, rounds: usize) -> Self {
        let table = Table::new(tournament, mode, rounds);
        Self { fore: table.fore(), table }
    }

    /// Whether a criterion can be used here.
    ///
    /// # Errors
    /// Why not.
    pub fn usable(&self, criterion: Criterion) -> Result<(), Unusable> {
        if self.table.mode == Mode::RoundRobin && criterion.is_buchholz() {
            return Err(Unusable::BuchholzInRoundRobin(criterion));
        }
        let unrated = self.table.tournament.players.iter().any(|p| p.rating.is_none());
        if criterion.uses_ratings()
            && criterion.kind != Kind::Rating
            && criterion.unrated.is_none()
            && unrated
        {
            return Err(Unusable::Unrated(criterion));
        }
        Ok(())
    }

    /// The score of a player, by index.
    pub fn score(&self, player: usize) -> Points {
        self.table.scores[player]
    }

    /// The score as opponents see it (16.3), by index.
    pub fn adjusted_score(&self, player: usize) -> Points {
        self.table.adjusted[player]
    }

    /// The value of any criterion for a player, by index into the tournament's players. A direct encounter has no
    /// value of its own: it depends on who is tied.
    pub fn value(&self, criterion: Criterion, player: usize) -> Value {
        let table = &self.table;
        match criterion.kind {
            Kind::Points => Value::plain(Ratio::points(table.scores[player])),
            Kind::DirectEncounter => Value { value: None, contributions: Vec::new() },
            Kind::Wins => own::wins(table, player),
            Kind::GamesWon => own::games_won(table, player),
            Kind::BlackGames => own::black_games(table, player),
            Kind::BlackWins => own::black_wins(table, player),
            Kind::Progressive => own::progressive(table, player, criterion.cut_low),
            Kind::RoundsElected => own::rounds_elected(table, player),
            Kind::StandardPoints => own::standard_points(table, player),
            Kind::PairingNumber => {
                Value::plain(Ratio::whole(i64::from(table.tournament.players[player].tpn)))
            }
            Kind::Buchholz => opponents::buchholz(table, criterion, player),
            Kind::ForeBuchholz => opponents::buchholz(&self.fore, criterion, player),
            Kind::AverageBuchholz => opponents::average_buchholz(table, criterion, player),
            Kind::SonnebornBerger => opponents::sonneborn_berger(table, criterion, player),
            Kind::Koya => opponents::koya(table, criterion, player),
            Kind::AverageRating => opponents::average_rating(table, criterion, player),
            Kind::Performance | Kind::PerfectPerformance => {
                opponents::performance(table, criterion, criterion.kind, player)
            }
            Kind::AveragePerformance => {
                opponents::average_performance(table, criterion, Kind::Performance, player)
            }
            Kind::AveragePerfect => {
                opponents::average_performance(table, criterion, Kind::PerfectPerformance, player)
            }
            Kind::Rating => Value {
                value: table.tournament.players[player].rating.map(|rating| Ratio::whole(i64::from(rating))),
                contributions: Vec::new(),
            },
        }
    }

    /// Splits tied players by direct encounter (art. 6): groups from the best to the last, with each one's points
    /// among the tied.
    pub fn direct_encounter(&self, tied: &[usize], criterion: Criterion) -> Vec<Vec<(usize, Ratio)>> {
        encounter::order(&self.table, tied, criterion.forfeits_as_played)
    }
}
