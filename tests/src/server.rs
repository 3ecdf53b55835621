//! A server in a process of its own.

use crate::programs;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use zeitnot_client::{Pin, Trust};

/// How long a server may take to say that it is there.
const START: Duration = Duration::from_secs(20);

/// What a client has to know to reach a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contact {
    /// Where it listens.
    pub address: SocketAddr,
    /// The pin of its certificate.
    pub pin: Pin,
}

impl Contact {
    /// `HOST:PORT`, as clients take it.
    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// What a client trusts to reach it.
    pub fn trust(&self) -> Trust {
        Trust::Pin(self.pin)
    }
}

impl From<&Server> for Contact {
    fn from(server: &Server) -> Contact {
        Contact { address: server.address, pin: server.pin }
    }
}

/// A running server with a data directory of its own. It is killed, and the directory removed, when
/// this is dropped.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where it answers over HTTP.
    pub http: SocketAddr,
    /// The pin of its certificate.
    pub pin: Pin,
    child: Child,
    data: TempDir,
    arguments: Vec<String>,
}

impl Server {
    /// Starts a server as it comes: on loopback, guests let in.
    pub fn start() -> Server {
        Server::with(&[])
    }

    /// Starts a server with these arguments besides.
    pub fn with(arguments: &[&str]) -> Server {
        let data = TempDir::with_prefix("zeitnot-").unwrap();
        Server::in_folder(data, arguments)
    }

    /// Starts a server on a data directory that is there already.
    pub fn in_folder(data: TempDir, arguments: &[&str]) -> Server {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let (child, said) = launch(data.path(), any, any, &arguments);
        Server { address: said.address, http: said.http, pin: said.pin, child, data, arguments }
    }

    /// What a client has to know to reach it; the same after a restart.
    pub fn contact(&self) -> Contact {
        Contact::from(self)
    }

    /// The number of its process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Its data directory.
    pub fn data(&self) -> &Path {
        self.data.path()
    }

    /// Kills it as with `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end as `systemd` does, and waits until it has.
    pub fn terminate(&mut self) -> ExitStatus {
        self.signal(rustix::process::Signal::TERM);
        self.wait(Duration::from_secs(20))
    }

    /// Sends a signal.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for its end.
    pub fn wait(&mut self, patience: Duration) -> ExitStatus {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not end\n{}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Starts it again after its end, where it was and on what it left.
    pub fn restart(&mut self) {
        let (child, said) = launch(self.data.path(), self.address, self.http, &self.arguments);
        assert_eq!((said.address, said.pin), (self.address, self.pin), "the same address and the same key");
        self.child = child;
    }

    /// Kills it and starts it again.
    pub fn crash(&mut self) {
        self.kill();
        self.restart();
    }

    /// What it has written to its log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(log_file(self.data.path())).unwrap_or_default()
    }

    /// Runs `zeitnot-server` with these arguments on the same data directory, beside the server.
    ///
    /// # Errors
    /// What it wrote to its standard error, if it did not succeed.
    pub fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new(programs::server())
            .args(arguments)
            .arg("--data-dir")
            .arg(self.data.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        if output.status.success() {
            Ok(String::from_utf8(output.stdout).unwrap())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// The answer to a GET: status and body.
    pub fn get(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.http).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.http).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_string())
    }

    /// Its metrics now.
    pub fn metrics(&self) -> Metrics {
        let (status, text) = self.get("/metrics");
        assert_eq!(status, 200);
        Metrics::parse(&text)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- log of the server ---\n{}", self.log());
        }
    }
}

/// Metrics by name, labels and all: `zeitnot_refusals_total{kind="stale"}`.
#[derive(Debug, Clone)]
pub struct Metrics(BTreeMap<String, f64>);

impl Metrics {
    fn parse(text: &str) -> Metrics {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Metrics(
            lines
                .filter_map(|line| {
                    let (name, value) = line.rsplit_once(' ')?;
                    Some((name.to_string(), value.parse().ok()?))
                })
                .collect(),
        )
    }

    /// The value of a metric; 0 if it is not there, as of a counter that never counted.
    pub fn get(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or(0.0)
    }

    /// The value of a counter.
    pub fn count(&self, name: &str) -> u64 {
        let value = self.get(name);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a counter is a small whole number"
        )]
        let count = value as u64;
        count
    }

    /// Commands and requests refused in this way.
    pub fn refusals(&self, kind: &str) -> u64 {
        self.count(&format!("zeitnot_refusals_total{{kind=\"{kind}\"}}"))
    }

    /// Connections that the server closed with this code.
    pub fn closes(&self, code: &str) -> u64 {
        self.count(&format!("zeitnot_closes_total{{code=\"{code}\"}}"))
    }

    /// Streams that the server reset with this code.
    pub fn resets(&self, code: &str) -> u64 {
        self.count(&format!("zeitnot_stream_resets_total{{code=\"{code}\"}}"))
    }
}

/// What a server prints at start.
struct Said {
    address: SocketAddr,
    http: SocketAddr,
    pin: Pin,
}

fn log_file(data: &Path) -> PathBuf {
    data.join("test.log")
}

/// Starts the program and waits until it has said where it is.
fn launch(data: &Path, listen: SocketAddr, http: SocketAddr, arguments: &[String]) -> (Child, Said) {
    let log = std::fs::File::options().create(true).append(true).open(log_file(data)).unwrap();
    let mut command = Command::new(programs::server());
    command.arg("--data-dir").arg(data);
    command.args(["--listen", &listen.to_string(), "--http", &http.to_string()]).args(arguments);
    command.env("RUST_BACKTRACE", "1");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    match said(stdout) {
        Some(said) => (child, said),
        None => {
            // Whatever it still does, the test is over.
            let _ = child.kill();
            let _ = child.wait();
            panic!(
                "the server does not say that it is there\n{}",
                std::fs::read_to_string(log_file(data)).unwrap_or_default()
            );
        }
    }
}

/// What a server says at its start, if it does in time.
fn said(stdout: BufReader<ChildStdout>) -> Option<Said> {
    let (lines, received) = mpsc::channel();
    // Reads on when all is said: a full pipe would stop the server.
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let _nobody_listens = lines.send(line);
        }
    });
    let deadline = Instant::now() + START;
    let (mut address, mut http, mut pin) = (None, None, None);
    loop {
        let line: String = received.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()?;
        for word in line.split(|c: char| c.is_whitespace() || "`'\",()".contains(c)) {
            if let Some(rest) = word.strip_prefix("http://") {
                http = http.or_else(|| rest.split('/').next()?.parse().ok());
            } else {
                address = address.or_else(|| word.parse().ok());
                pin = pin.or_else(|| word.parse().ok());
            }
        }
        if let (Some(address), Some(http), Some(pin)) = (address, http, pin) {
            return Some(Said { address, http, pin });
        }
    }
}
