//! What the server says of itself at `/metrics`.

use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::table::PATIENCE;

/// The numbers that a report is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// CPU time of the process so far, in seconds.
    pub cpu_seconds: f64,
    /// Resident memory, in bytes.
    pub resident_bytes: f64,
    /// Moves completed so far.
    pub moves: f64,
    /// Connections that said hello.
    pub connections: f64,
    /// Games under way.
    pub games: f64,
}

/// Reads the metrics once.
///
/// # Errors
/// Why they cannot be had, in words.
pub async fn read(address: SocketAddr) -> Result<Reading, String> {
    let text = timeout(PATIENCE, get(address)).await.map_err(|_| "no answer".to_string());
    let text = text.and_then(|read| read.map_err(|e| e.to_string()));
    let text = text.map_err(|e| format!("http://{address}/metrics: {e}"))?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.trim().parse().ok())
            .ok_or_else(|| format!("http://{address}/metrics says nothing of {name}"))
    };
    Ok(Reading {
        cpu_seconds: value("zeitnot_cpu_seconds_total")?,
        resident_bytes: value("process_resident_memory_bytes")?,
        moves: value("zeitnot_moves_total")?,
        connections: value("zeitnot_connections")?,
        games: value("zeitnot_games")?,
    })
}

async fn get(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}
