//! Criteria of the opponents' results (C.07 art. 8, 9) and ratings (art. 10), with cuts and medians (art. 14, 16.5).

use super::criterion::{Criterion, Kind};
use super::ratings;
use super::ratio::Ratio;
use super::table::{Cell, Mode, Table};
use super::{Contribution, Source, Value};
use crate::points::Points;
use crate::round::Score;

/// A contribution while it is decided what is cut.
struct Element {
    round: usize,
    source: Source,
    value: Ratio,
    /// The opponent's score, by which Sonneborn-Berger finds the one to cut.
    basis: Points,
    voluntary: bool,
    cut: bool,
}

/// What every round contributes: `of(opponent's score, own points)`.
fn elements(
    table: &Table<'_>,
    criterion: Criterion,
    player: usize,
    of: impl Fn(Points, Points) -> Ratio,
) -> Vec<Element> {
    let tpn = |opponent: usize| Source::Opponent(table.tournament.players[opponent].tpn);
    let forfeits = table.forfeits_count(criterion.forfeits_as_played);
    let element = |(i, &cell): (usize, &Cell)| {
        let (source, basis) = match cell {
            Cell::Game { opponent, .. } | Cell::Open { opponent: Some(opponent) } => {
                (tpn(opponent), table.adjusted[opponent])
            }
            Cell::Forfeit { opponent, .. } if forfeits => (tpn(opponent), table.adjusted[opponent]),
            // A free round of a round robin is not a game.
            _ if table.mode == super::Mode::RoundRobin => return None,
            _ => {
                let dummy = table.dummy(player, cell);
                (Source::Dummy { capped: dummy < table.scores[player] }, dummy)
            }
        };
        let voluntary = cell.voluntary() && matches!(source, Source::Dummy { .. });
        let value = of(basis, table.earned[player][i]);
        Some(Element { round: i + 1, source, value, basis, voluntary, cut: false })
    };
    table.cells[player].iter().enumerate().filter_map(element).collect()
}

/// Cuts and sums.
fn finish(mut elements: Vec<Element>, criterion: Criterion, by_opponent: bool) -> Value {
    for _ in 0..criterion.cut_low {
        if let Some(i) = least(&elements, by_opponent) {
            elements[i].cut = true;
        }
    }
    for _ in 0..criterion.cut_high {
        let most = (0..elements.len()).filter(|&i| !elements[i].cut).max_by_key(|&i| elements[i].value);
        if let Some(i) = most {
            elements[i].cut = true;
        }
    }
    let contribution =
        |e: Element| Contribution { round: e.round, source: e.source, value: e.value, cut: e.cut };
    Value::sum(elements.into_iter().map(contribution).collect())
}

/// Which element a cut takes. Voluntary unplayed rounds go first (16.5); for Sonneborn-Berger the product of the
/// lowest opponent goes (14.1.1.d) unless a voluntary round contributes more.
fn least(elements: &[Element], by_opponent: bool) -> Option<usize> {
    let left = || (0..elements.len()).filter(|&i| !elements[i].cut);
    let voluntary = left().filter(|&i| elements[i].voluntary).min_by_key(|&i| elements[i].value);
    let plain = if by_opponent {
        left().min_by_key(|&i| (elements[i].basis, elements[i].value))
    } else {
        left().min_by_key(|&i| elements[i].value)
    };
    match (voluntary, plain) {
        (Some(v), Some(p)) if elements[v].value < elements[p].value => Some(p),
        (Some(v), _) => Some(v),
        (None, plain) => plain,
    }
}

/// 8.1, and 8.3 on the table with the last round drawn.
pub(super) fn buchholz(table: &Table<'_>, criterion: Criterion, player: usize) -> Value {
    finish(elements(table, criterion, player, |score, _| Ratio::points(score)), criterion, false)
}

/// 9.1
pub(super) fn sonneborn_berger(table: &Table<'_>, criterion: Criterion, player: usize) -> Value {
    let product = |score, own| Ratio::points(score) * Ratio::points(own);
    finish(elements(table, criterion, player, product), criterion, true)
}

/// 8.2: the mean over the opponents met over the board; their Buchholz is not cut.
pub(super) fn average_buchholz(table: &Table<'_>, criterion: Criterion, player: usize) -> Value {
    let plain = Criterion { cut_low: 0, cut_high: 0, ..criterion };
    mean_over_opponents(table, player, |opponent| buchholz(table, plain, opponent).value)
}

