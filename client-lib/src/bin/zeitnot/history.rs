//! `zeitnot history NAME`: the games of a player.

use crate::target::Target;
use crate::{Outcome, list};
use clap::Args;
use std::process::ExitCode;
use zeitnot_client::proto::control::GameFilter;

/// Lists all games of a player, newest first.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The player's name.
    name: String,
    /// At most so many.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    limit: usize,
}

/// Runs the command.
pub async fn run(target: &Target, arguments: Arguments) -> Outcome {
    let name = arguments.name.as_str().try_into()?;
    let (client, _notices) = target.connect().await?;
    list::print(&client, GameFilter::Player(name), arguments.limit).await?;
    client.close().await;
    Ok(ExitCode::SUCCESS)
}
