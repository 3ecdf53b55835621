//! Two players at a board.

use crate::raw::{self, Raw, Stream};
use crate::server::Contact;
use zeitnot_proto::control::{Credential, Notice, Proposal, Reply, Request, ToClient, Welcome};
use zeitnot_proto::game_stream::{Attach, Events, FromGame, Seat};
use zeitnot_proto::rules::{GameId, Rules, Start, Terms};
use zeitnot_proto::snapshot::Snapshot;
use zeitnot_proto::{ByColor, Color, Command, Event, Move, Refusal, Seq};

/// Terms of a game at this time control, everything else as it comes.
pub fn terms(time_control: &str) -> Terms {
    Terms {
        time_control: time_control.parse().unwrap(),
        rules: Rules::default(),
        start: Start::default(),
        spectator_delay_us: 0,
    }
}

/// A guest with a connection and its control stream.
pub struct Guest {
    /// The connection.
    pub raw: Raw,
    /// Its control stream.
    pub control: Stream,
    /// What the server said to the hello.
    pub welcome: Welcome,
}

impl Guest {
    /// Comes in.
    pub async fn new(server: impl Into<Contact>) -> Guest {
        Guest::as_bearer(server, Credential::Guest).await
    }

    /// Comes in as the bearer of a credential.
    pub async fn as_bearer(server: impl Into<Contact>, credential: Credential) -> Guest {
        let (raw, control, welcome) = Raw::hello(server, credential).await;
        Guest { raw, control, welcome }
    }

    /// The credential with which this guest comes back.
    pub fn credential(&self) -> Credential {
        Credential::Token(self.welcome.guest_token.clone().expect("a guest has a token"))
    }

    /// Attaches to a game as its player, with a snapshot.
    pub async fn sit(&self, game: GameId) -> SeatAt {
        let attach = Attach { game, seat: Seat::Player, after: None, legal_moves: false };
        let mut stream = self.raw.attach(attach).await;
        let snapshot = match stream.next::<FromGame>().await {
            Ok(FromGame::Snapshot { snapshot, .. }) => *snapshot,
            other => panic!("a snapshot was due, {other:?} came"),
        };
        let next_id = snapshot.last_command.unwrap_or(0) + 1;
        SeatAt {
            stream,
            last: snapshot.seq,
            position: snapshot.position_seq,
            snapshot,
            seen: Vec::new(),
            next_id,
        }
    }
}

/// A player's stream of a game.
pub struct SeatAt {
    /// The stream.
    pub stream: Stream,
    /// The number of the last event.
    pub last: Seq,
    /// The number of the last event that changed the position.
    pub position: Seq,
    /// What came first.
    pub snapshot: Snapshot,
    /// All events since, each frame as it came.
    pub seen: Vec<Events>,
    next_id: u64,
}

impl SeatAt {
    /// The next frame; events have to follow one another without a gap.
    pub async fn next(&mut self) -> FromGame {
        let frame = match self.stream.next::<FromGame>().await {
            Ok(frame) => frame,
            Err(end) => panic!("a frame was due, the stream ended: {end:?}"),
        };
        if let FromGame::Events(events) = &frame {
            assert_eq!(events.first, self.last.next(), "a gap in the events");
            self.last = Seq(self.last.0 + u32::try_from(events.entries.len()).unwrap());
            self.position = events.position_seq;
            self.seen.push((**events).clone());
        }
        frame
    }

    /// Gives a command and waits for its answer.
    pub async fn command(&mut self, command: Command) -> Result<Seq, Refusal> {
        let id = self.next_id;
        self.next_id += 1;
        let on = command.names_position().then_some(self.position);
        self.command_as(id, on, command).await
    }

