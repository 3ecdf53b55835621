//! Baku acceleration (C.04.7, in force from 1 February 2026).

use crate::points::Points;
use crate::round::Tpn;
use crate::tournament::{Acceleration, Tournament};

/// How many of `players` form group A: twice a quarter of the field, rounded up.
pub fn group_a(players: usize) -> usize {
    2 * players.div_ceil(4)
}

/// The fictitious points as wins and draws: a win in the first half of the accelerated rounds, a draw in the second.
fn schedule(rounds: usize) -> (usize, usize) {
    let accelerated = rounds.div_ceil(2);
    let full = accelerated.div_ceil(2);
    (full, accelerated)
}

/// The fictitious points of one player in one round. The last player of group A is fixed by the list of round 1.
pub(crate) fn points(tournament: &Tournament, tpn: Tpn, round: usize) -> Points {
    let (full, accelerated) = schedule(tournament.rounds.unwrap_or(0));
    let place = tournament.players.partition_point(|p| p.tpn < tpn);
    if place >= group_a(tournament.players.len()) || round > accelerated {
        Points::ZERO
    } else if round <= full {
        tournament.points.win
    } else {
        tournament.points.draw
    }
}

/// The explicit records of the method for the present list, so that later entries do not move the border between the
/// groups. `None` if a win is not two draws or a loss is worth something, where the method is not defined.
pub fn accelerations(tournament: &Tournament) -> Option<Vec<Acceleration>> {
    let size = group_a(tournament.players.len());
    let last = tournament.players.get(size.checked_sub(1)?).or(tournament.players.last())?.tpn;
    accelerations_up_to(tournament, last)
}

/// The same where the last player of group A is known: whoever was the last one when round 1 was paired remains it.
pub fn accelerations_up_to(tournament: &Tournament, last: Tpn) -> Option<Vec<Acceleration>> {
    let points = &tournament.points;
    if points.win != points.draw.times(2) || points.loss != Points::ZERO {
        return None;
    }
    let first = tournament.players.first()?.tpn;
    let (full, accelerated) = schedule(tournament.rounds?);
    let mut records =
        vec![Acceleration::Range { points: points.win, rounds: (1, full), players: (first, last) }];
    if accelerated > full {
        records.push(Acceleration::Range {
            points: points.draw,
            rounds: (full + 1, accelerated),
            players: (first, last),
        });
    }
    Some(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Player;

    #[test]
    fn group_a_is_twice_a_rounded_quarter() {
        // C.04.7; 178 -> 90 is TRF-2026's own example.
        for (players, size) in [(178, 90), (22, 12), (26, 14), (24, 12), (21, 12), (1, 2)] {
            assert_eq!(group_a(players), size, "{players}");
        }
    }

    #[test]
    fn nine_rounds_give_three_wins_and_two_draws() {
        let tournament = Tournament {
            rounds: Some(9),
            system: "FIDE_DUTCH_2025_BAKU".into(),
            players: (1..=22).map(|tpn| Player { tpn, ..Player::default() }).collect(),
            ..Tournament::default()
        };
        let row = |tpn| (1..=9).map(|round| tournament.fictitious(tpn, round).tenths()).collect::<Vec<_>>();
        assert_eq!(row(12), [10, 10, 10, 5, 5, 0, 0, 0, 0]);
        assert_eq!(row(13), [0; 9]);
        let explicit = Tournament {
            accelerations: accelerations(&tournament).unwrap_or_default(),
            ..tournament.clone()
        };
        for tpn in 1..=22 {
            for round in 1..=9 {
                assert_eq!(explicit.fictitious(tpn, round), tournament.fictitious(tpn, round));
            }
        }
    }
}
