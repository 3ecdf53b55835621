//! Time controls and their notation.
//!
//! Periods stand in a row, separated by `:`. A period is `[MOVES/]SECONDS[+INCREMENT | dDELAY |
//! bDELAY]`; a last period that repeats ends in `*`. `300+3` is five minutes and three seconds a
//! move, `40/5400+30:1800+30` two periods, `40/7200:20/3600*` repeats its last, `300d5` has a simple
//! delay of five seconds and `300b5` the same shown Bronstein's way. `-` is an untimed game. Seconds may
//! have up to six decimals.

use crate::bounded::List;
use crate::limits::PERIODS_MAX;
use crate::time::SECOND_US;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Time added for each move of a period (Article 6.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Added {
    /// None.
    Nothing,
    /// Cumulative, in microseconds: what is not used is kept.
    Increment(u64),
    /// Simple delay, in microseconds: the main time runs only after it.
    Delay(u64),
    /// A delay shown Bronstein's way; the flag falls at the same instants as with [`Added::Delay`].
    Bronstein(u64),
}

/// One period of a time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Period {
    /// Moves to complete in it; none where all remaining moves belong to it.
    pub moves: Option<u16>,
    /// Main time, in microseconds.
    pub base_us: u64,
    /// What each move adds.
    pub added: Added,
}

/// How much time each side has: at least one period, or none at all in an untimed game.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct TimeControl {
    periods: List<Period, PERIODS_MAX>,
    repeats: bool,
}

/// The same fields, as they stand on the wire before they are checked.
#[derive(Serialize, Deserialize)]
struct Wire {
    periods: List<Period, PERIODS_MAX>,
    repeats: bool,
}

/// Most seconds of a base, an increment or a delay: thirty days.
const SECONDS_MAX: u64 = 30 * 24 * 3600;

/// Why something is no time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadTimeControl {
    /// Not in the notation, or a number too large.
    Notation,
    /// Only the last period may go without a number of moves, and it has one exactly if it repeats.
    Quota,
    /// A period without any time.
    NoTime,
}

impl fmt::Display for BadTimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadTimeControl::Notation => {
                "not a time control: write [MOVES/]SECONDS[+INCREMENT|dDELAY|bDELAY], periods joined by `:`, or `-`"
            }
            BadTimeControl::Quota => {
                "every period but the last needs a number of moves, the last one only if it repeats (`*`)"
            }
            BadTimeControl::NoTime => "a period needs a base time or an increment",
        })
    }
}

impl std::error::Error for BadTimeControl {}

impl TimeControl {
    /// A game without clocks.
    pub fn untimed() -> TimeControl {
        TimeControl::default()
    }

    /// These periods, the last of which repeats if `repeats`.
    pub fn new(periods: Vec<Period>, repeats: bool) -> Result<TimeControl, BadTimeControl> {
        let last = periods.len().saturating_sub(1);
        for (i, period) in periods.iter().enumerate() {
            let wants_quota = i < last || repeats;
            if period.moves.is_some() != wants_quota || period.moves == Some(0) {
                return Err(BadTimeControl::Quota);
            }
            let added_us = match period.added {
                Added::Nothing => 0,
                Added::Increment(us) | Added::Delay(us) | Added::Bronstein(us) => us,
            };
            if period.base_us.max(added_us) > SECONDS_MAX * SECOND_US {
                return Err(BadTimeControl::Notation);
            }
            if period.base_us == 0 && added_us == 0 {
                return Err(BadTimeControl::NoTime);
            }
        }
        if periods.is_empty() && repeats {
            return Err(BadTimeControl::Quota);
        }
        let periods = List::new(periods).map_err(|_| BadTimeControl::Notation)?;
        Ok(TimeControl { periods, repeats })
    }

    /// The periods, in order; none in an untimed game.
    pub fn periods(&self) -> &[Period] {
        &self.periods
    }

