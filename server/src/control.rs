//! The control stream of a connection: requests and what comes of them.

use crate::hub::{self, Hub, Peer};
use crate::lobby;
use crate::outbox::Need;
use crate::pgn;
use crate::state::Server;
use crate::stream_io::{self, FrameReader};
use crate::tournament;
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::Semaphore;
use zeitnot_proto::close::Code;
use zeitnot_proto::codec::{self, DecodeError, Frame};
use zeitnot_proto::control::{
    ChallengeEnd, GameFilter, GameSummary, PlayerSummary, Reply, Request, ToClient, ToServer,
};
use zeitnot_proto::limits::PAGE_MAX;
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::{List, Refusal, Text};

/// Carries requests and replies until the client leaves or breaks the rules: then with which code the
/// connection is to be closed.
pub async fn serve(server: &Arc<Server>, peer: &Arc<Peer>, reader: &mut FrameReader) -> Code {
    let room = Arc::new(Semaphore::new(server.limits.requests_at_once));
    loop {
        loop {
            let body = match reader.next_body(ToServer::MAX) {
                Ok(Some(body)) => body,
                Ok(None) => break,
                Err(code) => return code,
            };
            match codec::decode::<ToServer>(body) {
                Ok(ToServer::Request { id, request }) => start(server, peer, &room, id, request),
                Ok(ToServer::Hello(_)) => return Code::OutOfState,
                Err(DecodeError::UnknownVariant(_)) => server.metrics.unknown_frames.inc(),
                Err(error) => return stream_io::code_of(&error),
            }
        }
        reader.rest();
        tokio::select! {
            more = reader.fill() => if !more { return Code::Done },
            need = peer.outbox.carry(server.limits.write_timeout) => match need {
                // No frame of this stream is stood in for.
                Need::Snapshot => {}
                Need::End(code) => return code,
                Need::Gone => return Code::Done,
                Need::TooSlow => {
                    server.metrics.slow_readers.inc();
                    return Code::TooSlow;
                }
            },
        }
    }
}

/// Works on a request beside the others of its connection.
fn start(server: &Arc<Server>, peer: &Arc<Peer>, room: &Arc<Semaphore>, id: u32, request: Request) {
    let Ok(permit) = Arc::clone(room).try_acquire_owned() else {
        server.metrics.refused(Refusal::Busy);
        send(peer, encode(id, Err(Refusal::Busy)));
        return;
    };
    let (server, peer) = (Arc::clone(server), Arc::clone(peer));
    tokio::spawn(async move {
        let result = answer(&server, &peer, request).await;
        if let Err(refusal) = result {
            server.metrics.refused(refusal);
        }
        send(&peer, encode(id, result));
        drop(permit);
    });
}

/// Sends an answer. A client that asks on and on and reads nothing has no claim to be served.
fn send(peer: &Peer, answer: Bytes) {
    if !peer.outbox.offer(answer) {
        peer.outbox.end(None, Code::TooSlow);
    }
}

fn encode(id: u32, result: Result<Reply, Refusal>) -> Bytes {
    codec::encode(&ToClient::Reply { id, result })
        .or_else(|_| codec::encode(&ToClient::Reply { id, result: Err(Refusal::TooLong) }))
        .map_or_else(|_| Bytes::new(), Bytes::from)
}

async fn answer(server: &Arc<Server>, peer: &Arc<Peer>, request: Request) -> Result<Reply, Refusal> {
    match request {
        Request::Ping => Ok(Reply::Pong { now: crate::clock::now() }),
        Request::Seek(proposal) => lobby::seek(server, peer, proposal).await,
        Request::AcceptSeek(id) => lobby::accept_seek(server, peer, id).await,
        Request::CancelSeek(id) => lobby::cancel_seek(server, peer, id),
        Request::ListSeeks { after } => Ok(server.lobby.seeks(after)),
        Request::Challenge { to, proposal } => lobby::challenge(server, peer, &to, proposal),
        Request::AcceptChallenge(id) => lobby::accept_challenge(server, peer, id).await,
        Request::DeclineChallenge(id) => lobby::close_challenge(server, peer, id, ChallengeEnd::Declined),
        Request::CancelChallenge(id) => lobby::close_challenge(server, peer, id, ChallengeEnd::Cancelled),
        Request::CreateGame(new) => {
            if !peer.roles.organizer {
                return Err(Refusal::NotAllowed);
            }
            hub::create_game(server, *new, None).await.map(Reply::Game)
        }
        Request::Rematch(game) => lobby::rematch(server, peer, game).await,
        Request::ListGames { filter, before } => list_games(server, filter, before).await,
        Request::ShowGame(game) => show_game(server, game).await,
        Request::Pgn(game) => show_pgn(server, game).await,
        Request::ListPlayers { after } => Ok(list_players(&server.hub, after.as_ref())),
        Request::ListAwaiting if !peer.roles.arbiter => Err(Refusal::NotAllowed),
        Request::ListAwaiting => Ok(list_awaiting(&server.hub)),
        Request::Tournament(request) => tournament::answer(server, peer, request).await,
    }
}

