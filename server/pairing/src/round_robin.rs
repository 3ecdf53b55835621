//! Round robin by the Berger tables (C.05 Annex 1), single and double.

use crate::dutch::{Board, ColourRule, Float, Found, Pairing, Preference, Reason, Side, Strength};
use crate::points::Points;
use crate::results::BoardResult;
use crate::round::{Bye, Tpn};
use crate::tournament::{Player, Tournament};

/// A board of a table: numbers drawn by the players, from 1.
pub type Numbers = (usize, usize);

/// How many rounds one cycle of `players` takes; an odd field plays with a free number.
pub fn rounds_of_cycle(players: usize) -> usize {
    if players < 2 { 0 } else { players + players % 2 - 1 }
}

/// The boards (White, Black) of a round of the Berger table for an even number of players, in board order. Empty if
/// there is no such round.
pub fn berger(players: usize, round: usize) -> Vec<Numbers> {
    let rounds = rounds_of_cycle(players);
    if players % 2 == 1 || !(1..=rounds).contains(&round) {
        return Vec::new();
    }
    let shift = (round - 1) * players / 2;
    let turned = |number: usize| (number - 1 + shift) % rounds + 1;
    let first = if round % 2 == 1 { (turned(1), players) } else { (players, turned(1)) };
    std::iter::once(first)
        .chain((2..=players / 2).map(|board| (turned(board), turned(players + 1 - board))))
        .collect()
}

/// The boards of a round of a tournament of one or two cycles. An odd field meets the free number `players + 1`.
///
/// In a double round robin the second cycle reverses the colours, and the last two rounds of the first are swapped, so
/// that nobody has one colour three times running.
pub fn boards(players: usize, cycles: usize, round: usize) -> Vec<Numbers> {
    let even = players + players % 2;
    let length = rounds_of_cycle(players);
    if length == 0 || round == 0 || round > length * cycles {
        return Vec::new();
    }
    let (cycle, place) = ((round - 1) / length, (round - 1) % length + 1);
    let place = if cycles > 1 && cycle == 0 && length >= 2 {
        match length - place {
            0 => length - 1,
            1 => length,
            _ => place,
        }
    } else {
        place
    };
    let boards = berger(even, place);
    if cycle % 2 == 1 { boards.into_iter().map(|(white, black)| (black, white)).collect() } else { boards }
}

/// The pairing of a round. The players' places in the list are their numbers, so draw the lots before numbering them.
/// Whoever meets the free number has a zero-point bye, and so does the opponent of a player who is out; boards of
/// players who are out are left off.
pub fn pair(tournament: &Tournament, cycles: usize, round: usize) -> Pairing {
    let players = &tournament.players;
    let out = |tpn: Tpn| tournament.player(tpn).is_none_or(|p| tournament.bye_for(p, round).is_some());
    let at = |number: usize| players.get(number - 1).map(|player| player.tpn);
    let mut pairing = Pairing { round, boards: Vec::new(), bye: None, out: Vec::new() };
    for (white, black) in boards(players.len(), cycles, round) {
        match (at(white), at(black)) {
            (Some(white), Some(black)) if !out(white) && !out(black) => {
                pairing.boards.push(board(tournament, round, white, black));
            }
            (white, black) => pairing.out.extend(white.into_iter().chain(black).map(|tpn| (tpn, Bye::Zero))),
        }
    }
    pairing.out.sort_unstable_by_key(|&(tpn, _)| tpn);
    pairing
}

/// The boards of a round that cannot be played because someone is out, as the forfeits they become once a player has
/// withdrawn after at least half of his games (before that the results leave the standings altogether, see
/// [`crate::standings::played_under_half`]).
pub fn walkovers(tournament: &Tournament, cycles: usize, round: usize) -> Vec<(Tpn, Tpn, BoardResult)> {
    let players = &tournament.players;
    let at = |number: usize| players.get(number - 1);
    let out = |player: &Player| tournament.bye_for(player, round).is_some();
    boards(players.len(), cycles, round)
        .into_iter()
        .filter_map(|(white, black)| at(white).zip(at(black)))
        .filter_map(|(white, black)| {
            let result = match (out(white), out(black)) {
                (false, false) => return None,
                (true, false) => BoardResult::WhiteForfeits,
                (false, true) => BoardResult::BlackForfeits,
                (true, true) => BoardResult::BothForfeit,
            };
            Some((white.tpn, black.tpn, result))
        })
        .collect()
}

