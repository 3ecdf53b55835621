//! The load test: thousands of games of real moves against a running Zeitnot server, with a report.
//!
//! | module | what it does |
//! |---|---|
//! | [`scenario`] | what can be tested, a file each |
//! | [`stage`] | who plays, what is measured second by second, what is compared at the end |
//! | [`hall`], [`seat`], [`play`] | connections; a reader's stream; a game between two seats |
//! | [`book`], [`umpire`] | what the server's events, and its verdicts, have to agree with |
//! | [`verify`] | whether the server's record holds every move that it acknowledged |
//! | [`pace`], [`conduct`] | when moves are due; what players do besides |
//! | [`corpus`], [`random_games`] | the games that are played |
//! | [`measure`], [`objectives`] | what is measured, and what it has to keep to |
//! | [`server_metrics`], [`process`] | what the server says of itself; CPU time |
//! | [`report`] | a table, JSON, a page of HTML |
//! | [`mod@reference`] | the same traffic against a bare relay and a server |
//! | [`options`], [`site`] | the command line |

mod book;
mod conduct;
mod corpus;
mod hall;
mod measure;
mod objectives;
mod options;
mod pace;
mod play;
mod process;
mod random_games;
mod reference;
mod report;
mod scenario;
mod seat;
mod server_metrics;
mod site;
mod stage;
mod umpire;
mod verify;

use clap::{Parser, Subcommand};
use options::Output;
use report::Findings;
use scenario::{blitz, flags, hall as tournaments, idle, reconnect, simul, soak, spectators, storm};
use std::process::ExitCode;

/// Loads a Zeitnot server with games and says whether it did right, and how fast it was.
///
/// Exit code 0: every verdict agreed with the players' own books, every record holds what was acknowledged, and
/// every objective was kept to. 1: something did not; the last lines of the report say what. 2: the test could not
/// be run.
#[derive(Debug, Parser)]
#[command(name = "zeitnot-loadtest", version)]
struct Cli {
    #[command(subcommand)]
    scenario: Scenario,
}

#[derive(Debug, Subcommand)]
enum Scenario {
    Blitz(Box<blitz::Options>),
    Hall(Box<tournaments::Options>),
    Simul(Box<simul::Options>),
    Spectators(Box<spectators::Options>),
    Reconnect(Box<reconnect::Options>),
    Storm(Box<storm::Options>),
    Flags(Box<flags::Options>),
    Soak(Box<soak::Options>),
    Idle(Box<idle::Options>),
    Reference(Box<reference::Options>),
    /// The relay of `reference`, which starts it as a process of its own.
    #[command(hide = true)]
    Relay(reference::relay::Options),
}

impl Scenario {
    fn output(&self) -> Option<&Output> {
        Some(match self {
            Scenario::Blitz(options) => &options.common.output,
            Scenario::Hall(options) => &options.output,
            Scenario::Simul(options) => &options.common.output,
            Scenario::Spectators(options) => &options.common.output,
            Scenario::Reconnect(options) => &options.common.output,
            Scenario::Storm(options) => &options.common.output,
            Scenario::Flags(options) => &options.common.output,
            Scenario::Soak(options) => &options.common.output,
            Scenario::Idle(options) => &options.output,
            Scenario::Reference(options) => &options.output,
            Scenario::Relay(_) => return None,
        })
    }

    async fn run(&self) -> Result<Option<Box<dyn Findings>>, String> {
        Ok(Some(match self {
            Scenario::Blitz(options) => Box::new(blitz::run(options).await?),
            Scenario::Hall(options) => Box::new(tournaments::run(options).await?),
            Scenario::Simul(options) => Box::new(simul::run(options).await?),
            Scenario::Spectators(options) => Box::new(spectators::run(options).await?),
            Scenario::Reconnect(options) => Box::new(reconnect::run(options).await?),
            Scenario::Storm(options) => Box::new(storm::run(options).await?),
            Scenario::Flags(options) => Box::new(flags::run(options).await?),
            Scenario::Soak(options) => Box::new(soak::run(options).await?),
            Scenario::Idle(options) => Box::new(idle::run(options).await?),
            Scenario::Reference(options) => Box::new(reference::run(options).await?),
            Scenario::Relay(options) => {
                reference::relay::run(options).await?;
                return Ok(None);
            }
        }))
    }
}

fn main() -> ExitCode {
    let scenario = Cli::parse().scenario;
    let failed = |error: &str| {
        eprintln!("zeitnot-loadtest: {error}");
        ExitCode::from(2)
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("no runtime: {error}")),
    };
    let findings = match runtime.block_on(scenario.run()) {
        Ok(findings) => findings,
        Err(error) => return failed(&error),
    };
    // A relay's standard input is read by a thread that nobody can wake.
    runtime.shutdown_background();
    let (Some(findings), Some(output)) = (findings, scenario.output()) else { return ExitCode::SUCCESS };
    match report::deliver(&*findings, output) {
        Err(error) => failed(&error),
        Ok(()) if findings.passed() => ExitCode::SUCCESS,
        Ok(()) => ExitCode::FAILURE,
    }
}