fn mean_over_opponents(table: &Table<'_>, player: usize, of: impl Fn(usize) -> Option<Ratio>) -> Value {
    let contributions: Vec<Contribution> = games(table, player)
        .filter_map(|(round, opponent, _)| {
            let source = Source::Opponent(table.tournament.players[opponent].tpn);
            Some(Contribution { round, source, value: of(opponent)?, cut: false })
        })
        .collect();
    let value = (!contributions.is_empty())
        .then(|| contributions.iter().map(|c| c.value).sum::<Ratio>().over(contributions.len()));
    Value { value, contributions }
}

/// Games over the board: round, opponent, score.
fn games<'t>(table: &'t Table<'_>, player: usize) -> impl Iterator<Item = (usize, usize, Score)> + 't {
    table.cells[player].iter().enumerate().filter_map(|(i, &cell)| match cell {
        Cell::Game { opponent, score, .. } => Some((i + 1, opponent, score)),
        _ => None,
    })
}

/// 9.2: points against those with at least half of the possible points, or another announced share.
pub(super) fn koya(table: &Table<'_>, criterion: Criterion, player: usize) -> Value {
    let percent = i32::from(criterion.limit_percent.unwrap_or(50));
    // In an odd round robin everybody sits out one round of each cycle.
    let players = table.tournament.players.len();
    let sat_out = if table.mode == Mode::RoundRobin && players % 2 == 1 { table.rounds / players } else { 0 };
    let most = table.tournament.points.win.times(table.rounds - sat_out).tenths();
    let forfeits = table.forfeits_count(criterion.forfeits_as_played);
    let counted = table.cells[player].iter().enumerate().filter_map(|(i, &cell)| {
        let opponent = match cell {
            Cell::Game { opponent, .. } => opponent,
            Cell::Forfeit { opponent, .. } if forfeits => opponent,
            _ => return None,
        };
        (table.scores[opponent].tenths() * 100 >= most * percent).then(|| Contribution {
            round: i + 1,
            source: Source::Opponent(table.tournament.players[opponent].tpn),
            value: Ratio::points(table.earned[player][i]),
            cut: false,
        })
    });
    Value::sum(counted.collect())
}

/// Ratings of the opponents met over the board; forfeits never count here (15.2).
fn opponents_ratings(
    table: &Table<'_>,
    criterion: Criterion,
    player: usize,
) -> Vec<(usize, usize, Score, i64)> {
    games(table, player)
        .filter_map(|(round, opponent, score)| {
            let rating = table.tournament.players[opponent].rating.or(criterion.unrated)?;
            Some((round, opponent, score, i64::from(rating)))
        })
        .collect()
}

/// 10.1
pub(super) fn average_rating(table: &Table<'_>, criterion: Criterion, player: usize) -> Value {
    let mut elements: Vec<Element> = opponents_ratings(table, criterion, player)
        .into_iter()
        .map(|(round, opponent, _, rating)| Element {
            round,
            source: Source::Opponent(table.tournament.players[opponent].tpn),
            value: Ratio::whole(rating),
            basis: Points::ZERO,
            voluntary: false,
            cut: false,
        })
        .collect();
    // A cut that would leave nothing is not made.
    let cuts = criterion.cut_low + criterion.cut_high;
    let criterion =
        if cuts < elements.len() { criterion } else { Criterion { cut_low: 0, cut_high: 0, ..criterion } };
    let kept = elements.len() - criterion.cut_low - criterion.cut_high;
    elements.sort_by_key(|e| e.round);
    let sum = finish(elements, criterion, false);
    let value = sum.value.filter(|_| kept > 0).map(|total| Ratio::whole(total.over(kept).rounded()));
    Value { value, contributions: sum.contributions }
}

/// 10.2 and 10.3: the score over the board in ones and halves against the opponents' ratings.
pub(super) fn performance(table: &Table<'_>, criterion: Criterion, kind: Kind, player: usize) -> Value {
    let games = opponents_ratings(table, criterion, player);
    let ratings: Vec<i64> = games.iter().map(|&(.., rating)| rating).collect();
    let score: Ratio = games
        .iter()
        .map(|&(_, _, score, _)| match score {
            Score::Win => Ratio::whole(1),
            Score::Draw => Ratio::whole(1).over(2),
            Score::Loss => Ratio::ZERO,
        })
        .sum();
    let value = if kind == Kind::Performance {
        ratings::performance(&ratings, score)
    } else {
        ratings::perfect(&ratings, score)
    };
    let contributions = games
        .iter()
        .map(|&(round, opponent, _, rating)| Contribution {
            round,
            source: Source::Opponent(table.tournament.players[opponent].tpn),
            value: Ratio::whole(rating),
            cut: false,
        })
        .collect();
    Value { value: value.map(Ratio::whole), contributions }
}

