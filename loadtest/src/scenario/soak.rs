//! Hours of it: what grows that should not?

use crate::conduct::Habits;
use crate::options::{Common, span};
use crate::pace::Tempo;
use crate::report::Report;
use crate::stage::{Cast, Stage};
use std::time::Duration;
use zeitnot_proto::TimeControl;

/// Blitz over a bad network for hours; the records are compared and the server's memory read all along.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// How many games at once.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub games: usize,
    /// The time control of the games.
    #[arg(long, default_value = "60+1", value_name = "CONTROL")]
    pub time_control: TimeControl,
    /// How long players think on the average.
    #[arg(long, default_value = "2s", value_parser = span, value_name = "SPAN")]
    pub think: Duration,
    /// In how many of a thousand turns a connection is lost.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub drops: u32,
    /// How often a span of the report ends and the records are compared.
    #[arg(long, default_value = "10m", value_parser = span, value_name = "SPAN")]
    pub every: Duration,
    /// Most MiB that the server's memory may grow in an hour, from the end of the first span on (needs --metrics).
    #[arg(long, value_name = "MIB")]
    pub max_growth: Option<f64>,
    /// What all scenarios have.
    #[command(flatten)]
    pub common: Common,
}

/// Plays.
///
/// # Errors
/// Why the test could not be run.
pub async fn run(options: &Options) -> Result<Report, String> {
    let games = options.games.max(1);
    let mut stage = Stage::open("soak", &options.common, (0, 2 * games), &options.time_control).await?;
    let (tempo, habits) = (Tempo::Thought(options.think), Habits::LIVELY.with_drops(options.drops));
    stage.seat(&Cast { games, tempo, habits }).await?;
    let mut left = options.common.duration;
    let mut memory = Vec::new();
    let mut hours = 0.0;
    for number in 1.. {
        let span = left.min(options.every);
        if span.is_zero() {
            break;
        }
        left -= span;
        let phase = stage.measure(&format!("span {number}"), span).await?;
        hours += phase.seconds / 3600.0;
        let mib = phase.server.as_ref().map(|server| server.after.resident_bytes() / 1_048_576.0);
        memory.extend(mib.map(|mib| (hours, mib)));
        stage.check().await?;
    }
    let growth = match (memory.first(), memory.last()) {
        (Some((from, before)), Some((to, after))) if to > from => Some((after - before) / (to - from)),
        _ => None,
    };
    if let Some(growth) = growth {
        stage.figure("server memory, MiB an hour more", growth);
    }
    match (options.max_growth, growth) {
        (Some(most), Some(growth)) if growth > most => {
            stage.miss(format!("--max-growth {most}: it was {growth:.2} MiB an hour"));
        }
        (Some(most), None) => stage.miss(format!("--max-growth {most}: needs --metrics and two spans")),
        _ => {}
    }
    stage.finish().await
}
