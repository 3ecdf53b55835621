//! Direct encounter (C.07 art. 6).

use super::ratio::Ratio;
use super::table::{Cell, Table};

/// Points of the tied players against one another.
struct Mini {
    players: Vec<usize>,
    /// Mean points of `[one][other]`; `None` if they have not met.
    points: Vec<Vec<Option<Ratio>>>,
    complete: bool,
}

impl Mini {
    fn new(table: &Table<'_>, players: &[usize], forfeits: bool) -> Self {
        let mut points = vec![vec![None; players.len()]; players.len()];
        let mut complete = true;
        for (a, &one) in players.iter().enumerate() {
            for (b, &other) in players.iter().enumerate() {
                if a != b {
                    points[a][b] = meetings(table, one, other, forfeits);
                    complete &= points[a][b].is_some();
                }
            }
        }
        Self { players: players.to_vec(), points, complete }
    }

    fn score(&self, one: usize) -> Ratio {
        self.points[one].iter().flatten().copied().sum()
    }

    /// The score if every missing game were won.
    fn at_most(&self, one: usize, win: Ratio) -> Ratio {
        let missing = self.points[one].iter().filter(|p| p.is_none()).count() - 1;
        self.score(one) + win * Ratio::count(missing)
    }
}

/// The mean points of one player against another over all their meetings.
fn meetings(table: &Table<'_>, one: usize, other: usize, forfeits: bool) -> Option<Ratio> {
    let mut sum = Ratio::ZERO;
    let mut count = 0;
    for (i, &cell) in table.cells[one].iter().enumerate() {
        let met = match cell {
            Cell::Game { opponent, .. } => opponent == other,
            Cell::Forfeit { opponent, .. } => forfeits && opponent == other,
            _ => false,
        };
        if met {
            sum = sum + Ratio::points(table.earned[one][i]);
            count += 1;
        }
    }
    (count > 0).then(|| sum.over(count))
}

/// Groups of the tied from the best to the last, each player with the points that placed him. Players who cannot be
/// told apart share a group.
pub(super) fn order(table: &Table<'_>, tied: &[usize], as_played: bool) -> Vec<Vec<(usize, Ratio)>> {
    let forfeits = table.forfeits_count(as_played);
    let mini = Mini::new(table, tied, forfeits);
    let with_score = |i: usize| (mini.players[i], mini.score(i));
    if tied.len() < 2 {
        return vec![(0..tied.len()).map(with_score).collect()];
    }
    if mini.complete {
        let mut ranked: Vec<usize> = (0..tied.len()).collect();
        ranked.sort_by_key(|&i| std::cmp::Reverse(mini.score(i)));
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for i in ranked {
            match groups.last_mut() {
                Some(group) if mini.score(group[0]) == mini.score(i) => group.push(i),
                _ => groups.push(vec![i]),
            }
        }
        if groups.len() == 1 {
            return vec![groups.remove(0).into_iter().map(with_score).collect()];
        }
        // 6.2: what is still tied is looked at by itself.
        return groups
            .into_iter()
            .flat_map(|group| {
                if group.len() == 1 {
                    vec![vec![with_score(group[0])]]
                } else {
                    let players: Vec<usize> = group.iter().map(|&i| mini.players[i]).collect();
                    order(table, &players, as_played)
                }
            })
            .collect();
    }
    // 6.3: only who is first whatever the missing games would bring.
    let win = Ratio::points(table.tournament.points.win);
    let first =
        (0..tied.len()).find(|&i| (0..tied.len()).all(|j| j == i || mini.score(i) > mini.at_most(j, win)));
    let Some(first) = first else {
        return vec![(0..tied.len()).map(with_score).collect()];
    };
    let rest: Vec<usize> = mini.players.iter().copied().filter(|&p| p != mini.players[first]).collect();
    let mut groups = vec![vec![with_score(first)]];
    groups.extend(order(table, &rest, as_played));
    groups
}
