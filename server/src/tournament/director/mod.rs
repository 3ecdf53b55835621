//! One tournament, one task, one owner: what a request or a game's end causes is decided, made durable,
//! folded in, and only then shown and acted upon.
//!
//! | module | what it does |
//! |---|---|
//! | `play` | creates games, hears how they end, completes after an outage what was begun |
//! | `rounds` | pairs, when it is asked to or when it is time |
//! | `requests` | answers clients |
//! | `notices` | tells players and followers |

mod notices;
mod play;
mod requests;
mod rounds;

use super::event::{Departure, Event};
use super::games;
use super::registry::Handle;
use super::state::State;
use super::view;
use super::{Ask, GameNews, Logged, ToDirector};
use crate::clock::{self, Alarm};
use crate::hub::Peer;
use crate::journal::{StoreError, TournamentRecord};
use crate::state::Server;
use std::sync::{Arc, Weak};
use tokio::sync::{mpsc, watch};
use zeitnot_proto::rules::Name;
use zeitnot_proto::tournament::{ByeKind, Document, TournamentNotice};
use zeitnot_proto::{Refusal, Stamp, codec};

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
    /// When somebody last wanted something.
    wanted: Stamp,
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
            wanted: clock::now(),
            waiting: Vec::new(),
            written: None,
        }
    }

    /// Works until the tournament is over and nobody wants to know anything any more, or the server ends.
    pub async fn run(mut self) {
        self.catch_up().await;
        while !self.may_leave() {
            match self.wait().await {
                Wake::Said(ToDirector::Ask(ask)) => {
                    self.wanted = clock::now();
                    self.answer(ask).await;
                }
                Wake::Said(ToDirector::Game(news)) => self.hear(news).await,
                Wake::Time if self.behind => {
                    self.behind = false;
                    self.catch_up().await;
                }
                Wake::Time if self.state.crowd.is_some() => self.follow_up().await,
                Wake::Time if self.state.finished => {}
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
        self.leave().await;
    }

    /// When it is to be seen whether it still has to be in memory, once it is over.
    fn leaves_at(&self) -> Option<Stamp> {
        let linger = u64::try_from(self.server.limits.linger.as_micros()).unwrap_or(u64::MAX);
        let attended = self.followers.iter().any(|peer| peer.strong_count() > 0);
        let since = if attended { clock::now() } else { self.wanted };
        (self.state.is_settled() && !self.behind).then(|| since.plus(linger))
    }

    fn may_leave(&self) -> bool {
        self.leaves_at().is_some_and(|at| at <= clock::now())
    }

    /// Answers what was asked until now, and leaves; whoever asks later has a director called back.
    async fn leave(mut self) {
        self.mail.asks.close();
        while let Some(ask) = self.mail.asks.recv().await {
            self.answer(ask).await;
        }
        while let Ok(news) = self.mail.news.try_recv() {
            self.hear(news).await;
        }
        self.server.tournaments.leave(&self.state);
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
                if self.state.flows() {
                    self.void_games().await;
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
}
