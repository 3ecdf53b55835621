//! Two players who sit down to a game, each on a connection of its own.

use crate::options::Options;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use zeitnot_client::connection::{Connection, Connector, Notices, Opened, Tuning};
use zeitnot_client::stream::{GameReceiver, GameSender};
use zeitnot_client::{Error, Trust};
use zeitnot_proto::control::{Credential, NewGame, Notice, Proposal, Reply, Request};
use zeitnot_proto::game_stream::{Attach, FromGame, Seat};
use zeitnot_proto::rules::{GameId, Name, Rules, Start, Terms};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{ByColor, Color, Event, Seq, Text};

/// How long anything may take before it counts as failed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The sockets to connect from, and what all connections share.
pub struct Hall {
    connectors: Vec<Connector>,
    server: String,
    terms: Terms,
    organizer: Option<Mutex<Opened>>,
}

impl Hall {
    /// Opens the sockets, and the organizer's connection if there is one.
    pub async fn open(options: &Options) -> Result<Hall, String> {
        let trust: Trust = options.trust()?;
        let name = concat!("zeitnot-loadtest ", env!("CARGO_PKG_VERSION")).into();
        let tuning = Tuning { attempt: PATIENCE, name, ..Tuning::default() };
        let connectors = (0..options.endpoint_count())
            .map(|_| Connector::new(&trust, tuning.clone()).map_err(|e| e.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        let organizer = match &options.organizer_token {
            None => None,
            Some(token) => {
                let token = Text::new(token).map_err(|_| "that is no token: too long")?;
                let opened = connectors[0].open(&options.server, Credential::Token(token)).await;
                Some(Mutex::new(opened.map_err(|e| format!("the organizer: {e}"))?))
            }
        };
        let terms = Terms {
            time_control: options.time_control.clone(),
            rules: Rules::default(),
            start: Start::default(),
            spectator_delay_us: 0,
        };
        Ok(Hall { connectors, server: options.server.clone(), terms, organizer })
    }

    /// Waits until the server knows that all have left, but not for ever.
    pub async fn leave(&self) {
        for connector in &self.connectors {
            // Whoever cannot be told finds out by himself.
            let _told = tokio::time::timeout(Duration::from_secs(2), connector.wait_idle()).await;
        }
    }

    /// Connects two guests, and says how long each took.
    pub async fn pair(&self, number: usize) -> Result<(Pair, [Duration; 2]), Error> {
        let connector = &self.connectors[number % self.connectors.len()];
        let (white, white_took) = self.guest(connector).await?;
        let (black, black_took) = self.guest(connector).await?;
        Ok((Pair { white, black }, [white_took, black_took]))
    }

    async fn guest(&self, connector: &Connector) -> Result<(Guest, Duration), Error> {
        let started = Instant::now();
        let Opened { connection, welcome, notices } = connector.open(&self.server, Credential::Guest).await?;
        Ok((Guest { connection, notices, name: welcome.name }, started.elapsed()))
    }

    /// Creates a game between the two and attaches both to it.
    pub async fn sit_down(&self, pair: &mut Pair) -> Result<Table, Error> {
        let game = match &self.organizer {
            Some(organizer) => {
                let players = ByColor::new(pair.white.name.clone(), pair.black.name.clone());
                let new = NewGame {
                    players,
                    terms: self.terms.clone(),
                    event: Text::default(),
                    round: Text::default(),
                };
                let connection = organizer.lock().await.connection.clone();
                game_of(connection.request(Request::CreateGame(Box::new(new))).await?)?
            }
            None => self.challenge(pair).await?,
        };
        pair.forget_notices();
        let mut white = SeatAt::take(&pair.white.connection, game).await?;
        let mut black = SeatAt::take(&pair.black.connection, game).await?;
        // Play begins when both are at the board.
        for seat in [&mut white, &mut black] {
            while !seat.started {
                seat.next().await?;
            }
        }
        Ok(Table { game, seats: ByColor::new(white, black) })
    }

    async fn challenge(&self, pair: &mut Pair) -> Result<GameId, Error> {
        let proposal = Proposal { color: Some(Color::White), terms: self.terms.clone() };
        let to = pair.black.name.clone();
        pair.forget_notices();
        pair.white.connection.request(Request::Challenge { to, proposal }).await?;
        loop {
            match pair.black.notices.recv().await {
                Some(Notice::Challenged { id, .. }) => {
                    return game_of(pair.black.connection.request(Request::AcceptChallenge(id)).await?);
                }
                Some(_) => {}
                None => return Err(pair.black.connection.closed().await),
            }
        }
    }
}

fn game_of(reply: Reply) -> Result<GameId, Error> {
    match reply {
        Reply::Game(game) => Ok(game),
        other => Err(Error::Protocol(format!("a game was asked for, {other:?} came"))),
    }
}

/// A guest's connection.
pub struct Guest {
    /// The connection.
    pub connection: Connection,
    notices: Notices,
    name: Name,
}

/// Two guests who play each other.
pub struct Pair {
    /// Has the white men.
    pub white: Guest,
    /// Has the black men.
    pub black: Guest,
}

impl Pair {
    fn forget_notices(&mut self) {
        for guest in [&mut self.white, &mut self.black] {
            while guest.notices.try_recv().is_ok() {}
        }
    }
}

/// Both streams of a game.
pub struct Table {
    /// Its number.
    pub game: GameId,
    /// The two seats.
    pub seats: ByColor<SeatAt>,
}

/// A player's stream, and what has been seen on it.
pub struct SeatAt {
    /// Sends commands.
    pub sender: GameSender,
    receiver: GameReceiver,
    /// The number of the last event.
    last: Seq,
    /// Whether play has begun.
    started: bool,
    /// The number of the last event that changed the position.
    pub position: Seq,
    /// Snapshots that came unasked, because this reader did not keep up.
    pub snapshots: u64,
    next_command: u64,
}

impl SeatAt {
    async fn take(connection: &Connection, game: GameId) -> Result<SeatAt, Error> {
        let attach = Attach { game, seat: Seat::Player, after: None, legal_moves: false };
        let (sender, mut receiver) = connection.attach(attach).await?;
        let Some(FromGame::Snapshot { snapshot, .. }) = receiver.next().await? else {
            return Err(Error::Protocol("a snapshot was due".into()));
        };
        let (last, position) = (snapshot.seq, snapshot.position_seq);
        let started = snapshot.status != Status::Waiting;
        Ok(SeatAt { sender, receiver, last, started, position, snapshots: 0, next_command: 1 })
    }

    /// A number for the next command.
    pub fn next_command(&mut self) -> u64 {
        let id = self.next_command;
        self.next_command += 1;
        id
    }

    /// The next frame. Events have to follow those before them without a gap.
    pub async fn next(&mut self) -> Result<FromGame, Error> {
        let next = tokio::time::timeout(PATIENCE, self.receiver.next()).await;
        let next = next.map_err(|_| Error::Connection("nothing comes any more".into()))?;
        let Some(frame) = next? else { return Err(Error::Protocol("the stream ended".into())) };
        match &frame {
            FromGame::Events(events) => {
                if events.first != self.last.next() {
                    return Err(Error::Protocol("a gap in the events".into()));
                }
                self.last = Seq(self.last.0 + u32::try_from(events.entries.len()).unwrap_or(u32::MAX));
                self.position = events.position_seq;
                self.started |= events.entries.iter().any(|entry| matches!(entry.event, Event::GameStarted));
            }
            FromGame::Snapshot { snapshot, .. } => {
                self.snapshots += 1;
                self.started |= snapshot.status != Status::Waiting;
                self.last = snapshot.seq;
                self.position = snapshot.position_seq;
            }
            _ => {}
        }
        Ok(frame)
    }
}
