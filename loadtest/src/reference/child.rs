//! The relay as a process of its own.

use super::point::Target;
use super::table::Lobby;
use crate::process::Cpu;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use zeitnot_client::Trust;

/// A relay that runs until this is dropped.
pub struct RelayProcess {
    child: Child,
    /// The relay ends when this is closed.
    input: Option<ChildStdin>,
    address: String,
    trust: Trust,
}

impl RelayProcess {
    /// Starts this program as a relay, with a log in `log_in` if that is said.
    ///
    /// # Errors
    /// Why it did not start.
    pub fn start(log_in: Option<&Path>) -> Result<RelayProcess, String> {
        let program = std::env::current_exe().map_err(|e| format!("this program's own path: {e}"))?;
        let mut command = Command::new(program);
        command.arg("relay").stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(dir) = log_in {
            command.arg("--log-in").arg(dir);
        }
        let mut child = command.spawn().map_err(|e| format!("the relay: {e}"))?;
        let input = child.stdin.take();
        let mut said = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut said).map_err(|e| format!("the relay: {e}"))?;
        }
        let parts = said.trim().split_once(' ').and_then(|(address, pin)| Some((address, pin.parse().ok()?)));
        let Some((address, pin)) = parts else {
            // It has said on its standard error why.
            let _ended = child.wait();
            return Err("the relay did not start".into());
        };
        Ok(RelayProcess { child, input, address: address.to_owned(), trust: Trust::Pin(pin) })
    }

    /// How to reach it.
    pub fn target(&self) -> Target {
        Target {
            server: self.address.clone(),
            trust: self.trust.clone(),
            cpu: Cpu::Process(self.child.id()),
            lobby: Lobby::relay(),
        }
    }
}

impl Drop for RelayProcess {
    fn drop(&mut self) {
        drop(self.input.take());
        // It has no choice but to end.
        let _ended = self.child.wait();
    }
}
