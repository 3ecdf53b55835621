//! `zeitnot watch GAME`: a game on the terminal, from the spectators' seats.

use crate::Outcome;
use crate::target::Target;
use crate::tui::screen::{Screen, terminated};
use crate::tui::table::{Left, sit};
use clap::Args;
use std::process::ExitCode;
use zeitnot_client::proto::GameId;
use zeitnot_client::proto::game_stream::Seat;

/// Watches a game.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The game's number; `zeitnot games` lists them.
    game: u64,
    /// Letters instead of chess figures.
    #[arg(long)]
    ascii: bool,
}

/// Runs the command.
pub async fn run(target: &Target, arguments: Arguments) -> Outcome {
    let (client, mut notices) = target.connect().await?;
    let mut screen = Screen::open(arguments.ascii)?;
    let watched = tokio::select! {
        watched = sit(&mut screen, &client, &mut notices, GameId(arguments.game), Seat::Spectator) => watched,
        () = terminated() => Ok(Left::Quit(None)),
    };
    drop(screen);
    if let Left::Quit(Some(result)) = watched? {
        println!("Game {} {result}.", arguments.game);
    }
    client.close().await;
    Ok(ExitCode::SUCCESS)
}
