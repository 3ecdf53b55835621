//! The server binary.

use clap::Parser as _;
use std::process::ExitCode;
use zeitnot_server::cli::{self, Cli};

fn main() -> ExitCode {
    cli::run(Cli::parse())
}
