//! Connections that are lost and come back: here and there all the time, and many at the same instant.

use crate::conduct::Habits;
use crate::options::{Common, span};
use crate::pace::Tempo;
use crate::report::Report;
use crate::stage::{Cast, Stage};
use std::time::Duration;
use zeitnot_proto::TimeControl;

/// A share of the clients loses its connection and returns, all at once too.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// How many games at once.
    #[arg(long, default_value_t = 500, value_name = "N")]
    pub games: usize,
    /// The time control of the games.
    #[arg(long, default_value = "300+3", value_name = "CONTROL")]
    pub time_control: TimeControl,
    /// How long players think on the average.
    #[arg(long, default_value = "1s", value_parser = span, value_name = "SPAN")]
    pub think: Duration,
    /// In how many of a thousand turns a connection is lost; half of them with a move under way, whose answer never
    /// came: the command is sent again, and must count once.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub drops: u32,
    /// How often many connections are lost at the same instant, in equal intervals.
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub waves: u32,
    /// The share of the games whose connections a wave takes, in percent.
    #[arg(long, default_value_t = 50, value_name = "PERCENT")]
    pub share: u32,
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
    let mut stage = Stage::open("reconnect", &options.common, (0, 2 * games), &options.time_control).await?;
    let (tempo, habits) = (Tempo::Thought(options.think), Habits::LIVELY.with_drops(options.drops));
    stage.seat(&Cast { games, tempo, habits }).await?;
    let span = options.common.duration / (options.waves + 1);
    stage.measure("here and there", span).await?;
    for wave in 1..=options.waves {
        stage.wave(options.share);
        stage.measure(&format!("wave {wave}, {} % of the games", options.share), span).await?;
    }
    stage.finish().await
}