    /// Whether the last period repeats until the end of the game.
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// Whether there are no clocks.
    pub fn is_untimed(&self) -> bool {
        self.periods.is_empty()
    }

    /// The period of this number, from 1; a repeating last period stands for all after it.
    pub fn period(&self, number: u16) -> Option<&Period> {
        let index = usize::from(number).checked_sub(1)?;
        self.periods.get(index).or_else(|| if self.repeats { self.periods.last() } else { None })
    }

    /// Whether no period follows the one of this number.
    pub fn is_last(&self, number: u16) -> bool {
        !self.repeats && usize::from(number) >= self.periods.len()
    }
}

impl FromStr for TimeControl {
    type Err = BadTimeControl;

    fn from_str(text: &str) -> Result<TimeControl, BadTimeControl> {
        if text == "-" {
            return Ok(TimeControl::untimed());
        }
        let (text, repeats) = text.strip_suffix('*').map_or((text, false), |t| (t, true));
        let periods = text.split(':').map(period).collect::<Result<Vec<_>, _>>()?;
        TimeControl::new(periods, repeats)
    }
}

/// Reads a number of at most nine digits.
fn number(text: &str) -> Result<u64, BadTimeControl> {
    if text.is_empty() || text.len() > 9 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(BadTimeControl::Notation);
    }
    text.parse().map_err(|_| BadTimeControl::Notation)
}

/// Reads seconds with up to six decimals, in microseconds.
fn seconds(text: &str) -> Result<u64, BadTimeControl> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if fraction.len() > 6 {
        return Err(BadTimeControl::Notation);
    }
    let scale = 10u64.pow(6 - u32::try_from(fraction.len()).unwrap_or(6));
    Ok(number(whole)? * SECOND_US + number(fraction)? * scale)
}

/// Reads one period without its `*`.
fn period(text: &str) -> Result<Period, BadTimeControl> {
    let (moves, rest) = match text.split_once('/') {
        None => (None, text),
        Some((m, rest)) => (Some(u16::try_from(number(m)?).map_err(|_| BadTimeControl::Notation)?), rest),
    };
    let split = rest.find(['+', 'd', 'b']).unwrap_or(rest.len());
    let base_us = seconds(&rest[..split])?;
    let added = if split == rest.len() {
        Added::Nothing
    } else {
        let us = seconds(&rest[split + 1..])?;
        match rest.as_bytes()[split] {
            b'+' => Added::Increment(us),
            b'd' => Added::Delay(us),
            _ => Added::Bronstein(us),
        }
    };
    Ok(Period { moves, base_us, added })
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_untimed() {
            return f.write_str("-");
        }
        for (i, period) in self.periods.iter().enumerate() {
            if i > 0 {
                f.write_str(":")?;
            }
            if let Some(moves) = period.moves {
                write!(f, "{moves}/")?;
            }
            write!(f, "{}", Seconds(period.base_us))?;
            match period.added {
                Added::Nothing => {}
                Added::Increment(us) => write!(f, "+{}", Seconds(us))?,
                Added::Delay(us) => write!(f, "d{}", Seconds(us))?,
                Added::Bronstein(us) => write!(f, "b{}", Seconds(us))?,
            }
        }
        f.write_str(if self.repeats { "*" } else { "" })
    }
}

/// Microseconds as seconds, with a fraction only where there is one.
struct Seconds(u64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 / SECOND_US)?;
        match self.0 % SECOND_US {
            0 => Ok(()),
            fraction => write!(f, ".{}", format!("{fraction:06}").trim_end_matches('0')),
        }
    }
}

impl Serialize for TimeControl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            Wire { periods: self.periods.clone(), repeats: self.repeats }.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TimeControl, D::Error> {
        if deserializer.is_human_readable() {
            <std::borrow::Cow<'de, str>>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
        } else {
            let wire = Wire::deserialize(deserializer)?;
            TimeControl::new(wire.periods.into_vec(), wire.repeats).map_err(D::Error::custom)
        }
    }
}
