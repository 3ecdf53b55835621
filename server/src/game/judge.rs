//! Commands, deadlines and the server's own doings: decided, made durable, then shown.

use super::actor::{Actor, Stamped};
use super::attachment::frame;
use super::command_ids::Known;
use super::past::last_seq;
use crate::clock;
use crate::journal::{EncodedRow, Record, StoreError};
use crate::metrics::seconds;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tokio::sync::oneshot::error::RecvError;
use zeitnot_laws::{Arrival, Decision};
use zeitnot_proto::close::Code;
use zeitnot_proto::command::{Command, Party, Sanction};
use zeitnot_proto::control::Notice;
use zeitnot_proto::game_stream::FromGame;
use zeitnot_proto::{Event, Refusal, Seq, Stamp};

impl Actor {
    pub(super) async fn command(&mut self, stamped: Stamped) {
        let started = Instant::now();
        let attachment = stamped.attachment;
        let id = stamped.id;
        let result = self.judge(&stamped, started).await;
        if let Err(refusal) = result {
            self.server.metrics.refused(refusal);
            tracing::debug!(by = ?stamped.by, command = stamped.command.name(), refusal = refusal.name(), game = %self.handle.info.game, "refused");
        }
        if let Some(reader) = self.attachments.iter_mut().find(|reader| reader.id == attachment) {
            reader.send(&frame(&FromGame::Answer { id, result }));
        }
        self.flush();
    }

    /// Decides a command and makes it happen.
    pub(super) async fn judge(&mut self, stamped: &Stamped, started: Instant) -> Result<Seq, Refusal> {
        let Stamped { at, by, lag_us, id, on, ref command, .. } = *stamped;
        match self.past.ids.check(by, id) {
            Known::New => {}
            Known::Accepted(last) => {
                self.server.metrics.duplicates.inc();
                return Ok(last);
            }
            Known::TooOld => return Err(Refusal::Duplicate),
        }
        if self.suspended.is_some() {
            return Err(Refusal::StoreDown);
        }
        if command.names_position() && on != Some(self.game.position_seq()) {
            // A deadline that was due by then comes first all the same.
            self.deadlines_by(at).await;
            return Err(if on.is_none() { Refusal::Malformed } else { Refusal::Stale });
        }
        let decision = self.game.decide(Arrival { at, lag_us }, by, command);
        let accepted = decision.answer.is_ok();
        let answer = decision.answer;
        let seq = self.commit(at, by, accepted.then_some(id), decision, started).await?;
        answer.map(|()| seq)
    }

    /// A command of the server's own.
    pub(super) async fn own(&mut self, command: &Command) {
        self.by_itself(Party::Server, command).await;
    }

    /// A command that nobody sent.
    pub(super) async fn by_itself(&mut self, by: Party, command: &Command) {
        let at = clock::now();
        let decision = self.game.decide(Arrival { at, lag_us: 0 }, by, command);
        if let Err(refusal) = decision.answer {
            tracing::debug!(game = %self.handle.info.game, command = command.name(), refusal = refusal.name(), "not needed");
        }
        if let Err(refusal) = self.commit(at, by, None, decision, Instant::now()).await {
            tracing::debug!(game = %self.handle.info.game, command = command.name(), refusal = refusal.name(), "not stored");
        }
    }

    /// What has happened by itself by now.
    pub(super) async fn deadlines(&mut self) {
        self.deadlines_by(clock::now()).await;
    }

    pub(super) async fn deadlines_by(&mut self, now: Stamp) {
        while let Some(due) = self.game.poll_timeout().filter(|&due| due <= now && self.suspended.is_none()) {
            // Decided as at the instant itself: waking late changes nothing.
            let decision = self.game.decide_timeout(due);
            if decision.events.is_empty() {
                tracing::error!(game = %self.handle.info.game, %due, "a deadline without an event");
                return;
            }
            if decision.events.iter().any(|entry| matches!(entry.event, Event::FlagFell { .. })) {
                self.server.metrics.flag_lateness.observe(seconds(due, clock::now()));
            }
            if self.commit(due, Party::Server, None, decision, Instant::now()).await.is_err() {
                return;
            }
        }
    }

