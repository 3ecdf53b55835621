//! The registries: games, players, connections. Id -> handle, and nothing else: the state of a game
//! lives in its actor, and no guard of a map is held across an await.

use crate::game::actor::{self, ToActor};
use crate::game::past::{self, Past};
use crate::game::waiting::Waiting;
use crate::journal::{EncodedRow, Record, StoreError};
use crate::outbox::Outbox;
use crate::state::Server;
use dashmap::DashMap;
use dashmap::mapref::entry::Entry as MapEntry;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use zeitnot_laws::Game;
use zeitnot_proto::board::{ByColor, Color};
use zeitnot_proto::control::{Awaiting, GameSummary, NewGame, Notice, OfferId, Roles, ToClient};
use zeitnot_proto::rules::{GameId, Name, Setup};
use zeitnot_proto::{Refusal, Seq, TimeControl, codec};

/// What others may know of a game without asking its actor.
pub struct GameInfo {
    /// Its number.
    pub game: GameId,
    /// Who has which men.
    pub players: ByColor<Name>,
    /// The time control.
    pub time_control: TimeControl,
    /// Whether the latency of connections is compensated in it.
    pub compensates: bool,
    /// Half-moves made.
    pub plies: AtomicU32,
    /// Whether it is over.
    pub over: AtomicBool,
    /// What awaits an arbiter in it. Locked for a copy, never across an await.
    waiting: Mutex<Vec<Waiting>>,
}

impl GameInfo {
    /// What awaits an arbiter now.
    pub fn set_waiting(&self, entries: &[Waiting]) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if *waiting != entries {
            *waiting = entries.to_vec();
        }
    }

    /// An entry of the arbiters' queue.
    pub fn awaiting(&self, waiting: &Waiting) -> Awaiting {
        let Waiting { topic, side, since } = waiting.clone();
        Awaiting { game: self.game, players: self.players.clone(), topic, side, since }
    }

    /// All entries of this game in the arbiters' queue.
    pub fn all_awaiting(&self) -> Vec<Awaiting> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.iter().map(|waiting| self.awaiting(waiting)).collect()
    }
}

/// The way to a game's actor.
#[derive(Clone)]
pub struct GameHandle {
    /// Its mailbox. Nobody waits for room in it: a full one is a refusal.
    pub mailbox: mpsc::Sender<ToActor>,
    /// How many readers of this game are between stamping and enqueueing: while there is one, no flag
    /// is decided and no order of commands is final.
    pub stamping: Arc<AtomicU32>,
    /// What it is.
    pub info: Arc<GameInfo>,
}

/// A connection that said hello.
pub struct Peer {
    /// Its number in this process.
    pub id: u64,
    /// Who it is.
    pub name: Name,
    /// What it may do.
    pub roles: Roles,
    /// What goes out on its control stream.
    pub outbox: Arc<Outbox>,
    /// The QUIC connection.
    pub connection: quinn::Connection,
}

impl Peer {
    /// Sends a notice, if the peer keeps up with them. A client that missed one finds its games in the
    /// next `Welcome` and in the lists.
    pub fn notify(&self, notice: Notice) {
        match codec::encode(&ToClient::Notice(notice)) {
            Ok(bytes) => {
                if !self.outbox.offer(bytes.into()) {
                    tracing::debug!(peer = self.id, "a notice was dropped");
                }
            }
            Err(error) => tracing::error!(%error, "a notice does not fit into a frame"),
        }
    }
}

/// The registries.
#[derive(Default)]
pub struct Hub {
    games: DashMap<GameId, GameHandle>,
    players: DashMap<Name, Vec<GameId>>,
    peers: DashMap<Name, Vec<Arc<Peer>>>,
    peer_count: AtomicU64,
    next_peer: AtomicU64,
    last_game: AtomicU64,
    /// How many clocks run.
    pub clocks: AtomicUsize,
    /// How many games have stopped their clocks because the server goes down.
    pub drained: AtomicUsize,
}

impl Hub {
    /// A number for a new connection.
    pub fn next_peer_id(&self) -> u64 {
        self.next_peer.fetch_add(1, Ordering::Relaxed)
    }

    /// So many numbers of games that nobody else gets, in a row: the first of them.
    pub fn reserve_games(&self, count: usize) -> GameId {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        GameId(self.last_game.fetch_add(count, Ordering::Relaxed) + 1)
    }

    /// Numbers of games go on after this one.
    pub fn continue_after(&self, last: GameId) {
        self.last_game.fetch_max(last.0, Ordering::Relaxed);
    }

    /// Registers a connection.
    pub fn add_peer(&self, peer: Arc<Peer>) {
        self.peer_count.fetch_add(1, Ordering::Relaxed);
        self.peers.entry(peer.name.clone()).or_default().push(peer);
    }

