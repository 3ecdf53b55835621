//! One tournament, one task, one owner: what a request or a game's end causes is decided, made durable,
//! folded in, and only then shown and acted upon.

use super::decide::Means;
use super::documents;
use super::draw::{self, Drawn, NoDraw};
use super::event::{ByHand, Departure, Event};
use super::games;
use super::state::State;
use super::table::board_result;
use super::view;
use super::{Ask, GameNews, Handle, Logged, ToDirector};
use crate::clock::{self, Alarm};
use crate::hub::Peer;
use crate::journal::{StoreError, TournamentRecord};
use crate::state::Server;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use zeitnot_proto::command::{Command, Why};
use zeitnot_proto::control::Notice;
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::tournament::{
    ByeKind, Direction, Document, TournamentNotice, TournamentReply, TournamentRequest,
};
use zeitnot_proto::{Refusal, Stamp, Text, codec};

/// How long a director waits before he tries again what the store did not take.
const STORE_PAUSE: Duration = Duration::from_millis(100);

/// How long something that could not be done is left at that, in microseconds: a pairing in an arena, a
/// result that the store did not take.
const LOOK_AGAIN_US: u64 = 1_000_000;

/// The mailboxes of a director.
pub struct Mailboxes {
    /// Requests.
    pub asks: mpsc::Receiver<Ask>,
    /// What games say. Without bound, because none of it may be lost; a game says one thing when it ends.
    pub news: mpsc::UnboundedReceiver<GameNews>,
}

/// A tournament's actor.
pub struct Director {
    server: Arc<Server>,
    state: State,
    log: Vec<Logged>,
    handle: Handle,
    mail: Mailboxes,
    followers: Vec<Weak<Peer>>,
    store: watch::Receiver<bool>,
    draining: watch::Receiver<bool>,
    alarm: Alarm,
    /// Something could not be done that will be tried again soon.
    behind: bool,
    /// Who waits in an arena, and why, as far as they were told.
    waiting: Vec<(u16, String)>,
    /// The last document that was asked for, with the number of events that it tells of.
    written: Option<(Document, u32, Arc<str>)>,
}

/// What woke the director.
enum Wake {
    Said(ToDirector),
    Time,
    Store,
    Gone,
}

impl Director {
    /// A director for a state and the events that led to it.
    pub fn new(
        server: Arc<Server>,
        state: State,
        log: Vec<Logged>,
        handle: Handle,
        mail: Mailboxes,
    ) -> Director {
        let (store, draining) = (server.store_health.clone(), server.draining.subscribe());
        Director {
            server,
            state,
            log,
            handle,
            mail,
            followers: Vec::new(),
            store,
            draining,
            alarm: Alarm::default(),
            behind: false,
            waiting: Vec::new(),
            written: None,
        }
    }

    /// Works until the server ends.
    pub async fn run(mut self) {
        self.catch_up().await;
        loop {
            match self.wait().await {
                Wake::Said(ToDirector::Ask(ask)) => self.answer(ask).await,
                Wake::Said(ToDirector::Game(news)) => self.hear(news).await,
                Wake::Time if self.behind => {
                    self.behind = false;
                    self.catch_up().await;
                }
                Wake::Time if self.state.crowd.is_some() => self.follow_up().await,
                Wake::Time => self.pair_by_itself().await,
                Wake::Store => {
                    // What could not be stored while it was down is done now.
                    if *self.store.borrow_and_update() {
                        self.catch_up().await;
                    }
                }
                Wake::Gone => return,
            }
            self.publish();
        }
    }

    async fn wait(&mut self) -> Wake {
        let able = *self.store.borrow() && !*self.draining.borrow();
        let due = self.next_due().filter(|_| able);
        tokio::select! {
            biased;
            news = self.mail.news.recv() => news.map_or(Wake::Gone, |news| Wake::Said(ToDirector::Game(news))),
            ask = self.mail.asks.recv() => ask.map_or(Wake::Gone, |ask| Wake::Said(ToDirector::Ask(ask))),
            () = self.alarm.ring(due) => Wake::Time,
            changed = self.store.changed() => if changed.is_ok() { Wake::Store } else { Wake::Gone },
        }
    }

