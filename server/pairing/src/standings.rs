//! Standings: points, then the published tie-breaks in order, each subgroup by itself (C.07 art. 4).

use crate::points::Points;
use crate::round::{Entry, Tpn};
use crate::tiebreak::{Criterion, Kind, Mode, TieBreaks, Unusable, Value};
use crate::tournament::Tournament;

/// How standings are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Swiss or round robin.
    pub mode: Mode,
    /// The published list, without the points.
    pub criteria: Vec<Criterion>,
    /// Rounds that count; `None` for all that are paired.
    pub rounds: Option<usize>,
    /// Players out of the standings, for example withdrawn from a round robin before half of their games. Their
    /// results stay in the report and count for nobody here.
    pub excluded: Vec<Tpn>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1; shared by those whom no criterion separates.
    pub rank: usize,
    /// The player.
    pub tpn: Tpn,
    /// Points.
    pub points: Points,
    /// A value for each criterion used, in order. A direct encounter has one only where it was asked.
    pub values: Vec<Value>,
    /// What placed this player behind the one above: `None` for the first and for shared ranks.
    pub decided_by: Option<Criterion>,
}

/// The table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standings {
    /// After how many rounds.
    pub rounds: usize,
    /// The criteria that were used.
    pub criteria: Vec<Criterion>,
    /// Those that could not be, and why.
    pub dropped: Vec<Unusable>,
    /// From the first to the last.
    pub places: Vec<Place>,
}

impl Standings {
    /// Writes the ranks into the tournament, as report files carry them. Those out of the standings get none.
    pub fn write_ranks(&self, tournament: &mut Tournament) {
        for player in &mut tournament.players {
            let place = self.places.iter().find(|place| place.tpn == player.tpn);
            player.rank = place.and_then(|place| u16::try_from(place.rank).ok());
        }
    }
}

/// Computes the standings. Criteria that cannot be used are dropped and listed.
pub fn standings(tournament: &Tournament, rules: &Rules) -> Standings {
    let counted = without(tournament, &rules.excluded);
    let rounds = rules.rounds.unwrap_or_else(|| counted.rounds_paired());
    let tie_breaks = TieBreaks::new(&counted, rules.mode, rounds);
    let mut dropped = Vec::new();
    let mut criteria = Vec::new();
    for &criterion in &rules.criteria {
        match tie_breaks.usable(criterion) {
            Ok(()) => criteria.push(criterion),
            Err(reason) => dropped.push(reason),
        }
    }
    let values: Vec<Vec<Value>> = (0..counted.players.len())
        .map(|player| criteria.iter().map(|&criterion| tie_breaks.value(criterion, player)).collect())
        .collect();
    let mut ranking = Ranking { tie_breaks: &tie_breaks, criteria: &criteria, values, places: Vec::new() };
    let all: Vec<usize> = (0..counted.players.len()).collect();
    for group in ranking.split(all, None) {
        ranking.place(group, 0);
    }
    let mut places: Vec<Place> = Vec::with_capacity(ranking.places.len());
    for (i, (player, decided_by, shared)) in ranking.places.into_iter().enumerate() {
        let rank = if shared { places.last().map_or(1, |above: &Place| above.rank) } else { i + 1 };
        places.push(Place {
            rank,
            tpn: counted.players[player].tpn,
            points: tie_breaks.score(player),
            values: std::mem::take(&mut ranking.values[player]),
            decided_by,
        });
    }
    Standings { rounds, criteria, dropped, places }
}

/// Whether a player of a round robin has too few games for the standings: fewer than half.
pub fn played_under_half(tournament: &Tournament, tpn: Tpn) -> bool {
    let games = tournament.players.len().saturating_sub(1);
    let played = tournament
        .player(tpn)
        .map_or(0, |player| player.rounds.iter().filter(|entry| entry.played().is_some()).count());
    2 * played < games
}

/// The tournament as if some players had never been in it.
fn without(tournament: &Tournament, excluded: &[Tpn]) -> Tournament {
    let mut counted = tournament.clone();
    if excluded.is_empty() {
        return counted;
    }
    counted.players.retain(|player| !excluded.contains(&player.tpn));
    for player in &mut counted.players {
        for entry in &mut player.rounds {
            if entry.opponent().is_some_and(|opponent| excluded.contains(&opponent)) {
                *entry = Entry::Absent;
            }
        }
    }
    counted
}

struct Ranking<'a> {
    tie_breaks: &'a TieBreaks<'a>,
    criteria: &'a [Criterion],
    values: Vec<Vec<Value>>,
    /// Player, what separated him from the one above, whether nothing did.
    places: Vec<(usize, Option<Criterion>, bool)>,
}

impl Ranking<'_> {
    /// Groups of equals, best first: by points, or by the criterion with an index.
    fn split(&mut self, players: Vec<usize>, by: Option<usize>) -> Vec<Vec<usize>> {
        let Some(at) = by else {
            return group_by(players, |a, b| self.tie_breaks.score(b).cmp(&self.tie_breaks.score(a)));
        };
        let criterion = self.criteria[at];
        if criterion.kind == Kind::DirectEncounter {
            let groups = self.tie_breaks.direct_encounter(&players, criterion);
            for &(player, points) in groups.iter().flatten() {
                self.values[player][at].value = Some(points);
            }
            let strip = |group: Vec<(usize, _)>| group.into_iter().map(|(player, _)| player).collect();
            return groups.into_iter().map(strip).collect();
        }
        let values = &self.values;
        group_by(players, |a, b| {
            let order = values[a][at].value.cmp(&values[b][at].value);
            if criterion.ascending() { order } else { order.reverse() }
        })
    }

    /// Breaks a tie with the criteria from an index on, and puts the players down.
    fn place(&mut self, players: Vec<usize>, from: usize) {
        if players.len() == 1 || from == self.criteria.len() {
            for (i, player) in players.into_iter().enumerate() {
                self.places.push((player, None, i > 0));
            }
            return;
        }
        for (i, group) in self.split(players, Some(from)).into_iter().enumerate() {
            let start = self.places.len();
            self.place(group, from + 1);
            if i > 0 {
                self.places[start].1 = Some(self.criteria[from]);
            }
        }
    }
}

/// Sorts, keeping the order of the list among equals, and cuts into groups of equals.
fn group_by(mut players: Vec<usize>, order: impl Fn(usize, usize) -> std::cmp::Ordering) -> Vec<Vec<usize>> {
    players.sort_by(|&a, &b| order(a, b));
    players.chunk_by(|&a, &b| order(a, b).is_eq()).map(<[usize]>::to_vec).collect()
}
