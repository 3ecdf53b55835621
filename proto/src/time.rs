//! Instants and spans. All of them are whole microseconds; no floating point touches a clock.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An instant on the server's one time line: microseconds since 1970-01-01T00:00:00Z, read once
/// from the wall clock when the process starts and advanced by its monotonic clock since. Stamps of
/// one game never go back, also across a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stamp(pub u64);

impl Stamp {
    /// The instant `span_us` later; the last representable one if there is none.
    #[must_use]
    pub const fn plus(self, span_us: u64) -> Stamp {
        Stamp(self.0.saturating_add(span_us))
    }

    /// Microseconds from `earlier` to this instant, 0 if it is not later.
    pub const fn since(self, earlier: Stamp) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// A closed interval of instants in which something happened once; both ends are equal where the
/// instant is exact. Device clocks give wide ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Interval {
    /// Not before this instant.
    pub earliest: Stamp,
    /// Not after this instant.
    pub latest: Stamp,
}

impl Interval {
    /// Exactly at `at`.
    pub const fn exact(at: Stamp) -> Interval {
        Interval { earliest: at, latest: at }
    }
}

/// One second, in microseconds.
pub const SECOND_US: u64 = 1_000_000;

/// A clock reading as `[h:]mm:ss.ffffff` without trailing zeros of the fraction, at least to the
/// millisecond: `0:05.000`, `1:43:20.000`.
pub fn format_us(us: u64) -> String {
    let (seconds, fraction) = (us / SECOND_US, us % SECOND_US);
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction =
        if fraction % 1000 == 0 { format!("{:03}", fraction / 1000) } else { format!("{fraction:06}") };
    if h > 0 { format!("{h}:{m:02}:{s:02}.{fraction}") } else { format!("{m}:{s:02}.{fraction}") }
}

/// Reads `[[h:]m:]s[.ffffff]`: microseconds, or nothing if it is not of that form.
pub fn parse_us(text: &str) -> Option<u64> {
    let number =
        |s: &str| (!s.is_empty() && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse::<u64>().ok())?;
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(w, f)| (w, Some(f)));
    let mut parts = whole.rsplit(':');
    let seconds = number(parts.next()?)?;
    let minutes = parts.next().map_or(Some(0), number)?;
    let hours = parts.next().map_or(Some(0), number)?;
    let fields = whole.split(':').count();
    if parts.next().is_some() || (fields > 1 && seconds > 59) || (fields > 2 && minutes > 59) {
        return None;
    }
    let fraction_us = match fraction {
        None => 0,
        Some(f) if (1..=6).contains(&f.len()) => number(f)? * 10u64.pow(6 - u32::try_from(f.len()).ok()?),
        Some(_) => return None,
    };
    let whole = hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?.checked_add(seconds)?;
    whole.checked_mul(SECOND_US)?.checked_add(fraction_us)
}
