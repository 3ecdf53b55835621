//! What the server counts and measures, in Prometheus' terms. Names and meanings are listed in
//! `docs/metrics.md`; spans are in seconds, as Prometheus asks for.

use crate::journal::{Group, Observer};
use prometheus::{
    Counter, Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
    exponential_buckets,
};
use std::sync::Arc;
use std::time::Duration;
use zeitnot_proto::close::Code;
use zeitnot_proto::{Refusal, Stamp};

/// All metrics of a server.
pub struct Metrics {
    registry: Registry,
    /// Connections that said hello.
    pub connections: IntGauge,
    /// Handshakes that were completed.
    pub handshakes: IntCounter,
    /// Connections refused or closed by the server, by code.
    closes: IntCounterVec,
    /// Streams reset by the server, by code.
    resets: IntCounterVec,
    /// Incoming connections that were asked to prove their address.
    pub retries: IntCounter,
    /// Incoming connections turned away at the cap, before a handshake.
    pub turned_away: IntCounter,
    /// Refusals, by name.
    refusals: IntCounterVec,
    /// Frames that were skipped because this version does not know their number.
    pub unknown_frames: IntCounter,
    /// Games that are not over.
    pub games: IntGauge,
    /// Games created.
    pub games_created: IntCounter,
    /// Games that ended, by reason.
    games_ended: IntCounterVec,
    /// Rulings, by article.
    rulings: IntCounterVec,
    /// Moves completed.
    pub moves: IntCounter,
    /// Streams attached to games.
    pub attachments: IntGauge,
    /// Times that a reader fell behind and was sent a snapshot instead of what it missed.
    pub resyncs: IntCounter,
    /// Commands recognized as sent before.
    pub duplicates: IntCounter,
    /// Readers that were cut off because they did not read.
    pub slow_readers: IntCounter,
    /// From the arrival of a datagram at the socket to the stamp of a command in it.
    pub arrival_to_stamp: Histogram,
    /// From the stamp of a command to the commit of its decision.
    pub stamp_to_commit: Histogram,
    /// From the stamp of a command to its events being handed to the streams.
    pub stamp_to_broadcast: Histogram,
    /// From the instant of a flag fall to its decision.
    pub flag_lateness: Histogram,
    /// From decode to encoded frames, the journal's time not counted.
    pub own_cost: Histogram,
    /// Smoothed round-trip times of connections when they close.
    pub rtt: Histogram,
    /// Searches for a mate that went beyond the material, by answer.
    mate_searches: IntCounterVec,
    /// 1 while the store takes records.
    pub store_up: IntGauge,
    /// CPU time of the process; `process_cpu_seconds_total` counts whole seconds only.
    cpu_seconds: Counter,
    /// Decisions that wait for the journal's writer.
    pub journal_queue: IntGauge,
    journal_records: Histogram,
    journal_commit: Histogram,
}

/// Buckets from 10 microseconds to about 5 seconds.
fn latency_buckets() -> Vec<f64> {
    exponential_buckets(10e-6, 2.0, 20).unwrap_or_default()
}

