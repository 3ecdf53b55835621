//! The server under test: where it is, how it proves who it is, and where it tells of itself.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use zeitnot_client::connection::{Connector, Tuning};
use zeitnot_client::{Pin, Trust};

/// How long anything may take before it counts as failed.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Connections from one socket, at most: with more, its buffers run over in a burst.
const CONNECTIONS_A_SOCKET: usize = 200;

/// The server on the command line.
#[derive(Debug, Clone, clap::Args)]
pub struct Site {
    /// The server, HOST:PORT.
    #[arg(long, default_value = "127.0.0.1:4433")]
    pub server: String,
    /// The pin that the server printed at its start.
    #[arg(long)]
    pub pin: Option<Pin>,
    /// Trust the authorities in this PEM file instead of a pin.
    #[arg(long, conflicts_with = "pin")]
    pub ca: Option<PathBuf>,
    /// Where the server answers /metrics, HOST:PORT: what it says of itself is in the report then.
    #[arg(long)]
    pub metrics: Option<SocketAddr>,
}

impl Site {
    /// Whether the server runs on this machine, so that both read one clock.
    pub fn is_here(&self) -> bool {
        ["127.", "[::1]", "localhost:"].iter().any(|here| self.server.starts_with(here))
    }

    /// How the server proves who it is.
    pub fn trust(&self) -> Result<Trust, String> {
        match (&self.pin, &self.ca) {
            (Some(pin), _) => Ok(Trust::Pin(*pin)),
            (None, Some(path)) => Ok(Trust::Ca(path.clone())),
            (None, None) => Err("say --pin with what the server printed at its start, or --ca FILE".into()),
        }
    }
}

/// Sockets to connect from, enough for so many connections.
pub fn sockets(trust: &Trust, connections: usize) -> Result<Arc<[Connector]>, String> {
    let name = concat!("zeitnot-loadtest ", env!("CARGO_PKG_VERSION")).into();
    let tuning = Tuning { attempt: PATIENCE, name, ..Tuning::default() };
    let sockets = connections.div_ceil(CONNECTIONS_A_SOCKET).max(1);
    (0..sockets).map(|_| Connector::new(trust, tuning.clone()).map_err(|e| e.to_string())).collect()
}
