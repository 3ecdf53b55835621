//! What a scenario found: a table for people, JSON for programs, a page of HTML.

mod html;
mod svg;
mod text;

use crate::measure::{Spans, Tally};
use crate::objectives::{Measured, Objectives};
use crate::options::Output;
use crate::server_metrics::Use;
use serde_json::{Value, json};
use std::fmt;

/// What every kind of test can say of itself.
pub trait Findings: fmt::Display {
    /// Whether nothing is wrong and every objective was kept to.
    fn passed(&self) -> bool;
    /// All of it, for programs.
    fn to_json(&self) -> Value;
    /// All of it, as a page.
    fn to_html(&self) -> String {
        html::plain(&self.to_string())
    }
}

/// Writes the findings where they are wanted.
///
/// # Errors
/// A file that cannot be written.
pub fn deliver(findings: &dyn Findings, output: &Output) -> Result<(), String> {
    print!("{findings}");
    let json = output.json.as_ref().map(|path| (path, format!("{:#}\n", findings.to_json())));
    let html = output.html.as_ref().map(|path| (path, findings.to_html()));
    for (path, text) in json.into_iter().chain(html) {
        std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// Games that were compared with the server's records.
#[derive(Debug, Clone, Copy, Default)]
pub struct Checks {
    /// Games that ended.
    pub games: usize,
    /// Those whose record holds exactly the moves that were acknowledged, and the result.
    pub agree: usize,
}

/// A span of the test.
pub struct Phase {
    /// What it was about.
    pub name: String,
    /// How long it took.
    pub seconds: f64,
    /// What was counted.
    pub tally: Tally,
    /// What the server used.
    pub server: Option<Use>,
    /// CPU time of this process, in seconds.
    pub own_cpu_seconds: Option<f64>,
}

impl Phase {
    /// Moves a second.
    pub fn moves_per_second(&self) -> f64 {
        ratio(self.tally.moves, self.seconds)
    }

    fn to_json(&self) -> Value {
        let tally = &self.tally;
        json!({
            "name": self.name,
            "seconds": self.seconds,
            "moves": tally.moves,
            "moves_per_second": self.moves_per_second(),
            "games_started": tally.started,
            "games_ended": tally.ended,
            "round_trip": tally.round_trip.to_json(),
            "relay": tally.relay.to_json(),
            "delivery": tally.delivery.to_json(),
            "connect": tally.connect.to_json(),
            "come_back": tally.come_back.to_json(),
            "flag_lateness": tally.flag_lateness.to_json(),
            "resyncs": tally.resyncs,
            "refusals": tally.refusals,
            "own_cpu_seconds": self.own_cpu_seconds,
            "server": self.server.as_ref().map(|server| json!({
                "cpu_seconds": server.cpu_seconds(),
                "cpu_seconds_per_1000_moves": server.cpu_seconds_per_1000_moves(),
                "resident_bytes": server.after.resident_bytes(),
                "connections": server.after.get("zeitnot_connections"),
                "games": server.after.get("zeitnot_games"),
                "journal_commits": server.commits(),
                "decisions_per_commit": server.decisions_per_commit(),
                "commit_ms": server.commit_ms(),
                "refusals": server.refusals(),
                "resyncs": server.rise("zeitnot_resyncs_total"),
                "slow_readers": server.rise("zeitnot_slow_readers_total"),
                "retries": server.rise("zeitnot_retries_total"),
                "turned_away": server.rise("zeitnot_turned_away_total"),
            })),
        })
    }
}

/// A second of the time line.
#[derive(Debug, Clone, Copy)]
pub struct Second {
    /// Since the test began.
    pub at: f64,
    /// Moves a second in it.
    pub moves: f64,
    /// The median from a move to the opponent, in milliseconds.
    pub p50_ms: f64,
    /// The same of 99 in 100.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// The server's CPU, in cores; none without metrics.
    pub cores: Option<f64>,
    /// The server's memory, in MiB.
    pub mib: Option<f64>,
}

impl Second {
    /// What a second counted.
    pub fn new(at: f64, seconds: f64, tally: &Tally, server: Option<&Use>) -> Second {
        Second {
            at,
            moves: ratio(tally.moves, seconds),
            p50_ms: ms(tally.relay.quantile_us(0.5)),
            p99_ms: ms(tally.relay.quantile_us(0.99)),
            max_ms: ms(tally.relay.max_us()),
            cores: server.map(|server| server.cpu_seconds() / seconds),
            mib: server.map(|server| server.after.resident_bytes() / 1_048_576.0),
        }
    }

    fn to_json(self) -> Value {
        let Second { at, moves, p50_ms, p99_ms, max_ms, cores, mib } = self;
        json!({ "at": at, "moves_per_second": moves, "p50_ms": p50_ms, "p99_ms": p99_ms, "max_ms": max_ms,
                "server_cores": cores, "server_mib": mib })
    }
}

impl fmt::Display for Second {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} moves/s, relay p50 {:.1} ms, p99 {:.1} ms", self.moves, self.p50_ms, self.p99_ms)?;
        match (self.cores, self.mib) {
            (Some(cores), Some(mib)) => write!(f, ", server {cores:.2} cores, {mib:.0} MiB"),
            _ => Ok(()),
        }
    }
}

