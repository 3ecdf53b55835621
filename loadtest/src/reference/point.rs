//! One measurement: so many connections under such a load, against a relay or a server.

use super::table::{Guest, Lobby, Pair};
use crate::measure::Spans;
use crate::process::Cpu;
use crate::site;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use zeitnot_client::connection::Connector;
use zeitnot_client::{Error, Trust};
use zeitnot_proto::close::Code;
use zeitnot_proto::control::Credential;
use zeitnot_proto::game_stream::{Attach, FromGame, Seat};
use zeitnot_proto::{Event, Move, TimeControl};

/// Moves are made and not counted for so long, until all are in their stride.
const WARM_UP: Duration = Duration::from_secs(1);
/// Connections that are being made at once.
const CONNECTING: usize = 64;
/// How long all may take to sit down, and a game to come to its end.
const PATIENCE: Duration = Duration::from_mins(3);

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Point {
    /// Each game moves as soon as both have the last move.
    Closed {
        /// Two for each game.
        connections: usize,
    },
    /// Moves are due at fixed instants.
    Paced {
        /// Two for each game.
        connections: usize,
        /// Moves a second of all games together.
        rate: f64,
    },
    /// One game, whose next move is made when every spectator has the last one.
    FanOut {
        /// Spectators, each on a connection of his own.
        watchers: usize,
    },
    /// Connections that say hello and leave.
    Handshakes,
}

impl Point {
    /// What is counted.
    pub fn unit(self) -> &'static str {
        match self {
            Point::Closed { .. } | Point::Paced { .. } => "move",
            Point::FanOut { .. } => "delivery",
            Point::Handshakes => "handshake",
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Point::Closed { connections } => write!(f, "{connections} connections, closed loop"),
            Point::Paced { connections, rate } => write!(f, "{connections} connections, {rate} moves/s"),
            Point::FanOut { watchers } => write!(f, "{watchers} spectators of one game"),
            Point::Handshakes => write!(f, "handshakes"),
        }
    }
}

/// Whom it is measured against.
pub struct Target {
    /// HOST:PORT.
    pub server: String,
    /// How it proves who it is.
    pub trust: Trust,
    /// Where its CPU time is read.
    pub cpu: Cpu,
    /// Where games come from.
    pub lobby: Lobby,
}

/// What every measurement has in common.
pub struct Plan {
    /// How long is measured.
    pub span: Duration,
    /// The games that are played.
    pub games: Vec<Vec<Move>>,
    /// Under which time control, at a server.
    pub time_control: TimeControl,
}

/// What was measured.
pub struct Measured {
    /// Moves, deliveries or handshakes.
    pub count: u64,
    /// How long.
    pub seconds: f64,
    /// CPU time that the other side used, in seconds.
    pub cpu_seconds: f64,
    /// CPU time that this process used, in seconds.
    pub own_cpu_seconds: f64,
    /// From a move to its answer; of a fan-out, to its last delivery; of a handshake, to its welcome.
    pub round_trip: Spans,
    /// From a move to its arrival at the opponent.
    pub relay: Spans,
    /// Games that began while it was measured.
    pub starts: u64,
    /// What went over the wire.
    pub wire: Wire,
}

/// Datagrams and bytes, as this side counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wire {
    /// Datagrams sent to the other side.
    pub datagrams_in: u64,
    /// Datagrams that came from it.
    pub datagrams_out: u64,
    /// Bytes that came from it.
    pub bytes_out: u64,
}

impl Wire {
    fn of<'a>(guests: impl Iterator<Item = &'a quinn::Connection>) -> Wire {
        guests.fold(Wire::default(), |sum, connection| {
            let stats = connection.stats();
            Wire {
                datagrams_in: sum.datagrams_in + stats.udp_tx.datagrams,
                datagrams_out: sum.datagrams_out + stats.udp_rx.datagrams,
                bytes_out: sum.bytes_out + stats.udp_rx.bytes,
            }
        })
    }

    fn since(self, before: Wire) -> Wire {
        Wire {
            datagrams_in: self.datagrams_in - before.datagrams_in,
            datagrams_out: self.datagrams_out - before.datagrams_out,
            bytes_out: self.bytes_out - before.bytes_out,
        }
    }
}

/// What is counted while it is measured.
#[derive(Default)]
struct Counts {
    count: u64,
    round_trip: Spans,
    relay: Spans,
    starts: u64,
}

/// The span in which is counted, once it is known.
type Window = watch::Receiver<Option<(Instant, Instant)>>;

