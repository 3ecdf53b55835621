//! The relay's figures and the server's beside one another.

use super::{Taken, Who};
use crate::reference::point::{Measured, Point};
use crate::report::Findings;
use serde_json::{Value, json};
use std::fmt;

/// Everything that was measured.
pub struct Report {
    /// In the order in which it was measured.
    pub taken: Vec<Taken>,
    /// What could not be measured, and why.
    pub failed: Vec<String>,
    /// Most times the relay's CPU time for a move.
    pub max_ratio: Option<f64>,
}

#[expect(clippy::cast_precision_loss, reason = "counts of a test are far below 2^53")]
fn each(total: f64, count: u64) -> f64 {
    total / count as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts of a test are far below 2^53")]
fn a_second(count: u64, seconds: f64) -> f64 {
    count as f64 / seconds
}

#[expect(clippy::cast_precision_loss, reason = "spans of a test are far below 2^53 microseconds")]
fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}

/// A figure, or a dash where nothing of its kind was counted.
fn some(count: u64, figure: f64, digits: usize) -> String {
    if count == 0 { "-".into() } else { format!("{figure:.digits$}") }
}

impl Measured {
    fn rate(&self) -> f64 {
        a_second(self.count, self.seconds)
    }

    fn cpu_us(&self) -> f64 {
        each(self.cpu_seconds * 1e6, self.count)
    }

    fn own_cpu_us(&self) -> f64 {
        each(self.own_cpu_seconds * 1e6, self.count)
    }

    fn to_json(&self) -> Value {
        json!({
            "count": self.count,
            "seconds": self.seconds,
            "rate": self.rate(),
            "cpu_us": self.cpu_us(),
            "own_cpu_us": self.own_cpu_us(),
            "games_started": self.starts,
            "datagrams_in": self.wire.datagrams_in,
            "datagrams_out": self.wire.datagrams_out,
            "bytes_out": self.wire.bytes_out,
            "round_trip": self.round_trip.to_json(),
            "relay": self.relay.to_json(),
        })
    }
}

impl Report {
    fn points(&self) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::new();
        for taken in &self.taken {
            if !points.contains(&taken.point) {
                points.push(taken.point);
            }
        }
        points
    }

    /// The passes of one of them at a point.
    fn passes(&self, point: Point, who: Who) -> impl Iterator<Item = &Measured> {
        let of = move |taken: &&Taken| taken.point == point && taken.who == who;
        self.taken.iter().filter(of).map(|taken| &taken.measured)
    }

    /// The pass with the least CPU time.
    fn best(&self, point: Point, who: Who) -> Option<&Measured> {
        self.passes(point, who).min_by(|a, b| a.cpu_us().total_cmp(&b.cpu_us()))
    }

    /// The server's CPU time in the relay's: of the one that makes moves durable, if that was measured.
    fn ratio(&self, point: Point) -> Option<f64> {
        let relay = self.best(point, Who::RelayFsync).or_else(|| self.best(point, Who::Relay))?;
        Some(self.best(point, Who::Server)?.cpu_us() / relay.cpu_us())
    }

    /// Points at which the server is beyond its bar.
    fn beyond(&self) -> Vec<String> {
        let Some(max) = self.max_ratio else { return Vec::new() };
        let moves = self.points().into_iter().filter(|point| point.unit() == "move");
        let beyond = moves
            .filter_map(|point| self.ratio(point).filter(|r| r.is_nan() || *r > max).map(|r| (point, r)));
        beyond.map(|(point, ratio)| format!("{point}: {ratio:.2} times the relay, at most {max}")).collect()
    }
}

impl Findings for Report {
    fn passed(&self) -> bool {
        self.failed.is_empty() && self.beyond().is_empty()
    }

    fn to_json(&self) -> Value {
        let points = self.points().into_iter().map(|point| {
            let whom = [Who::Relay, Who::RelayFsync, Who::Server].map(|who| {
                let passes: Vec<Value> = self.passes(point, who).map(Measured::to_json).collect();
                (who.to_string(), Value::from(passes))
            });
            let passes: serde_json::Map<String, Value> = whom.into_iter().collect();
            json!({ "point": point.to_string(), "unit": point.unit(), "passes": passes, "ratio": self.ratio(point) })
        });
        json!({ "passed": self.passed(), "points": points.collect::<Vec<_>>(), "failed": self.failed })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for point in self.points() {
            let unit = point.unit();
            writeln!(f, "\n{point}")?;
            writeln!(
                f,
                "{:<14}{:>10}{:>10}{:>8}{:>8}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}{:>8}{:>8}",
                "",
                "a second",
                "CPU us",
                "ratio",
                "own us",
                "rtt p50",
                "rtt p99",
                "rel p50",
                "rel p99",
                "dgr in",
                "out",
                "bytes",
                "starts"
            )?;
            for who in [Who::Relay, Who::RelayFsync, Who::Server] {
                let Some(best) = self.best(point, who) else { continue };
                let ratio = if who == Who::Server { self.ratio(point) } else { None };
                let ratio = ratio.map_or_else(|| "-".to_string(), |ratio| format!("{ratio:.2}"));
                write!(
                    f,
                    "{who:<14}{:>10.0}{:>10.1}{ratio:>8}{:>8.1}",
                    best.rate(),
                    best.cpu_us(),
                    best.own_cpu_us()
                )?;
                for (spans, share) in [
                    (&best.round_trip, 0.5),
                    (&best.round_trip, 0.99),
                    (&best.relay, 0.5),
                    (&best.relay, 0.99),
                ] {
                    write!(f, "{:>9}", some(spans.count(), ms(spans.quantile_us(share)), 2))?;
                }
                for sum in [best.wire.datagrams_in, best.wire.datagrams_out, best.wire.bytes_out] {
                    write!(f, "{:>8}", some(sum, a_second(sum, 1.0) / a_second(best.count, 1.0), 1))?;
                }
                writeln!(f, "{:>8}", best.starts)?;
            }
            writeln!(
                f,
                "CPU, datagrams and bytes for each {unit}; milliseconds; the pass with the least CPU of each"
            )?;
        }
        for failed in &self.failed {
            writeln!(f, "FAILED {failed}")?;
        }
        for beyond in self.beyond() {
            writeln!(f, "MISSED --max-ratio: {beyond}")?;
        }
        Ok(())
    }
}
