//! `zeitnot replay FILE`: recorded games, played through a server and compared with what it makes of
//! them.

mod allowance;
mod pairing;
pub mod pgn;
mod playing;
mod record;
mod san;

use crate::Outcome;
use crate::target::Target;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use pairing::Pair;
use record::Record;
pub use san::describes;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc};
use zeitnot_client::proto::TimeControl;
use zeitnot_client::proto::rules::{Edition, Rules, Start, Terms};

/// Plays recorded games through the server, under the Laws of 1997, and checks that its verdicts, its final
/// positions and its PGN agree with the record.
///
/// Two guests play them against each other; with the token of an organizer, the organizer creates the games.
/// Exit status 1 means that something differs.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Games in PGN, or lines of result, plies, final and UCI moves with tabs between.
    file: PathBuf,
    /// How many games are played at the same time.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    concurrency: u32,
    /// Pairs of connections that the games are spread over. A server allows a player only so many games at
    /// once; more pairs make more players.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pairs: u32,
    /// Milliseconds between a move and the next in each game.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pace: u64,
    /// The time control of the games.
    #[arg(long, value_name = "CONTROL", default_value = "5400+30")]
    time: TimeControl,
    /// Only the first so many games of the file.
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// The token of White's player, where guests are not let in.
    #[arg(long, value_name = "TOKEN", requires = "black_token")]
    white_token: Option<String>,
    /// The token of Black's player.
    #[arg(long, value_name = "TOKEN", requires = "white_token")]
    black_token: Option<String>,
}

/// What is the same for all games.
struct Plan {
    terms: Terms,
    pace: Duration,
}

/// What came of a game.
struct Played {
    label: String,
    plies: usize,
    differences: Vec<String>,
}

/// Runs the command.
pub async fn run(target: &Target, arguments: Arguments) -> Outcome {
    let text = std::fs::read_to_string(&arguments.file)
        .map_err(|error| format!("{}: {error}", arguments.file.display()))?;
    let mut records =
        record::read(&text).map_err(|error| format!("{}: {error}", arguments.file.display()))?;
    records.truncate(arguments.first.unwrap_or(usize::MAX));
    if records.is_empty() {
        return Err(format!("{}: no game with a result", arguments.file.display()).into());
    }
    let tokens = arguments.white_token.as_deref().zip(arguments.black_token.as_deref());
    let pairs = pairing::connect(target, tokens, arguments.pairs).await?;
    let rules = Rules { edition: Edition::Fide1997, ..Rules::default() };
    let terms = Terms { time_control: arguments.time, rules, start: Start::default(), spectator_delay_us: 0 };
    let plan = Arc::new(Plan { terms, pace: Duration::from_millis(arguments.pace) });
    let began = Instant::now();
    let played = play_all(records, &pairs, &plan, arguments.concurrency as usize).await;
    let differing = report(&played, began.elapsed());
    pairing::leave(pairs).await;
    Ok(if differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Plays all games, so many at the same time, and shows how far it has come.
async fn play_all(
    records: Vec<Record>,
    pairs: &[Arc<Pair>],
    plan: &Arc<Plan>,
    concurrency: usize,
) -> Vec<Played> {
    let bar = ProgressBar::new(records.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len} games  {elapsed}  {msg}") {
        bar.set_style(style);
    }
    let seats = Arc::new(Semaphore::new(concurrency));
    let (sender, mut results) = mpsc::unbounded_channel();
    let count = records.len();
    let starting = {
        let (pairs, plan) = (pairs.to_vec(), plan.clone());
        async move {
            for (record, pair) in records.into_iter().zip(pairs.iter().cycle()) {
                // The semaphore is never closed.
                let Ok(seat) = seats.clone().acquire_owned().await else { return };
                let (pair, plan, sender) = (pair.clone(), plan.clone(), sender.clone());
                tokio::spawn(async move {
                    let differences = playing::play(&pair, &record, &plan).await;
                    let played = Played { label: record.label, plies: record.plies.len(), differences };
                    drop(seat);
                    // The collector takes all of them.
                    let _ = sender.send(played);
                });
            }
        }
    };
    let collecting = async {
        let (mut played, mut differing) = (Vec::with_capacity(count), 0);
        while let Some(game) = results.recv().await {
            differing += usize::from(!game.differences.is_empty());
            bar.inc(1);
            bar.set_message(format!("{differing} differ"));
            played.push(game);
        }
        played
    };
    let ((), played) = tokio::join!(starting, collecting);
    bar.finish_and_clear();
    played
}

/// Prints what differs and a line at the end; how many games differ.
fn report(played: &[Played], took: Duration) -> usize {
    for game in played {
        for difference in &game.differences {
            println!("{}: {difference}", game.label);
        }
    }
    let differing = played.iter().filter(|game| !game.differences.is_empty()).count();
    let plies: usize = played.iter().map(|game| game.plies).sum();
    println!(
        "{} games, {plies} plies in {:.1} s: {differing} differ from the record",
        played.len(),
        took.as_secs_f64()
    );
    differing
}
