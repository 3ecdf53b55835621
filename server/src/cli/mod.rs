//! The command line: one file for each subcommand, each with its arguments and a `run` that gives an
//! exit code.

pub mod adjudicate;
pub mod backup;
pub mod data;
pub mod export;
pub mod pair;
pub mod serve;
pub mod standings;
pub mod token;
pub mod winnable;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use std::process::ExitCode;

/// An authoritative chess server over QUIC.
///
/// Without a command it serves: on loopback, with guests, on a journal in ./zeitnot-data. Every setting is a flag, a
/// variable of the environment and a key of the file that --config names; flags win over variables, and
/// variables over the file.
#[derive(Debug, Parser)]
#[command(name = "zeitnot-server", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves until it is asked to end
    Serve(Box<serve::Args>),
    /// Makes, lists and revokes tokens
    Token(token::Args),
    /// Writes games as PGN
    Export(export::Args),
    /// Copies journal, games and tokens while games go on
    Backup(backup::Args),
    /// Runs scenarios: the Laws of Chess as executable cases
    Adjudicate(adjudicate::Args),
    /// Pairs the next round of a tournament report file
    Pair(pair::Args),
    /// Standings and crosstables of a tournament report file
    Standings(standings::Args),
    /// Says whether a side can still mate by any series of legal moves
    Winnable(winnable::Args),
}

/// Reads the command line and the environment, and does what they say.
pub fn main() -> ExitCode {
    let cli = match Cli::from_arg_matches(&command().get_matches()) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    match cli.command {
        None => serve::run(cli.serve),
        Some(Command::Serve(args)) => serve::run(*args),
        Some(Command::Token(args)) => token::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Backup(args)) => backup::run(&args),
        Some(Command::Adjudicate(args)) => adjudicate::run(&args),
        Some(Command::Pair(args)) => pair::run(&args),
        Some(Command::Standings(args)) => standings::run(&args),
        Some(Command::Winnable(args)) => winnable::run(&args),
    }
}

/// The command line, with the variable and the key of each setting in its help.
pub fn command() -> clap::Command {
    serve::document(Cli::command()).mut_subcommand("serve", serve::document)
}
