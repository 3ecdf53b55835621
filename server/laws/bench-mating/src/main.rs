//! Mating analysis against chasolver in one run: verdicts against labels, and times.
//!
//! `zeitnot-bench-mating labels FILE... [--passes N] [--budget POSITIONS] [--alone] [--slow N]`
//! `zeitnot-bench-mating plies GAMES` times the check after every move.

mod labels;
mod plies;

use std::process::ExitCode;

/// What to run, from the command line.
pub struct Options {
    files: Vec<String>,
    passes: usize,
    positions: u64,
    alone: bool,
    slow: usize,
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let mode = args.next().unwrap_or_default();
    let mut options =
        Options { files: Vec::new(), passes: 3, positions: zeitnot_laws::mating::Budget::RULING.positions, alone: false, slow: 0 };
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
        match arg.as_str() {
            "--passes" => options.passes = number().max(1) as usize,
            "--budget" => options.positions = number(),
            "--slow" => options.slow = number() as usize,
            "--alone" => options.alone = true,
            _ => options.files.push(arg),
        }
    }
    let good = match mode.as_str() {
        "labels" => labels::run(&options),
        "plies" => plies::run(&options),
        "dead" => plies::recall(&options),
        _ => {
            eprintln!("usage: zeitnot-bench-mating labels|plies FILE... [--passes N] [--budget N] [--alone]");
            false
        }
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Mean, percentiles and maximum, in microseconds, of nanoseconds.
pub fn distribution(ns: &mut [u64]) -> String {
    ns.sort_unstable();
    let at = |share: f64| {
        let index = ((ns.len() as f64 * share) as usize).min(ns.len().saturating_sub(1));
        ns.get(index).map_or(0.0, |&n| n as f64 / 1e3)
    };
    let sum: u64 = ns.iter().sum();
    format!(
        "mean {:.2} p50 {:.2} p99 {:.1} p99.9 {:.0} max {:.0} us, total {:.2} s",
        sum as f64 / ns.len().max(1) as f64 / 1e3,
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
        sum as f64 / 1e9
    )
}
