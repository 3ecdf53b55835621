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
//! | [`measure`] | what is measured |
//! | [`server_metrics`] | what the server says of itself |
//! | [`report`] | the table at the end, and JSON |

mod corpus;
mod evening;
mod idle;
mod measure;
mod options;
mod play;
mod report;
mod run;
mod server_metrics;
mod table;
mod verify;

use clap::Parser;
use options::Options;
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
