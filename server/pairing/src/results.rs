//! Entering pairings and results into a tournament.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::dutch::Pairing;
use crate::round::{Bye, Color, Entry, Score, Tpn};
use crate::round_robin;
use crate::tournament::Tournament;

/// How a board ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BoardResult {
    /// Played; the score is White's.
    Played(Score),
    /// Ended before both had made a move; counts for the standings, not for rating.
    Unrated(Score),
    /// White did not appear.
    WhiteForfeits,
    /// Black did not appear.
    BlackForfeits,
    /// Neither appeared; both lose.
    BothForfeit,
}

/// Why a result or a pairing cannot be entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryError {
    /// Nobody has this number.
    UnknownPlayer(Tpn),
    /// The two are not paired in that round.
    NotPaired {
        /// The round.
        round: usize,
        /// White.
        white: Tpn,
        /// Black.
        black: Tpn,
    },
    /// A player of the pairing has an opponent in that round already.
    AlreadyPaired(Tpn),
    /// A board of the round has a result, so its pairing stands.
    HasResults(Tpn),
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPlayer(tpn) => write!(f, "there is no player {tpn}"),
            Self::NotPaired { round, white, black } => {
                write!(f, "{white} does not have White against {black} in round {round}")
            }
            Self::AlreadyPaired(tpn) => write!(f, "player {tpn} has an opponent in this round already"),
            Self::HasResults(tpn) => write!(f, "player {tpn} has a result in this round"),
        }
    }
}

impl std::error::Error for EntryError {}

impl Tournament {
    /// Writes a pairing into the rows: opponents without results, the allocated bye, the requested byes.
    ///
    /// # Errors
    /// If someone is paired already; then nothing is changed.
    pub fn enter_pairing(&mut self, pairing: &Pairing) -> Result<(), EntryError> {
        let mut entries: Vec<(Tpn, Entry)> = Vec::new();
        for board in &pairing.boards {
            let paired = |opponent, colour| Entry::Paired { opponent, colour };
            entries.push((board.white, paired(board.black, Color::White)));
            entries.push((board.black, paired(board.white, Color::Black)));
        }
        entries.extend(pairing.bye.map(|tpn| (tpn, Entry::Bye(Bye::Allocated))));
        entries.extend(pairing.out.iter().map(|&(tpn, bye)| (tpn, Entry::Bye(bye))));
        for &(tpn, _) in &entries {
            let player = self.player(tpn).ok_or(EntryError::UnknownPlayer(tpn))?;
            if player.entry(pairing.round).opponent().is_some() {
                return Err(EntryError::AlreadyPaired(tpn));
            }
        }
        for (tpn, entry) in entries {
            self.set_entry(tpn, pairing.round, entry);
        }
        Ok(())
    }

    /// Takes back a pairing that was entered, to pair the round again. Requested byes and absences stay.
    ///
    /// # Errors
    /// If a board has a result already; then nothing is changed.
    pub fn withdraw_pairing(&mut self, round: usize) -> Result<(), EntryError> {
        let has_result = |entry| matches!(entry, Entry::Played { .. } | Entry::Forfeit { .. });
        if let Some(player) = self.players.iter().find(|p| has_result(p.entry(round))) {
            return Err(EntryError::HasResults(player.tpn));
        }
        let paired = |entry| matches!(entry, Entry::Paired { .. } | Entry::Bye(Bye::Allocated));
        let made: Vec<Tpn> = self.players.iter().filter(|p| paired(p.entry(round))).map(|p| p.tpn).collect();
        for tpn in made {
            self.set_entry(tpn, round, Entry::Absent);
        }
        Ok(())
    }

    /// A pairing made by hand: boards (White, Black) in order and the allocated bye. It is not judged; see
    /// [`crate::audit::violations`].
    pub fn pairing_by_hand(&self, round: usize, boards: &[(Tpn, Tpn)], bye: Option<Tpn>) -> Pairing {
        let named =
            |tpn: Tpn| bye == Some(tpn) || boards.iter().any(|&(white, black)| white == tpn || black == tpn);
        let out = self
            .players
            .iter()
            .filter(|p| !named(p.tpn))
            .map(|player| (player.tpn, self.bye_for(player, round).unwrap_or(Bye::Zero)));
        Pairing {
            round,
            boards: boards
                .iter()
                .map(|&(white, black)| round_robin::board(self, round, white, black))
                .collect(),
            bye,
            out: out.collect(),
        }
    }