/// A page of games, newest first.
async fn list_games(
    server: &Arc<Server>,
    filter: GameFilter,
    before: Option<GameId>,
) -> Result<Reply, Refusal> {
    let mut games: Vec<GameSummary> = match &filter {
        GameFilter::Live => server.hub.games().iter().map(|handle| Hub::summary(&handle.info)).collect(),
        GameFilter::Player(name) => {
            let of = |game: &GameId| server.hub.game(*game).map(|handle| Hub::summary(&handle.info));
            server.hub.games_of(name).iter().filter_map(of).collect()
        }
        GameFilter::Finished => Vec::new(),
    };
    games.retain(|game| !game.over && before.is_none_or(|before| game.game < before));
    let mut more = false;
    if filter != GameFilter::Live {
        let journal = Arc::clone(&server.journal);
        let found = tokio::task::spawn_blocking(move || journal.finished(&filter, before, PAGE_MAX)).await;
        let (finished, further) = found.map_err(|_| Refusal::StoreDown)?.map_err(|_| Refusal::StoreDown)?;
        games.extend(finished);
        more = further;
    }
    games.sort_by_key(|game| std::cmp::Reverse(game.game));
    games.dedup_by_key(|game| game.game);
    more |= games.len() > PAGE_MAX;
    Ok(Reply::Games { page: List::cut(games), more })
}

async fn show_game(server: &Arc<Server>, game: GameId) -> Result<Reply, Refusal> {
    let live = server.hub.game(game).map(|handle| Hub::summary(&handle.info)).filter(|summary| !summary.over);
    let summary = match live {
        Some(summary) => Some(summary),
        None => {
            let journal = Arc::clone(&server.journal);
            let after = GameId(game.0.saturating_add(1));
            let found =
                tokio::task::spawn_blocking(move || journal.finished(&GameFilter::Finished, Some(after), 1))
                    .await;
            let (page, _) = found.map_err(|_| Refusal::StoreDown)?.map_err(|_| Refusal::StoreDown)?;
            page.into_iter().find(|summary| summary.game == game)
        }
    };
    let summary = summary.ok_or(Refusal::NoSuchGame)?;
    Ok(Reply::Games { page: List::cut(vec![summary]), more: false })
}

async fn show_pgn(server: &Arc<Server>, game: GameId) -> Result<Reply, Refusal> {
    let journal = Arc::clone(&server.journal);
    let written = tokio::task::spawn_blocking(move || match journal.pgn(game) {
        Ok(Some(pgn)) => Ok(pgn),
        Ok(None) => match journal.load(game) {
            Ok(records) if records.is_empty() => Err(Refusal::NoSuchGame),
            Ok(records) => pgn::render(&records).map_err(|_| Refusal::StoreDown),
            Err(_) => Err(Refusal::StoreDown),
        },
        Err(_) => Err(Refusal::StoreDown),
    });
    let pgn = written.await.map_err(|_| Refusal::StoreDown)??;
    Text::new(&pgn).map(Reply::Pgn).map_err(|_| Refusal::TooLong)
}

/// What awaits an arbiter, longest first.
fn list_awaiting(hub: &Hub) -> Reply {
    let mut entries: Vec<_> = hub.games().iter().flat_map(|handle| handle.info.all_awaiting()).collect();
    entries.sort_by_key(|entry| (entry.since, entry.game));
    let more = entries.len() > PAGE_MAX;
    Reply::Awaiting { page: List::cut(entries), more }
}

fn list_players(hub: &Hub, after: Option<&Name>) -> Reply {
    let mut names = hub.names();
    names.retain(|name| after.is_none_or(|after| name > after));
    names.sort();
    let more = names.len() > PAGE_MAX;
    names.truncate(PAGE_MAX);
    let page = names.into_iter().map(|name| {
        let playing = u32::try_from(hub.game_count_of(&name)).unwrap_or(u32::MAX);
        PlayerSummary { name, playing }
    });
    Reply::Players { page: List::cut(page.collect()), more }
}
