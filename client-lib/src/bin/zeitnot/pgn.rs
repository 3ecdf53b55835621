//! `zeitnot pgn GAME`: a game in portable notation.

use crate::Outcome;
use crate::target::Target;
use clap::Args;
use std::process::ExitCode;
use zeitnot_client::Error;
use zeitnot_client::proto::GameId;
use zeitnot_client::proto::control::{Reply, Request};

/// Prints a game in PGN.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The game's number.
    game: u64,
}

/// Runs the command.
pub async fn run(target: &Target, arguments: Arguments) -> Outcome {
    let (client, _notices) = target.connect().await?;
    let Reply::Pgn(text) = client.request(Request::Pgn(GameId(arguments.game))).await? else {
        return Err(Error::Protocol("no PGN came".into()).into());
    };
    println!("{}", text.trim_end());
    client.close().await;
    Ok(ExitCode::SUCCESS)
}
