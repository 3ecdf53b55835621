//! The initial order and late entries (C.04.2 art. 2).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::round::{Entry, Tpn};
use crate::tournament::{Acceleration, Player, Tournament};

/// Pairing numbers may be reassigned until this round is paired.
pub const LAST_ROUND_TO_RENUMBER: usize = 3;

/// Titles from the highest; no title comes last.
const TITLES: [&str; 8] = ["GM", "IM", "WGM", "FM", "WIM", "CM", "WFM", "WCM"];

/// Where a player belongs in the initial order: by rating (0 for none), title, then the alphabet.
pub fn place(rating: u16, title: &str, name: &str) -> (Reverse<u16>, usize, String) {
    let title = TITLES.iter().position(|known| *known == title).unwrap_or(TITLES.len());
    (Reverse(rating), title, name.to_lowercase())
}

impl Tournament {
    /// Adds a player. Before round 4 is paired the list is put in order and renumbered, so that everyone has the
    /// number his rating deserves; afterwards the newcomer gets the next free one. Returns the number, and the changes
    /// of the others' numbers (old, new).
    ///
    /// The rounds missed are blank in the row and count as absences; points for them, if the rules give any, are byes
    /// the caller enters.
    pub fn add_player(&mut self, player: Player) -> (Tpn, Vec<(Tpn, Tpn)>) {
        let next = self.players.last().map_or(1, |last| last.tpn + 1);
        self.players.push(Player { tpn: next, ..player });
        if self.rounds_paired() > LAST_ROUND_TO_RENUMBER {
            return (next, Vec::new());
        }
        let mut changes = self.renumber();
        let own = changes.iter().find(|&&(old, _)| old == next).map_or(next, |&(_, new)| new);
        changes.retain(|&(old, _)| old != next);
        (own, changes)
    }

    /// Puts the list in the initial order and numbers it from 1; every mention of a player follows. Returns the
    /// changes (old, new).
    pub fn renumber(&mut self) -> Vec<(Tpn, Tpn)> {
        self.players.sort_by_cached_key(|player| {
            (place(player.rating.unwrap_or(0), &player.title, &player.name), player.tpn)
        });
        let map: BTreeMap<Tpn, Tpn> = self.players.iter().map(|player| player.tpn).zip(1..).collect();
        let to = |tpn: Tpn| map.get(&tpn).copied().unwrap_or(tpn);
        for player in &mut self.players {
            player.tpn = to(player.tpn);
            for entry in &mut player.rounds {
                match entry {
                    Entry::Played { opponent, .. }
                    | Entry::Forfeit { opponent, .. }
                    | Entry::Paired { opponent, .. } => *opponent = to(*opponent),
                    Entry::Bye(_) | Entry::Absent => {}
                }
            }
        }
        let lists = self.requested_byes.iter_mut().map(|bye| &mut bye.players);
        let lists = lists.chain(self.forbidden.iter_mut().map(|group| &mut group.players));
        for players in lists.chain(self.adjustments.iter_mut().map(|a| &mut a.players)) {
            for tpn in players {
                *tpn = to(*tpn);
            }
        }
        for acceleration in &mut self.accelerations {
            match acceleration {
                // Whoever is now between the borders of a group belongs to it.
                Acceleration::Range { players: (first, last), .. } => {
                    (*first, *last) = (to(*first), to(*last));
                }
                Acceleration::Player { tpn, .. } => *tpn = to(*tpn),
            }
        }
        // The group begins at the top of the list even if someone stronger joined.
        for acceleration in &mut self.accelerations {
            if let Acceleration::Range { players: (first, _), .. } = acceleration
                && map.get(&1) == Some(first)
            {
                *first = 1;
            }
        }
        map.into_iter().filter(|(old, new)| old != new).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baku;
    use crate::dutch;
    use crate::results::BoardResult;
    use crate::round::{Color, Score};

    fn player(name: &str, title: &str, rating: u16) -> Player {
        Player {
            name: name.into(),
            title: title.into(),
            rating: Some(rating).filter(|&r| r > 0),
            ..Player::default()
        }
    }

    fn names(tournament: &Tournament) -> Vec<&str> {
        tournament.players.iter().map(|p| p.name.as_str()).collect()
    }

    fn four() -> Tournament {
        let mut tournament =
            Tournament { rounds: Some(6), initial_colour: Some(Color::White), ..Tournament::default() };
        for (name, title, rating) in
            [("bo", "", 1500), ("Al", "WFM", 2000), ("Cy", "FM", 2000), ("Di", "", 0), ("Ed", "WFM", 2000)]
        {
            tournament.add_player(player(name, title, rating));
        }
        tournament
    }

    // C.04.2 art. 2
    #[test]
    fn the_list_goes_by_rating_title_and_alphabet() {
        let tournament = four();
        assert_eq!(names(&tournament), ["Cy", "Al", "Ed", "bo", "Di"]);
        assert_eq!(tournament.players.iter().map(|p| p.tpn).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_late_entry_moves_the_others_until_round_4_is_paired() {
        let mut tournament = four();
        tournament.system = "FIDE_DUTCH_2025".into();
        tournament.accelerations = baku::accelerations(&tournament).expect("points that fit");
        for round in 1..=4 {
            let pairing = dutch::pair(&tournament).expect("a pairing");
            tournament.enter_pairing(&pairing).expect("a fresh round");
            for board in &pairing.boards {
                let drawn = BoardResult::Played(Score::Draw);
                tournament.set_result(round, board.white, board.black, drawn).expect("a board");
            }
            let before = tournament.clone();
            let (tpn, changes) = tournament.add_player(player(&format!("Late {round}"), "GM", 2500));
            if round <= LAST_ROUND_TO_RENUMBER {
                assert_eq!(usize::from(tpn), round);
                assert!(changes.iter().all(|&(old, new)| new == old + 1));
                assert!(tournament.fictitious(1, 1) > crate::points::Points::ZERO);
                // Everyone still has the opponents he had.
                for player in &before.players {
                    let now = tournament.players.iter().find(|p| p.name == player.name).expect("still there");
                    for (old, new) in player.rounds.iter().zip(&now.rounds) {
                        let name = |t: &Tournament, e: &Entry| {
                            e.opponent().and_then(|tpn| t.player(tpn)).map(|p| p.name.clone())
                        };
                        assert_eq!(name(&before, old), name(&tournament, new));
                    }
                }
            } else {
                assert_eq!(usize::from(tpn), tournament.players.len());
                assert!(changes.is_empty());
            }
        }
    }
}
