//! The server is killed in the middle of many games, again and again, and all of them go on. What anybody was told, by an
//! event or by an answer, is there afterwards.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use zeitnot_client::connection::Tuning;
use zeitnot_proto::control::{Credential, ToClient, ToServer};
use zeitnot_proto::game_stream::{Attach, Events, FromGame, Seat, ToGame};
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{ByColor, Color, Command, Event, Move, Refusal, Seq};
use zeitnot_tests::Server;
use zeitnot_tests::games::{Guest, agree, terms};
use zeitnot_tests::raw::{self, End, Raw, Stream};
use zeitnot_tests::server::Contact;

/// A player who comes back as often as it takes, and remembers all that he was told.
struct Player {
    contact: Contact,
    credential: Credential,
    game: GameId,
    side: Color,
    link: Option<(Raw, Stream, Stream)>,
    /// All events since the first snapshot, each decision as it came.
    told: Vec<Events>,
    /// The last event known.
    last: Option<Seq>,
    acknowledged: Option<Seq>,
    position: Seq,
    moves: Vec<Move>,
    next_id: u64,
}

impl Player {
    fn new(contact: Contact, guest: &Guest, game: GameId, side: Color) -> Player {
        Player {
            contact,
            credential: guest.credential(),
            game,
            side,
            link: None,
            told: Vec::new(),
            last: None,
            acknowledged: None,
            position: Seq(0),
            moves: Vec::new(),
            next_id: 1,
        }
    }

    /// Connects and attaches after what he has, until it works.
    async fn come_back(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.link.is_none() {
            assert!(Instant::now() < deadline, "the server does not come back");
            self.link = self.try_to_come_back().await;
            if self.link.is_none() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    async fn try_to_come_back(&self) -> Option<(Raw, Stream, Stream)> {
        let tuning = Tuning { keep_alive: Duration::from_millis(200), ..Tuning::default() };
        let connecting = Raw::try_connect(self.contact, tuning);
        let raw = timeout(Duration::from_secs(2), connecting).await.ok()?.ok()?;
        let mut control = raw.open().await;
        control.send(&ToServer::Hello(raw::hello(self.credential.clone()))).await;
        let Ok(ToClient::Welcome(_)) = control.next().await else { return None };
        let attach = Attach { game: self.game, seat: Seat::Player, after: self.last, legal_moves: false };
        let stream = raw.attach(attach).await;
        Some((raw, control, stream))
    }

    /// The next frame, if the connection lives.
    async fn next(&mut self) -> Option<FromGame> {
        self.come_back().await;
        let (_, _, stream) = self.link.as_mut()?;
        match stream.next::<FromGame>().await {
            Ok(frame) => {
                match &frame {
                    FromGame::Events(events) => self.learn(events),
                    FromGame::Snapshot { snapshot, .. } => {
                        assert_eq!(self.last, None, "one snapshot, to begin with");
                        (self.last, self.position) = (Some(snapshot.seq), snapshot.position_seq);
                    }
                    _ => {}
                }
                Some(frame)
            }
            Err(End::Lost | End::Reset(_) | End::Closed(_) | End::Finished) => {
                self.link = None;
                None
            }
        }
    }

    fn learn(&mut self, events: &Events) {
        assert_eq!(Some(events.first), self.last.map(Seq::next), "no gap, and nothing twice");
        self.last = Some(Seq(events.first.0 + u32::try_from(events.entries.len()).unwrap() - 1));
        for entry in &events.entries {
            if let Event::MoveCompleted { mv, .. } = entry.event {
                self.moves.push(mv);
            }
        }
        self.position = events.position_seq;
        self.told.push(events.clone());
    }

    /// Makes the move, through as many crashes as come.
    async fn make(&mut self, mv: Move, plies: usize) {
        let id = self.next_id;
        self.next_id += 1;
        while self.last.is_none() || self.moves.len() < plies {
            self.next().await;
        }
        let (on, mut sent) = (self.position, false);
        loop {
            if self.link.is_none() {
                sent = false;
                self.come_back().await;
            }
            if !sent && let Some((_, _, stream)) = &mut self.link {
                let command = Command::Move { mv, offer_draw: false };
                stream.send(&ToGame::Command { id, on: Some(on), command }).await;
                sent = true;
            }
            match self.next().await {
                Some(FromGame::Answer { id: of, result: Ok(last) }) if of == id => {
                    self.acknowledged = self.acknowledged.max(Some(last));
                    return;
                }
                // Play begins, and goes on after a crash, when both are at the board; and the store may still
                // be opening.
                Some(FromGame::Answer {
                    result:
                        Err(Refusal::NotStarted | Refusal::ClocksPaused | Refusal::StoreDown | Refusal::Busy),
                    ..
                }) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    sent = false;
                }
                Some(FromGame::Answer { result: Err(refusal), .. }) => {
                    panic!("{:?} of {} by {:?}: {refusal:?}", mv, self.game, self.side)
                }
                _ => {}
            }
        }
    }

    async fn sees(&mut self, plies: usize) {
        while self.moves.len() < plies {
            self.next().await;
        }
    }
}

/// Plays a game to the end of `moves` or of the time.
async fn game(contact: Contact, moves: Vec<Move>, until: Instant) -> ByColor<Player> {
    let mut guests = ByColor::new(Guest::new(contact).await, Guest::new(contact).await);
    let game = agree(&mut guests, terms("600+5")).await;
    let mut players = ByColor::new(
        Player::new(contact, &guests.white, game, Color::White),
        Player::new(contact, &guests.black, game, Color::Black),
    );
    drop(guests);
    let ByColor { white, black } = &mut players;
    for (ply, &mv) in moves.iter().enumerate() {
        if Instant::now() >= until {
            break;
        }
        let (mover, other) =
            if ply % 2 == 0 { (&mut *white, &mut *black) } else { (&mut *black, &mut *white) };
        // A game lasts longer than the server ever does.
        tokio::time::sleep(Duration::from_millis(60)).await;
        // Both have to be there for the clocks to run again after a crash.
        tokio::join!(mover.make(mv, ply), other.sees(ply + 1));
    }
    players
}

fn recorded_games(count: usize) -> Vec<Vec<Move>> {
    let path = zeitnot_tests::programs::workspace().join("tests/data/real-games.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    let games = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let moves = line.split('\t').nth(3).unwrap();
        moves.split(' ').map(|mv| mv.parse().unwrap()).collect::<Vec<Move>>()
    });
    games.filter(|moves| moves.len() > 110).take(count).collect()
}

