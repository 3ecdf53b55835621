//! The command line.

use clap::{Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use zeitnot_client::{Pin, Trust};
use zeitnot_proto::TimeControl;

/// Plays many games at once against a Zeitnot server and measures it.
///
/// Every game has two connections of its own, both guests, and plays a recorded game; when it is over,
/// the next one begins. Without --rate each game moves as soon as both sides have seen the move before
/// (closed loop); with --rate moves are due at fixed instants whatever the server does (open loop), and
/// latencies count from when a move was due.
///
/// At the end the server's PGN of every game is compared with the moves that it acknowledged. The exit
/// code is 0 if all of it agrees and every bar holds, 1 if not, 2 if the test could not be run.
#[derive(Debug, Clone, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Options {
    /// Something else than games.
    #[command(subcommand)]
    pub command: Option<Sub>,
    /// How many games at once.
    #[arg(long, default_value_t = 100)]
    pub games: usize,
    /// How long to measure, in seconds, after all have sat down.
    #[arg(long, default_value_t = 10.0)]
    pub duration: f64,
    /// The server, HOST:PORT.
    #[arg(long, default_value = "127.0.0.1:4433")]
    pub server: String,
    /// The pin that the server printed at its start.
    #[arg(long)]
    pub pin: Option<Pin>,
    /// Trust the authorities in this PEM file instead of a pin.
    #[arg(long, conflicts_with = "pin")]
    pub ca: Option<PathBuf>,
    /// Where the server answers /metrics, HOST:PORT: its CPU time and memory are in the report then.
    #[arg(long)]
    pub metrics: Option<SocketAddr>,
    /// Moves a second of all games together (open loop).
    #[arg(long)]
    pub rate: Option<f64>,
    /// Shortest time between two moves of a game in the closed loop, in milliseconds: the server allows
    /// 50 frames a second on a stream.
    #[arg(long, default_value_t = 12)]
    pub pace_ms: u64,
    /// The time control of the games.
    #[arg(long, default_value = "600+5")]
    pub time_control: TimeControl,
    /// UDP sockets to connect from; one for every 100 games if not given.
    #[arg(long)]
    pub endpoints: Option<usize>,
    /// New connections a second.
    #[arg(long, default_value_t = 400.0)]
    pub connect_rate: f64,
    /// A token with the role of an organizer, who creates the games; without it the players challenge
    /// each other.
    #[arg(long, env = "ZEITNOT_TOKEN", hide_env_values = true)]
    pub organizer_token: Option<String>,
    /// Measure the server's memory for each further pair of connections with a game between them that
    /// nobody moves in. Needs --metrics.
    #[arg(long, requires = "metrics")]
    pub idle: bool,
    /// With --idle: most KiB of server memory for each further pair.
    #[arg(long, default_value_t = 96.0)]
    pub idle_bar_kib: f64,
    /// Play so many Swiss tournaments at once to their ends instead; needs --organizer-token.
    #[arg(long, default_value_t = 0, value_name = "N", conflicts_with = "idle")]
    pub tournaments: usize,
    /// With --tournaments: players of each.
    #[arg(long, default_value_t = 32, value_name = "N")]
    pub players: usize,
    /// With --tournaments: rounds of each.
    #[arg(long, default_value_t = 9, value_name = "N")]
    pub rounds: u16,
    /// With --tournaments: the program `zeitnot-server`, which pairs every round of every report again.
    #[arg(long, value_name = "PROGRAM")]
    pub checker: Option<PathBuf>,
    /// Write the report to this file as JSON too.
    #[arg(long)]
    pub json: Option<PathBuf>,
}

/// What else there is.
#[derive(Debug, Clone, Subcommand)]
pub enum Sub {
    /// Measures what a bare QUIC relay costs, and a server beside it.
    Reference(Box<crate::reference::Options>),
    /// The relay itself.
    #[command(hide = true)]
    Relay(crate::reference::relay::Options),
}

impl Options {
    /// How the server proves who it is.
    pub fn trust(&self) -> Result<Trust, String> {
        match (&self.pin, &self.ca) {
            (Some(pin), _) => Ok(Trust::Pin(*pin)),
            (None, Some(path)) => Ok(Trust::Ca(path.clone())),
            (None, None) => Err("say --pin with what the server printed at its start, or --ca FILE".into()),
        }
    }

    /// How long to measure.
    pub fn measured(&self) -> Result<Duration, String> {
        Duration::try_from_secs_f64(self.duration).map_err(|_| "--duration is no span of time".into())
    }

    /// UDP sockets to connect from.
    pub fn endpoint_count(&self) -> usize {
        self.endpoints.unwrap_or_else(|| self.games.div_ceil(100)).max(1)
    }

    /// From one new pair of connections to the next.
    pub fn pair_interval(&self) -> Duration {
        Duration::try_from_secs_f64(2.0 / self.connect_rate).unwrap_or_default()
    }
}