    /// Gives a command with a number and a position of one's own choice.
    pub async fn command_as(&mut self, id: u64, on: Option<Seq>, command: Command) -> Result<Seq, Refusal> {
        self.stream.send(&zeitnot_proto::game_stream::ToGame::Command { id, on, command }).await;
        loop {
            if let FromGame::Answer { id: of, result } = self.next().await
                && of == id
            {
                return result;
            }
        }
    }

    /// Makes a move.
    pub async fn play(&mut self, mv: &str) -> Result<Seq, Refusal> {
        self.command(Command::Move { mv: mv.parse().unwrap(), offer_draw: false }).await
    }

    /// Waits for an event, one that has come already included.
    pub async fn until(&mut self, wanted: impl Fn(&Event) -> bool) -> Event {
        loop {
            let entries = self.seen.iter().flat_map(|events| events.entries.iter());
            if let Some(entry) = entries.map(|entry| &entry.event).find(|event| wanted(event)) {
                return entry.clone();
            }
            self.next().await;
        }
    }

    /// Waits until the clocks run, if they do not yet.
    pub async fn until_running(&mut self) {
        if matches!(self.snapshot.status, zeitnot_proto::snapshot::Status::Waiting) {
            self.until(|event| matches!(event, Event::GameStarted)).await;
        }
    }

    /// Waits until the last move on the board is this one.
    pub async fn sees(&mut self, mv: &str) {
        let wanted: Move = mv.parse().unwrap();
        while self.last_move() != Some(wanted) {
            self.next().await;
        }
    }

    fn last_move(&self) -> Option<Move> {
        self.seen.iter().rev().flat_map(|events| events.entries.iter().rev()).find_map(|e| match e.event {
            Event::MoveCompleted { mv, .. } => Some(mv),
            _ => None,
        })
    }

    /// How the game ended, once it has.
    pub async fn ended(&mut self) -> Event {
        self.until(|event| matches!(event, Event::GameEnded { .. } | Event::GameAnnulled { .. })).await
    }
}

/// Two guests and the game between them.
pub struct Table {
    /// The game.
    pub game: GameId,
    /// The guests.
    pub guests: ByColor<Guest>,
    /// Their seats.
    pub seats: ByColor<SeatAt>,
}

impl Table {
    /// Two new guests sit down to a game.
    pub async fn new(server: impl Into<Contact>, terms: Terms) -> Table {
        let server = server.into();
        let mut guests = ByColor::new(Guest::new(server).await, Guest::new(server).await);
        let game = agree(&mut guests, terms).await;
        let seats = ByColor::new(guests.white.sit(game).await, guests.black.sit(game).await);
        Table { game, guests, seats }
    }

    /// Plays moves in turn, from White's; each side moves when it has seen the other's.
    pub async fn play(&mut self, moves: &str) {
        for (ply, mv) in moves.split_whitespace().enumerate() {
            let side = if ply % 2 == 0 { Color::White } else { Color::Black };
            self.seats[side].play(mv).await.unwrap_or_else(|refusal| panic!("{mv}: {refusal:?}"));
            self.seats[!side].sees(mv).await;
        }
    }
}

/// White challenges Black, who accepts.
pub async fn agree(guests: &mut ByColor<Guest>, terms: Terms) -> GameId {
    let proposal = Proposal { color: Some(Color::White), terms };
    let to = guests.black.welcome.name.clone();
    let offered = raw::request(&mut guests.white.control, 1, Request::Challenge { to, proposal }).await;
    assert!(matches!(offered, Ok(Reply::Offered(_))), "{offered:?}");
    let id = loop {
        match guests.black.control.next::<ToClient>().await {
            Ok(ToClient::Notice(Notice::Challenged { id, .. })) => break id,
            Ok(_) => {}
            Err(end) => panic!("a challenge was due, the stream ended: {end:?}"),
        }
    };
    match raw::request(&mut guests.black.control, 1, Request::AcceptChallenge(id)).await {
        Ok(Reply::Game(game)) => game,
        other => panic!("a game was due, {other:?} came"),
    }
}
