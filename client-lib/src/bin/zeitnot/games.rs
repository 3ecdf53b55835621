//! `zeitnot games`: live or finished games.

use crate::target::Target;
use crate::{Outcome, list};
use clap::Args;
use std::process::ExitCode;
use zeitnot_client::proto::control::GameFilter;

/// Lists games, newest first.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Games that are over instead of those under way.
    #[arg(long)]
    finished: bool,
    /// At most so many.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

/// Runs the command.
pub async fn run(target: &Target, arguments: Arguments) -> Outcome {
    let (client, _notices) = target.connect().await?;
    let filter = if arguments.finished { GameFilter::Finished } else { GameFilter::Live };
    list::print(&client, filter, arguments.limit).await?;
    client.close().await;
    Ok(ExitCode::SUCCESS)
}
