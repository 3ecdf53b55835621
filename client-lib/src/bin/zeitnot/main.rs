//! `zeitnot`, the thin client of Zeitnot for a terminal, for scripts and for replaying records.

mod arbiter;
mod games;
mod history;
mod list;
mod pgn;
mod pipe;
mod play;
mod replay;
mod target;
mod tournament;
mod tui;
mod wall;
mod watch;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use target::Target;

/// Plays chess on a Zeitnot server, watches games there, and replays recorded ones.
#[derive(Debug, Parser)]
#[command(name = "zeitnot", version)]
struct Cli {
    #[command(flatten)]
    target: Target,
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Plays a game: seeks an opponent, or challenges one.
    Play(play::Arguments),
    /// Watches a game.
    Watch(watch::Arguments),
    /// Speaks the whole protocol in JSON lines on standard input and output.
    Pipe,
    /// Plays recorded games through the server and checks that it agrees with the record.
    Replay(replay::Arguments),
    /// Shows what awaits an arbiter, and does what he types.
    Arbiter,
    /// Lists games, newest first.
    Games(games::Arguments),
    /// Lists all games of a player, newest first.
    History(history::Arguments),
    /// Prints a game in PGN.
    Pgn(pgn::Arguments),
    /// Everything about tournaments.
    Tournament(tournament::Arguments),
}

/// What goes wrong in a command is told to the user in a sentence.
type Outcome = Result<ExitCode, Box<dyn std::error::Error + Send + Sync>>;

/// Ends quietly when whoever read the output has seen enough (`zeitnot games | head`): the standard
/// library reports that as a panic.
fn end_with_the_reader() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload().downcast_ref::<String>();
        if said.is_some_and(|said| said.starts_with("failed printing to stdout")) {
            std::process::exit(0);
        }
        report(panic);
    }));
}

fn main() -> ExitCode {
    end_with_the_reader();
    let cli = Cli::parse();
    let outcome = match tokio::runtime::Runtime::new() {
        Ok(runtime) => {
            let outcome = runtime.block_on(run(cli));
            // A thread that waits for standard input must not hold the process up.
            runtime.shutdown_background();
            outcome
        }
        Err(error) => Err(error.into()),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("zeitnot: {error}");
        ExitCode::from(2)
    })
}

async fn run(cli: Cli) -> Outcome {
    match cli.command {
        Action::Play(arguments) => play::run(&cli.target, arguments).await,
        Action::Watch(arguments) => watch::run(&cli.target, arguments).await,
        Action::Pipe => pipe::run(&cli.target).await,
        Action::Replay(arguments) => replay::run(&cli.target, arguments).await,
        Action::Arbiter => arbiter::run(&cli.target).await,
        Action::Games(arguments) => games::run(&cli.target, arguments).await,
        Action::History(arguments) => history::run(&cli.target, arguments).await,
        Action::Pgn(arguments) => pgn::run(&cli.target, arguments).await,
        Action::Tournament(arguments) => tournament::run(&cli.target, arguments).await,
    }
}
