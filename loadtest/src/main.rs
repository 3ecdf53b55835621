//! The load test: thousands of games of real moves against a running Zeitnot server, with a report.
//!
//! | module | what it does |
//! |---|---|
//! | [`options`] | the command line |
//! | [`corpus`] | the games that are played |
//! | [`table`] | two players who sit down to a game, each on a connection of its own |
//! | [`play`] | the moves of one game, in a closed or an open loop |
//! | [`run`] | all games for a given time |
//! | [`idle`] | what games that nobody moves in cost the server in memory |
//! | [`evening`] | many tournaments at once, played to their ends |
//! | [`verify`] | whether the server's record holds every move that it acknowledged |
//! | [`reference`] | the same traffic against a bare relay and a server |
//! | [`measure`] | what is measured |
//! | [`server_metrics`] | what the server says of itself |
//! | [`report`] | the table at the end, and JSON |

mod corpus;
mod evening;
mod idle;
mod measure;
mod options;
mod play;
mod process;
mod random_games;
mod reference;
mod report;
mod run;
mod server_metrics;
mod site;
mod table;
mod verify;

use clap::Parser;
use options::{Options, Sub};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("zeitnot-loadtest: no runtime: {error}");
            return ExitCode::from(2);
        }
    };
    if let Some(command) = &options.command {
        return runtime.block_on(run_command(command));
    }
    let outcome = runtime.block_on(async {
        if options.tournaments > 0 {
            evening::run(&options).await
        } else if options.idle {
            idle::run(&options).await
        } else {
            run::run(&options).await
        }
    });
    match outcome {
        Ok(report) => {
            print!("{report}");
            if let Some(path) = &options.json
                && let Err(error) = std::fs::write(path, report.to_json())
            {
                eprintln!("zeitnot-loadtest: {}: {error}", path.display());
                return ExitCode::from(2);
            }
            if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("zeitnot-loadtest: {error}");
            ExitCode::from(2)
        }
    }
}

/// Does what a subcommand asks for.
async fn run_command(command: &Sub) -> ExitCode {
    let failed = |error: &str| {
        eprintln!("zeitnot-loadtest: {error}");
        ExitCode::from(2)
    };
    match command {
        Sub::Relay(options) => match reference::relay::run(options).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error),
        },
        Sub::Reference(options) => match reference::run(options).await {
            Ok(report) => {
                print!("{report}");
                if let Some(path) = &options.json
                    && let Err(error) = std::fs::write(path, format!("{:#}\n", report.to_json()))
                {
                    return failed(&format!("{}: {error}", path.display()));
                }
                if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
            }
            Err(error) => failed(&error),
        },
    }
}
