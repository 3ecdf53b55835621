//! Criteria of a player's own results (C.07 art. 7).

use super::ratio::Ratio;
use super::table::{Cell, Table};
use super::{Contribution, Source, Value};
use crate::round::{Color, Score};

/// One for every round that `counts`.
fn rounds(table: &Table<'_>, player: usize, counts: impl Fn(usize, Cell) -> bool) -> Value {
    let marks =
        table.cells[player].iter().enumerate().filter(|&(i, &cell)| counts(i, cell)).map(|(i, &cell)| {
            let source = match cell {
                Cell::Game { opponent, .. } | Cell::Forfeit { opponent, .. } => {
                    Source::Opponent(table.tournament.players[opponent].tpn)
                }
                _ => Source::Round,
            };
            Contribution { round: i + 1, source, value: Ratio::whole(1), cut: false }
        });
    Value::sum(marks.collect())
}

/// 7.1: rounds in which as many points were obtained as for a win, with or without playing.
pub(super) fn wins(table: &Table<'_>, player: usize) -> Value {
    let win = table.tournament.points.win;
    rounds(table, player, |i, _| table.earned[player][i] == win)
}

/// 7.2
pub(super) fn games_won(table: &Table<'_>, player: usize) -> Value {
    rounds(table, player, |_, cell| matches!(cell, Cell::Game { score: Score::Win, .. }))
}

/// 7.3
pub(super) fn black_games(table: &Table<'_>, player: usize) -> Value {
    rounds(table, player, |_, cell| matches!(cell, Cell::Game { colour: Color::Black, .. }))
}

/// 7.4
pub(super) fn black_wins(table: &Table<'_>, player: usize) -> Value {
    rounds(table, player, |_, cell| {
        matches!(cell, Cell::Game { colour: Color::Black, score: Score::Win, .. })
    })
}

/// 7.5: a cut leaves out the scores after the first rounds.
pub(super) fn progressive(table: &Table<'_>, player: usize, cut: usize) -> Value {
    let mut score = Ratio::ZERO;
    let contributions = table.earned[player].iter().enumerate().map(|(i, &points)| {
        score = score + Ratio::points(points);
        Contribution { round: i + 1, source: Source::Round, value: score, cut: i < cut }
    });
    Value::sum(contributions.collect())
}

/// 7.6: all rounds but requested byes, absences and forfeit losses.
pub(super) fn rounds_elected(table: &Table<'_>, player: usize) -> Value {
    rounds(table, player, |_, cell| !cell.voluntary())
}

/// 7.7: one for a round with more points than the scheduled opponent (or, unplayed, than a draw), a half for as many.
pub(super) fn standard_points(table: &Table<'_>, player: usize) -> Value {
    let contributions = table.cells[player].iter().enumerate().map(|(i, &cell)| {
        let mine = table.earned[player][i];
        let (theirs, source) = match cell {
            Cell::Game { opponent, .. } | Cell::Forfeit { opponent, .. } => {
                (table.earned[opponent][i], Source::Opponent(table.tournament.players[opponent].tpn))
            }
            _ => (table.tournament.points.draw, Source::Round),
        };
        let value = match mine.cmp(&theirs) {
            std::cmp::Ordering::Greater => Ratio::whole(1),
            // A double forfeit is no half for either.
            std::cmp::Ordering::Equal if !matches!(cell, Cell::Forfeit { .. } | Cell::Open { .. }) => {
                Ratio::whole(1).over(2)
            }
            _ => Ratio::ZERO,
        };
        Contribution { round: i + 1, source, value, cut: false }
    });
    Value::sum(contributions.collect())
}
