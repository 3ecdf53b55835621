//! What games that nobody moves in cost the server in memory.

use crate::hall::{Guest, Hall, Table};
use crate::options::Output;
use crate::report::{Findings, ratio};
use crate::server_metrics::{self, Reading};
use crate::site::Site;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use zeitnot_proto::TimeControl;

/// Games that are there before the first reading: what a server needs once is in it.
const BASE: usize = 100;
/// Readings after the first.
const STEPS: usize = 4;
/// From the last game of a step to its reading: handshakes are over and buffers given back.
const SETTLE: Duration = Duration::from_secs(3);

/// The server's memory for each further game that nobody moves in, its two connections included.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// The server under test; --metrics is needed.
    #[command(flatten)]
    pub site: Site,
    /// How many games beyond the first hundred.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub games: usize,
    /// Fail where a further game takes more than so many KiB.
    #[arg(long, default_value_t = 64.0, value_name = "KIB")]
    pub max_memory_per_game: f64,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

/// The server's memory, step by step.
pub struct Idle {
    most_kib: f64,
    steps: Vec<Step>,
}

/// The server's metrics with so many games.
struct Step {
    games: usize,
    reading: Reading,
}

type Sitting = (Guest, Guest, Table);

/// Seats games step by step and reads the server's memory after each.
///
/// # Errors
/// Why the test could not be run.
pub async fn run(options: &Options) -> Result<Idle, String> {
    let address = options.site.metrics.ok_or("idle needs --metrics HOST:PORT")?;
    let long: TimeControl = "36000".parse().map_err(|_| "no time control".to_string())?;
    let hall = Arc::new(Hall::open(&options.site, 2 * (BASE + options.games), &long)?);
    let mut seated: Vec<Sitting> = Vec::with_capacity(options.games + BASE);
    let mut steps = Vec::new();
    for step in 0..=STEPS {
        seat(&hall, BASE + options.games * step / STEPS, &mut seated).await?;
        tokio::time::sleep(SETTLE).await;
        let reading = server_metrics::read(address).await?;
        eprintln!("{} games: {:.1} MiB", seated.len(), reading.resident_bytes() / 1_048_576.0);
        steps.push(Step { games: seated.len(), reading });
    }
    drop(seated);
    hall.leave().await;
    Ok(Idle { most_kib: options.max_memory_per_game, steps })
}

/// Seats games until there are `target`.
async fn seat(hall: &Arc<Hall>, target: usize, seated: &mut Vec<Sitting>) -> Result<(), String> {
    let mut sitting = JoinSet::new();
    for number in seated.len()..target {
        let hall = Arc::clone(hall);
        sitting.spawn(async move {
            let (white, mut black) = (hall.guest(2 * number).await?, hall.guest(2 * number + 1).await?);
            let table = hall.sit_down(&white, &mut black, true).await?;
            Ok::<_, zeitnot_client::Error>((white, black, table))
        });
    }
    while let Some(joined) = sitting.join_next().await {
        let sat = joined.map_err(|e| e.to_string())?;
        seated.push(sat.map_err(|e| format!("game {}: {e}", seated.len()))?);
    }
    Ok(())
}

impl Idle {
    /// KiB of server memory for each game beyond those of the first reading.
    fn kib_a_game(&self) -> f64 {
        let (Some(first), Some(last)) = (self.steps.first(), self.steps.last()) else { return f64::INFINITY };
        slope_kib(first, last)
    }
}

/// KiB for each game between two readings.
fn slope_kib(from: &Step, to: &Step) -> f64 {
    let bytes = to.reading.resident_bytes() - from.reading.resident_bytes();
    bytes / 1024.0 / ratio((to.games - from.games).max(1) as u64, 1.0)
}

impl Findings for Idle {
    fn passed(&self) -> bool {
        self.kib_a_game() <= self.most_kib
    }

    fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(|step| {
            json!({
                "games": step.games,
                "resident_bytes": step.reading.resident_bytes(),
                "connections": step.reading.get("zeitnot_connections"),
                "server_games": step.reading.get("zeitnot_games"),
            })
        });
        json!({
            "passed": self.passed(),
            "kib_a_game": self.kib_a_game(),
            "max_memory_per_game": self.most_kib,
            "steps": steps.collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>8}{:>14}{:>14}{:>18}", "games", "connections", "memory, MiB", "KiB a game more")?;
        let mut before: Option<&Step> = None;
        for step in &self.steps {
            let connections = step.reading.get("zeitnot_connections");
            let mib = step.reading.resident_bytes() / 1_048_576.0;
            write!(f, "{:>8}{connections:>14}{mib:>14.1}", step.games)?;
            match before {
                Some(before) => writeln!(f, "{:>18.1}", slope_kib(before, step))?,
                None => writeln!(f)?,
            }
            before = Some(step);
        }
        writeln!(f, "{:.1} KiB for each further game", self.kib_a_game())?;
        if !self.passed() {
            writeln!(f, "MISSED --max-memory-per-game {}", self.most_kib)?;
        }
        writeln!(f, "{}", if self.passed() { "passed" } else { "FAILED" })
    }
}
