//! Many games at once, as people play blitz, at a rate, or as fast as they go; or at a rate that rises until the
//! server does not keep it any more.

use crate::conduct::Habits;
use crate::options::{Common, span};
use crate::pace::Tempo;
use crate::report::Report;
use crate::stage::{Cast, Stage};
use std::time::Duration;
use zeitnot_proto::TimeControl;

/// Time for games to take up a new rate, before it is measured.
const SETTLE: Duration = Duration::from_secs(2);
/// By how much the rate rises from step to step, and how often the knee is looked for between two steps.
const RISE: f64 = 1.5;
const HALVINGS: u32 = 3;
/// The share of a rate that has to come about.
const KEPT: f64 = 0.97;

/// Games of blitz: at a human pace (--think), at a rate (--rate), or as fast as they go (--closed).
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// How many games at once, each on two connections of its own.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub games: usize,
    /// The time control of the games.
    #[arg(long, default_value = "10+1", value_name = "CONTROL")]
    pub time_control: TimeControl,
    /// How long players think on the average; times are distributed log-normally.
    #[arg(long, default_value = "2s", value_parser = span, value_name = "SPAN", conflicts_with_all = ["rate", "closed", "ramp"])]
    pub think: Duration,
    /// Moves a second of all games together, due at fixed instants whatever the server does: latency counts from
    /// when a move was due, so that a server that stalls cannot hide it.
    #[arg(long, value_name = "N", conflicts_with_all = ["closed", "ramp"])]
    pub rate: Option<f64>,
    /// Each game moves as soon as both sides have the last move.
    #[arg(long, conflicts_with = "ramp")]
    pub closed: bool,
    /// With --closed: the shortest time between two moves of a game; the server allows 50 frames a second on a
    /// stream.
    #[arg(long, default_value = "12ms", value_parser = span, value_name = "SPAN")]
    pub pause: Duration,
    /// Raise the rate until the server does not keep it, and find the knee.
    #[arg(long)]
    pub ramp: bool,
    /// With --ramp: the first rate.
    #[arg(long, default_value_t = 250.0, value_name = "N")]
    pub ramp_from: f64,
    /// With --ramp: a rate is not kept where one of a hundred moves takes longer than this to the opponent.
    #[arg(long, default_value = "50ms", value_parser = span, value_name = "SPAN")]
    pub ramp_p99: Duration,
    /// With --ramp: how long each rate is measured.
    #[arg(long, default_value = "5s", value_parser = span, value_name = "SPAN")]
    pub ramp_step: Duration,
    /// Nothing but moves: no mistakes, offers, claims and resignations.
    #[arg(long)]
    pub moves_only: bool,
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
    let mut stage = Stage::open("blitz", &options.common, (0, 2 * games), &options.time_control).await?;
    let first = if options.ramp { Some(options.ramp_from) } else { options.rate };
    let tempo = match first {
        Some(rate) => stage.open_loop(games, rate)?,
        None if options.closed => Tempo::Closed(options.pause),
        None => Tempo::Thought(options.think),
    };
    let habits = if options.moves_only { Habits::default() } else { Habits::LIVELY };
    stage.seat(&Cast { games, tempo, habits }).await?;
    if options.ramp {
        ramp(&mut stage, options).await?;
    } else {
        let name = match first {
            Some(rate) => format!("open loop, {rate} moves/s asked for"),
            None if options.closed => "closed loop".into(),
            None => format!("thinking {:?} on the average", options.think),
        };
        stage.measure(&name, options.common.duration).await?;
    }
    stage.finish().await
}

/// Raises the rate until it is not kept, then looks for the knee between the last two.
async fn ramp(stage: &mut Stage, options: &Options) -> Result<(), String> {
    let (mut kept, mut missed) = (None, None);
    let mut rate = options.ramp_from;
    let mut halvings = 0;
    while halvings <= HALVINGS {
        stage.set_rate(rate)?;
        tokio::time::sleep(SETTLE).await;
        let phase = stage.measure(&format!("{rate:.0} moves/s asked for"), options.ramp_step).await?;
        let p99_us = u128::from(phase.tally.relay.quantile_us(0.99));
        let refused = !phase.tally.refusals.is_empty();
        if phase.moves_per_second() >= KEPT * rate && p99_us <= options.ramp_p99.as_micros() && !refused {
            kept = Some(rate);
        } else {
            missed = Some(rate);
        }
        rate = match (kept, missed) {
            (_, None) => rate * RISE,
            (Some(kept), Some(missed)) => f64::midpoint(kept, missed),
            // Not even the first one.
            (None, Some(missed)) => missed / 2.0,
        };
        halvings += u32::from(missed.is_some());
    }
    stage.figure("knee, moves a second", kept.unwrap_or(0.0));
    if kept.is_none() {
        stage.miss(format!("--ramp: not even {:.0} moves/s were kept", rate * 2.0));
    }
    Ok(())
}