/// What a scenario of games found.
pub struct Report {
    scenario: &'static str,
    /// Games at once.
    pub games_at_once: usize,
    /// What was measured. The objectives are held against the last.
    pub phases: Vec<Phase>,
    /// Second by second.
    pub timeline: Vec<Second>,
    /// What was counted in all, what is outside of phases included.
    pub total: Tally,
    /// Games compared with the server's records.
    pub checks: Checks,
    /// The server's memory for each game, in KiB.
    pub memory_per_game_kib: Option<f64>,
    /// Figures of the scenario's own.
    pub figures: Vec<(String, f64)>,
    /// Objectives that were missed.
    pub missed: Vec<String>,
}

impl Report {
    /// Nothing found yet.
    pub fn new(scenario: &'static str) -> Report {
        Report {
            scenario,
            games_at_once: 0,
            phases: Vec::new(),
            timeline: Vec::new(),
            total: Tally::default(),
            checks: Checks::default(),
            memory_per_game_kib: None,
            figures: Vec::new(),
            missed: Vec::new(),
        }
    }

    /// Holds the last phase against the objectives.
    pub fn judge(&mut self, objectives: &Objectives) {
        let Some(last) = self.phases.last() else { return };
        // Connections are made before anything is measured, flags may fall after: those of the whole test count.
        let mut tally = last.tally.clone();
        tally.connect = self.total.connect.clone();
        tally.flag_lateness = self.total.flag_lateness.clone();
        self.missed.extend(objectives.missed(Measured {
            tally: &tally,
            seconds: last.seconds,
            server: last.server.as_ref(),
            memory_per_game_kib: self.memory_per_game_kib,
        }));
    }
}

impl Findings for Report {
    fn passed(&self) -> bool {
        let played = self.total.moves > 0 && self.checks.agree == self.checks.games;
        played && self.total.faults.is_empty() && self.missed.is_empty()
    }

    fn to_json(&self) -> Value {
        let total = &self.total;
        json!({
            "scenario": self.scenario,
            "passed": self.passed(),
            "games_at_once": self.games_at_once,
            "phases": self.phases.iter().map(Phase::to_json).collect::<Vec<_>>(),
            "moves": total.moves,
            "games_started": total.started,
            "games_ended": total.ended,
            "games_compared": self.checks.games,
            "games_agree": self.checks.agree,
            "connect": total.connect.to_json(),
            "come_back": total.come_back.to_json(),
            "flag_lateness": total.flag_lateness.to_json(),
            "moves_too_late": total.too_late,
            "refused_rightly": total.refused_rightly,
            "answered_rightly": total.rejections,
            "refusals": total.refusals,
            "resyncs": total.resyncs,
            "faults": total.faults.values()
                .map(|fault| json!({ "count": fault.count, "example": fault.example })).collect::<Vec<_>>(),
            "memory_per_game_kib": self.memory_per_game_kib,
            "figures": self.figures.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "missed_objectives": self.missed,
            "timeline": self.timeline.iter().map(|second| second.to_json()).collect::<Vec<_>>(),
        })
    }

    fn to_html(&self) -> String {
        html::page(self)
    }
}

/// One number in another.
#[expect(clippy::cast_precision_loss, reason = "counts of a test are far below 2^53")]
pub fn ratio(a: u64, b: f64) -> f64 {
    a as f64 / b
}

/// Microseconds in milliseconds.
pub fn ms(us: u64) -> f64 {
    ratio(us, 1000.0)
}

/// The spans of a tally that were counted, by name.
fn spans(tally: &Tally) -> impl Iterator<Item = (&'static str, &Spans)> {
    [
        ("move to its answer", &tally.round_trip),
        ("move to opponent", &tally.relay),
        ("move to spectators", &tally.delivery),
        ("connect, hello", &tally.connect),
        ("lost and back", &tally.come_back),
        ("flag to its event", &tally.flag_lateness),
    ]
    .into_iter()
    .filter(|(_, spans)| spans.count() > 0)
}
