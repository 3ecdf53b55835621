//! Simultaneous display: one host against many guests.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::results::BoardResult;
use crate::round::{Score, Tpn};

/// Who has White on the host's boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostColour {
    /// The host everywhere.
    White,
    /// The guests everywhere.
    Black,
    /// The host on odd boards.
    Alternating,
}

/// The conditions; the host may change them until the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// Colours.
    pub colour: HostColour,
    /// The guests' time on each board. Microseconds.
    pub guest_time_us: u64,
    /// The host's time on each board before the extra. Microseconds.
    pub host_time_us: u64,
    /// Added to the host's time on every board for each board. Microseconds.
    pub host_extra_per_board_us: u64,
    /// Ratings that may join, both inclusive; `None` for no limit. The unrated pass only without limits.
    pub ratings: (Option<u16>, Option<u16>),
    /// At most so many boards.
    pub boards_max: usize,
    /// The planned start on the director's clock, if any. Microseconds.
    pub start_us: Option<u64>,
}

/// Why something cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulError {
    /// The display has begun.
    Started,
    /// All boards are taken.
    Full,
    /// The rating is outside the limits, or missing.
    Rating,
    /// The host cannot be a guest, and nobody sits at two boards.
    Seated,
    /// Nobody has joined.
    NoGuests,
    /// No game with this guest is on.
    NoGame,
}

impl fmt::Display for SimulError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Started => "the simul has begun",
            Self::Full => "all boards are taken",
            Self::Rating => "your rating is outside the limits of this simul",
            Self::Seated => "you have a place in this simul already",
            Self::NoGuests => "nobody has joined",
            Self::NoGame => "there is no game with this guest",
        })
    }
}

impl std::error::Error for SimulError {}

/// A board of a display that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// From 1.
    pub number: usize,
    /// White.
    pub white: Tpn,
    /// Black.
    pub black: Tpn,
    /// White's time. Microseconds.
    pub white_time_us: u64,
    /// Black's time. Microseconds.
    pub black_time_us: u64,
    /// The result, once there is one.
    pub result: Option<BoardResult>,
}

/// A simul.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simul {
    host: Tpn,
    conditions: Conditions,
    guests: Vec<Tpn>,
    boards: Vec<Board>,
}

impl Simul {
    /// Opens the list.
    pub fn new(host: Tpn, conditions: Conditions) -> Self {
        Self { host, conditions, guests: Vec::new(), boards: Vec::new() }
    }

    /// The conditions as they stand.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Guests in order of joining.
    pub fn guests(&self) -> &[Tpn] {
        &self.guests
    }

    /// Changes the conditions. Guests who no longer fit keep their place.
    ///
    /// # Errors
    /// [`SimulError::Started`]
    pub fn change(&mut self, conditions: Conditions) -> Result<(), SimulError> {
        self.before_start()?;
        self.conditions = conditions;
        Ok(())
    }

    /// Takes a board.
    ///
    /// # Errors
    /// Why not.
    pub fn join(&mut self, guest: Tpn, rating: Option<u16>) -> Result<(), SimulError> {
        self.before_start()?;
        if guest == self.host || self.guests.contains(&guest) {
            return Err(SimulError::Seated);
        }
        let fits = match (rating, self.conditions.ratings) {
            (_, (None, None)) => true,
            (Some(rating), (low, high)) => {
                low.is_none_or(|low| rating >= low) && high.is_none_or(|high| rating <= high)
            }
            (None, _) => false,
        };
        if !fits {
            return Err(SimulError::Rating);
        }
        if self.guests.len() >= self.conditions.boards_max {
            return Err(SimulError::Full);
        }
        self.guests.push(guest);
        Ok(())
    }

    /// Gives the board back.
    ///
    /// # Errors
    /// [`SimulError::Started`]
    pub fn leave(&mut self, guest: Tpn) -> Result<(), SimulError> {
        self.before_start()?;
        self.guests.retain(|&tpn| tpn != guest);
        Ok(())
    }

    fn before_start(&self) -> Result<(), SimulError> {
        if self.boards.is_empty() { Ok(()) } else { Err(SimulError::Started) }
    }

    /// The host's time on every board with so many boards. Microseconds.
    pub fn host_time_us(&self, boards: usize) -> u64 {
        let boards = u64::try_from(boards).unwrap_or(u64::MAX);
        let extra = self.conditions.host_extra_per_board_us.saturating_mul(boards);
        self.conditions.host_time_us.saturating_add(extra)
    }