    /// Forgets a connection. True if its identity has no other.
    pub fn remove_peer(&self, peer: &Peer) -> bool {
        self.peer_count.fetch_sub(1, Ordering::Relaxed);
        let MapEntry::Occupied(mut entry) = self.peers.entry(peer.name.clone()) else { return true };
        entry.get_mut().retain(|p| p.id != peer.id);
        if entry.get().is_empty() {
            entry.remove();
            return true;
        }
        false
    }

    /// How many connections there are.
    pub fn peer_count(&self) -> u64 {
        self.peer_count.load(Ordering::Relaxed)
    }

    /// The connections of an identity.
    pub fn peers_of(&self, name: &str) -> Vec<Arc<Peer>> {
        // A name that is too long is nobody's.
        let Ok(name) = Name::new(name) else { return Vec::new() };
        self.peers.get(&name).map(|peers| peers.clone()).unwrap_or_default()
    }

    /// All connections.
    pub fn all_peers(&self) -> Vec<Arc<Peer>> {
        self.peers.iter().flat_map(|entry| entry.value().clone()).collect()
    }

    /// Names of all who are connected.
    pub fn names(&self) -> Vec<Name> {
        self.peers.iter().map(|entry| entry.key().clone()).collect()
    }

    /// Tells an identity something, on all its connections.
    pub fn notify(&self, name: &str, notice: &Notice) {
        for peer in self.peers_of(name) {
            peer.notify(notice.clone());
        }
    }

    /// Tells all arbiters something.
    pub fn notify_arbiters(&self, notice: &Notice) {
        for entry in &self.peers {
            for peer in entry.value().iter().filter(|peer| peer.roles.arbiter) {
                peer.notify(notice.clone());
            }
        }
    }

    /// Games of a player that are not over.
    pub fn games_of(&self, name: &Name) -> Vec<GameId> {
        self.players.get(name).map(|games| games.clone()).unwrap_or_default()
    }

    /// How many games of a player are not over.
    pub fn game_count_of(&self, name: &Name) -> usize {
        self.players.get(name).map_or(0, |games| games.len())
    }

    /// The handle of a game that is in memory.
    pub fn game(&self, game: GameId) -> Option<GameHandle> {
        self.games.get(&game).map(|handle| handle.clone())
    }

    /// All games in memory.
    pub fn games(&self) -> Vec<GameHandle> {
        self.games.iter().map(|entry| entry.value().clone()).collect()
    }

    /// How many games are in memory.
    pub fn game_count(&self) -> usize {
        self.games.len()
    }

    /// A line about a game in memory that is not over.
    pub fn summary(info: &GameInfo) -> GameSummary {
        GameSummary {
            game: info.game,
            players: info.players.clone(),
            time_control: info.time_control.clone(),
            outcome: None,
            over: info.over.load(Ordering::Relaxed),
            plies: info.plies.load(Ordering::Relaxed),
        }
    }

    /// Takes a finished game off its players' lists.
    pub fn finished(&self, info: &GameInfo) {
        for name in [&info.players.white, &info.players.black] {
            if let MapEntry::Occupied(mut entry) = self.players.entry(name.clone()) {
                entry.get_mut().retain(|&game| game != info.game);
                if entry.get().is_empty() {
                    entry.remove();
                }
            }
        }
    }

    /// Forgets a game, unless somebody has put another actor in its place.
    pub fn remove_game(&self, game: GameId, mailbox: &mpsc::Sender<ToActor>) {
        self.games.remove_if(&game, |_, handle| handle.mailbox.same_channel(mailbox));
    }
}

/// Creates a game: durable first, then visible to its players.
///
/// # Errors
/// A refusal that says what is wrong with the set-up or the server.
pub async fn create_game(
    server: &Arc<Server>,
    new: NewGame,
    from: Option<OfferId>,
) -> Result<GameId, Refusal> {
    let hub = &server.hub;
    if server.is_draining() {
        return Err(Refusal::Draining);
    }
    if !server.store_up() {
        return Err(Refusal::StoreDown);
    }
    let NewGame { players, terms, event, round } = new;
    if players.white == players.black {
        return Err(Refusal::SamePlayer);
    }
    let crowded = [&players.white, &players.black]
        .into_iter()
        .any(|name| hub.game_count_of(name) >= server.limits.games_per_player);
    if crowded || hub.game_count() >= server.limits.games {
        return Err(Refusal::Limit);
    }
    let game = hub.reserve_games(1);
    let setup = Setup { game, players, terms, event, round };
    open_game(server, setup, from).await?;
    Ok(game)
}

