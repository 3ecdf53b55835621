//! Points in tenths, and the points a tournament awards for each result.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

use crate::round::{Bye, Entry, Score};

/// An amount of points, in tenths: report files carry one decimal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Points(i32);

impl Points {
    /// No points.
    pub const ZERO: Self = Self(0);
    /// Half a point.
    pub const HALF: Self = Self(5);
    /// One point.
    pub const ONE: Self = Self(10);

    /// So many tenths of a point.
    pub const fn from_tenths(tenths: i32) -> Self {
        Self(tenths)
    }

    /// The amount in tenths of a point.
    pub const fn tenths(self) -> i32 {
        self.0
    }

    /// The amount taken `count` times.
    #[must_use]
    pub fn times(self, count: usize) -> Self {
        Self(self.0.saturating_mul(i32::try_from(count).unwrap_or(i32::MAX)))
    }

    /// Reads `1`, `0.5`, `.5` or `11.5`; at most four digits before the point and one after it.
    pub fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (whole, tenth) = digits.split_once(['.', ',']).unwrap_or((digits, ""));
        let number = |part: &str| -> Option<i32> {
            if part.is_empty() {
                return Some(0);
            }
            (part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse().ok()).flatten()
        };
        if whole.is_empty() && tenth.is_empty() || tenth.len() > 1 {
            return None;
        }
        Some(Self(sign * (number(whole)? * 10 + number(tenth)?)))
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let text = format!("{sign}{}.{}", self.0.abs() / 10, self.0.abs() % 10);
        f.pad(&text)
    }
}

impl Add for Points {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Points {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// What each result is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointSystem {
    /// A game won over the board.
    pub win: Points,
    /// A game drawn over the board.
    pub draw: Points,
    /// A game lost over the board.
    pub loss: Points,
    /// A win because the opponent did not appear.
    pub forfeit_win: Points,
    /// A loss by not appearing.
    pub forfeit_loss: Points,
    /// A requested bye worth a draw.
    pub half_bye: Points,
    /// A full-point bye.
    pub full_bye: Points,
    /// A known absence.
    pub zero_bye: Points,
    /// The pairing-allocated bye, the same for all (C.04.1 art. 3).
    pub allocated_bye: Points,
    /// A game without a result yet, for pairing (an adjourned game counts as drawn).
    pub unknown: Points,
}

impl Default for PointSystem {
    fn default() -> Self {
        Self::of(Points::ONE, Points::HALF, Points::ZERO)
    }
}

impl PointSystem {
    /// Byes and forfeits worth what TRF-2026 gives them by default for these values.
    pub fn of(win: Points, draw: Points, loss: Points) -> Self {
        Self {
            win,
            draw,
            loss,
            forfeit_win: win,
            forfeit_loss: Points::ZERO,
            half_bye: draw,
            full_bye: win,
            zero_bye: Points::ZERO,
            allocated_bye: win,
            unknown: draw,
        }
    }

    /// Three points for a win, one for a draw.
    pub fn three_one_zero() -> Self {
        Self::of(Points(30), Points::ONE, Points::ZERO)
    }

    /// What an entry in the crosstable is worth.
    pub fn of_entry(&self, entry: Entry) -> Points {
        match entry {
            Entry::Played { score, .. } => self.of_score(score),
            Entry::Forfeit { won: true, .. } => self.forfeit_win,
            Entry::Forfeit { won: false, .. } => self.forfeit_loss,
            Entry::Bye(Bye::Half) => self.half_bye,
            Entry::Bye(Bye::Full) => self.full_bye,
            Entry::Bye(Bye::Allocated) => self.allocated_bye,
            Entry::Bye(Bye::Zero) | Entry::Absent => self.zero_bye,
            Entry::Paired { .. } => self.unknown,
        }
    }

    /// What a game's score is worth.
    pub fn of_score(&self, score: Score) -> Points {
        match score {
            Score::Win => self.win,
            Score::Draw => self.draw,
            Score::Loss => self.loss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_and_written() {
        for (text, tenths) in [("1", 10), ("0.5", 5), (".5", 5), ("11.5", 115), ("-1.0", -10), ("0.0", 0)] {
            assert_eq!(Points::parse(text), Some(Points(tenths)), "{text}");
        }
        for text in ["", ".", "a", "1.25", "1.x", "12345", "--1"] {
            assert_eq!(Points::parse(text), None, "{text}");
        }
        assert_eq!(Points(115).to_string(), "11.5");
        assert_eq!(format!("{:>4}", Points(5)), " 0.5");
        assert_eq!(Points(-5).to_string(), "-0.5");
    }
}