    /// Closes the list and sets up the boards.
    ///
    /// # Errors
    /// [`SimulError::Started`] or [`SimulError::NoGuests`]
    pub fn start(&mut self) -> Result<&[Board], SimulError> {
        self.before_start()?;
        if self.guests.is_empty() {
            return Err(SimulError::NoGuests);
        }
        let host_time = self.host_time_us(self.guests.len());
        let guest_time = self.conditions.guest_time_us;
        let host_white = |number: usize| match self.conditions.colour {
            HostColour::White => true,
            HostColour::Black => false,
            HostColour::Alternating => number % 2 == 1,
        };
        let board = |(i, &guest): (usize, &Tpn)| {
            let (number, result) = (i + 1, None);
            let (host, guest) = ((self.host, host_time), (guest, guest_time));
            let (white, black) = if host_white(number) { (host, guest) } else { (guest, host) };
            Board {
                number,
                white: white.0,
                black: black.0,
                white_time_us: white.1,
                black_time_us: black.1,
                result,
            }
        };
        self.boards = self.guests.iter().enumerate().map(board).collect();
        Ok(&self.boards)
    }

    /// The boards; none before the start.
    pub fn boards(&self) -> &[Board] {
        &self.boards
    }

    /// Enters or corrects the result against a guest.
    ///
    /// # Errors
    /// [`SimulError::NoGame`]
    pub fn record(&mut self, guest: Tpn, result: BoardResult) -> Result<(), SimulError> {
        let at = |board: &&mut Board| board.white == guest || board.black == guest;
        let board =
            self.boards.iter_mut().find(at).filter(|_| guest != self.host).ok_or(SimulError::NoGame)?;
        board.result = Some(result);
        Ok(())
    }

    /// The host's wins, draws and losses so far, and whether all games are over.
    pub fn score(&self) -> ([usize; 3], bool) {
        let mut score = [0; 3];
        for board in &self.boards {
            let Some(result) = board.result else { continue };
            let white = match result {
                BoardResult::Played(score) | BoardResult::Unrated(score) => score,
                BoardResult::WhiteForfeits => Score::Loss,
                // Both absent: a loss for the host whatever the colour.
                BoardResult::BothForfeit if board.white == self.host => Score::Loss,
                BoardResult::BlackForfeits | BoardResult::BothForfeit => Score::Win,
            };
            let host = if board.white == self.host { white } else { white.other() };
            score[match host {
                Score::Win => 0,
                Score::Draw => 1,
                Score::Loss => 2,
            }] += 1;
        }
        (score, !self.boards.is_empty() && self.boards.iter().all(|board| board.result.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions() -> Conditions {
        Conditions {
            colour: HostColour::Alternating,
            guest_time_us: 1_200_000_000,
            host_time_us: 1_800_000_000,
            host_extra_per_board_us: 60_000_000,
            ratings: (None, Some(2200)),
            boards_max: 3,
            start_us: None,
        }
    }

    #[test]
    fn a_display() {
        let mut simul = Simul::new(1, conditions());
        assert_eq!(simul.start(), Err(SimulError::NoGuests));
        assert_eq!(simul.join(2, Some(2300)), Err(SimulError::Rating));
        assert_eq!(simul.join(2, None), Err(SimulError::Rating));
        assert_eq!(simul.join(1, Some(2000)), Err(SimulError::Seated));
        for guest in 2..=4 {
            simul.join(guest, Some(1500)).expect("a board");
        }
        assert_eq!(simul.join(5, Some(1500)), Err(SimulError::Full));
        // The host may still change the time.
        simul.change(Conditions { host_time_us: 600_000_000, ..conditions() }).expect("not begun");
        simul.leave(4).expect("not begun");
        let boards = simul.start().expect("guests").to_vec();
        assert_eq!(boards.iter().map(|b| (b.white, b.black)).collect::<Vec<_>>(), [(1, 2), (3, 1)]);
        assert_eq!(boards[0].white_time_us, 720_000_000);
        assert_eq!(boards[1].white_time_us, 1_200_000_000);
        assert_eq!(simul.change(conditions()), Err(SimulError::Started));
        simul.record(2, BoardResult::Played(Score::Win)).expect("a game");
        assert_eq!(simul.score(), ([1, 0, 0], false));
        simul.record(3, BoardResult::Played(Score::Win)).expect("a game");
        assert_eq!(simul.score(), ([1, 0, 1], true));
        assert_eq!(simul.record(1, BoardResult::BothForfeit), Err(SimulError::NoGame));
    }
}
