//! `zeitnot watch`: a game, or all boards of a tournament, from the spectators' seats.

use crate::Outcome;
use crate::target::Target;
use crate::tui::screen::{Screen, terminated};
use crate::tui::table::{Left, sit};
use crate::wall;
use clap::Args;
use std::process::ExitCode;
use zeitnot_client::proto::GameId;
use zeitnot_client::proto::game_stream::Seat;
use zeitnot_client::proto::tournament::TournamentId;

/// Watches a game.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The game's number; `zeitnot games` lists them.
    #[arg(required_unless_present = "tournament")]
    game: Option<u64>,
    /// All boards of this tournament's round, with clocks and results, instead of one game.
    #[arg(long, value_name = "N", conflicts_with = "game")]
    tournament: Option<u64>,
    /// Letters instead of chess figures.
    #[arg(long)]
    ascii: bool,
}

/// Runs the command.
pub async fn run(target: &Target, arguments: Arguments) -> Outcome {
    if let Some(tournament) = arguments.tournament {
        return wall::run(target, TournamentId(tournament), arguments.ascii).await;
    }
    // The command line asks for one of the two.
    let game = GameId(arguments.game.unwrap_or_default());
    let (client, mut notices) = target.connect().await?;
    let mut screen = Screen::open(arguments.ascii)?;
    let watched = tokio::select! {
        watched = sit(&mut screen, &client, &mut notices, game, Seat::Spectator) => watched,
        () = terminated() => Ok(Left::Quit(None)),
    };
    drop(screen);
    if let Left::Quit(Some(result)) = watched? {
        println!("Game {game} {result}.");
    }
    client.close().await;
    Ok(ExitCode::SUCCESS)
}
