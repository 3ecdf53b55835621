//! The hall: connections to the server under test, and how two of them sit down to a game.

use crate::measure::Meter;
use crate::seat::SeatAt;
use crate::site::{self, Site};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use zeitnot_client::Error;
use zeitnot_client::connection::{Connection, Connector, Notices, Opened};
use zeitnot_proto::control::{Credential, Notice, Proposal, Reply, Request, Welcome};
use zeitnot_proto::game_stream::Seat;
use zeitnot_proto::rules::{Name, Rules, Setting, Start, Terms, Value};
use zeitnot_proto::{ByColor, Color, GameId, List, Text, TimeControl};

/// Connections and games that are being made at once: a paced start.
const AT_ONCE: usize = 64;

/// The sockets to connect from, and what all connections share.
pub struct Hall {
    sockets: Arc<[Connector]>,
    server: String,
    terms: Terms,
    starting: Semaphore,
    /// What is measured.
    pub meter: Meter,
}

impl Hall {
    /// Opens enough sockets for so many connections.
    ///
    /// # Errors
    /// Why it could not.
    pub fn open(site: &Site, connections: usize, time_control: &TimeControl) -> Result<Hall, String> {
        // Nobody is called off because all the others have to sit down first.
        let wait = Setting { name: Text::cut("first_move_timeout"), value: Value::SpanUs(0) };
        let terms = Terms {
            time_control: time_control.clone(),
            rules: Rules { options: List::cut(vec![wait]), ..Rules::default() },
            start: Start::default(),
            spectator_delay_us: 0,
        };
        Ok(Hall {
            sockets: site::sockets(&site.trust()?, connections)?,
            server: site.server.clone(),
            terms,
            starting: Semaphore::new(AT_ONCE),
            meter: Meter::new(),
        })
    }

    /// The server's address.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The socket of this number, over and over.
    pub fn socket(&self, number: usize) -> &Connector {
        &self.sockets[number % self.sockets.len()]
    }

    /// Connects a guest, at the pace of the hall, and counts how long it took.
    ///
    /// # Errors
    /// Why it could not.
    pub async fn guest(&self, number: usize) -> Result<Guest, Error> {
        let _turn = self.starting.acquire().await.map_err(|_| Error::Left)?;
        let started = Instant::now();
        let opened = self.socket(number).open(&self.server, Credential::Guest).await?;
        let took = started.elapsed();
        self.meter.count(|tally| tally.connect.record(took));
        Ok(Guest::new(number, opened))
    }

    /// Makes a game between the two and seats both; `at_pace` where many sit down at once.
    ///
    /// # Errors
    /// Why it could not.
    pub async fn sit_down(&self, white: &Guest, black: &mut Guest, at_pace: bool) -> Result<Table, Error> {
        let _turn = if at_pace { self.starting.acquire().await.ok() } else { None };
        self.seat(white, black, self.terms.clone()).await
    }

    /// The same at the pace of the hall, with other clocks to begin with, in microseconds.
    ///
    /// # Errors
    /// Why it could not.
    pub async fn sit_down_with(
        &self,
        white: &Guest,
        black: &mut Guest,
        clocks_us: ByColor<Option<u64>>,
    ) -> Result<Table, Error> {
        let _turn = self.starting.acquire().await.ok();
        let start = Start { clocks_us, ..Start::default() };
        self.seat(white, black, Terms { start, ..self.terms.clone() }).await
    }

    async fn seat(&self, white: &Guest, black: &mut Guest, terms: Terms) -> Result<Table, Error> {
        let game = challenge(white, black, terms).await?;
        let mut seats = ByColor::new(
            SeatAt::take(&white.connection, game, Seat::Player).await?,
            SeatAt::take(&black.connection, game, Seat::Player).await?,
        );
        // Play begins when both are at the board.
        for seat in [&mut seats.white, &mut seats.black] {
            while !seat.book.started {
                seat.next(&self.meter).await?;
            }
        }
        self.meter.count(|tally| tally.started += 1);
        Ok(Table { game, seats })
    }

    /// Waits until the server knows that all have left, but not for ever.
    pub async fn leave(&self) {
        for socket in self.sockets.iter() {
            // Whoever cannot be told finds out by himself.
            let _told = tokio::time::timeout(Duration::from_secs(2), socket.wait_idle()).await;
        }
    }
}

async fn challenge(white: &Guest, black: &mut Guest, terms: Terms) -> Result<GameId, Error> {
    let proposal = Proposal { color: Some(Color::White), terms };
    black.forget_notices();
    white.connection.request(Request::Challenge { to: black.name.clone(), proposal }).await?;
    loop {
        match black.notices.recv().await {
            Some(Notice::Challenged { id, .. }) => {
                return match black.connection.request(Request::AcceptChallenge(id)).await? {
                    Reply::Game(game) => Ok(game),
                    other => Err(Error::Protocol(format!("a game was asked for, {other:?} came"))),
                };
            }
            Some(_) => {}
            None => return Err(black.connection.closed().await),
        }
    }
}

/// A guest's connection.
pub struct Guest {
    /// The connection.
    pub connection: Connection,
    /// Which guest this is.
    number: usize,
    notices: Notices,
    name: Name,
    token: Option<Credential>,
}

impl Guest {
    fn new(number: usize, opened: Opened) -> Guest {
        let Opened { connection, welcome, notices } = opened;
        let Welcome { name, guest_token, .. } = welcome;
        Guest { connection, number, notices, name, token: guest_token.map(Credential::Token) }
    }

    /// Drops what the server said that nobody asked about.
    pub fn forget_notices(&mut self) {
        while self.notices.try_recv().is_ok() {}
    }

    /// The same guest on the same connection, at another board. It hears no notices.
    pub fn double(&self) -> Guest {
        let (connection, name) = (self.connection.clone(), self.name.clone());
        let (_, notices) = tokio::sync::mpsc::channel(1);
        Guest { connection, number: self.number, notices, name, token: None }
    }

    /// Loses the connection at once.
    pub fn drop_out(&self) {
        self.connection.close();
    }

    /// Comes back as the same guest on a new connection.
    ///
    /// # Errors
    /// Why it could not.
    pub async fn come_back(&mut self, hall: &Hall) -> Result<(), Error> {
        let _turn = hall.starting.acquire().await.map_err(|_| Error::Left)?;
        let credential = self.token.clone().ok_or(Error::Left)?;
        let opened = hall.socket(self.number).open(&hall.server, credential).await?;
        let token = self.token.take();
        *self = Guest { token, ..Guest::new(self.number, opened) };
        Ok(())
    }
}

/// Both streams of a game.
pub struct Table {
    /// Its number.
    pub game: GameId,
    /// The two seats.
    pub seats: ByColor<SeatAt>,
}
