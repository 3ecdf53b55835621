//! Two who play at a relay or at a server. Nothing is checked here beyond what has to be known for the next
//! move, so that both cost the load generator the same.

use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;
use zeitnot_client::Error;
use zeitnot_client::connection::{Connection, Connector, Notices, Opened};
use zeitnot_client::stream::{GameReceiver, GameSender};
use zeitnot_proto::control::{Credential, Notice, Proposal, Reply, Request};
use zeitnot_proto::game_stream::{Attach, FromGame, Seat};
use zeitnot_proto::rules::{Name, Rules, Setting, Start, Terms, Value};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{Color, Command, Event, GameId, List, Move, Seq, Text, TimeControl};

/// Where games come from.
pub enum Lobby {
    /// A relay takes any number for a game.
    Relay(AtomicU64),
    /// At a server players challenge each other.
    Server(Box<Terms>),
}

impl Lobby {
    /// A relay's.
    pub fn relay() -> Lobby {
        Lobby::Relay(AtomicU64::new(0))
    }

    /// A server's, for games under `time_control` in which nobody has to hurry with the first move.
    pub fn server(time_control: TimeControl) -> Lobby {
        let wait = Setting { name: Text::cut("first_move_timeout"), value: Value::SpanUs(0) };
        let rules = Rules { options: List::cut(vec![wait]), ..Rules::default() };
        let start = Start::default();
        Lobby::Server(Box::new(Terms { time_control, rules, start, spectator_delay_us: 0 }))
    }

    /// Makes a game between the two and seats both.
    pub async fn sit_down(&self, pair: &mut Pair) -> Result<Table, Error> {
        let game = match self {
            Lobby::Relay(last) => GameId(last.fetch_add(1, Ordering::Relaxed) + 1),
            Lobby::Server(terms) => challenge(pair, terms).await?,
        };
        let mut white = Player::take(&pair.white.connection, game).await?;
        let mut black = Player::take(&pair.black.connection, game).await?;
        white.until_started().await?;
        black.until_started().await?;
        Ok(Table { game, white, black })
    }
}

async fn challenge(pair: &mut Pair, terms: &Terms) -> Result<GameId, Error> {
    let proposal = Proposal { color: Some(Color::White), terms: terms.clone() };
    while pair.white.notices.try_recv().is_ok() {}
    pair.white.connection.request(Request::Challenge { to: pair.black.name.clone(), proposal }).await?;
    loop {
        match pair.black.notices.recv().await {
            Some(Notice::Challenged { id, .. }) => {
                return match pair.black.connection.request(Request::AcceptChallenge(id)).await? {
                    Reply::Game(game) => Ok(game),
                    other => Err(Error::Protocol(format!("a game was asked for, {other:?} came"))),
                };
            }
            Some(_) => {}
            None => return Err(pair.black.connection.closed().await),
        }
    }
}

/// A connection that said hello.
pub struct Guest {
    /// The connection.
    pub connection: Connection,
    notices: Notices,
    name: Name,
}

impl Guest {
    /// Connects.
    pub async fn open(connector: &Connector, server: &str) -> Result<Guest, Error> {
        let Opened { connection, welcome, notices } = connector.open(server, Credential::Guest).await?;
        Ok(Guest { connection, notices, name: welcome.name })
    }
}

/// Two connections that play each other.
pub struct Pair {
    /// Has the white men.
    pub white: Guest,
    /// Has the black men.
    pub black: Guest,
}

/// A game under way.
pub struct Table {
    /// Its number.
    pub game: GameId,
    white: Player,
    black: Player,
}

struct Player {
    sender: GameSender,
    receiver: GameReceiver,
    /// The number of the last event that changed the position.
    position: Seq,
    started: bool,
    commands: u64,
}

/// When a move was answered and when the opponent had it, and whether the game is over.
pub struct Made {
    /// The mover has the answer.
    pub answered: Instant,
    /// The opponent has the move.
    pub relayed: Instant,
    /// The game ended with it.
    pub over: bool,
}

impl Table {
    /// Makes the move of the `ply`th half-move, from 0.
    pub async fn play(&mut self, ply: usize, mv: Move) -> Result<Made, Error> {
        let (mover, other) = self.sides(ply);
        mover.command(Command::Move { mv, offer_draw: false }).await?;
        let (answered, (relayed, over)) = tokio::try_join!(mover.answer(), other.event())?;
        Ok(Made { answered, relayed, over })
    }

    /// The side on move resigns.
    pub async fn resign(mut self, ply: usize) -> Result<(), Error> {
        let (mover, _) = self.sides(ply);
        mover.command(Command::Resign).await?;
        mover.answer().await.map(drop)
    }

    fn sides(&mut self, ply: usize) -> (&mut Player, &mut Player) {
        let Table { white, black, .. } = self;
        if ply.is_multiple_of(2) { (white, black) } else { (black, white) }
    }
}

impl Player {
    async fn take(connection: &Connection, game: GameId) -> Result<Player, Error> {
        let attach = Attach { game, seat: Seat::Player, after: None, legal_moves: false };
        let (sender, mut receiver) = connection.attach(attach).await?;
        let Some(FromGame::Snapshot { snapshot, .. }) = receiver.next().await? else {
            return Err(Error::Protocol("a snapshot was due".into()));
        };
        let started = snapshot.status != Status::Waiting;
        Ok(Player { sender, receiver, position: snapshot.position_seq, started, commands: 0 })
    }

    async fn until_started(&mut self) -> Result<(), Error> {
        while !self.started {
            self.next().await?;
        }
        Ok(())
    }

    async fn next(&mut self) -> Result<FromGame, Error> {
        let frame = self.receiver.next().await?;
        let frame = frame.ok_or_else(|| Error::Protocol("the stream ended".into()))?;
        if let FromGame::Events(events) = &frame {
            self.position = events.position_seq;
            self.started |= events.entries.iter().any(|entry| matches!(entry.event, Event::GameStarted));
        }
        Ok(frame)
    }

    async fn command(&mut self, command: Command) -> Result<(), Error> {
        self.commands += 1;
        let on = command.names_position().then_some(self.position);
        self.sender.command(self.commands, on, command).await
    }

    async fn answer(&mut self) -> Result<Instant, Error> {
        loop {
            if let FromGame::Answer { result, .. } = self.next().await? {
                return result.map(|_| Instant::now()).map_err(Error::Refused);
            }
        }
    }

    /// Waits for a move, and says whether it ended the game.
    async fn event(&mut self) -> Result<(Instant, bool), Error> {
        loop {
            if let FromGame::Events(events) = self.next().await? {
                let over = events.entries.iter().any(|entry| matches!(entry.event, Event::GameEnded { .. }));
                let moved = |event: &Event| matches!(event, Event::MoveCompleted { .. });
                if over || events.entries.iter().any(|entry| moved(&entry.event)) {
                    return Ok((Instant::now(), over));
                }
            }
        }
    }
}