/// 10.4 and 10.5: the mean over the opponents met, halves up.
pub(super) fn average_performance(
    table: &Table<'_>,
    criterion: Criterion,
    kind: Kind,
    player: usize,
) -> Value {
    let mean =
        mean_over_opponents(table, player, |opponent| performance(table, criterion, kind, opponent).value);
    Value { value: mean.value.map(|value| Ratio::whole(value.rounded())), ..mean }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use serde_json::Value as Json;

    use super::super::table::Mode;
    use super::*;
    use crate::round::Color;
    use crate::tournament::{Player, Tournament};

    fn points(json: &Json) -> Points {
        Points::parse(&json.to_string()).expect("points")
    }

    /// A table of one player whose opponents have the given adjusted scores.
    fn table<'a>(
        tournament: &'a Tournament,
        own: Points,
        rounds: usize,
        row: &[(Cell, Points, Points)],
    ) -> Table<'a> {
        let mut table = Table {
            tournament,
            mode: Mode::Swiss,
            rounds,
            cells: vec![Vec::new()],
            earned: vec![Vec::new()],
            scores: vec![own],
            adjusted: vec![own],
        };
        for (i, &(cell, earned, opponent)) in row.iter().enumerate() {
            let at = |cell| match cell {
                Cell::Game { colour, score, .. } => Cell::Game { opponent: i + 1, colour, score },
                Cell::Forfeit { won, .. } => Cell::Forfeit { opponent: i + 1, won },
                other => other,
            };
            table.cells[0].push(at(cell));
            table.earned[0].push(earned);
            table.scores.push(opponent);
            table.adjusted.push(opponent);
        }
        table
    }

    /// One element of a printed example: the cell, the points, the opponent's adjusted score.
    fn element(json: &Json, own: Points) -> (Cell, Points, Points) {
        let earned = json.get("res").map_or(Points::ZERO, points);
        let Some(kind) = json.get("unplayed").or(json.get("kind")).and_then(Json::as_str) else {
            let game = Cell::Game { opponent: 0, colour: Color::White, score: Score::Draw };
            return (game, earned, points(&json["opp"]));
        };
        let scheduled = json.get("sched_opp_adjusted").map_or(own, points);
        if kind.starts_with("forfeit") {
            (Cell::Forfeit { opponent: 0, won: kind.starts_with("forfeit win") }, earned, scheduled)
        } else {
            (Cell::Interlude, earned, scheduled)
        }
    }

    // C.07 art. 14, 16: the examples FIDE printed.
    #[test]
    fn the_printed_examples() {
        let text = include_str!("../../data/tiebreaks/official_fide_numbers.json");
        let json: Json = serde_json::from_str(text).expect("JSON");
        let mut checked = 0;
        for case in json["cases"].as_array().expect("cases") {
            let own = points(&case["own"]);
            let mut row: Vec<(Cell, Points, Points)> = ["elements", "unplayed"]
                .iter()
                .filter_map(|key| case[*key].as_array())
                .flatten()
                .map(|e| element(e, own))
                .collect();
            // Where only their sum is printed, the opponents met stand for one.
            if let Some(sum) = case.get("sum_of_played_opponents") {
                let game = Cell::Game { opponent: 0, colour: Color::White, score: Score::Draw };
                row.push((game, Points::ZERO, points(sum)));
            }
            let tournament = Tournament {
                players: (1..=20).map(|tpn| Player { tpn, ..Player::default() }).collect(),
                ..Tournament::default()
            };
            let rounds = case["rounds"].as_u64().and_then(|r| usize::try_from(r).ok()).expect("rounds");
            let table = table(&tournament, own, rounds, &row);
            for (code, expected) in case["expected_2026"].as_object().expect("values") {
                let criterion = Criterion::from_str(code).expect("a code");
                let value = match criterion.kind {
                    Kind::Buchholz => buchholz(&table, criterion, 0),
                    _ => sonneborn_berger(&table, criterion, 0),
                };
                let found = value.value.map(Ratio::to_f64);
                assert_eq!(found, expected.as_f64(), "{} {code}: {:?}", case["id"], value.contributions);
                checked += 1;
            }
        }
        assert_eq!(checked, 11);
    }
}