    fn publish(&self) {
        self.handle.set_summary(view::summary(&self.state));
    }

    // ---- Durable, then seen ----

    /// Makes events durable and folds them in; then acts on them.
    async fn commit(&mut self, at: Stamp, by: Option<&Name>, events: Vec<Event>) -> Result<(), Refusal> {
        if events.is_empty() {
            return Ok(());
        }
        let encoded = events.iter().map(codec::encode_value).collect::<Result<Vec<_>, _>>();
        let record = TournamentRecord {
            tournament: self.state.id,
            first: self.state.seq,
            at,
            by: by.cloned(),
            events: encoded.map_err(|_| Refusal::TooLong)?,
        };
        match self.server.journal.append_tournament(record).await {
            Ok(Ok(_)) => {}
            Ok(Err(StoreError::Down(_))) | Err(_) => return Err(Refusal::StoreDown),
            Ok(Err(error)) => {
                tracing::error!(tournament = %self.state.id, %error, "events were not stored");
                return Err(Refusal::Busy);
            }
        }
        for event in events {
            self.state.apply(at, &event);
            let seq = self.state.seq - 1;
            self.log.push(Logged { seq, at, by: by.cloned(), event: event.clone() });
            self.act(&event).await;
        }
        Ok(())
    }

    /// What an event that is durable brings about outside: games, notices.
    async fn act(&mut self, event: &Event) {
        let tournament = self.state.id;
        match event {
            Event::Paired(paired) => {
                let (round, starts_at) = (paired.round, paired.starts_at);
                let notice = TournamentNotice::Paired { tournament, round, starts_at };
                // An arena pairs a few at a time; whoever plays is told of his game.
                if self.state.crowd.is_some() {
                    self.notify_followers(&notice);
                } else {
                    self.notify_all(&notice);
                }
                for &(player, kind) in paired.out.iter().filter(|(_, kind)| *kind != ByeKind::Zero) {
                    let notice = TournamentNotice::Bye { tournament, round: paired.round, kind };
                    self.notify_one(&self.state.name(player), notice);
                }
                self.make_games(paired.round).await;
            }
            Event::Unpaired { reason } => {
                let round = self.state.last_round() + 1;
                self.notify_all(&TournamentNotice::Unpaired { tournament, round, reason: reason.clone() });
                self.void_games().await;
            }
            Event::Result { round, board, result, by_arbiter, reason } => {
                let game = self.state.board(*round, *board).and_then(|board| board.game);
                if let (Some(game), true) = (game, *by_arbiter) {
                    games::declare(&self.server, game, *result, reason).await;
                }
                let (round, board, result) = (*round, *board, *result);
                self.notify_followers(&TournamentNotice::Result { tournament, round, board, result });
            }
            Event::Question { round, board, what } => {
                let (round, board, what) = (*round, *board, what.clone());
                self.notify_followers(&TournamentNotice::Question { tournament, round, board, what });
            }
            Event::RoundOver => {
                let round = self.state.last_round();
                self.notify_all(&TournamentNotice::RoundOver { tournament, round });
            }
            Event::NotPaired(why) => {
                let round = self.state.last_round() + 1;
                self.notify_all(&TournamentNotice::NotPaired { tournament, round, why: why.clone() });
            }
            Event::Announced(text) => {
                self.notify_all(&TournamentNotice::Announced { tournament, text: text.clone() });
            }
            Event::Registration { .. } | Event::Started { .. } | Event::Finished { .. } => {
                self.notify_all(&TournamentNotice::Phase { tournament, phase: self.state.phase() });
            }
            Event::Departed { player, how: Departure::Expelled, reason } => {
                self.expel_from_board(*player, reason).await;
            }
            _ => {}
        }
    }