    /// Makes a decision durable, folds it in and shows it. The number of the game's last event then.
    pub(super) async fn commit(
        &mut self,
        at: Stamp,
        by: Party,
        command_id: Option<u64>,
        decision: Decision,
        started: Instant,
    ) -> Result<Seq, Refusal> {
        let Decision { events: entries, after, question, .. } = decision;
        if entries.is_empty() {
            return Ok(self.game.seq().unwrap_or(Seq(0)));
        }
        let record = Record {
            game: self.handle.info.game,
            first: self.game.seq().map_or(Seq(0), Seq::next),
            turn_began: self.past.began,
            at,
            by,
            command_id,
            entries,
        };
        let finished = self.finished_by(&record, &after).map(Box::new);
        let before_commit = started.elapsed();
        let row = EncodedRow::encode(&record).map_err(|error| self.not_stored(&error))?;
        let before = self.past.append(&row).map_err(|error| self.not_stored(&error))?;
        // Nothing that is durable waits for something that is not.
        self.flush();
        let answer = self.server.journal.append(row, finished).await;
        let committed = self.durable(answer).inspect_err(|_| self.past.take_back(before))?;
        let resumed = Instant::now();
        let position_seq = self.game.position_seq();
        self.game = *after;
        let moved = self.game.position_seq() != position_seq;
        self.past.began = None;
        if self.game.awaits_turn() {
            self.game.turn_began(committed);
            self.past.began = Some(committed);
        }
        let awaits = self.past.fold(&record);
        self.publish_waiting(awaits);
        let last = last_seq(&record);
        self.show(record, moved);
        let now = clock::now();
        let metrics = &self.server.metrics;
        metrics.own_cost.observe((before_commit + resumed.elapsed()).as_secs_f64());
        metrics.stamp_to_commit.observe(seconds(at, committed));
        metrics.stamp_to_broadcast.observe(seconds(at, now));
        if let Some(question) = question {
            self.ask(question);
        }
        Ok(last)
    }

    /// When it became durable, or what that it did not means for the command and the game.
    fn durable(&mut self, answer: Result<Result<Stamp, StoreError>, RecvError>) -> Result<Stamp, Refusal> {
        match answer {
            Ok(Ok(committed)) => Ok(committed),
            Ok(Err(StoreError::Down(why))) => {
                tracing::debug!(game = %self.handle.info.game, why, "the store takes nothing; this game stands");
                self.suspend();
                Err(Refusal::StoreDown)
            }
            Ok(Err(error)) => Err(self.not_stored(&error)),
            Err(_) => {
                self.suspend();
                Err(Refusal::StoreDown)
            }
        }
    }

    /// A decision cannot be stored, now or later.
    fn not_stored(&mut self, error: &StoreError) -> Refusal {
        tracing::error!(game = %self.handle.info.game, %error, "a decision was not stored; the game is read again");
        self.abandon();
        Refusal::Busy
    }

    /// Somebody else owns this game, or its store is damaged: this actor must not go on. Whoever
    /// attaches next gets the game as the store has it.
    fn abandon(&mut self) {
        self.messages.close();
        for reader in self.attachments.drain(..) {
            reader.end(None, Code::Internal);
        }
        self.over_since = Some(clock::now());
    }

    /// Counts and shows a decision that is durable.
    pub(super) fn show(&mut self, record: Record, moved: bool) {
        let info = &self.handle.info;
        info.plies.store(self.game.plies(), Ordering::Relaxed);
        let metrics = &self.server.metrics;
        for entry in &record.entries {
            if let Some(article) = &entry.article {
                metrics.ruled(article);
            }
            match &entry.event {
                Event::MoveCompleted { .. } => metrics.moves.inc(),
                Event::GameEnded { reason, .. } => {
                    metrics.game_ended(reason);
                    tracing::info!(game = %info.game, reason = reason.name(), plies = self.game.plies(), "ended");
                }
                Event::GameAnnulled { .. } => metrics.game_annulled(),
                Event::Sanctioned { side, sanction: Sanction::Expulsion, .. } => {
                    self.server.tournaments.expelled(info.game, *side);
                }
                _ => {}
            }
            if matches!(entry.event, Event::GameEnded { .. } | Event::GameAnnulled { .. }) {
                self.server.tournaments.game_over(info.game, self.game.status(), self.game.plies());
            }
        }
        if self.game.status().is_over() && !info.over.swap(true, Ordering::Relaxed) {
            metrics.games.dec();
            self.server.hub.finished(info);
            self.over_since = Some(clock::now());
        }
        self.count_clock();
        self.broadcast(record, moved);
    }

    /// Keeps the arbiters' queue right, and tells them of something new.
    pub(super) fn publish_waiting(&self, new: bool) {
        let info = &self.handle.info;
        info.set_waiting(self.past.waiting.entries());
        if let Some(latest) = self.past.waiting.entries().last().filter(|_| new) {
            self.server.hub.notify_arbiters(&Notice::Awaiting(info.awaiting(latest)));
        }
    }
}
