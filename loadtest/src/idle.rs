//! What games that nobody moves in cost the server in memory.

use crate::options::Options;
use crate::report::{Idle, Report, Step};
use crate::server_metrics;
use crate::table::{Hall, Pair, Table};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Pairs that are there before the first reading: what a server needs once is in it.
const BASE: usize = 100;
/// Readings after the first.
const STEPS: usize = 4;
/// From the last pair of a step to its reading: handshakes are over and buffers given back.
const SETTLE: Duration = Duration::from_secs(3);

/// Seats pairs step by step and reads the server's memory after each.
///
/// # Errors
/// Why the test could not be run.
pub async fn run(options: &Options) -> Result<Report, String> {
    let address = options.metrics.ok_or("--idle needs --metrics HOST:PORT")?;
    let hall = Arc::new(Hall::open(options).await?);
    let mut seated: Vec<(Pair, Table)> = Vec::with_capacity(options.games + BASE);
    let mut steps = Vec::new();
    for step in 0..=STEPS {
        let target = BASE + options.games * step / STEPS;
        seat(&hall, options, target, &mut seated).await?;
        tokio::time::sleep(SETTLE).await;
        let reading = server_metrics::read(address).await?;
        eprintln!("{} pairs: {:.1} MiB", seated.len(), reading.resident_bytes / 1_048_576.0);
        steps.push(Step { pairs: seated.len(), reading });
    }
    drop(seated);
    hall.leave().await;
    Ok(Report::Idle(Box::new(Idle { bar_kib: options.idle_bar_kib, steps })))
}

/// Seats pairs at their pace until there are `target`.
async fn seat(
    hall: &Arc<Hall>,
    options: &Options,
    target: usize,
    seated: &mut Vec<(Pair, Table)>,
) -> Result<(), String> {
    let mut sitting = JoinSet::new();
    let mut ticks = tokio::time::interval(options.pair_interval().max(Duration::from_micros(1)));
    for number in seated.len()..target {
        ticks.tick().await;
        let hall = Arc::clone(hall);
        sitting.spawn(async move {
            let (mut pair, _) = hall.pair(number).await?;
            let table = hall.sit_down(&mut pair).await?;
            Ok::<_, zeitnot_client::Error>((pair, table))
        });
    }
    while let Some(joined) = sitting.join_next().await {
        let pair = joined.map_err(|e| e.to_string())?;
        seated.push(pair.map_err(|e| format!("pair {}: {e}", seated.len()))?);
    }
    Ok(())
}
