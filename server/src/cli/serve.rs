//! `zeitnot-server serve`, and what the server does without any command.

use crate::config::{Config, LogFormat, Settings, documented};
use crate::serve::{self, Running};
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// Serves until it is asked to end.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File of settings, in TOML: the keys are the names of the flags below
    #[arg(long, value_name = "FILE", env = "ZEITNOT_CONFIG")]
    config: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
}

/// Gives every setting its variable, and tells its key and default in the help.
pub fn document(command: clap::Command) -> clap::Command {
    documented().into_iter().fold(command, |command, (name, default)| {
        command.mut_arg(name, |arg| {
            let variable = format!("ZEITNOT_{}", name.to_uppercase());
            let key = name.replace('_', "-");
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let default = if default.is_empty() { String::new() } else { format!(" [default: {default}]") };
            arg.env(variable).help(format!("{help} [file: {key}]{default}"))
        })
    })
}

/// Serves. Exit code 0 after a request to end, 1 if the server could not start, 2 if it is not configured
/// in a way that makes sense.
pub fn run(args: Args) -> ExitCode {
    let config = match Config::load(args.config.as_deref(), args.settings) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("zeitnot-server: {error}");
            return ExitCode::from(2);
        }
    };
    let filter = match EnvFilter::try_new(&config.log_level) {
        Ok(filter) => filter,
        Err(error) => {
            eprintln!("zeitnot-server: --log-level {}: {error}", config.log_level);
            return ExitCode::from(2);
        }
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match config.log {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("zeitnot-server: no threads: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(until_told(&config)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("zeitnot-server: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs until SIGTERM or SIGINT, then goes down in order.
async fn until_told(config: &Config) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let running = serve::start(config).await?;
    announce(&running);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    running.drain(config.drain, config.retry_after).await;
    Ok(())
}

/// Says where the server is, how to know it, and what a player types next.
fn announce(running: &Running) {
    let Running { address, http, pin, recovered, .. } = running;
    println!("zeitnot-server {} listens on {address} (QUIC)", env!("CARGO_PKG_VERSION"));
    println!("certificate fingerprint  {pin}  (SHA-256 of the public key)");
    match http {
        Some(http) => println!("metrics and health       http://{http}/metrics"),
        None => println!("metrics and health       off"),
    }
    if *recovered > 0 {
        println!("games under way          {recovered}");
    }
    // An address that stands for all of this machine's is none that a player could type.
    let typed = if address.ip().is_unspecified() {
        format!("THIS-HOST:{}", address.port())
    } else {
        address.to_string()
    };
    println!("to play, type            zeitnot play --server {typed} --pin {pin}");
}
