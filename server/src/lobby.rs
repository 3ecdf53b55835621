//! How players find one another: seeks, challenges, rematches.
//!
//! What is open lives in memory: it belongs to people who are here, and ends when they leave.

use crate::config::Comforts;
use crate::hub::{self, Peer};
use crate::state::Server;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeitnot_laws::Game;
use zeitnot_proto::board::{ByColor, Color};
use zeitnot_proto::control::{ChallengeEnd, NewGame, Notice, OfferId, Proposal, Reply, SeekSummary};
use zeitnot_proto::limits::PAGE_MAX;
use zeitnot_proto::rules::{GameId, Name, Setting, Setup, Terms, Value};
use zeitnot_proto::{List, Refusal, Text};

/// What is open.
#[derive(Default)]
pub struct Lobby {
    open: Mutex<Open>,
    last: AtomicU64,
}

#[derive(Default)]
struct Open {
    seeks: BTreeMap<OfferId, Seek>,
    challenges: BTreeMap<OfferId, Challenge>,
    /// Who offered another game after which.
    rematches: HashMap<GameId, Name>,
}

struct Seek {
    by: Name,
    proposal: Proposal,
}

struct Challenge {
    by: Name,
    to: Name,
    proposal: Proposal,
}

impl Lobby {
    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing in here is left half done by a panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_id(&self) -> OfferId {
        OfferId(self.last.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Open seeks after `after`, oldest first, and whether there are more than a page.
    pub fn seeks(&self, after: Option<OfferId>) -> Reply {
        let open = self.open();
        let from = after.map_or(OfferId(0), |OfferId(id)| OfferId(id.saturating_add(1)));
        let mut rest = open.seeks.range(from..);
        let page = rest.by_ref().take(PAGE_MAX).map(|(&id, seek)| SeekSummary {
            id,
            by: seek.by.clone(),
            color: seek.proposal.color,
            time_control: seek.proposal.terms.time_control.clone(),
            casual: seek.proposal.terms.rules.casual,
        });
        let page = List::cut(page.collect());
        Reply::Seeks { page, more: rest.next().is_some() }
    }

    /// Ends what somebody who left has open.
    pub fn left(&self, server: &Server, name: &Name) {
        let mut gone = Vec::new();
        {
            let mut open = self.open();
            open.seeks.retain(|_, seek| seek.by != *name);
            open.rematches.retain(|_, by| by != name);
            open.challenges.retain(|&id, challenge| {
                let stays = challenge.by != *name && challenge.to != *name;
                if !stays {
                    let other = if challenge.by == *name { &challenge.to } else { &challenge.by };
                    gone.push((id, other.clone()));
                }
                stays
            });
        }
        for (id, other) in gone {
            server.hub.notify(&other, &Notice::ChallengeClosed { id, why: ChallengeEnd::Gone });
        }
    }
}

impl Open {
    fn count_of(&self, name: &Name) -> usize {
        self.seeks.values().filter(|seek| seek.by == *name).count()
            + self.challenges.values().filter(|challenge| challenge.by == *name).count()
    }

    /// Takes out a seek that `by` could play with `proposal`.
    fn matching(&mut self, by: &Name, proposal: &Proposal) -> Option<(OfferId, Seek)> {
        let fits = |seek: &Seek| {
            seek.by != *by
                && seek.proposal.terms == proposal.terms
                && (seek.proposal.color.is_none() || seek.proposal.color != proposal.color)
        };
        let id = self.seeks.iter().find(|(_, seek)| fits(seek)).map(|(&id, _)| id)?;
        self.seeks.remove(&id).map(|seek| (id, seek))
    }
}

/// Seeks an opponent; plays at once if somebody seeks the same.
pub async fn seek(server: &Arc<Server>, peer: &Peer, proposal: Proposal) -> Result<Reply, Refusal> {
    check(server, peer, &proposal)?;
    let matched = {
        let mut open = server.lobby.open();
        let matched = open.matching(&peer.name, &proposal);
        if matched.is_none() {
            if open.count_of(&peer.name) >= server.limits.offers_per_player {
                return Err(Refusal::Limit);
            }
            let id = server.lobby.next_id();
            open.seeks.insert(id, Seek { by: peer.name.clone(), proposal: proposal.clone() });
            return Ok(Reply::Offered(id));
        }
        matched
    };
    let Some((id, seek)) = matched else { return Err(Refusal::NoSuchOffer) };
    let color = proposal.color.or(seek.proposal.color.map(|color| !color));
    let played = play(server, (&peer.name, color), &seek.by, proposal.terms, Some(id)).await;
    if played.is_err() {
        server.lobby.open().seeks.insert(id, seek);
    }
    played
}

/// Accepts somebody's seek.
pub async fn accept_seek(server: &Arc<Server>, peer: &Peer, id: OfferId) -> Result<Reply, Refusal> {
    player(peer)?;
    let seek = {
        let mut open = server.lobby.open();
        match open.seeks.get(&id) {
            Some(seek) if seek.by == peer.name => return Err(Refusal::SamePlayer),
            _ => open.seeks.remove(&id).ok_or(Refusal::NoSuchOffer)?,
        }
    };
    let Seek { by, proposal } = &seek;
    let played = play(server, (by, proposal.color), &peer.name, proposal.terms.clone(), Some(id)).await;
    if played.is_err() {
        // It stays open: what kept the game from being created may pass.
        server.lobby.open().seeks.insert(id, seek);
    }
    played
}

/// Withdraws a seek.
pub fn cancel_seek(server: &Server, peer: &Peer, id: OfferId) -> Result<Reply, Refusal> {
    let mut open = server.lobby.open();
    match open.seeks.get(&id) {
        Some(seek) if seek.by == peer.name => {
            open.seeks.remove(&id);
            Ok(Reply::Done)
        }
        _ => Err(Refusal::NoSuchOffer),
    }
}

/// Challenges somebody who is here.
pub fn challenge(server: &Server, peer: &Peer, to: &Name, proposal: Proposal) -> Result<Reply, Refusal> {
    check(server, peer, &proposal)?;
    if *to == peer.name {
        return Err(Refusal::SamePlayer);
    }
    if server.hub.peers_of(to).is_empty() {
        return Err(Refusal::NoSuchPlayer);
    }
    let id = server.lobby.next_id();
    {
        let mut open = server.lobby.open();
        if open.count_of(&peer.name) >= server.limits.offers_per_player {
            return Err(Refusal::Limit);
        }
        let challenge = Challenge { by: peer.name.clone(), to: to.clone(), proposal: proposal.clone() };
        open.challenges.insert(id, challenge);
    }
    let proposal = Box::new(proposal);
    server.hub.notify(to, &Notice::Challenged { id, by: peer.name.clone(), proposal });
    Ok(Reply::Offered(id))
}

/// Accepts a challenge to oneself.
pub async fn accept_challenge(server: &Arc<Server>, peer: &Peer, id: OfferId) -> Result<Reply, Refusal> {
    player(peer)?;
    let challenge = take_challenge(server, id, |challenge| challenge.to == peer.name)?;
    let Challenge { by, to, proposal } = &challenge;
    let played = play(server, (by, proposal.color), to, proposal.terms.clone(), Some(id)).await;
    if played.is_err() {
        server.lobby.open().challenges.insert(id, challenge);
    }
    played
}

/// Declines a challenge to oneself, or withdraws one's own.
pub fn close_challenge(
    server: &Server,
    peer: &Peer,
    id: OfferId,
    why: ChallengeEnd,
) -> Result<Reply, Refusal> {
    let declines = why == ChallengeEnd::Declined;
    let challenge = take_challenge(server, id, |challenge| {
        peer.name == if declines { challenge.to.clone() } else { challenge.by.clone() }
    })?;
    let other = if declines { &challenge.by } else { &challenge.to };
    server.hub.notify(other, &Notice::ChallengeClosed { id, why });
    Ok(Reply::Done)
}

fn take_challenge(
    server: &Server,
    id: OfferId,
    allowed: impl Fn(&Challenge) -> bool,
) -> Result<Challenge, Refusal> {
    let mut open = server.lobby.open();
    if !open.challenges.get(&id).is_some_and(allowed) {
        return Err(Refusal::NoSuchOffer);
    }
    open.challenges.remove(&id).ok_or(Refusal::NoSuchOffer)
}

/// Offers another game after a finished one; the second offer of the two creates it.
pub async fn rematch(server: &Arc<Server>, peer: &Peer, game: GameId) -> Result<Reply, Refusal> {
    player(peer)?;
    let records = {
        let journal = Arc::clone(&server.journal);
        tokio::task::spawn_blocking(move || journal.load(game)).await
    };
    let records = records.map_err(|_| Refusal::StoreDown)?.map_err(|_| Refusal::StoreDown)?;
    let (state, _) =
        crate::game::past::replay(&records).map_err(|_| Refusal::StoreDown)?.ok_or(Refusal::NoSuchGame)?;
    let setup = state.setup();
    let side = setup.side_of(&peer.name).ok_or(Refusal::NotPlayer)?;
    if !state.status().is_over() {
        return Err(Refusal::NotStarted);
    }
    let opponent = setup.players[!side].clone();
    {
        let mut open = server.lobby.open();
        match open.rematches.get(&game) {
            Some(by) if *by == opponent => drop(open.rematches.remove(&game)),
            Some(_) => return Ok(Reply::Done),
            None => {
                if server.hub.peers_of(&opponent).is_empty() {
                    return Err(Refusal::NoSuchPlayer);
                }
                open.rematches.insert(game, peer.name.clone());
                drop(open);
                server.hub.notify(&opponent, &Notice::RematchOffered { game, by: peer.name.clone() });
                return Ok(Reply::Done);
            }
        }
    }
    let players = ByColor::new(setup.players.black.clone(), setup.players.white.clone());
    let mut terms = setup.terms.clone();
    // The new game is played under the values of today.
    let options = terms.rules.options.into_vec().into_iter();
    terms.rules.options = List::cut(
        options.filter(|setting| &*setting.name != zeitnot_laws::options::REVISION_SETTING).collect(),
    );
    let new = NewGame { players, terms, event: Text::default(), round: Text::default() };
    hub::create_game(server, new, None).await.map(Reply::Game)
}

/// Creates the game that two players agreed on.
async fn play(
    server: &Arc<Server>,
    (proposer, color): (&Name, Option<Color>),
    other: &Name,
    terms: Terms,
    from: Option<OfferId>,
) -> Result<Reply, Refusal> {
    let players = match color.unwrap_or_else(by_lot) {
        Color::White => ByColor::new(proposer.clone(), other.clone()),
        Color::Black => ByColor::new(other.clone(), proposer.clone()),
    };
    let terms = with_comforts(terms, &server.comforts);
    let new = NewGame { players, terms, event: Text::default(), round: Text::default() };
    hub::create_game(server, new, from).await.map(Reply::Game)
}

/// White or Black, drawn by lot.
fn by_lot() -> Color {
    let mut byte = [0];
    // Without random numbers White is as good as Black.
    let _same_either_way = SystemRandom::new().fill(&mut byte);
    if byte[0] & 1 == 0 { Color::White } else { Color::Black }
}

fn player(peer: &Peer) -> Result<(), Refusal> {
    if peer.roles.player { Ok(()) } else { Err(Refusal::NotAllowed) }
}

/// Whether a game could be made of this proposal: said now, not when somebody accepts.
fn check(server: &Server, peer: &Peer, proposal: &Proposal) -> Result<(), Refusal> {
    player(peer)?;
    let terms = with_comforts(proposal.terms.clone(), &server.comforts);
    let nobody = ByColor::both(peer.name.clone());
    let setup =
        Setup { game: GameId(0), players: nobody, terms, event: Text::default(), round: Text::default() };
    Game::open(setup, crate::clock::now()).map(|_| ())
}

/// The terms with the server's comforts where they say nothing.
fn with_comforts(mut terms: Terms, comforts: &Comforts) -> Terms {
    let mut options = std::mem::take(&mut terms.rules.options).into_vec();
    let mut add = |name: &str, value: Value| {
        if !options.iter().any(|setting| &*setting.name == name) {
            options.push(Setting { name: Text::cut(name), value });
        }
    };
    // Players who have just found each other are not at the board yet: White's clock waits for both.
    if terms.start.scheduled.is_none() {
        add("start_policy", Value::Word(Text::cut("both_present")));
    }
    // Whether a side can still mate is found out as exactly as this server can.
    add("dead_position", Value::Word(Text::cut("solver")));
    if comforts.first_move_timeout_us > 0 {
        add("first_move_timeout", Value::SpanUs(comforts.first_move_timeout_us));
    }
    add("interruption_grace", Value::SpanUs(comforts.interruption_grace_us));
    if terms.rules.casual {
        add("absence_grace", Value::SpanUs(comforts.absence_grace_us));
    }
    terms.rules.options = List::cut(options);
    terms
}
