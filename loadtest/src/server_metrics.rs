//! What the server says of itself at `/metrics`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::site::PATIENCE;

/// All metrics at an instant, by name and labels: `zeitnot_refusals_total{kind="stale"}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading(BTreeMap<String, f64>);

impl Reading {
    fn parse(text: &str) -> Reading {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let metric = |line: &str| {
            let (name, value) = line.rsplit_once(' ')?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        Reading(lines.filter_map(metric).collect())
    }

    /// The value of a metric; 0 if it is not there, as of a counter that never counted.
    pub fn get(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or(0.0)
    }

    /// CPU time of the process so far, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        self.get("zeitnot_cpu_seconds_total")
    }

    /// Resident memory, in bytes.
    pub fn resident_bytes(&self) -> f64 {
        self.get("process_resident_memory_bytes")
    }
}

/// The metrics at both ends of a span.
#[derive(Debug, Clone)]
pub struct Use {
    /// At the beginning.
    pub before: Reading,
    /// At the end.
    pub after: Reading,
}

impl Use {
    /// How much a counter rose.
    pub fn rise(&self, name: &str) -> f64 {
        self.after.get(name) - self.before.get(name)
    }

    /// CPU time, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        self.after.cpu_seconds() - self.before.cpu_seconds()
    }

    /// CPU time for each thousand moves, in seconds.
    pub fn cpu_seconds_per_1000_moves(&self) -> f64 {
        self.cpu_seconds() * 1000.0 / self.rise("zeitnot_moves_total").max(1.0)
    }

    /// Commits of the journal.
    pub fn commits(&self) -> f64 {
        self.rise("zeitnot_journal_group_records_count")
    }

    /// Decisions in a commit, on the average.
    pub fn decisions_per_commit(&self) -> f64 {
        self.rise("zeitnot_journal_group_records_sum") / self.commits().max(1.0)
    }

    /// What a commit took, on the average, in milliseconds.
    pub fn commit_ms(&self) -> f64 {
        self.rise("zeitnot_journal_commit_seconds_sum") * 1000.0 / self.commits().max(1.0)
    }

    /// Refusals by kind, as the server counts them.
    pub fn refusals(&self) -> BTreeMap<String, f64> {
        let name = |metric: &str| {
            let kind = metric.strip_prefix("zeitnot_refusals_total{kind=\"")?;
            kind.strip_suffix("\"}").map(ToOwned::to_owned)
        };
        let rises = self.after.0.keys().filter_map(|metric| Some((name(metric)?, self.rise(metric))));
        rises.filter(|(_, rise)| *rise > 0.0).collect()
    }
}

/// Reads the metrics once.
///
/// # Errors
/// Why they cannot be had, in words.
pub async fn read(address: SocketAddr) -> Result<Reading, String> {
    let text = timeout(PATIENCE, get(address)).await.map_err(|_| "no answer".to_string());
    let text = text.and_then(|read| read.map_err(|e| e.to_string()));
    let reading = Reading::parse(&text.map_err(|e| format!("http://{address}/metrics: {e}"))?);
    if reading.0.contains_key("zeitnot_moves_total") {
        Ok(reading)
    } else {
        Err(format!("http://{address}/metrics is not a Zeitnot server's"))
    }
}

async fn get(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_with_their_labels() {
        let before = Reading::parse("# HELP a b\nzeitnot_moves_total 7\n");
        let after = Reading::parse("zeitnot_moves_total 9\nzeitnot_refusals_total{kind=\"stale\"} 3\n");
        let used = Use { before, after };
        assert_eq!(used.rise("zeitnot_moves_total").to_string(), "2");
        assert_eq!(used.refusals().into_keys().collect::<Vec<_>>(), ["stale"]);
    }
}
