//! The table at the end.

use super::{Findings as _, Phase, Report, ms, ratio, spans};
use crate::measure::Fault;
use std::fmt;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {} games at once", self.scenario, self.games_at_once)?;
        for phase in &self.phases {
            phase.fmt(f)?;
        }
        let total = &self.total;
        writeln!(f, "\nIn all")?;
        line(f, "games ended", &total.games_ended().to_string())?;
        for (reason, count) in &total.ended {
            line(f, &format!("  {reason}"), &count.to_string())?;
        }
        line(f, "records that agree", &format!("{} of {}", self.checks.agree, self.checks.games))?;
        for (name, spans) in spans(total) {
            let figures = [0.5, 0.99, 0.999].map(|share| ms(spans.quantile_us(share)));
            let [p50, p99, p999] = figures;
            let max = ms(spans.max_us());
            let text = format!("{p50:.2}, p99 {p99:.2}, p99.9 {p999:.2}, max {max:.2}");
            line(f, &format!("{name}, ms"), &text)?;
        }
        if let Some(kib) = self.memory_per_game_kib {
            line(f, "server memory, KiB a game", &format!("{kib:.1}"))?;
        }
        for (name, value) in &self.figures {
            line(f, name, &format!("{value:.2}"))?;
        }
        if total.too_late > 0 {
            line(f, "moves after the flag", &total.too_late.to_string())?;
        }
        if total.resyncs > 0 {
            line(f, "snapshots for slow readers", &total.resyncs.to_string())?;
        }
        for (name, count) in total.refused_rightly.iter().chain(&total.rejections) {
            line(f, &format!("rightly: {name}"), &count.to_string())?;
        }
        for (name, count) in &total.refusals {
            line(f, &format!("REFUSED: {name}"), &count.to_string())?;
        }
        for Fault { count, example } in total.faults.values() {
            writeln!(f, "FAULT, {count} times: {example}")?;
        }
        for missed in &self.missed {
            writeln!(f, "MISSED {missed}")?;
        }
        writeln!(f, "{}", if self.passed() { "passed" } else { "FAILED" })
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    writeln!(f, "{name:<30}{value:>12}")
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.tally;
        writeln!(f, "\n{} ({:.1} s)", self.name, self.seconds)?;
        line(f, "moves", &tally.moves.to_string())?;
        line(f, "moves a second", &format!("{:.1}", self.moves_per_second()))?;
        line(f, "games started, ended", &format!("{}, {}", tally.started, tally.games_ended()))?;
        writeln!(
            f,
            "{:<20}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "milliseconds", "count", "p50", "p90", "p99", "p99.9", "max"
        )?;
        for (name, spans) in spans(tally) {
            write!(f, "{name:<20}{:>10}", spans.count())?;
            for share in [0.5, 0.9, 0.99, 0.999] {
                write!(f, "{:>10.2}", ms(spans.quantile_us(share)))?;
            }
            writeln!(f, "{:>10.2}", ms(spans.max_us()))?;
        }
        if let Some(server) = &self.server {
            let (cpu, each) = (server.cpu_seconds(), server.cpu_seconds_per_1000_moves());
            line(f, "server CPU, cores", &format!("{:.2}", cpu / self.seconds))?;
            line(f, "server CPU, s a 1,000 moves", &format!("{each:.3}"))?;
            let mib = server.after.resident_bytes() / 1_048_576.0;
            line(f, "server memory, MiB", &format!("{mib:.1}"))?;
            line(f, "journal commits", &format!("{:.0}", server.commits()))?;
            line(f, "decisions a commit", &format!("{:.1}", server.decisions_per_commit()))?;
            line(f, "a commit, ms", &format!("{:.2}", server.commit_ms()))?;
            for (kind, count) in server.refusals() {
                line(f, &format!("server refused: {kind}"), &format!("{count:.0}"))?;
            }
        }
        if let Some(own) = self.own_cpu_seconds {
            line(f, "load test's CPU, cores", &format!("{:.2}", own / self.seconds))?;
            if tally.moves > 0 {
                line(f, "  s a 1,000 moves", &format!("{:.3}", own * 1000.0 / ratio(tally.moves, 1.0)))?;
            }
        }
        Ok(())
    }
}