    fn notify_one(&self, name: &Name, notice: TournamentNotice) {
        self.server.hub.notify(name, &Notice::Tournament(notice));
    }

    /// Tells followers, players and the director.
    fn notify_all(&mut self, notice: &TournamentNotice) {
        let players = self.state.entered.iter().map(|entered| entered.entrant.name.clone());
        let names: Vec<Name> = players.chain([self.state.director.clone()]).collect();
        self.notify_these(&names, notice);
    }

    /// Tells followers and the director: what happens too often for all players of a large field.
    fn notify_followers(&mut self, notice: &TournamentNotice) {
        let director = [self.state.director.clone()];
        self.notify_these(&director, notice);
    }

    /// Tells these and the followers, each connection once.
    fn notify_these(&mut self, names: &[Name], notice: &TournamentNotice) {
        let mut told = std::collections::BTreeSet::new();
        for peer in names.iter().flat_map(|name| self.server.hub.peers_of(name)) {
            if told.insert(peer.id) {
                peer.notify(Notice::Tournament(notice.clone()));
            }
        }
        self.followers.retain(|peer| peer.upgrade().is_some_and(|peer| !peer.outbox.is_closed()));
        for peer in self.followers.iter().filter_map(Weak::upgrade) {
            if told.insert(peer.id) {
                peer.notify(Notice::Tournament(notice.clone()));
            }
        }
    }

    // ---- Games ----

    /// Creates the games of a round that do not exist yet. Their numbers stand in the pairing, so that a
    /// game is never made twice, whenever the server was killed.
    async fn make_games(&mut self, round: u16) {
        let Some(boards) = self.state.round(round).map(|round| round.boards.clone()) else { return };
        for (board, number) in boards.iter().zip(1..) {
            let Some(game) = board.game.filter(|_| board.result.is_none()) else { continue };
            self.server.tournaments.watch_game(game, self.state.id);
            let new = games::new_game(&self.state, round, number, board, clock::now());
            match crate::hub::create_numbered(&self.server, game, new).await {
                Ok(()) => {}
                Err(refusal) => {
                    self.behind = true;
                    tracing::warn!(%game, refusal = refusal.name(), "a tournament's game was not created");
                }
            }
        }
    }

    async fn void_games(&mut self) {
        for &game in &self.state.void_games {
            let reason = Why::cut("the pairing was taken back");
            games::tell(&self.server, game, Command::Annul { reason }).await;
        }
    }

    /// Whoever is expelled loses the game that he is playing.
    async fn expel_from_board(&mut self, player: u16, reason: &Why) {
        let open: Vec<(GameId, zeitnot_proto::Color)> = self
            .state
            .rounds
            .iter()
            .flat_map(|round| &round.boards)
            .filter(|board| board.result.is_none() && (board.white == player || board.black == player))
            .filter_map(|board| {
                let white = board.white == player;
                let side = if white { zeitnot_proto::Color::White } else { zeitnot_proto::Color::Black };
                Some((board.game?, side))
            })
            .collect();
        for (game, side) in open {
            let sanction = zeitnot_proto::command::Sanction::Expulsion;
            games::tell(&self.server, game, Command::Penalise { side, sanction, reason: reason.clone() })
                .await;
        }
    }

    /// After a start or an outage: completes what was begun, and hears what was missed.
    async fn catch_up(&mut self) {
        let open: Vec<(u16, u16, crate::tournament::state::Board)> = self.unsettled();
        for (round, number, board) in open {
            let Some(game) = board.game else { continue };
            self.server.tournaments.watch_game(game, self.state.id);
            match games::status(&self.server, game).await {
                Ok(Some((status, _))) if board.by_arbiter && !status.is_over() => {
                    if let Some(result) = board.result {
                        games::declare(&self.server, game, result, &Why::default()).await;
                    }
                }
                Ok(Some((status, plies))) if status.is_over() => {
                    self.hear_end(game, &status, plies).await;
                }
                Ok(None) if board.result.is_none() => {
                    let new = games::new_game(&self.state, round, number, &board, clock::now());
                    if let Err(refusal) = crate::hub::create_numbered(&self.server, game, new).await {
                        self.behind = true;
                        tracing::warn!(%game, refusal = refusal.name(), "a tournament's game was not created");
                    }
                }
                Ok(_) => {}
                Err(error) => tracing::error!(%game, %error, "a tournament's game cannot be read"),
            }
        }
        self.void_games().await;
        self.follow_up().await;
        self.publish();
    }

