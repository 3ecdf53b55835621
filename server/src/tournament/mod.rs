//! Tournaments: one actor each, journaled like games.
//!
//! | module | what it does |
//! |---|---|
//! | `event` | what happens: the rows of the journal |
//! | `state` | a tournament as its events leave it |
//! | `decide` | what a request causes |
//! | `table`, `bracket`, `crowd`, `draw` | the state for the pairing crate, and what that makes of it |
//! | `actor` | the task: durable, then seen |
//! | `games` | terms of its games, and what is said to them |
//! | `view`, `sheets`, `documents`, `words` | what clients see |

mod actor;
mod bracket;
mod crowd;
mod decide;
mod documents;
mod draw;
mod event;
mod games;
mod sheets;
mod state;
mod table;
mod view;
mod words;

use crate::hub::Peer;
use crate::journal::{StoreError, TournamentRecord};
use crate::state::Server;
use actor::{Director, Mailboxes};
use dashmap::DashMap;
use event::Event;
use state::State;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};
use tracing::Instrument as _;
use zeitnot_laws::Game;
use zeitnot_pairing::tiebreak::Criterion;
use zeitnot_proto::board::{ByColor, Color};
use zeitnot_proto::control::Reply;
use zeitnot_proto::limits::{PAGE_MAX, ROUNDS_MAX};
use zeitnot_proto::rules::{GameId, Name, Setup};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::tournament::{
    TournamentId, TournamentPhase, TournamentReply, TournamentRequest, TournamentSettings, TournamentSummary,
    TournamentSystem,
};
use zeitnot_proto::{List, Refusal, Stamp, Text, codec};

/// Requests that wait for one director.
const MAILBOX: usize = 256;

/// An event with its place, its instant and its author.
#[derive(Debug, Clone)]
struct Logged {
    seq: u32,
    at: Stamp,
    by: Option<Name>,
    event: Event,
}

/// A request on its way to a director.
struct Ask {
    peer: Arc<Peer>,
    request: TournamentRequest,
    answer: oneshot::Sender<Result<Answer, Refusal>>,
}

/// What a director answers.
enum Answer {
    Done,
    Reply(TournamentReply),
}

/// What a game says to the director.
enum GameNews {
    /// It is over, or its result was corrected.
    Over { game: GameId, status: Status, plies: u32 },
    /// A player was expelled from the event.
    Expelled { game: GameId, side: Color },
}

enum ToDirector {
    Ask(Ask),
    Game(GameNews),
}

/// The way to a director.
#[derive(Clone)]
struct Handle {
    asks: mpsc::Sender<Ask>,
    news: mpsc::UnboundedSender<GameNews>,
    summary: Arc<Mutex<TournamentSummary>>,
}

impl Handle {
    fn set_summary(&self, summary: TournamentSummary) {
        *self.summary.lock().unwrap_or_else(PoisonError::into_inner) = summary;
    }