/// Compares what a player was told with what the server has now.
async fn check(contact: Contact, player: &Player) {
    let spectator = Guest::new(contact).await;
    let attach = |after| Attach { game: player.game, seat: Seat::Spectator, after, legal_moves: false };
    let mut stream = spectator.raw.attach(attach(None)).await;
    let now = match stream.next::<FromGame>().await {
        Ok(FromGame::Snapshot { snapshot, .. }) => snapshot,
        other => panic!("a snapshot was due, {other:?} came"),
    };
    assert!(Some(now.seq) >= player.last, "game {}: events are gone", player.game);
    assert!(player.acknowledged <= player.last, "what was acknowledged was told before");
    assert_eq!(now.moves[..player.moves.len()], player.moves, "game {}, {}", player.game, player.side);

    // The last of them word for word: that is where a kill would show.
    let last_told = &player.told[player.told.len().saturating_sub(20)..];
    let first = last_told[0].first;
    let mut stream = spectator.raw.attach(attach(Some(Seq(first.0 - 1)))).await;
    for told in last_told {
        match stream.next::<FromGame>().await {
            Ok(FromGame::Events(events)) => assert_eq!(
                (events.first, events.at, events.by, &events.entries),
                (told.first, told.at, told.by, &told.entries),
                "game {}",
                player.game
            ),
            other => panic!("event {:?} was due, {other:?} came", told.first),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_told_survives_every_kill() {
    const GAMES: usize = 12;
    const KILLS: u64 = 4;
    let mut server = Server::start();
    let contact = server.contact();
    let until = Instant::now() + Duration::from_secs(14);
    let mut tables = JoinSet::new();
    for moves in recorded_games(GAMES) {
        tables.spawn(game(contact, moves, until));
    }
    let mut server = tokio::task::spawn_blocking(move || {
        for kill in 0..KILLS {
            // Not at the same point of a heartbeat, a group or a game.
            std::thread::sleep(Duration::from_millis(1_500 + 370 * kill));
            server.crash();
        }
        server
    })
    .await
    .unwrap();
    let mut played = Vec::new();
    while let Some(players) = tables.join_next().await {
        played.push(players.unwrap());
    }
    server.crash();
    let mut moves = 0;
    for players in played {
        for (_, player) in players.iter() {
            check(contact, player).await;
            moves += player.moves.len();
        }
    }
    assert!(moves > 200, "the games got somewhere: {moves}");
}