    /// Boards whose game may know more than the tournament: all of them, until it is over.
    fn unsettled(&self) -> Vec<(u16, u16, crate::tournament::state::Board)> {
        let mut boards = Vec::new();
        for (round, number) in self.state.rounds.iter().zip(1..) {
            let settled = self.state.finished && round.is_complete();
            for (board, place) in round.boards.iter().zip(1..).filter(|_| !settled) {
                boards.push((number, place, board.clone()));
            }
        }
        boards
    }

    /// A game says something.
    async fn hear(&mut self, news: GameNews) {
        match news {
            GameNews::Over { game, status, plies } => self.hear_end(game, &status, plies).await,
            GameNews::Expelled { game, side } => {
                let Some((round, board)) = self.state.find(game) else { return };
                let Some(board) = self.state.board(round, board) else { return };
                let player = if side == zeitnot_proto::Color::White { board.white } else { board.black };
                let name = self.state.name(player);
                let reason = Why::cut("expelled at the board");
                if let Ok(events) = self.state.depart(&name, Departure::Expelled, reason)
                    && let Err(refusal) = self.commit(clock::now(), None, events).await
                {
                    tracing::warn!(refusal = refusal.name(), "an expulsion was not stored");
                }
            }
        }
    }

    async fn hear_end(&mut self, game: GameId, status: &Status, plies: u32) {
        let Some((round, board)) = self.state.find(game) else { return };
        let result = match status {
            Status::Ended(outcome) => board_result(outcome, plies),
            _ => None,
        };
        let events = match (result, status) {
            (Some(result), Status::Ended(outcome)) => {
                let reason = Why::cut(outcome.reason.name());
                match self.state.enter_result(round, board, result, false, &reason) {
                    Ok(events) => events,
                    Err(refusal) => {
                        let what =
                            Why::cut(&format!("corrected to {}: {}", outcome.result(), refusal.advice()));
                        self.state.question(round, board, &what)
                    }
                }
            }
            (_, Status::Ended(outcome)) => {
                let what = Why::cut(&format!("{}, {}", outcome.result(), outcome.reason.name()));
                self.state.question(round, board, &what)
            }
            _ => self.state.question(round, board, &Why::cut("the game was annulled")),
        };
        if let Err(refusal) = self.commit(clock::now(), None, events).await {
            // The game keeps it; it is looked for again.
            self.behind = true;
            tracing::warn!(%game, refusal = refusal.name(), "a result was not stored");
            return;
        }
        self.follow_up().await;
    }

    /// More games, where a knockout or an arena has some due; whoever has to wait is told why.
    async fn follow_up(&mut self) {
        if !self.state.flows() {
            return;
        }
        let at = clock::now();
        let events = self.decide(at, State::follow_up);
        if let Err(refusal) = self.commit(at, None, events).await {
            tracing::warn!(refusal = refusal.name(), "the next games were not stored");
        }
        self.tell_waiting(at);
    }

    /// Tells those who have begun to wait in an arena why they do.
    fn tell_waiting(&mut self, at: Stamp) {
        let Some(crowd) = self.state.crowd.as_ref().filter(|_| !self.state.finished) else { return };
        let waiting: Vec<(u16, String)> = crowd
            .wave(at)
            .waiting
            .iter()
            .map(|(tpn, why)| (tpn.saturating_sub(1), why.to_string()))
            .collect();
        for (player, why) in waiting.iter().filter(|line| !self.waiting.contains(line)) {
            let (tournament, why) = (self.state.id, Why::cut(why));
            self.notify_one(&self.state.name(*player), TournamentNotice::Waiting { tournament, why });
        }
        self.waiting = waiting;
    }

