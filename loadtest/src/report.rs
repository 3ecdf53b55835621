//! The table at the end, and the same as JSON.

use crate::evening::Ended;
use crate::measure::Tally;
use crate::options::Options;
use crate::server_metrics::Reading;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What a test found.
pub enum Report {
    /// Games that were played.
    Load(Box<Load>),
    /// Games that nobody moved in.
    Idle(Box<Idle>),
    /// Tournaments that were played to their ends.
    Evening(Box<Evening>),
}

/// What tournaments that were played to their ends measured.
#[derive(Default)]
pub struct Evening {
    /// How many there were to be.
    pub tournaments: usize,
    /// How many came to their end.
    pub ended: usize,
    /// Games in them.
    pub games: usize,
    /// Rounds that the rules pair in the same way, where that was checked.
    pub rounds_agree: usize,
    /// Rounds of tournaments that were checked.
    pub rounds_checked: usize,
    /// The longest wait for a pairing.
    pub slowest_pairing: Duration,
    /// How long all of it took, in seconds.
    pub seconds: f64,
    /// What went wrong, and how often.
    pub faults: BTreeMap<String, usize>,
}

impl Evening {
    /// Counts a tournament that came to its end.
    pub fn add(&mut self, ended: &Ended) {
        self.ended += 1;
        self.games += ended.games;
        if let Some(agree) = ended.rounds_agree {
            self.rounds_agree += agree;
            self.rounds_checked += ended.pairings.len();
        }
        let slowest = ended.pairings.iter().max().copied().unwrap_or_default();
        self.slowest_pairing = self.slowest_pairing.max(slowest);
    }

    fn passed(&self) -> bool {
        self.faults.is_empty() && self.ended == self.tournaments && self.rounds_agree == self.rounds_checked
    }

    fn to_json(&self) -> Value {
        json!({
            "passed": self.passed(),
            "tournaments": self.tournaments,
            "ended": self.ended,
            "games": self.games,
            "rounds_checked": self.rounds_checked,
            "rounds_agree": self.rounds_agree,
            "slowest_pairing_seconds": self.slowest_pairing.as_secs_f64(),
            "seconds": self.seconds,
            "faults": self.faults,
        })
    }
}

impl fmt::Display for Evening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<28}{:>8} of {}", "tournaments ended", self.ended, self.tournaments)?;
        writeln!(f, "{:<28}{:>8}", "games", self.games)?;
        writeln!(
            f,
            "{:<28}{:>8} of {}",
            "rounds paired by the rules", self.rounds_agree, self.rounds_checked
        )?;
        writeln!(f, "{:<28}{:>8.3}", "slowest pairing, seconds", self.slowest_pairing.as_secs_f64())?;
        writeln!(f, "{:<28}{:>8.1}", "seconds", self.seconds)?;
        for (what, count) in &self.faults {
            writeln!(f, "FAULT, {count} times: {what}")?;
        }
        writeln!(f, "{}", if self.passed() { "passed" } else { "FAILED" })
    }
}

/// What games that were played measured.
pub struct Load {
    /// What was asked for.
    pub options: Options,
    /// What was counted.
    pub tally: Tally,
    /// Pairs that sat down.
    pub seated: usize,
    /// How long was measured.
    pub seconds: f64,
    /// Games whose record at the server holds exactly the moves that were acknowledged.
    pub checked: usize,
    /// What the server used meanwhile.
    pub server: Option<ServerUse>,
}

/// The server's metrics at both ends of what was measured.
pub struct ServerUse {
    /// At the beginning.
    pub before: Reading,
    /// At the end.
    pub after: Reading,
}

/// The server's memory, pair by pair.
pub struct Idle {
    /// Most KiB for each further pair.
    pub bar_kib: f64,
    /// The readings.
    pub steps: Vec<Step>,
}

/// The server's metrics with so many pairs.
pub struct Step {
    /// Pairs that sat.
    pub pairs: usize,
    /// What the server said.
    pub reading: Reading,
}

#[expect(clippy::cast_precision_loss, reason = "counts of a test are far below 2^53")]
fn ratio(a: u64, b: f64) -> f64 {
    a as f64 / b
}

impl Report {
    /// Whether everything agreed and every bar holds.
    pub fn passed(&self) -> bool {
        match self {
            Report::Load(load) => load.passed(),
            Report::Idle(idle) => idle.kib_per_pair() <= idle.bar_kib,
            Report::Evening(evening) => evening.passed(),
        }
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> String {
        let value = match self {
            Report::Load(load) => load.to_json(),
            Report::Idle(idle) => idle.to_json(),
            Report::Evening(evening) => evening.to_json(),
        };
        format!("{value:#}\n")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Report::Load(load) => load.fmt(f),
            Report::Idle(idle) => idle.fmt(f),
            Report::Evening(evening) => evening.fmt(f),
        }
    }
}

impl Load {
    fn passed(&self) -> bool {
        self.tally.faults.is_empty() && self.tally.moves > 0 && self.checked as u64 == self.tally.games
    }

    fn moves_per_second(&self) -> f64 {
        ratio(self.tally.moves, self.seconds)
    }