    /// Records or corrects the result of a board.
    ///
    /// # Errors
    /// If the two do not meet in that round with these colours.
    pub fn set_result(
        &mut self,
        round: usize,
        white: Tpn,
        black: Tpn,
        result: BoardResult,
    ) -> Result<(), EntryError> {
        let meets = |tpn, opponent, expected| {
            self.player(tpn).is_some_and(|player| match player.entry(round) {
                Entry::Played { opponent: o, colour, .. } | Entry::Paired { opponent: o, colour } => {
                    o == opponent && colour == expected
                }
                Entry::Forfeit { opponent: o, colour, .. } => {
                    o == opponent && colour.is_none_or(|c| c == expected)
                }
                Entry::Bye(_) | Entry::Absent => false,
            })
        };
        if !meets(white, black, Color::White) || !meets(black, white, Color::Black) {
            return Err(EntryError::NotPaired { round, white, black });
        }
        let side = |opponent, colour, score: Score, rated| Entry::Played { opponent, colour, score, rated };
        let forfeit = |opponent, colour, won| Entry::Forfeit { opponent, colour: Some(colour), won };
        let (w, b) = match result {
            BoardResult::Played(score) | BoardResult::Unrated(score) => {
                let rated = matches!(result, BoardResult::Played(_));
                (side(black, Color::White, score, rated), side(white, Color::Black, score.other(), rated))
            }
            BoardResult::WhiteForfeits => {
                (forfeit(black, Color::White, false), forfeit(white, Color::Black, true))
            }
            BoardResult::BlackForfeits => {
                (forfeit(black, Color::White, true), forfeit(white, Color::Black, false))
            }
            BoardResult::BothForfeit => {
                (forfeit(black, Color::White, false), forfeit(white, Color::Black, false))
            }
        };
        self.set_entry(white, round, w);
        self.set_entry(black, round, b);
        Ok(())
    }

    /// Whether every pairing of a round has a result.
    pub fn round_is_complete(&self, round: usize) -> bool {
        !self.players.iter().any(|p| matches!(p.entry(round), Entry::Paired { .. }))
    }

    fn set_entry(&mut self, tpn: Tpn, round: usize, entry: Entry) {
        let (Some(i), Some(at)) = (self.index_of(tpn), round.checked_sub(1)) else { return };
        let rounds = &mut self.players[i].rounds;
        if rounds.len() <= at {
            rounds.resize(at + 1, Entry::Absent);
        }
        rounds[at] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit;
    use crate::dutch;
    use crate::tournament::Player;

    fn five() -> Tournament {
        Tournament {
            rounds: Some(3),
            initial_colour: Some(Color::White),
            players: (1..=5).map(|tpn| Player { tpn, ..Player::default() }).collect(),
            ..Tournament::default()
        }
    }

    #[test]
    fn a_pairing_is_taken_back_until_there_is_a_result() {
        let mut tournament = five();
        let before = tournament.clone();
        let pairing = dutch::pair(&tournament).expect("a pairing");
        tournament.enter_pairing(&pairing).expect("a fresh round");
        assert_eq!(tournament.enter_pairing(&pairing), Err(EntryError::AlreadyPaired(1)));
        assert!(!tournament.round_is_complete(1));
        tournament.withdraw_pairing(1).expect("no results");
        for (now, then) in tournament.players.iter().zip(&before.players) {
            assert_eq!(now.entry(1), then.entry(1));
        }
        assert_eq!(dutch::pair(&tournament), Ok(pairing.clone()));
        tournament.enter_pairing(&pairing).expect("taken back");
        tournament.set_result(1, 1, 3, BoardResult::WhiteForfeits).expect("a board");
        assert_eq!(tournament.withdraw_pairing(1), Err(EntryError::HasResults(1)));
    }

    #[test]
    fn results_are_corrected_but_only_where_there_is_a_board() {
        let mut tournament = five();
        let pairing = dutch::pair(&tournament).expect("a pairing");
        tournament.enter_pairing(&pairing).expect("a fresh round");
        for result in
            [BoardResult::Played(Score::Win), BoardResult::BothForfeit, BoardResult::Unrated(Score::Draw)]
        {
            tournament.set_result(1, 1, 3, result).expect("a board");
        }
        assert_eq!(
            tournament.player(3).map(|p| p.entry(1)),
            Some(Entry::Played { opponent: 1, colour: Color::Black, score: Score::Draw, rated: false })
        );
        let wrong = tournament.set_result(1, 3, 1, BoardResult::Played(Score::Win));
        assert_eq!(wrong, Err(EntryError::NotPaired { round: 1, white: 3, black: 1 }));
    }

    #[test]
    fn a_pairing_by_hand_can_be_judged_and_entered() {
        let mut tournament = five();
        let by_hand = tournament.pairing_by_hand(1, &[(2, 1), (3, 4)], Some(5));
        assert!(audit::violations(&tournament, 1, &[(2, 1), (3, 4)], Some(5)).is_empty());
        tournament.enter_pairing(&by_hand).expect("a fresh round");
        tournament.set_result(1, 2, 1, BoardResult::Played(Score::Draw)).expect("a board");
        tournament.set_result(1, 3, 4, BoardResult::Played(Score::Draw)).expect("a board");
        let broken: Vec<&str> = audit::violations(&tournament, 2, &[(1, 2), (3, 4)], Some(5))
            .into_iter()
            .map(|violation| violation.criterion)
            .collect();
        assert_eq!(broken, ["C1", "C1", "C2"]);
        let missing = audit::violations(&tournament, 2, &[(1, 3)], None);
        assert_eq!(missing.first().map(|violation| violation.criterion), Some("list"));
    }
}
