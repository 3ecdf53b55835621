//! What is measured, in one place for all games.

use hdrhistogram::Histogram;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use zeitnot_proto::{Refusal, Stamp};

/// Tallies that games add to, so that few of them wait for one another.
const SHARDS: usize = 8;
/// How far two readings of one clock may be off by rounding, in microseconds.
const ROUNDING_US: i64 = 5;

/// Spans up to a minute, in microseconds, to three digits.
fn histogram() -> Histogram<u64> {
    // The bounds are constants that the crate accepts.
    Histogram::new_with_bounds(1, 60_000_000, 3).unwrap_or_else(|_| unreachable!("bounds of a histogram"))
}

/// A histogram of spans. It takes room when the first is counted.
#[derive(Debug, Clone, Default)]
pub struct Spans(Option<Box<Histogram<u64>>>);

impl Spans {
    /// Counts a span.
    pub fn record(&mut self, span: Duration) {
        self.record_us(u64::try_from(span.as_micros()).unwrap_or(u64::MAX));
    }

    /// Counts a span in microseconds.
    pub fn record_us(&mut self, us: u64) {
        self.0.get_or_insert_with(|| Box::new(histogram())).saturating_record(us.max(1));
    }

    /// Adds what another has counted.
    pub fn add(&mut self, other: &Spans) {
        if let Some(other) = &other.0 {
            // Both have the same bounds.
            let _ = self.0.get_or_insert_with(|| Box::new(histogram())).add(&**other);
        }
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, |spans| spans.len())
    }

    /// The span, in microseconds, that this share of all does not exceed; 0 if there are none.
    pub fn quantile_us(&self, share: f64) -> u64 {
        self.0.as_ref().map_or(0, |spans| spans.value_at_quantile(share))
    }

    /// The longest, in microseconds.
    pub fn max_us(&self) -> u64 {
        self.0.as_ref().map_or(0, |spans| spans.max())
    }

    /// The figures of a report.
    pub fn to_json(&self) -> Value {
        json!({
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
    /// Games that began.
    pub started: u64,
    /// Games that ended, by the reason of their result.
    pub ended: BTreeMap<String, u64>,
    /// From sending a move, or from when it was due, to its acknowledgement.
    pub round_trip: Spans,
    /// From sending a move, or from when it was due, to its arrival at the opponent.
    pub relay: Spans,
    /// The same to its arrival at a spectator.
    pub delivery: Spans,
    /// From the first packet of a connection to the welcome.
    pub connect: Spans,
    /// From the loss of a connection to being back at the board.
    pub come_back: Spans,
    /// From the instant of a flag fall to the leaving of its event, by the server's own time.
    pub flag_lateness: Spans,
    /// Snapshots that a reader was sent because it did not keep up.
    pub resyncs: u64,
    /// Refusals that were due: illegal moves, stale ones, moves of the wrong side, by name.
    pub refused_rightly: BTreeMap<&'static str, u64>,
    /// Refusals of what should have been accepted, by name.
    pub refusals: BTreeMap<&'static str, u64>,
    /// Games that ended before their moves could be made, moves that came after the flag.
    pub too_late: u64,
    /// What else was tried and answered as it has to be, by name.
    pub rejections: BTreeMap<&'static str, u64>,
    /// What went wrong, by its kind.
    pub faults: BTreeMap<String, Fault>,
}

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// How often.
    pub count: u64,
    /// The first time, in words.
    pub example: String,
}

fn merge<K: Ord + Clone>(into: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key.clone()).or_default() += count;
    }
}

impl Tally {
    /// Counts a refusal of what should have been accepted.
    pub fn refused(&mut self, refusal: Refusal) {
        *self.refusals.entry(refusal.name()).or_default() += 1;
    }

    /// Counts something that must not happen.
    pub fn fault(&mut self, what: impl Into<String>) {
        let example = what.into();
        // What differs only in its numbers is of one kind.
        let kind = example.chars().filter(|c| !c.is_ascii_digit()).collect();
        self.faults.entry(kind).or_insert(Fault { count: 0, example }).count += 1;
    }

    /// Games that ended.
    pub fn games_ended(&self) -> u64 {
        self.ended.values().sum()
    }