    fn to_json(&self) -> Value {
        json!({
            "passed": self.passed(),
            "games_at_once": self.seated,
            "seconds": self.seconds,
            "loop": if self.options.rate.is_some() { "open" } else { "closed" },
            "rate_asked": self.options.rate,
            "moves": self.tally.moves,
            "moves_per_second": self.moves_per_second(),
            "games_finished": self.tally.games,
            "games_checked": self.checked,
            "round_trip": self.tally.round_trip.to_json(),
            "relay": self.tally.relay.to_json(),
            "connect": self.tally.connect.to_json(),
            "refusals": self.tally.refusals,
            "faults": self.tally.faults,
            "server": self.server.as_ref().map(|s| json!({
                "cpu_seconds": s.cpu_seconds(),
                "cpu_us_per_move": s.cpu_us_per_move(),
                "resident_bytes": s.after.resident_bytes,
                "connections": s.after.connections,
                "games": s.after.games,
            })),
        })
    }
}

impl ServerUse {
    fn cpu_seconds(&self) -> f64 {
        self.after.cpu_seconds - self.before.cpu_seconds
    }

    /// CPU time of the server for each move that it completed meanwhile, in microseconds.
    fn cpu_us_per_move(&self) -> f64 {
        self.cpu_seconds() * 1e6 / (self.after.moves - self.before.moves).max(1.0)
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.tally;
        let kind = match self.options.rate {
            Some(rate) => format!("open loop, {rate} moves/s asked for"),
            None => "closed loop".into(),
        };
        writeln!(f, "{} games at once for {} s, {kind}", self.seated, self.seconds)?;
        writeln!(f, "{:<28}{:>12.0}", "moves a second", self.moves_per_second())?;
        writeln!(f, "{:<28}{:>12}", "moves", tally.moves)?;
        writeln!(f, "{:<28}{:>12}", "games ended", tally.games)?;
        writeln!(f, "{:<28}{:>12}", "games that agree with PGN", self.checked)?;
        writeln!(
            f,
            "\n{:<20}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "milliseconds", "p50", "p90", "p99", "p99.9", "max"
        )?;
        for (name, spans) in [
            ("move to its answer", &tally.round_trip),
            ("move to opponent", &tally.relay),
            ("connect, hello", &tally.connect),
        ] {
            write!(f, "{name:<20}")?;
            for share in [0.5, 0.9, 0.99, 0.999] {
                write!(f, "{:>10.2}", ratio(spans.quantile_us(share), 1000.0))?;
            }
            writeln!(f, "{:>10.2}", ratio(spans.max_us(), 1000.0))?;
        }
        if let Some(server) = &self.server {
            writeln!(f)?;
            writeln!(f, "{:<28}{:>12.2}", "server CPU, seconds", server.cpu_seconds())?;
            writeln!(f, "{:<28}{:>12.1}", "server CPU, us a move", server.cpu_us_per_move())?;
            writeln!(f, "{:<28}{:>12.1}", "server memory, MiB", server.after.resident_bytes / 1_048_576.0)?;
        }
        for (name, count) in &tally.refusals {
            writeln!(f, "refused as {name}: {count}")?;
        }
        for (what, count) in &tally.faults {
            writeln!(f, "FAULT, {count} times: {what}")?;
        }
        writeln!(f, "{}", if self.passed() { "passed" } else { "FAILED" })
    }
}

impl Idle {
    /// KiB of server memory for each pair beyond those of the first reading.
    fn kib_per_pair(&self) -> f64 {
        let (Some(first), Some(last)) = (self.steps.first(), self.steps.last()) else { return f64::INFINITY };
        slope_kib(first, last)
    }

    fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(|step| {
            json!({
                "pairs": step.pairs,
                "resident_bytes": step.reading.resident_bytes,
                "connections": step.reading.connections,
                "games": step.reading.games,
            })
        });
        json!({
            "passed": self.kib_per_pair() <= self.bar_kib,
            "kib_per_pair": self.kib_per_pair(),
            "bar_kib": self.bar_kib,
            "steps": steps.collect::<Vec<_>>(),
        })
    }
}

/// KiB for each pair between two readings.
fn slope_kib(from: &Step, to: &Step) -> f64 {
    let bytes = to.reading.resident_bytes - from.reading.resident_bytes;
    bytes / 1024.0 / ratio((to.pairs - from.pairs).max(1) as u64, 1.0)
}

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>8}{:>14}{:>10}{:>14}{:>18}",
            "pairs", "connections", "games", "memory, MiB", "KiB a pair more"
        )?;
        let mut before: Option<&Step> = None;
        for step in &self.steps {
            let Reading { connections, games, resident_bytes, .. } = step.reading;
            let mib = resident_bytes / 1_048_576.0;
            write!(f, "{:>8}{connections:>14}{games:>10}{mib:>14.1}", step.pairs)?;
            match before {
                Some(before) => writeln!(f, "{:>18.1}", slope_kib(before, step))?,
                None => writeln!(f)?,
            }
            before = Some(step);
        }
        let verdict = if self.kib_per_pair() <= self.bar_kib { "passed" } else { "FAILED" };
        writeln!(
            f,
            "{:.1} KiB for each further pair, the bar is {}: {verdict}",
            self.kib_per_pair(),
            self.bar_kib
        )
    }
}
