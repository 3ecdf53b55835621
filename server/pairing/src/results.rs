//! Entering pairings and results into a tournament.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::dutch::Pairing;
use crate::round::{Bye, Color, Entry, Score, Tpn};
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
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPlayer(tpn) => write!(f, "there is no player {tpn}"),
            Self::NotPaired { round, white, black } => {
                write!(f, "{white} does not have White against {black} in round {round}")
            }
            Self::AlreadyPaired(tpn) => write!(f, "player {tpn} has an opponent in this round already"),
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