/// Creates a game under a number that was reserved for it, unless it exists: asked for again, nothing
/// more happens.
///
/// # Errors
/// A refusal that says what is wrong with the set-up or the server.
pub async fn create_numbered(server: &Arc<Server>, game: GameId, new: NewGame) -> Result<(), Refusal> {
    if server.hub.game(game).is_some() {
        return Ok(());
    }
    let NewGame { players, terms, event, round } = new;
    open_game(server, Setup { game, players, terms, event, round }, None).await
}

/// Makes a new game durable and then visible. One that the journal has already is left as it is.
async fn open_game(server: &Arc<Server>, setup: Setup, from: Option<OfferId>) -> Result<(), Refusal> {
    let (hub, game) = (&server.hub, setup.game);
    let at = crate::clock::now();
    let (mut state, entries) = Game::open(setup, at)?;
    // As it is recorded, with the revision of its rulebook.
    let setup = state.setup().clone();
    let record = Record {
        game,
        first: Seq(0),
        turn_began: None,
        at,
        by: zeitnot_proto::Party::Server,
        command_id: None,
        entries: entries.clone(),
    };
    let row = EncodedRow::encode(&record).map_err(|_| Refusal::Limit)?;
    let mut past = Past::default();
    past.add(&record).map_err(|_| Refusal::Limit)?;
    let committed = match server.journal.append(row, None).await {
        Ok(Ok(committed)) => committed,
        Ok(Err(StoreError::Fenced { .. })) => return Ok(()),
        Ok(Err(StoreError::Down(_))) | Err(_) => return Err(Refusal::StoreDown),
        Ok(Err(error)) => {
            tracing::error!(%game, %error, "a new game was not stored");
            return Err(Refusal::StoreDown);
        }
    };
    for entry in &entries {
        state.apply(at, &entry.event);
    }
    if state.awaits_turn() {
        state.turn_began(committed);
        past.began = Some(committed);
    }
    server.metrics.games_created.inc();
    start_actor(server, state, past);
    for (side, name) in setup.players.iter() {
        hub.notify(name, &Notice::GameReady { setup: Box::new(setup.clone()), side, from });
    }
    Ok(())
}

/// Puts a game into memory: its actor, its handle, its place in the players' lists.
pub fn start_actor(server: &Arc<Server>, state: Game, past: Past) -> GameHandle {
    let setup = state.setup();
    let over = state.status().is_over();
    let info = Arc::new(GameInfo {
        game: setup.game,
        players: setup.players.clone(),
        time_control: setup.terms.time_control.clone(),
        compensates: state.rules().lag_compensation_us > 0,
        plies: AtomicU32::new(state.plies()),
        over: AtomicBool::new(over),
        waiting: Mutex::new(past.waiting().entries().to_vec()),
    });
    let (mailbox, messages) = mpsc::channel(server.limits.mailbox);
    let handle = GameHandle { mailbox, stamping: Arc::new(AtomicU32::new(0)), info };
    let hub = &server.hub;
    match hub.games.entry(setup.game) {
        // Two readers may load the same finished game at once: the first one's actor stays.
        MapEntry::Occupied(entry) if !entry.get().mailbox.is_closed() => return entry.get().clone(),
        MapEntry::Occupied(mut entry) => drop(entry.insert(handle.clone())),
        MapEntry::Vacant(entry) => drop(entry.insert(handle.clone())),
    }
    if !over {
        server.metrics.games.inc();
        for name in [&setup.players.white, &setup.players.black] {
            hub.players.entry(name.clone()).or_default().push(setup.game);
        }
    }
    actor::spawn(Arc::clone(server), state, past, handle.clone(), messages);
    handle
}

/// The handle of a game, loaded from the journal if it is not in memory.
///
/// # Errors
/// There is no such game, or it cannot be read.
pub async fn find_game(server: &Arc<Server>, game: GameId) -> Result<GameHandle, Refusal> {
    if let Some(handle) = server.hub.game(game).filter(|handle| !handle.mailbox.is_closed()) {
        return Ok(handle);
    }
    let journal = Arc::clone(&server.journal);
    let records = tokio::task::spawn_blocking(move || journal.load(game))
        .await
        .map_err(|_| Refusal::StoreDown)?
        .map_err(|error| {
            tracing::error!(%game, %error, "a game cannot be read");
            Refusal::StoreDown
        })?;
    let (state, past) = past::replay(&records).map_err(|_| Refusal::StoreDown)?.ok_or(Refusal::NoSuchGame)?;
    Ok(start_actor(server, state, past))
}

/// The side of a game that an identity plays.
pub fn side_of(info: &GameInfo, name: &Name) -> Option<Color> {
    Color::BOTH.into_iter().find(|&side| info.players[side] == *name)
}