/// A board that a table or a bracket assigns.
pub(crate) fn board(tournament: &Tournament, round: usize, white: Tpn, black: Tpn) -> Board {
    let side = |tpn: Tpn| Side {
        tpn,
        score: tournament.player(tpn).map_or(Points::ZERO, |p| tournament.score_before(p, round)),
        preference: Preference { colour: None, strength: Strength::None },
        granted: true,
        history: [Float::None; 2],
    };
    Board {
        white,
        black,
        reason: Reason {
            bracket: None,
            higher: side(white),
            lower: side(black),
            found: Found::Natural,
            unmet: Vec::new(),
            rule: ColourRule::Assigned,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    // C.05 Annex 1
    #[test]
    fn the_published_tables() {
        let text = include_str!("../data/berger_tables.txt");
        let mut players = 0;
        let mut checked = 0;
        for line in text.lines() {
            if let Some(number) = line.strip_prefix("N ") {
                players = number.parse().expect("a number");
            } else if let Some((round, boards)) = line.split_once(": ").filter(|_| !line.starts_with('#')) {
                let expected: Vec<Numbers> = boards
                    .split_whitespace()
                    .filter_map(|pair| pair.split_once('-'))
                    .map(|(white, black)| (white.parse().expect("White"), black.parse().expect("Black")))
                    .collect();
                assert_eq!(berger(players, round.parse().expect("a round")), expected, "{players}: {line}");
                checked += 1;
            }
        }
        assert_eq!(checked, (4..=16).step_by(2).map(|n| n - 1).sum::<usize>());
    }

    #[test]
    fn everyone_meets_everyone_once_a_cycle() {
        for players in 2..=40 {
            for cycles in 1..=2 {
                let mut met: BTreeMap<Numbers, usize> = BTreeMap::new();
                let mut colours = vec![Vec::new(); players + 2];
                for round in 1..=cycles * rounds_of_cycle(players) {
                    for (white, black) in boards(players, cycles, round) {
                        *met.entry((white, black)).or_default() += 1;
                        colours[white].push('w');
                        colours[black].push('b');
                    }
                }
                let even = players + players % 2;
                for a in 1..=even {
                    for b in a + 1..=even {
                        let games = met.get(&(a, b)).unwrap_or(&0) + met.get(&(b, a)).unwrap_or(&0);
                        assert_eq!(games, cycles, "{a} and {b} of {players}");
                        if cycles == 2 {
                            assert_eq!(met.get(&(a, b)), met.get(&(b, a)));
                        }
                    }
                }
                if players >= 6 && players % 2 == 0 {
                    let threes =
                        colours.iter().any(|row| row.windows(3).any(|w| w[0] == w[1] && w[1] == w[2]));
                    assert!(!threes, "{players} players, {cycles} cycles: {colours:?}");
                }
            }
        }
    }

    #[test]
    fn a_free_round_and_a_withdrawal_are_zero_byes() {
        let mut tournament = Tournament {
            players: (1..=5).map(|tpn| Player { tpn, ..Player::default() }).collect(),
            ..Tournament::default()
        };
        let first = pair(&tournament, 1, 1);
        assert_eq!(first.boards.len(), 2);
        assert_eq!(first.out, [(1, Bye::Zero)]);
        tournament.players[1].rounds = vec![crate::round::Entry::Bye(Bye::Zero)];
        let first = pair(&tournament, 1, 1);
        assert_eq!(first.out, [(1, Bye::Zero), (2, Bye::Zero), (5, Bye::Zero)]);
        assert_eq!(walkovers(&tournament, 1, 1), [(2, 5, BoardResult::WhiteForfeits)]);
    }
}