struct Shared {
    target: Target,
    games: Vec<Vec<Move>>,
    counts: Mutex<Counts>,
}

impl Shared {
    fn count(&self, counted: impl FnOnce(&mut Counts)) {
        counted(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn take(&self) -> Counts {
        std::mem::take(&mut *self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Measures a point.
///
/// # Errors
/// Why it could not be measured, in words.
pub async fn measure(point: Point, target: Target, plan: &Plan) -> Result<Measured, String> {
    let shared = Arc::new(Shared { target, games: plan.games.clone(), counts: Mutex::default() });
    match point {
        Point::Closed { connections } => moves(&shared, connections, None, plan.span).await,
        Point::Paced { connections, rate } => moves(&shared, connections, Some(rate), plan.span).await,
        Point::FanOut { watchers } => fan_out(&shared, watchers, plan.span).await,
        Point::Handshakes => handshakes(&shared, plan.span).await,
    }
}

fn words(error: &Error) -> String {
    match error {
        Error::Stream(Code::RateLimited) => {
            "the server bounds the frames of a stream; start it with --limit-frames-per-second 100000".into()
        }
        error => error.to_string(),
    }
}

/// Reads both ends of the span that is measured.
async fn over_span(
    shared: &Shared,
    window: &watch::Sender<Option<(Instant, Instant)>>,
    span: Duration,
    wire: impl Fn() -> Wire,
) -> Result<Measured, String> {
    let since = Instant::now() + WARM_UP;
    window.send_replace(Some((since, since + span)));
    tokio::time::sleep_until(since).await;
    let (cpu, own, sent) = (shared.target.cpu.seconds().await?, Cpu::own_seconds(), wire());
    tokio::time::sleep_until(since + span).await;
    let cpu_seconds = shared.target.cpu.seconds().await? - cpu;
    let own_cpu_seconds = Cpu::own_seconds().zip(own).map_or(f64::NAN, |(after, before)| after - before);
    let wire = wire().since(sent);
    let Counts { count, round_trip, relay, starts } = shared.take();
    let seconds = span.as_secs_f64();
    Ok(Measured { count, seconds, cpu_seconds, own_cpu_seconds, round_trip, relay, starts, wire })
}

/// Connects so many, a few at a time.
async fn connect(target: &Target, count: usize) -> Result<(Arc<[Connector]>, Vec<Guest>), String> {
    let sockets = site::sockets(&target.trust, count)?;
    let room = Arc::new(Semaphore::new(CONNECTING));
    let mut connecting = JoinSet::new();
    for number in 0..count {
        let (sockets, server, room) = (Arc::clone(&sockets), target.server.clone(), Arc::clone(&room));
        connecting.spawn(async move {
            let _turn = room.acquire_owned().await;
            Guest::open(&sockets[number % sockets.len()], &server).await
        });
    }
    let mut guests = Vec::with_capacity(count);
    while let Some(joined) = connecting.join_next().await {
        guests
            .push(joined.map_err(|e| e.to_string())?.map_err(|e| format!("cannot connect: {}", words(&e)))?);
    }
    Ok((sockets, guests))
}

/// Waits until the other side knows that all have left, but not for ever.
async fn leave(sockets: &[Connector]) {
    for socket in sockets {
        let _told = tokio::time::timeout(Duration::from_secs(3), socket.wait_idle()).await;
    }
}

async fn moves(
    shared: &Arc<Shared>,
    connections: usize,
    rate: Option<f64>,
    span: Duration,
) -> Result<Measured, String> {
    let games = (connections / 2).max(1);
    #[expect(clippy::cast_precision_loss, reason = "a number of games is small")]
    let interval = rate.map(|rate| Duration::try_from_secs_f64(games as f64 / rate)).transpose();
    let interval = interval.map_err(|_| "that is no rate of moves".to_string())?;
    let (sockets, mut guests) = connect(&shared.target, games * 2).await?;
    let quic: Vec<_> = guests.iter().map(|guest| guest.connection.quic().clone()).collect();
    let (window, watched) = watch::channel(None);
    let room = Arc::new(Semaphore::new(CONNECTING));
    let mut players = JoinSet::new();
    let seated = Arc::new(AtomicU64::new(0));
    for number in 0..games {
        let (Some(white), Some(black)) = (guests.pop(), guests.pop()) else { break };
        let seating = Seating { pair: Pair { white, black }, room: Arc::clone(&room) };
        let (shared, watched, seated) = (Arc::clone(shared), watched.clone(), Arc::clone(&seated));
        let phase = interval.map(|interval| (phase(number, games, interval), interval));
        players.spawn(async move { games_of(&shared, number, seating, phase, watched, &seated).await });
    }
    until(PATIENCE, "sit down", || seated.load(Ordering::Relaxed) == games as u64, &mut players).await?;
    let measured = over_span(shared, &window, span, || Wire::of(quic.iter())).await?;
    let ended = async {
        while let Some(joined) = players.join_next().await {
            joined.map_err(|e| e.to_string())??;
        }
        Ok::<(), String>(())
    };
    tokio::time::timeout(PATIENCE, ended).await.map_err(|_| "some games do not end".to_string())??;
    leave(&sockets).await;
    Ok(measured)
}

/// Where in the interval this game's moves fall, so that all of them are spread evenly.
fn phase(number: usize, games: usize, interval: Duration) -> Duration {
    let (number, games) = (u32::try_from(number).unwrap_or(0), u32::try_from(games).unwrap_or(u32::MAX));
    interval / games.max(1) * number
}

/// Waits until something holds, unless a task fails before.
async fn until(
    patience: Duration,
    what: &str,
    holds: impl Fn() -> bool,
    tasks: &mut JoinSet<Result<(), String>>,
) -> Result<(), String> {
    let deadline = Instant::now() + patience;
    while !holds() {
        if let Some(joined) = tasks.try_join_next() {
            joined.map_err(|e| e.to_string())??;
        }
        if Instant::now() > deadline {
            return Err(format!("not all of them {what}"));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

struct Seating {
    pair: Pair,
    room: Arc<Semaphore>,
}

/// One game after another between the two, until the time is up.
async fn games_of(
    shared: &Shared,
    number: usize,
    seating: Seating,
    phase: Option<(Duration, Duration)>,
    mut window: Window,
    seated: &AtomicU64,
) -> Result<(), String> {
    let Seating { mut pair, room } = seating;
    let mut table = {
        let _turn = room.acquire().await;
        shared.target.lobby.sit_down(&mut pair).await.map_err(|e| words(&e))?
    };
    seated.fetch_add(1, Ordering::Relaxed);
    let bounds = *window.wait_for(Option::is_some).await.map_err(|e| e.to_string())?;
    let Some((since, until)) = bounds else { return Ok(()) };
    let start = since.checked_sub(WARM_UP).unwrap_or(since);
    let mut due = phase.map(|(phase, interval)| (start + phase, interval));
    for game in (0..).map(|round| number + round) {
        let moves = &shared.games[game % shared.games.len()];
        let mut plies = 0;
        let mut over = false;
        for &mv in moves {
            let at = match &mut due {
                None => Instant::now(),
                Some((at, interval)) => {
                    let this = *at;
                    *at += *interval;
                    tokio::time::sleep_until(this).await;
                    this
                }
            };
            if at >= until || Instant::now() >= until {
                return table.resign(plies).await.map_err(|e| words(&e));
            }
            let made = table.play(plies, mv).await.map_err(|e| words(&e))?;
            plies += 1;
            if made.answered.max(made.relayed) < until && at.min(made.answered) >= since {
                shared.count(|counts| {
                    counts.count += 1;
                    counts.round_trip.record(made.answered - at);
                    counts.relay.record(made.relayed - at);
                });
            }
            over = made.over;
            if over {
                break;
            }
        }
        if !over {
            table.resign(plies).await.map_err(|e| words(&e))?;
        }
        table = shared.target.lobby.sit_down(&mut pair).await.map_err(|e| words(&e))?;
        if Instant::now() >= since {
            shared.count(|counts| counts.starts += 1);
        }
    }
    Ok(())
}

/// Deliveries to spectators so far, and whoever waits for the last one.
#[derive(Default)]
struct Deliveries {
    count: AtomicU64,
    /// How many there have to be before the next move.
    wanted: AtomicU64,
    all: Notify,
}

async fn fan_out(shared: &Arc<Shared>, watchers: usize, span: Duration) -> Result<Measured, String> {
    let (sockets, mut guests) = connect(&shared.target, watchers + 2).await?;
    let quic: Vec<_> = guests.iter().map(|guest| guest.connection.quic().clone()).collect();
    let (Some(white), Some(black)) = (guests.pop(), guests.pop()) else { return Err("nobody plays".into()) };
    let mut pair = Pair { white, black };
    let table = shared.target.lobby.sit_down(&mut pair).await.map_err(|e| words(&e))?;
    let deliveries = Arc::new(Deliveries::default());
    let seated = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    for guest in guests {
        let (deliveries, seated, game) = (Arc::clone(&deliveries), Arc::clone(&seated), table.game);
        tasks.spawn(async move { spectate(guest, game, &deliveries, &seated).await.map_err(|e| words(&e)) });
    }
    until(PATIENCE, "watch", || seated.load(Ordering::Relaxed) == watchers as u64, &mut tasks).await?;
    let (window, mut watched) = watch::channel(None);
    let player = {
        let (shared, deliveries) = (Arc::clone(shared), Arc::clone(&deliveries));
        let mut table = table;
        async move {
            let bounds = *watched.wait_for(Option::is_some).await.map_err(|e| e.to_string())?;
            let Some((since, until)) = bounds else { return Ok(()) };
            let mut plies = 0;
            // A relay does not mind that moves come again.
            let rounds = if matches!(shared.target.lobby, Lobby::Relay(_)) { usize::MAX } else { 1 };
            for &mv in (0..rounds).flat_map(|_| &shared.games[0]) {
                deliveries.wanted.fetch_add(watchers as u64, Ordering::SeqCst);
                let at = Instant::now();
                let made = table.play(plies, mv).await.map_err(|e| words(&e))?;
                plies += 1;
                while deliveries.count.load(Ordering::SeqCst) < deliveries.wanted.load(Ordering::SeqCst) {
                    deliveries.all.notified().await;
                }
                let now = Instant::now();
                if at >= since && now < until {
                    shared.count(|counts| {
                        counts.count += watchers as u64;
                        counts.round_trip.record(now - at);
                        counts.relay.record(made.relayed - at);
                    });
                }
                if now >= until {
                    return table.resign(plies).await.map_err(|e| words(&e));
                }
            }
            Err("the game ran out of moves; ask for more --plies, or for more spectators".into())
        }
    };
    let player = tokio::spawn(player);
    let measured = over_span(shared, &window, span, || Wire::of(quic.iter())).await?;
    let ended = tokio::time::timeout(PATIENCE, player).await.map_err(|_| "a spectator missed a move");
    ended?.map_err(|e| e.to_string())??;
    tasks.shutdown().await;
    drop(pair);
    leave(&sockets).await;
    Ok(measured)
}

async fn spectate(
    guest: Guest,
    game: zeitnot_proto::GameId,
    deliveries: &Deliveries,
    seated: &AtomicU64,
) -> Result<(), Error> {
    let attach = Attach { game, seat: Seat::Spectator, after: None, legal_moves: false };
    let (_sender, mut receiver) = guest.connection.attach(attach).await?;
    receiver.next().await?;
    seated.fetch_add(1, Ordering::Relaxed);
    while let Some(frame) = receiver.next().await? {
        let FromGame::Events(events) = frame else { continue };
        if events.entries.iter().any(|entry| matches!(entry.event, Event::MoveCompleted { .. })) {
            let count = deliveries.count.fetch_add(1, Ordering::SeqCst) + 1;
            if count == deliveries.wanted.load(Ordering::SeqCst) {
                deliveries.all.notify_one();
            }
        }
    }
    Ok(())
}

async fn handshakes(shared: &Arc<Shared>, span: Duration) -> Result<Measured, String> {
    let sockets = site::sockets(&shared.target.trust, CONNECTING * 20)?;
    let (window, watched) = watch::channel(None);
    let mut tasks = JoinSet::new();
    for number in 0..CONNECTING {
        let (shared, sockets, mut window) = (Arc::clone(shared), Arc::clone(&sockets), watched.clone());
        tasks.spawn(async move {
            let bounds = *window.wait_for(Option::is_some).await.map_err(|e| e.to_string())?;
            let Some((since, until)) = bounds else { return Ok(()) };
            while Instant::now() < until {
                let at = Instant::now();
                let socket = &sockets[number % sockets.len()];
                let opened = socket.open(&shared.target.server, Credential::Guest).await;
                let took = at.elapsed();
                drop(opened.map_err(|e| words(&e))?);
                if at >= since && at + took < until {
                    shared.count(|counts| {
                        counts.count += 1;
                        counts.round_trip.record(took);
                    });
                }
            }
            Ok::<(), String>(())
        });
    }
    let measured = over_span(shared, &window, span, Wire::default).await?;
    while let Some(joined) = tasks.join_next().await {
        joined.map_err(|e| e.to_string())??;
    }
    leave(&sockets).await;
    Ok(measured)
}