    // ---- Rounds ----

    /// When something is due by itself.
    fn next_due(&self) -> Option<Stamp> {
        let now = clock::now();
        if self.behind {
            return Some(now.plus(LOOK_AGAIN_US));
        }
        let Some(crowd) = self.state.crowd.as_ref().filter(|_| !self.state.finished) else {
            return self.state.next_pairing();
        };
        let ends = self.state.arena_ends().filter(|&end| end > now || self.state.open_boards() == 0);
        // Patience runs out while nothing else happens.
        let again = (crowd.free() > 1).then(|| now.plus(LOOK_AGAIN_US));
        [ends, again].into_iter().flatten().min()
    }

    fn decide<T>(&self, at: Stamp, decide: impl FnOnce(&State, &mut Means<'_>) -> T) -> T {
        let server = &self.server;
        let mut lot = by_lot;
        let mut games = |count: usize| server.hub.reserve_games(count);
        let plies = |game: GameId| {
            server.hub.game(game).map_or(0, |handle| handle.info.plies.load(Ordering::Relaxed))
        };
        let most_players = server.limits.tournament_players;
        let mut means = Means { at, lot: &mut lot, games: &mut games, plies: &plies, most_players };
        decide(&self.state, &mut means)
    }

    /// Pairs the next round, by the rules or by hand; what takes long is done beside the runtime.
    async fn pair(&mut self, by: Option<&Name>, hand: Option<(Drawn, Why)>) -> Result<(), NoDraw> {
        let worded = |refusal: Refusal| NoDraw { refusal, why: refusal.advice().to_owned() };
        if self.server.is_draining() {
            return Err(worded(Refusal::Draining));
        }
        self.state.may_pair().map_err(worded)?;
        let state = self.state.clone();
        let drawn = tokio::task::spawn_blocking(move || match hand {
            None => draw::next_round(&state).map(|drawn| (drawn, None)),
            Some((drawn, reason)) => {
                let boards: Vec<_> = drawn.boards.iter().map(|board| (board.white, board.black)).collect();
                Ok((drawn, Some(ByHand { reason, instead: draw::differences(&state, &boards) })))
            }
        });
        let (drawn, by_hand) = drawn.await.map_err(|_| worded(Refusal::NoPairing))??;
        let at = clock::now();
        let events = self.decide(at, |state, means| state.pairing(drawn, by_hand, means));
        self.commit(at, by, events).await.map_err(worded)
    }

    async fn pair_by_itself(&mut self) {
        if let Err(NoDraw { refusal, why }) = self.pair(None, None).await {
            if matches!(refusal, Refusal::StoreDown | Refusal::Draining) {
                // Not at once again: the store's health is told a moment later.
                tokio::time::sleep(STORE_PAUSE).await;
                return;
            }
            let event = Event::NotPaired(Why::cut(&why));
            if let Err(refusal) = self.commit(clock::now(), None, vec![event]).await {
                tracing::warn!(refusal = refusal.name(), "that a round was not paired could not be stored");
            }
        }
    }

    // ---- Requests ----

    async fn answer(&mut self, ask: Ask) {
        let Ask { peer, request, answer } = ask;
        let result = self.reply(&peer, request).await;
        // Whoever asked may have gone.
        let _gone = answer.send(result);
    }

    async fn reply(
        &mut self,
        peer: &Arc<Peer>,
        request: TournamentRequest,
    ) -> Result<super::Answer, Refusal> {
        use TournamentRequest as Request;
        let reply = match request {
            Request::Show(_) => TournamentReply::Shown(Box::new(view::tournament(&self.state))),
            Request::Players { skip, .. } => view::players(&self.state, skip),
            Request::Boards { round, skip, .. } => view::boards(&self.state, round, skip)?,
            Request::Standings { skip, .. } => view::standings(&self.state, skip),
            Request::Export { document, part, .. } => self.export(document, part).await?,
            Request::Follow { on, .. } => {
                self.followers.retain(|known| !std::ptr::eq(known.as_ptr(), Arc::as_ptr(peer)));
                if on {
                    self.followers.push(Arc::downgrade(peer));
                }
                return Ok(super::Answer::Done);
            }
            Request::Direct { action, .. } => return self.direct(peer, *action).await,
            own => {
                let at = clock::now();
                let events = self.decide(at, |state, means| match own {
                    Request::Join { entrant, .. } => {
                        let mut entrant = *entrant;
                        entrant.name = peer.name.clone();
                        state.enter(entrant, means)
                    }
                    Request::Withdraw(_) => state.depart(&peer.name, Departure::Withdrawn, Why::default()),
                    Request::CheckIn(_) => state.check_in(&peer.name),
                    Request::RequestBye { round, kind: kind @ (ByeKind::Half | ByeKind::Zero), .. } => {
                        state.give_bye(&peer.name, round, kind)
                    }
                    Request::RequestBye { .. } => Err(Refusal::NotAllowed),
                    _ => Err(Refusal::Malformed),
                })?;
                self.commit(at, Some(&peer.name), events).await?;
                self.follow_up().await;
                return Ok(super::Answer::Done);
            }
        };
        Ok(super::Answer::Reply(reply))
    }

    async fn direct(&mut self, peer: &Arc<Peer>, action: Direction) -> Result<super::Answer, Refusal> {
        if peer.name != self.state.director && !peer.roles.arbiter && !peer.roles.admin {
            return Err(Refusal::NotAllowed);
        }
        let hand = match &action {
            Direction::Pair => Some(None),
            Direction::PairByHand { boards, bye, reason } => {
                Some(Some((self.state.by_hand(boards, bye.as_ref())?, reason.clone())))
            }
            _ => None,
        };
        if let Some(hand) = hand {
            self.pair(Some(&peer.name), hand).await.map_err(|no| {
                tracing::info!(tournament = %self.state.id, why = no.why, "not paired");
                no.refusal
            })?;
            return Ok(super::Answer::Reply(TournamentReply::Paired { round: self.state.last_round() }));
        }
        let at = clock::now();
        let events = self.decide(at, |state, means| state.direct(&action, means))?;
        self.commit(at, Some(&peer.name), events).await?;
        self.follow_up().await;
        Ok(super::Answer::Done)
    }

    async fn export(&mut self, document: Document, part: u32) -> Result<TournamentReply, Refusal> {
        let seq = self.state.seq;
        let known = self.written.as_ref().filter(|(d, s, _)| *d == document && *s == seq);
        let text = match known {
            Some((_, _, text)) => Arc::clone(text),
            None => {
                let (state, journal) = (self.state.clone(), Arc::clone(&self.server.journal));
                let log = self.log.clone();
                let written = tokio::task::spawn_blocking(move || {
                    documents::write(&state, &log, journal.as_ref(), document)
                });
                let text: Arc<str> = written.await.map_err(|_| Refusal::Busy)??.into();
                self.written = Some((document, seq, Arc::clone(&text)));
                text
            }
        };
        let (part, more) = documents::part(&text, part).ok_or(Refusal::NoSuchBoard)?;
        Ok(TournamentReply::Document { text: Text::cut(part), more })
    }
}

/// A number below `count`, drawn by lot.
fn by_lot(count: usize) -> usize {
    let mut bytes = [0; 8];
    // Without random numbers one lot is as good as another.
    let _same_either_way = SystemRandom::new().fill(&mut bytes);
    let below = u64::try_from(count.max(1)).unwrap_or(1);
    usize::try_from(u64::from_le_bytes(bytes) % below).unwrap_or(0)
}
