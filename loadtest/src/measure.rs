//! What is measured, in one place for all games.

use hdrhistogram::Histogram;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use zeitnot_proto::Refusal;

/// Spans up to a minute, in microseconds, to three digits.
fn histogram() -> Histogram<u64> {
    // The bounds are constants that the crate accepts.
    Histogram::new_with_bounds(1, 60_000_000, 3).unwrap_or_else(|_| unreachable!("bounds of a histogram"))
}

/// A histogram of spans.
#[derive(Debug, Clone)]
pub struct Spans(Histogram<u64>);

impl Default for Spans {
    fn default() -> Spans {
        Spans(histogram())
    }
}

impl Spans {
    /// Counts a span.
    pub fn record(&mut self, span: Duration) {
        self.0.saturating_record(u64::try_from(span.as_micros()).unwrap_or(u64::MAX).max(1));
    }

    /// Adds what another has counted.
    pub fn add(&mut self, other: &Spans) {
        // Both have the same bounds.
        let _ = self.0.add(&other.0);
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The span, in microseconds, that this share of all does not exceed.
    pub fn quantile_us(&self, share: f64) -> u64 {
        self.0.value_at_quantile(share)
    }

    /// The longest, in microseconds.
    pub fn max_us(&self) -> u64 {
        self.0.max()
    }

    /// The figures of a report.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "count": self.count(), "p50_us": self.quantile_us(0.5), "p90_us": self.quantile_us(0.9),
            "p99_us": self.quantile_us(0.99), "p999_us": self.quantile_us(0.999), "max_us": self.max_us(),
        })
    }
}

/// What one game, or all of them, measured.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Moves acknowledged.
    pub moves: u64,
    /// Games played to their end.
    pub games: u64,
    /// From sending a move, or from when it was due, to its acknowledgement.
    pub round_trip: Spans,
    /// From sending a move, or from when it was due, to its arrival at the opponent.
    pub relay: Spans,
    /// From the first packet of a connection to the welcome.
    pub connect: Spans,
    /// Refusals by name.
    pub refusals: BTreeMap<&'static str, u64>,
    /// What went wrong, each kind with how often.
    pub faults: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts a refusal.
    pub fn refused(&mut self, refusal: Refusal) {
        *self.refusals.entry(refusal.name()).or_default() += 1;
    }

    /// Counts something that must not happen.
    pub fn fault(&mut self, what: impl Into<String>) {
        *self.faults.entry(what.into()).or_default() += 1;
    }

    /// Adds what another has counted.
    pub fn add(&mut self, other: &Tally) {
        self.moves += other.moves;
        self.games += other.games;
        self.round_trip.add(&other.round_trip);
        self.relay.add(&other.relay);
        self.connect.add(&other.connect);
        for (name, count) in &other.refusals {
            *self.refusals.entry(name).or_default() += count;
        }
        for (what, count) in &other.faults {
            *self.faults.entry(what.clone()).or_default() += count;
        }
    }
}

/// The tally of all games. Games count by themselves and add at their end, so that nobody waits here.
#[derive(Debug, Default)]
pub struct Total(Mutex<Tally>);

impl Total {
    /// Adds what one game has counted.
    pub fn add(&self, tally: &Tally) {
        self.lock().add(tally);
    }

    /// All of it.
    pub fn take(&self) -> Tally {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Tally> {
        // A panic elsewhere leaves numbers that are still numbers.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
