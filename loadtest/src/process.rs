//! CPU time of processes.

use crate::server_metrics;
use std::net::SocketAddr;

/// Where the CPU time of a server or of a relay is read.
#[derive(Debug, Clone, Copy)]
pub enum Cpu {
    /// A process of this machine.
    Process(u32),
    /// The metrics of a server.
    Metrics(SocketAddr),
    /// Nowhere.
    Unknown,
}

impl Cpu {
    /// CPU time so far, in seconds.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub async fn seconds(self) -> Result<f64, String> {
        match self {
            Cpu::Process(id) => {
                let stat = format!("/proc/{id}/stat");
                let text = std::fs::read_to_string(&stat).map_err(|e| format!("{stat}: {e}"))?;
                of_stat(&text).ok_or_else(|| format!("{stat} says nothing of CPU time"))
            }
            Cpu::Metrics(address) => Ok(server_metrics::read(address).await?.cpu_seconds()),
            Cpu::Unknown => Ok(f64::NAN),
        }
    }

    /// The CPU time of this process so far, in seconds; none where the system does not say.
    pub fn own_seconds() -> Option<f64> {
        of_stat(&std::fs::read_to_string("/proc/self/stat").ok()?)
    }
}

/// User and system time of a process as Linux writes it (proc(5), `stat`): in hundredths of a second, the
/// 12th and 13th field after the name in brackets.
fn of_stat(text: &str) -> Option<f64> {
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::of_stat;

    #[test]
    fn times_are_found_behind_a_name_with_spaces_and_brackets() {
        let stat = "71 (a (b) c) S 1 71 71 0 -1 4194560 500 0 0 0 250 50 7 9 20 0 4 0 100 1000 200";
        assert_eq!(of_stat(stat), Some(3.0));
        assert_eq!(of_stat("71"), None);
    }
}