impl Metrics {
    /// Registers everything.
    ///
    /// # Errors
    /// Two metrics of one name: a fault of this program.
    pub fn new() -> Result<Metrics, prometheus::Error> {
        let registry = Registry::new();
        registry.register(Box::new(prometheus::process_collector::ProcessCollector::for_self()))?;
        let counter = |name: &str, help: &str| -> Result<IntCounter, prometheus::Error> {
            let metric = IntCounter::new(format!("zeitnot_{name}"), help)?;
            registry.register(Box::new(metric.clone()))?;
            Ok(metric)
        };
        let gauge = |name: &str, help: &str| -> Result<IntGauge, prometheus::Error> {
            let metric = IntGauge::new(format!("zeitnot_{name}"), help)?;
            registry.register(Box::new(metric.clone()))?;
            Ok(metric)
        };
        let family = |name: &str, help: &str, label: &str| -> Result<IntCounterVec, prometheus::Error> {
            let metric = IntCounterVec::new(Opts::new(format!("zeitnot_{name}"), help), &[label])?;
            registry.register(Box::new(metric.clone()))?;
            Ok(metric)
        };
        let histogram = |name: &str, help: &str| -> Result<Histogram, prometheus::Error> {
            let opts = HistogramOpts::new(format!("zeitnot_{name}"), help).buckets(latency_buckets());
            let metric = Histogram::with_opts(opts)?;
            registry.register(Box::new(metric.clone()))?;
            Ok(metric)
        };
        let sizes = |name: &str, help: &str| -> Result<Histogram, prometheus::Error> {
            let buckets = exponential_buckets(1.0, 2.0, 11).unwrap_or_default();
            let metric =
                Histogram::with_opts(HistogramOpts::new(format!("zeitnot_{name}"), help).buckets(buckets))?;
            registry.register(Box::new(metric.clone()))?;
            Ok(metric)
        };
        let cpu_seconds = Counter::new("zeitnot_cpu_seconds_total", "CPU time of the process, to 10 ms.")?;
        registry.register(Box::new(cpu_seconds.clone()))?;
        Ok(Metrics {
            connections: gauge("connections", "Connections that said hello.")?,
            handshakes: counter("handshakes_total", "Handshakes that were completed.")?,
            closes: family("closes_total", "Connections that the server closed, by code.", "code")?,
            resets: family("stream_resets_total", "Streams that the server reset, by code.", "code")?,
            retries: counter("retries_total", "Incoming connections asked to prove their address.")?,
            turned_away: counter("turned_away_total", "Incoming connections turned away at the cap.")?,
            refusals: family("refusals_total", "Commands and requests refused, by kind.", "kind")?,
            unknown_frames: counter("unknown_frames_total", "Frames skipped as of an unknown number.")?,
            games: gauge("games", "Games that are not over.")?,
            games_created: counter("games_created_total", "Games created.")?,
            games_ended: family("games_ended_total", "Games that ended, by reason.", "reason")?,
            rulings: family("rulings_total", "Events that rest on an article, by article.", "article")?,
            moves: counter("moves_total", "Moves completed.")?,
            attachments: gauge("attachments", "Streams attached to games.")?,
            resyncs: counter("resyncs_total", "Readers that fell behind and got a snapshot.")?,
            duplicates: counter("duplicates_total", "Commands recognized as sent before.")?,
            slow_readers: counter("slow_readers_total", "Readers cut off because they did not read.")?,
            arrival_to_stamp: histogram("arrival_to_stamp_seconds", "From the socket to a command's stamp.")?,
            stamp_to_commit: histogram("stamp_to_commit_seconds", "From a command's stamp to its commit.")?,
            stamp_to_broadcast: histogram(
                "stamp_to_broadcast_seconds",
                "From a command's stamp to the streams.",
            )?,
            flag_lateness: histogram("flag_lateness_seconds", "From a flag's fall to its decision.")?,
            own_cost: histogram("own_cost_seconds", "Decode to encoded frames, journal not counted.")?,
            rtt: histogram("rtt_seconds", "Round-trip times of connections as they close.")?,
            mate_searches: family(
                "mate_searches_total",
                "Searches whether a side can still mate.",
                "answer",
            )?,
            journal_queue: gauge("journal_queue", "Decisions that wait for the journal's writer.")?,
            journal_records: sizes("journal_group_records", "Decisions in one commit.")?,
            journal_commit: histogram("journal_commit_seconds", "What one commit took.")?,
            store_up: gauge("store_up", "1 while the store takes records.")?,
            cpu_seconds,
            registry,
        })
    }

    /// What the journal's writer tells of every group that it commits.
    pub fn journal_observer(&self) -> Observer {
        let (records, commit) = (self.journal_records.clone(), self.journal_commit.clone());
        Arc::new(move |group: Group| {
            records.observe(f64::from(u32::try_from(group.records).unwrap_or(u32::MAX)));
            commit.observe(group.took.as_secs_f64());
        })
    }

    /// Counts a connection that the server closed.
    pub fn closed(&self, code: Code) {
        self.closes.with_label_values(&[code.name()]).inc();
    }

    /// Counts a stream that the server reset.
    pub fn reset(&self, code: Code) {
        self.resets.with_label_values(&[code.name()]).inc();
    }

    /// Counts a refusal.
    pub fn refused(&self, refusal: Refusal) {
        self.refusals.with_label_values(&[refusal.name()]).inc();
    }

    /// Counts the end of a game; an arbiter's own reasons count as one.
    pub fn game_ended(&self, reason: &zeitnot_proto::Reason) {
        let name = match reason {
            zeitnot_proto::Reason::Named(_) => "named",
            listed => listed.name(),
        };
        self.games_ended.with_label_values(&[name]).inc();
    }

    /// Counts an annulled game.
    pub fn game_annulled(&self) {
        self.games_ended.with_label_values(&["annulled"]).inc();
    }

    /// Counts an event that rests on an article.
    pub fn ruled(&self, article: &str) {
        self.rulings.with_label_values(&[article]).inc();
    }

    /// Counts a search whether a side can still mate.
    pub fn mate_searched(&self, answer: &str) {
        self.mate_searches.with_label_values(&[answer]).inc();
    }

    /// Everything, in Prometheus' text format.
    ///
    /// # Errors
    /// A metric that cannot be written: a fault of this program.
    pub fn render(&self) -> Result<String, prometheus::Error> {
        if let Some(used) = cpu_seconds() {
            self.cpu_seconds.inc_by((used - self.cpu_seconds.get()).max(0.0));
        }
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

/// CPU time of this process so far, where the system says it as Linux does (proc(5), `stat`): user and
/// system time in hundredths of a second, the 12th and 13th field after the name in brackets.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / 100.0)
}

/// The span from `from` to `to`, in seconds.
pub fn seconds(from: Stamp, to: Stamp) -> f64 {
    Duration::from_micros(to.since(from)).as_secs_f64()
}