    fn summary(&self) -> TournamentSummary {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The registry of tournaments.
#[derive(Default)]
pub struct Tournaments {
    directors: DashMap<TournamentId, Handle>,
    games: DashMap<GameId, TournamentId>,
    last: AtomicU64,
}

impl Tournaments {
    /// From now on the director hears of this game.
    fn watch_game(&self, game: GameId, tournament: TournamentId) {
        self.games.insert(game, tournament);
    }

    /// Whether a game belongs to a tournament that is under way.
    pub fn has(&self, game: GameId) -> bool {
        self.games.contains_key(&game)
    }

    fn news(&self, game: GameId, news: GameNews) {
        let Some(tournament) = self.games.get(&game).map(|entry| *entry.value()) else { return };
        if let Some(handle) = self.directors.get(&tournament) {
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

    fn handle(&self, tournament: TournamentId) -> Result<Handle, Refusal> {
        self.directors.get(&tournament).map(|entry| entry.clone()).ok_or(Refusal::NoSuchTournament)
    }

    fn list(&self, before: Option<TournamentId>) -> TournamentReply {
        let mut page: Vec<TournamentSummary> =
            self.directors.iter().map(|entry| entry.value().summary()).collect();
        page.retain(|line| before.is_none_or(|before| line.tournament < before));
        page.sort_by_key(|line| std::cmp::Reverse(line.tournament));
        let more = page.len() > PAGE_MAX;
        TournamentReply::Tournaments { page: List::cut(page), more }
    }

    fn open_count(&self) -> usize {
        let open = |handle: &Handle| handle.summary().phase != TournamentPhase::Finished;
        self.directors.iter().filter(|entry| open(entry.value())).count()
    }
}

/// Answers a request about tournaments.
///
/// # Errors
/// Why it was not done.
pub async fn answer(
    server: &Arc<Server>,
    peer: &Arc<Peer>,
    request: TournamentRequest,
) -> Result<Reply, Refusal> {
    use TournamentRequest as Request;
    let tournament = match &request {
        Request::Create(settings) => return create(server, peer, settings).await,
        Request::List { before } => return Ok(Reply::Tournament(server.tournaments.list(*before))),
        Request::Show(tournament) | Request::Withdraw(tournament) | Request::CheckIn(tournament) => {
            *tournament
        }
        Request::Players { tournament, .. }
        | Request::Boards { tournament, .. }
        | Request::Standings { tournament, .. }
        | Request::Export { tournament, .. }
        | Request::Join { tournament, .. }
        | Request::RequestBye { tournament, .. }
        | Request::Follow { tournament, .. }
        | Request::Direct { tournament, .. } => *tournament,
    };
    if matches!(request, Request::Join { .. }) && !peer.roles.player {
        return Err(Refusal::NotAllowed);
    }
    let handle = server.tournaments.handle(tournament)?;
    let (answer, answered) = oneshot::channel();
    let ask = Ask { peer: Arc::clone(peer), request, answer };
    handle.asks.try_send(ask).map_err(|_| Refusal::Busy)?;
    match answered.await.map_err(|_| Refusal::Busy)?? {
        Answer::Done => Ok(Reply::Done),
        Answer::Reply(reply) => Ok(Reply::Tournament(reply)),
    }
}

async fn create(
    server: &Arc<Server>,
    peer: &Arc<Peer>,
    settings: &TournamentSettings,
) -> Result<Reply, Refusal> {
    if !peer.roles.organizer && !peer.roles.admin {
        return Err(Refusal::NotAllowed);
    }
    check(settings)?;
    if server.is_draining() {
        return Err(Refusal::Draining);
    }
    if server.tournaments.open_count() >= server.limits.tournaments {
        return Err(Refusal::Limit);
    }
    let id = TournamentId(server.tournaments.last.fetch_add(1, Ordering::Relaxed) + 1);
    let event = Event::Created { settings: Box::new(settings.clone()), director: peer.name.clone() };
    let at = crate::clock::now();
    let record = TournamentRecord {
        tournament: id,
        first: 0,
        at,
        by: Some(peer.name.clone()),
        events: vec![codec::encode_value(&event).map_err(|_| Refusal::TooLong)?],
    };
    match server.journal.append_tournament(record).await {
        Ok(Ok(_)) => {}
        Ok(Err(StoreError::Down(_))) | Err(_) => return Err(Refusal::StoreDown),
        Ok(Err(error)) => {
            tracing::error!(tournament = %id, %error, "a new tournament was not stored");
            return Err(Refusal::StoreDown);
        }
    }
    let state = State::open(id, &event).ok_or(Refusal::BadTournament)?;
    begin(server, state, vec![Logged { seq: 0, at, by: Some(peer.name.clone()), event }]);
    Ok(Reply::Tournament(TournamentReply::Created(id)))
}

/// Whether a tournament could be held like this: said now, not when its first game is created.
fn check(settings: &TournamentSettings) -> Result<(), Refusal> {
    let sensible = match &settings.system {
        TournamentSystem::Swiss { rounds, .. } => (1..=ROUNDS_MAX).contains(&usize::from(*rounds)),
        TournamentSystem::RoundRobin { cycles } => (1..=2).contains(cycles),
        TournamentSystem::Knockout { games, .. } => (1..=32).contains(games),
        TournamentSystem::Simul { host, .. } => !host.is_empty(),
        TournamentSystem::Arena { duration_us, .. } => *duration_us > 0,
    };
    let accelerated = matches!(settings.system, TournamentSystem::Swiss { accelerated: true, .. });
    let points = settings.points;
    let halves = points.win == 2 * points.draw && points.loss == 0;
    let codes = settings.tie_breaks.iter().all(|code| code.parse::<Criterion>().is_ok());
    let terms = &settings.terms;
    if !sensible
        || !codes
        || settings.name.trim().is_empty()
        || terms.rules.casual
        || terms.start.scheduled.is_some()
        || points.win <= points.draw
        || (accelerated && !halves)
    {
        return Err(Refusal::BadTournament);
    }
    let players = ByColor::both(Name::default());
    let setup = Setup {
        game: GameId(0),
        players,
        terms: terms.clone(),
        event: Text::default(),
        round: Text::default(),
    };
    Game::open(setup, crate::clock::now()).map(|_| ())
}

/// Starts the director of a tournament.
fn begin(server: &Arc<Server>, state: State, log: Vec<Logged>) {
    let (asks, asked) = mpsc::channel(MAILBOX);
    let (news, told) = mpsc::unbounded_channel();
    let summary = Arc::new(Mutex::new(view::summary(&state)));
    let handle = Handle { asks, news, summary };
    let id = state.id;
    server.tournaments.directors.insert(id, handle.clone());
    let mail = Mailboxes { asks: asked, news: told };
    let director = Director::new(Arc::clone(server), state, log, handle, mail);
    tokio::spawn(director.run().instrument(tracing::info_span!("tournament", %id)));
}

/// Folds every tournament and starts its director, which completes what was begun. To be called once
/// the games are in memory. How many there are.
///
/// # Errors
/// The journal cannot be read.
pub async fn recover(server: &Arc<Server>) -> Result<usize, StoreError> {
    let journal = Arc::clone(&server.journal);
    let read = tokio::task::spawn_blocking(move || journal.tournaments()).await;
    let records = read.map_err(|error| StoreError::Down(error.to_string()))??;
    let mut logs: BTreeMap<TournamentId, Vec<Logged>> = BTreeMap::new();
    for record in records {
        let log = logs.entry(record.tournament).or_default();
        for (bytes, seq) in record.events.iter().zip(record.first..) {
            match codec::decode_value::<Event>(bytes) {
                Ok(event) => log.push(Logged { seq, at: record.at, by: record.by.clone(), event }),
                Err(error) => {
                    let what = format!("event {seq} of tournament {}: {error}", record.tournament);
                    return Err(StoreError::Corrupt(what));
                }
            }
        }
    }
    let mut states = Vec::new();
    for (id, log) in logs {
        server.tournaments.last.fetch_max(id.0, Ordering::Relaxed);
        let Some(mut state) = log.first().and_then(|first| State::open(id, &first.event)) else {
            tracing::error!(tournament = %id, "a tournament cannot be folded; its events stay in the journal");
            continue;
        };
        for logged in log.iter().skip(1) {
            state.apply(logged.at, &logged.event);
        }
        states.push((state, log));
    }
    // Numbers that were given to games which were not created before the kill are theirs.
    let given = states.iter().flat_map(|(state, _)| state.games()).max();
    server.hub.continue_after(given.unwrap_or(GameId(0)));
    let count = states.len();
    for (state, log) in states {
        // Before anybody can attach to one of its games.
        for game in state.games().filter(|_| !state.finished) {
            server.tournaments.watch_game(game, state.id);
        }
        begin(server, state, log);
    }
    Ok(count)
}