    /// Adds what another has counted.
    pub fn add(&mut self, other: &Tally) {
        self.moves += other.moves;
        self.started += other.started;
        self.resyncs += other.resyncs;
        self.too_late += other.too_late;
        for (into, from) in [
            (&mut self.round_trip, &other.round_trip),
            (&mut self.relay, &other.relay),
            (&mut self.delivery, &other.delivery),
            (&mut self.connect, &other.connect),
            (&mut self.come_back, &other.come_back),
            (&mut self.flag_lateness, &other.flag_lateness),
        ] {
            into.add(from);
        }
        merge(&mut self.ended, &other.ended);
        merge(&mut self.refused_rightly, &other.refused_rightly);
        merge(&mut self.refusals, &other.refusals);
        merge(&mut self.rejections, &other.rejections);
        for (kind, Fault { count, example }) in &other.faults {
            let first = || Fault { count: 0, example: example.clone() };
            self.faults.entry(kind.clone()).or_insert_with(first).count += count;
        }
    }
}

/// Where all games count. What was counted is taken away once a second.
pub struct Meter {
    shards: [Mutex<Tally>; SHARDS],
    next: AtomicUsize,
    /// How far the server's time is ahead of this process's at least and at most, in microseconds, by
    /// every stamp so far.
    ahead: [AtomicI64; 2],
    epoch: Instant,
}

impl Meter {
    /// Nothing counted yet.
    pub fn new() -> Meter {
        Meter {
            shards: Default::default(),
            next: AtomicUsize::new(0),
            ahead: [AtomicI64::new(i64::MIN), AtomicI64::new(i64::MAX)],
            epoch: Instant::now(),
        }
    }

    /// Counts something.
    pub fn count(&self, counted: impl FnOnce(&mut Tally)) {
        let shard = self.next.fetch_add(1, Ordering::Relaxed) % SHARDS;
        // A panic elsewhere leaves numbers that are still numbers.
        counted(&mut self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// What was counted since it was taken last.
    pub fn take(&self) -> Tally {
        let mut sum = Tally::default();
        for shard in &self.shards {
            sum.add(&std::mem::take(&mut *shard.lock().unwrap_or_else(PoisonError::into_inner)));
        }
        sum
    }

    /// This process's time, in microseconds since the meter was made.
    pub fn now_us(&self) -> i64 {
        i64::try_from(self.epoch.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    /// A command that was sent at `sent_us` and answered by `answered_us` was stamped with `stamp`.
    pub fn stamped(&self, stamp: Stamp, sent_us: i64, answered_us: i64) {
        let stamp = stamp.0.cast_signed();
        self.ahead[0].fetch_max(stamp.saturating_sub(answered_us), Ordering::Relaxed);
        self.ahead[1].fetch_min(stamp.saturating_sub(sent_us), Ordering::Relaxed);
    }

    /// A command that was answered by `answered_us` was stamped at `earliest` or later.
    pub fn stamped_after(&self, earliest: Stamp, answered_us: i64) {
        self.ahead[0].fetch_max(earliest.0.cast_signed().saturating_sub(answered_us), Ordering::Relaxed);
    }

    /// The server's time less this process's, in microseconds, as well as it is known.
    pub fn server_ahead_us(&self) -> Option<i64> {
        let [least, most] = [0, 1].map(|bound| self.ahead[bound].load(Ordering::Relaxed));
        (least != i64::MIN && most != i64::MAX).then(|| least.midpoint(most))
    }

    /// Whether every stamp lies between the sending of its command and the answer: whether there is a
    /// difference of the two clocks, drifting by at most `drift_us`, by which all of them do. What is wrong
    /// otherwise.
    pub fn stamps_agree(&self, drift_us: i64) -> Result<(), String> {
        let [least, most] = [0, 1].map(|bound| self.ahead[bound].load(Ordering::Relaxed));
        let overlap_us = most.saturating_sub(least);
        if least == i64::MIN || most == i64::MAX || overlap_us >= -(ROUNDING_US + drift_us) {
            return Ok(());
        }
        Err(format!("a stamp lies {} us outside of its command's sending and answer", -overlap_us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_taken_once() {
        let meter = Meter::new();
        for us in 1..=100 {
            meter.count(|tally| {
                tally.moves += 1;
                tally.relay.record_us(us * 1000);
            });
        }
        let tally = meter.take();
        assert_eq!((tally.moves, tally.relay.count()), (100, 100));
        assert!((49_000..=51_000).contains(&tally.relay.quantile_us(0.5)));
        assert_eq!(meter.take().moves, 0);
    }

    #[test]
    fn a_stamp_outside_of_its_command_shows() {
        let meter = Meter::new();
        // The server is 1,000 us ahead.
        meter.stamped(Stamp(1_150), 100, 200);
        meter.stamped(Stamp(2_190), 1_000, 1_300);
        assert_eq!(meter.stamps_agree(0), Ok(()));
        // Stamped 300 us after its answer, whatever the difference of the clocks.
        meter.stamped(Stamp(5_600), 4_100, 4_200);
        assert!(meter.stamps_agree(0).is_err());
        assert_eq!(meter.stamps_agree(1_000), Ok(()));
    }
}
