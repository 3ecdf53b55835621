//! How near a server is to its transport: the same traffic against a bare QUIC relay and against a server,
//! in turns, so that whatever else the machine does falls on both.

mod child;
mod frames;
mod point;
pub mod relay;
mod report;
mod table;

pub use report::Report;

use crate::options::{Output, span};
use crate::process::Cpu;
use crate::site::Site;
use crate::{corpus, random_games};
use child::RelayProcess;
use point::{Measured, Plan, Point, Target};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use table::Lobby;
use zeitnot_proto::TimeControl;

/// Random games, played one after another and over again.
const RANDOM_GAMES: u64 = 32;

/// What the relay costs, and a server beside it.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Connections of closed loops, a measurement for each. Without any of --points, --rates, --fan-out and
    /// --handshakes: 200,2000,10000, and the rates 2000,5000.
    #[arg(long, value_delimiter = ',', value_name = "N,..")]
    pub points: Vec<usize>,
    /// Moves a second of open loops, a measurement for each.
    #[arg(long, value_delimiter = ',', value_name = "R,..")]
    pub rates: Vec<f64>,
    /// Connections of each open loop.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub paced_connections: usize,
    /// Spectators of one game, a measurement for each.
    #[arg(long, value_delimiter = ',', value_name = "N,..")]
    pub fan_out: Vec<usize>,
    /// Measure handshakes, hello and welcome included.
    #[arg(long)]
    pub handshakes: bool,
    /// Measure a second relay that makes every move durable before it answers, as a server does.
    #[arg(long)]
    pub fsync: bool,
    /// Where that relay keeps its log: on the disk that the server's data is on. The directory for temporary
    /// files if not said.
    #[arg(long, value_name = "DIR")]
    pub fsync_in: Option<PathBuf>,
    /// How long each measurement takes.
    #[arg(long, default_value = "5s", value_parser = span, value_name = "SPAN")]
    pub duration: Duration,
    /// How often everything is measured, in turns; the report has the least CPU time of all.
    #[arg(long, default_value_t = 2)]
    pub passes: usize,
    /// The games: long random ones without ends, or recorded ones, which begin and end all the time.
    #[arg(long, value_enum, default_value_t = Games::Random)]
    pub moves: Games,
    /// Half-moves of a random game.
    #[arg(long, default_value_t = 1000)]
    pub plies: usize,
    /// The time control at the server.
    #[arg(long, default_value = "600+5")]
    pub time_control: TimeControl,
    /// Fail where the server uses more than so many times the CPU time of the relay for a move: of the one with
    /// --fsync, if it was measured.
    #[arg(long)]
    pub max_ratio: Option<f64>,
    /// The server beside the relay; measured if --pin or --ca says how to trust it.
    #[command(flatten)]
    pub site: Site,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

/// Which games are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Games {
    /// Random legal games that go on and on.
    Random,
    /// Recorded games of people, 84 half-moves on the average.
    Recorded,
}

/// Who is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// The bare relay.
    Relay,
    /// The relay that makes moves durable.
    RelayFsync,
    /// The server.
    Server,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Who::Relay => "relay",
            Who::RelayFsync => "relay, fsync",
            Who::Server => "server",
        })
    }
}

/// One measurement of one of them.
pub struct Taken {
    point: Point,
    who: Who,
    measured: Measured,
}

impl Options {
    fn list(&self) -> Vec<Point> {
        let nothing = self.points.is_empty() && self.rates.is_empty() && self.fan_out.is_empty();
        let (points, rates) = if nothing && !self.handshakes {
            (&[200, 2_000, 10_000][..], &[2_000.0, 5_000.0][..])
        } else {
            (&self.points[..], &self.rates[..])
        };
        let paced = |&rate: &f64| Point::Paced { connections: self.paced_connections, rate };
        let mut list: Vec<Point> = points.iter().map(|&connections| Point::Closed { connections }).collect();
        list.extend(rates.iter().map(paced));
        list.extend(self.fan_out.iter().map(|&watchers| Point::FanOut { watchers }));
        list.extend(self.handshakes.then_some(Point::Handshakes));
        list
    }

    fn whom(&self) -> Vec<Who> {
        let server = self.site.pin.is_some() || self.site.ca.is_some();
        let all = [(Who::Relay, true), (Who::RelayFsync, self.fsync), (Who::Server, server)];
        all.into_iter().filter_map(|(who, wanted)| wanted.then_some(who)).collect()
    }
}

/// Measures everything, in turns.
///
/// # Errors
/// Why it could not be measured.
pub async fn run(options: &Options) -> Result<Report, String> {
    let games = match options.moves {
        Games::Random => (0..RANDOM_GAMES).map(|seed| random_games::game(seed, options.plies)).collect(),
        Games::Recorded => corpus::games(),
    };
    let plan = Plan { span: options.duration, games, time_control: options.time_control.clone() };
    let (mut taken, mut failed) = (Vec::new(), Vec::new());
    for point in options.list() {
        for pass in 1..=options.passes.max(1) {
            for who in options.whom() {
                eprintln!("{point}: {who}, pass {pass}");
                match once(options, &plan, point, who).await {
                    Ok(measured) => taken.push(Taken { point, who, measured }),
                    // What was measured before is worth keeping.
                    Err(error) => failed.push(format!("{point}, {who}, pass {pass}: {error}")),
                }
            }
        }
    }
    if taken.is_empty() {
        return Err(failed.into_iter().next().unwrap_or_else(|| "nothing was to be measured".into()));
    }
    Ok(Report { taken, failed, max_ratio: options.max_ratio })
}

async fn once(options: &Options, plan: &Plan, point: Point, who: Who) -> Result<Measured, String> {
    if who == Who::Server {
        let site = &options.site;
        let cpu = site.metrics.map_or(Cpu::Unknown, Cpu::Metrics);
        let lobby = Lobby::server(plan.time_control.clone());
        let target = Target { server: site.server.clone(), trust: site.trust()?, cpu, lobby };
        return point::measure(point, target, plan).await;
    }
    let logs = match who {
        Who::RelayFsync => {
            let dir = options.fsync_in.clone().unwrap_or_else(std::env::temp_dir);
            Some(
                tempfile::TempDir::with_prefix_in("zeitnot-relay-", &dir)
                    .map_err(|e| format!("{}: {e}", dir.display()))?,
            )
        }
        _ => None,
    };
    let relay = RelayProcess::start(logs.as_ref().map(tempfile::TempDir::path))?;
    point::measure(point, relay.target(), plan).await
}
