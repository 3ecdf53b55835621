//! Tournaments: one actor each, journaled like games.
//!
//! | module | what it does |
//! |---|---|
//! | `event` | what happens: the rows of the journal |
//! | `state` | a tournament as its events leave it |
//! | `decide` | what a request causes |
//! | `table`, `bracket`, `crowd`, `draw` | the state for the pairing crate, and what that makes of it |
//! | `registry` | which tournaments there are; recovery |
//! | `settings` | what an organizer may decide |
//! | `director` | the task: durable, then seen |
//! | `games` | terms of its games, and what is said to them |
//! | `view`, `sheets`, `documents`, `words` | what clients see |

mod bracket;
mod crowd;
mod decide;
mod director;
mod documents;
mod draw;
mod event;
mod games;
mod registry;
mod settings;
mod sheets;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod view;
mod words;

pub use registry::{Tournaments, recover};

use crate::hub::Peer;
use crate::journal::{StoreError, TournamentRecord};
use crate::state::Server;
use event::Event;
use state::State;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::oneshot;
use zeitnot_proto::board::Color;
use zeitnot_proto::control::Reply;
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::tournament::{TournamentReply, TournamentRequest, TournamentSettings};
use zeitnot_proto::{Refusal, Stamp, codec};

/// How often a director who is leaving is called, and after what pause.
const CALLS: usize = 50;
const CALL_AGAIN: Duration = Duration::from_millis(5);

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
    let (answer, answered) = oneshot::channel();
    let mut ask = Ask { peer: Arc::clone(peer), request, answer };
    // A director who is just leaving takes nothing any more, and can be called back in a moment.
    for _ in 0..CALLS {
        match registry::call(server, tournament).await?.asks.try_send(ask) {
            Ok(()) => break,
            Err(TrySendError::Full(_)) => return Err(Refusal::Busy),
            Err(TrySendError::Closed(back)) => ask = back,
        }
        tokio::time::sleep(CALL_AGAIN).await;
    }
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
    settings::check(settings)?;
    if server.is_draining() {
        return Err(Refusal::Draining);
    }
    if server.tournaments.open_count() >= server.limits.tournaments {
        return Err(Refusal::Limit);
    }
    let id = server.tournaments.next_id();
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
    registry::begin(server, state, vec![Logged { seq: 0, at, by: Some(peer.name.clone()), event }]);
    Ok(Reply::Tournament(TournamentReply::Created(id)))
}
