//! Which tournaments there are: those with a director, and those that are over and read again when somebody asks.

use super::director::{Director, Mailboxes};
use super::event::Event;
use super::state::State;
use super::{Ask, GameNews, Logged, view};
use crate::journal::{StoreError, TournamentRecord};
use crate::state::Server;
use dashmap::DashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use tracing::Instrument as _;
use zeitnot_proto::board::Color;
use zeitnot_proto::limits::PAGE_MAX;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::tournament::{TournamentId, TournamentPhase, TournamentReply, TournamentSummary};
use zeitnot_proto::{List, Refusal, codec};

/// Requests that wait for one director.
const MAILBOX: usize = 256;

/// The way to a director.
#[derive(Clone)]
pub struct Handle {
    pub asks: mpsc::Sender<Ask>,
    news: mpsc::UnboundedSender<GameNews>,
    summary: Arc<Mutex<TournamentSummary>>,
}

impl Handle {
    /// How it stands now, for lists.
    pub fn set_summary(&self, summary: TournamentSummary) {
        *self.summary.lock().unwrap_or_else(PoisonError::into_inner) = summary;
    }

    fn summary(&self) -> TournamentSummary {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A tournament in the registry.
enum Place {
    /// It has a director.
    Live(Handle),
    /// It is over, and its director has left; the journal has it.
    Past(TournamentSummary),
}

impl Place {
    fn summary(&self) -> TournamentSummary {
        match self {
            Place::Live(handle) => handle.summary(),
            Place::Past(summary) => summary.clone(),
        }
    }
}

/// The registry of tournaments.
#[derive(Default)]
pub struct Tournaments {
    places: DashMap<TournamentId, Place>,
    games: DashMap<GameId, TournamentId>,
    last: AtomicU64,
    /// Held while a director is called back, so that only one comes.
    calling: tokio::sync::Mutex<()>,
}

impl Tournaments {
    /// A number that no tournament has had.
    pub(super) fn next_id(&self) -> TournamentId {
        TournamentId(self.last.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// From now on the director hears of this game.
    pub(super) fn watch_game(&self, game: GameId, tournament: TournamentId) {
        self.games.insert(game, tournament);
    }

    /// Whether a game belongs to a tournament that is under way.
    pub fn has(&self, game: GameId) -> bool {
        self.games.contains_key(&game)
    }

    fn news(&self, game: GameId, news: GameNews) {
        let Some(tournament) = self.games.get(&game).map(|entry| *entry.value()) else { return };
        if let Some(Place::Live(handle)) = self.places.get(&tournament).as_deref() {
            // A director that is gone has gone with the server.
            let _gone = handle.news.send(news);
        }
    }

    /// Tells the director that a game is over or that its result was corrected.
    pub fn game_over(&self, game: GameId, status: Status, plies: u32) {
        self.news(game, GameNews::Over { game, status, plies });
    }

    /// Tells the director that a player was expelled from the event.
    pub fn expelled(&self, game: GameId, side: Color) {
        self.news(game, GameNews::Expelled { game, side });
    }

    /// A page of all tournaments, newest first.
    pub(super) fn list(&self, before: Option<TournamentId>) -> TournamentReply {
        let mut page: Vec<TournamentSummary> =
            self.places.iter().map(|entry| entry.value().summary()).collect();
        page.retain(|line| before.is_none_or(|before| line.tournament < before));
        page.sort_by_key(|line| std::cmp::Reverse(line.tournament));
        let more = page.len() > PAGE_MAX;
        TournamentReply::Tournaments { page: List::cut(page), more }
    }

    /// How many are not over.
    pub(super) fn open_count(&self) -> usize {
        let open = |place: &Place| match place {
            Place::Live(handle) => handle.summary().phase != TournamentPhase::Finished,
            Place::Past(_) => false,
        };
        self.places.iter().filter(|entry| open(entry.value())).count()
    }

    /// The director has answered everything and leaves.
    pub(super) fn leave(&self, state: &State) {
        for game in state.games() {
            self.games.remove(&game);
        }
        self.places.insert(state.id, Place::Past(view::summary(state)));
    }

    fn live(&self, tournament: TournamentId) -> Result<Option<Handle>, Refusal> {
        match self.places.get(&tournament).as_deref() {
            None => Err(Refusal::NoSuchTournament),
            Some(Place::Past(_)) => Ok(None),
            Some(Place::Live(handle)) => Ok(Some(handle.clone())),
        }
    }
}

/// The way to the director of a tournament, who is called back if he has left.
///
/// # Errors
/// There is no such tournament, or it cannot be read.
pub async fn call(server: &Arc<Server>, tournament: TournamentId) -> Result<Handle, Refusal> {
    if let Some(handle) = server.tournaments.live(tournament)? {
        return Ok(handle);
    }
    let _one_at_a_time = server.tournaments.calling.lock().await;
    if let Some(handle) = server.tournaments.live(tournament)? {
        return Ok(handle);
    }
    let (state, log) = load(server, tournament).await.map_err(|error| {
        tracing::error!(%tournament, %error, "a tournament cannot be read");
        Refusal::StoreDown
    })?;
    Ok(begin(server, state, log))
}

/// A tournament as the journal has it.
async fn load(server: &Arc<Server>, id: TournamentId) -> Result<(State, Vec<Logged>), StoreError> {
    let journal = Arc::clone(&server.journal);
    let read = tokio::task::spawn_blocking(move || journal.tournament(id)).await;
    let log = decode(id, read.map_err(|error| StoreError::Down(error.to_string()))??)?;
    match fold(id, &log) {
        Some(state) => Ok((state, log)),
        None => Err(StoreError::Corrupt(format!("tournament {id} does not begin with its creation"))),
    }
}

fn decode(id: TournamentId, records: Vec<TournamentRecord>) -> Result<Vec<Logged>, StoreError> {
    let mut log = Vec::new();
    for record in records {
        for (bytes, seq) in record.events.iter().zip(record.first..) {
            let event = codec::decode_value::<Event>(bytes)
                .map_err(|error| StoreError::Corrupt(format!("event {seq} of tournament {id}: {error}")))?;
            log.push(Logged { seq, at: record.at, by: record.by.clone(), event });
        }
    }
    Ok(log)
}

/// The state that these events leave; none if the first is no creation.
pub fn fold(id: TournamentId, log: &[Logged]) -> Option<State> {
    let (first, rest) = log.split_first()?;
    let mut state = State::open(id, &first.event)?;
    for logged in rest {
        state.apply(logged.at, &logged.event);
    }
    Some(state)
}

/// Starts the director of a tournament.
pub fn begin(server: &Arc<Server>, state: State, log: Vec<Logged>) -> Handle {
    let (asks, asked) = mpsc::channel(MAILBOX);
    let (news, told) = mpsc::unbounded_channel();
    let summary = Arc::new(Mutex::new(view::summary(&state)));
    let handle = Handle { asks, news, summary };
    let id = state.id;
    server.tournaments.places.insert(id, Place::Live(handle.clone()));
    let mail = Mailboxes { asks: asked, news: told };
    let director = Director::new(Arc::clone(server), state, log, handle.clone(), mail);
    tokio::spawn(director.run().instrument(tracing::info_span!("tournament", %id)));
    handle
}

/// Folds every tournament. Those that are not over have a director again, who completes what was begun. To be called
/// once the games are in memory. How many there are.
///
/// # Errors
/// The journal cannot be read.
pub async fn recover(server: &Arc<Server>) -> Result<usize, StoreError> {
    let journal = Arc::clone(&server.journal);
    let read = tokio::task::spawn_blocking(move || journal.tournaments()).await;
    let known = read.map_err(|error| StoreError::Down(error.to_string()))??;
    let mut live = Vec::new();
    for &id in &known {
        server.tournaments.last.fetch_max(id.0, Ordering::Relaxed);
        let (state, log) = match load(server, id).await {
            Ok(read) => read,
            Err(StoreError::Corrupt(what)) => {
                tracing::error!(tournament = %id, what, "it cannot be folded; its events stay in the journal");
                continue;
            }
            Err(error) => return Err(error),
        };
        // Numbers that were given to games which were not created before the kill are theirs.
        server.hub.continue_after(state.games().max().unwrap_or(GameId(0)));
        if state.is_settled() {
            server.tournaments.places.insert(id, Place::Past(view::summary(&state)));
        } else {
            live.push((state, log));
        }
    }
    for (state, log) in live {
        // Before anybody can attach to one of its games.
        for game in state.games() {
            server.tournaments.watch_game(game, state.id);
        }
        begin(server, state, log);
    }
    Ok(known.len())
}
