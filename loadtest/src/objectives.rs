//! What a server has to keep to: stated on the command line, so that a load test can guard a deployment.

use crate::measure::{Spans, Tally};
use crate::options::span;
use crate::server_metrics::Use;
use std::time::Duration;

/// The objectives. Spans of moves are those from a move to the opponent and to the mover's own answer.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Objectives (exit code 1 where one is missed)")]
pub struct Objectives {
    /// 99 of 100 moves are answered and relayed within this
    #[arg(long, value_parser = span, value_name = "SPAN")]
    pub max_p99: Option<Duration>,
    /// 999 of 1,000 are
    #[arg(long, value_parser = span, value_name = "SPAN")]
    pub max_p999: Option<Duration>,
    /// All of them are
    #[arg(long, value_parser = span, value_name = "SPAN")]
    pub max_latency: Option<Duration>,
    /// 99 of 100 fallen flags are told of within this of their instant
    #[arg(long, value_parser = span, value_name = "SPAN")]
    pub max_flag_error: Option<Duration>,
    /// 99 of 100 connections are welcomed within this
    #[arg(long, value_parser = span, value_name = "SPAN")]
    pub max_handshake: Option<Duration>,
    /// At least so many moves a second
    #[arg(long, value_name = "N")]
    pub min_moves_per_second: Option<f64>,
    /// At most so many refusals of what should have been accepted
    #[arg(long, value_name = "N")]
    pub max_refusals: Option<u64>,
    /// At most so many seconds of the server's CPU for 1,000 moves (needs --metrics)
    #[arg(long, value_name = "SECONDS")]
    pub max_cpu_per_1000_moves: Option<f64>,
    /// At most so many KiB of the server's memory for each game (needs --metrics)
    #[arg(long, value_name = "KIB")]
    pub max_memory_per_game: Option<f64>,
}

/// What is held against them.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    /// What was counted.
    pub tally: &'a Tally,
    /// In how many seconds.
    pub seconds: f64,
    /// What the server used.
    pub server: Option<&'a Use>,
    /// The server's memory for each game, in KiB.
    pub memory_per_game_kib: Option<f64>,
}

fn us(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

impl Objectives {
    /// The objectives that were missed, each with what was measured.
    pub fn missed(&self, measured: Measured<'_>) -> Vec<String> {
        let Measured { tally, seconds, server, memory_per_game_kib } = measured;
        let mut missed = Vec::new();
        let moves = [&tally.round_trip, &tally.relay];
        let worst = |spans: &[&Spans], share: f64| {
            if spans.iter().all(|spans| spans.count() == 0) {
                return None;
            }
            spans.iter().map(|spans| spans.quantile_us(share)).max()
        };
        for (name, most, came_us) in [
            ("--max-p99", self.max_p99, worst(&moves, 0.99)),
            ("--max-p999", self.max_p999, worst(&moves, 0.999)),
            ("--max-latency", self.max_latency, moves.iter().map(|spans| spans.max_us()).max()),
            ("--max-flag-error", self.max_flag_error, worst(&[&tally.flag_lateness], 0.99)),
            ("--max-handshake", self.max_handshake, worst(&[&tally.connect], 0.99)),
        ] {
            match (most, came_us) {
                (Some(most), Some(came_us)) if came_us > us(most) => {
                    missed.push(format!("{name} {most:?}: it was {:?}", Duration::from_micros(came_us)));
                }
                (Some(most), None) => {
                    missed.push(format!("{name} {most:?}: nothing of the kind was measured"));
                }
                _ => {}
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of a test are far below 2^53")]
        let rate = tally.moves as f64 / seconds;
        #[expect(clippy::cast_precision_loss, reason = "counts of a test are far below 2^53")]
        let refusals = tally.refusals.values().sum::<u64>() as f64;
        if let Some(least) = self.min_moves_per_second
            && rate < least
        {
            missed.push(format!("--min-moves-per-second {least}: it was {rate:.1}"));
        }
        let cpu = server.map(Use::cpu_seconds_per_1000_moves);
        #[expect(clippy::cast_precision_loss, reason = "a number of refusals is small")]
        let most_refusals = self.max_refusals.map(|most| most as f64);
        for (name, most, came) in [
            ("--max-refusals", most_refusals, Some(refusals)),
            ("--max-cpu-per-1000-moves", self.max_cpu_per_1000_moves, cpu),
            ("--max-memory-per-game", self.max_memory_per_game, memory_per_game_kib),
        ] {
            match (most, came) {
                (Some(most), Some(came)) if came > most => {
                    missed.push(format!("{name} {most}: it was {came:.3}"));
                }
                (Some(most), None) => {
                    missed.push(format!("{name} {most}: it was not measured; say --metrics"));
                }
                _ => {}
            }
        }
        missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missed_is_named_and_what_was_not_measured_too() {
        let mut tally = Tally { moves: 100, ..Tally::default() };
        for ms in 1..=100 {
            tally.relay.record_us(ms * 1000);
            tally.round_trip.record_us(1000);
        }
        let measured = Measured { tally: &tally, seconds: 10.0, server: None, memory_per_game_kib: None };
        let kept = Objectives {
            max_p99: Some(Duration::from_millis(120)),
            min_moves_per_second: Some(10.0),
            max_refusals: Some(0),
            ..Objectives::default()
        };
        assert_eq!(kept.missed(measured), Vec::<String>::new());
        let missed = Objectives {
            max_p99: Some(Duration::from_millis(20)),
            max_flag_error: Some(Duration::from_millis(2)),
            min_moves_per_second: Some(11.0),
            max_memory_per_game: Some(64.0),
            ..Objectives::default()
        };
        let names: Vec<_> =
            missed.missed(measured).iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(
            names,
            ["--max-p99", "--max-flag-error", "--min-moves-per-second", "--max-memory-per-game"]
        );
    }
}
