//! A simultaneous exhibition: one player, on one connection, at hundreds of boards.

use crate::conduct::Habits;
use crate::options::{Common, span};
use crate::pace::Tempo;
use crate::report::Report;
use crate::stage::{Cast, Stage};
use std::time::Duration;
use zeitnot_proto::TimeControl;

/// One connection, hundreds of boards.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// How many boards; a server allows 255 on one connection unless it is told otherwise.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub boards: usize,
    /// The time control of the games.
    #[arg(long, default_value = "3600", value_name = "CONTROL")]
    pub time_control: TimeControl,
    /// How long it takes from move to move at a board, on the average.
    #[arg(long, default_value = "2s", value_parser = span, value_name = "SPAN")]
    pub think: Duration,
    /// What all scenarios have.
    #[command(flatten)]
    pub common: Common,
}

/// Plays.
///
/// # Errors
/// Why the test could not be run.
pub async fn run(options: &Options) -> Result<Report, String> {
    let games = options.boards.max(1);
    let mut stage = Stage::open("simul", &options.common, (0, 1 + games), &options.time_control).await?;
    let tempo = Tempo::Thought(options.think);
    stage.seat_at_all(&Cast { games, tempo, habits: Habits::LIVELY }).await?;
    stage.measure("one player at all boards", options.common.duration).await?;
    stage.finish().await
}
