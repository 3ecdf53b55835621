//! One game, one task, one owner.
//!
//! The actor takes stamped commands from its mailbox, asks the laws what they cause, makes the
//! decision durable, folds it in and shows it. It decides by stamps and not by the order in which
//! tasks ran: nothing is decided while a reader of this game is between stamping and enqueueing, and
//! what has gathered is put into the order of LAWS A3 first.

use crate::attachment::{Attachment, Encoded, Out, frame, withhold};
use crate::clock;
use crate::command_ids::{CommandIds, Known};
use crate::delayed::Delayed;
use crate::hub::GameHandle;
use crate::journal::{Finished, Record, StoreError};
use crate::metrics::seconds;
use crate::pgn;
use crate::state::Server;
use crate::waiting::Queue;
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tokio::sync::{mpsc, watch};
use tracing::Instrument as _;
use zeitnot_laws::{Arrival, Decision, Game, MateQuestion};
use zeitnot_proto::close::Code;
use zeitnot_proto::command::{Command, Party, Sanction};
use zeitnot_proto::control::{GameSummary, Notice};
use zeitnot_proto::event::Certificate;
use zeitnot_proto::game_stream::{Attach, Events, FromGame, Seat};
use zeitnot_proto::snapshot::{ClockReading, LegalMove, Status};
use zeitnot_proto::{Color, Event, List, Refusal, Seq, Stamp, codec};

/// What a game's actor is told.
pub enum ToActor {
    /// A stream attaches.
    Attach(Box<NewAttachment>),
    /// A stream left.
    Detach {
        /// Which.
        attachment: u64,
    },
    /// A command came in on a stream.
    Command(Box<Stamped>),
    /// A stream wants what it missed.
    Resync {
        /// Which.
        attachment: u64,
        /// The last event that it has.
        after: Option<Seq>,
    },
    /// A search for a mate ended.
    MateVerdict(Box<Command>),
    /// The director of its tournament acts as the arbiter.
    Director(Box<Command>),
    /// After an outage: play was interrupted at this instant.
    Recover {
        /// The last durable instant.
        until: Stamp,
    },
}

/// A stream that attaches to a game.
pub struct NewAttachment {
    /// Its number in this process.
    pub id: u64,
    /// What it asked for; its seat has been checked.
    pub attach: Attach,
    /// The side, if it plays.
    pub side: Option<Color>,
    /// The way to the stream.
    pub outbox: mpsc::Sender<Out>,
    /// Shared with the stream: see [`Attachment::lagging`].
    pub lagging: Arc<AtomicBool>,
}

/// A command with the instant at which the last byte of its frame was read.
pub struct Stamped {
    /// That instant.
    pub at: Stamp,
    /// Who sent it.
    pub by: Party,
    /// The stream that it came on.
    pub attachment: u64,
    /// The lowest round-trip time measured on the connection, in microseconds; 0 where the game does
    /// not compensate.
    pub lag_us: u64,
    /// The client's number for it.
    pub id: u64,
    /// The event that last changed the position, as the sender knows it.
    pub on: Option<Seq>,
    /// The command.
    pub command: Command,
}

/// What has happened in a game so far, as its actor needs it.
#[derive(Default)]
pub struct Past {
    /// The records, encoded: few readers ask for them, and there are many games.
    records: Vec<Box<[u8]>>,
    ids: CommandIds,
    waiting: Queue,
    created: Stamp,
    /// When the present turn began, if no record says so yet.
    pub began: Option<Stamp>,
}

impl Past {
    /// What awaits an arbiter.
    pub fn waiting(&self) -> &Queue {
        &self.waiting
    }

    /// Adds a record. True if something new awaits an arbiter.
    pub fn remember(&mut self, record: &Record) -> bool {
        if self.records.is_empty() {
            self.created = record.at;
        }
        if let Some(id) = record.command_id {
            self.ids.accept(record.by, id, last_seq(record));
        }
        match record.encode() {
            Ok(bytes) => self.records.push(bytes.into_boxed_slice()),
            Err(error) => tracing::error!(game = %record.game, %error, "a record does not fit"),
        }
        self.waiting.fold(record)
    }

    fn records(&self) -> impl DoubleEndedIterator<Item = Record> {
        self.records.iter().filter_map(|bytes| Record::decode(bytes).ok())
    }
}

/// The number of the last event of a record.
fn last_seq(record: &Record) -> Seq {
    Seq(record.first.0 + u32::try_from(record.entries.len()).unwrap_or(u32::MAX).saturating_sub(1))
}

/// Folds the records of one game; none if they do not begin with its creation.
pub fn replay(records: &[Record]) -> Option<(Game, Past)> {
    let Event::GameCreated(setup) = &records.first()?.entries.first()?.event else { return None };
    let mut game = Game::replay_start(setup).ok()?;
    let mut past = Past::default();
    for record in records {
        if let Some(began) = record.turn_began {
            game.turn_began(began);
        }
        for entry in &record.entries {
            game.apply(record.at, &entry.event);
        }
        past.remember(record);
    }
    Some((game, past))
}

/// Starts the actor of a game.
pub fn spawn(
    server: Arc<Server>,
    game: Game,
    past: Past,
    handle: GameHandle,
    messages: mpsc::Receiver<ToActor>,
) {
    let span = tracing::info_span!("game", id = %handle.info.game);
    let public = (game.setup().terms.spectator_delay_us > 0).then(|| Box::new(Delayed::new(&game)));
    let actor = Actor {
        store: server.store_health.clone(),
        draining: server.draining.subscribe(),
        over_since: game.status().is_over().then(Instant::now),
        server,
        game,
        past,
        handle,
        messages,
        attachments: Vec::new(),
        public,
        suspended: None,
        clock_counted: false,
    };
    tokio::spawn(actor.run().instrument(span));
}

struct Actor {
    server: Arc<Server>,
    game: Game,
    past: Past,
    handle: GameHandle,
    messages: mpsc::Receiver<ToActor>,
    attachments: Vec<Attachment>,
    /// What spectators see, where they see it later.
    public: Option<Box<Delayed>>,
    store: watch::Receiver<bool>,
    draining: watch::Receiver<bool>,
    /// While the store takes nothing: the last durable instant, to which the clock is charged.
    suspended: Option<Stamp>,
    over_since: Option<Instant>,
    clock_counted: bool,
}

/// What woke the actor.
enum Wake {
    Message(ToActor),
    Time,
    Store,
    Drain,
}

impl Actor {
    async fn run(mut self) {
        self.count_clock();
        // After a restart a search that the game waits for has to be made again.
        if let Some(question) = self.game.open_question() {
            self.ask(question);
        }
        loop {
            match self.wait().await {
                Wake::Message(first) => {
                    let batch = self.gather(Some(first)).await;
                    self.work(batch).await;
                }
                Wake::Time => {
                    // The flag is decided only when everything stamped before it is here.
                    let batch = self.gather(None).await;
                    self.work(batch).await;
                    self.deadlines().await;
                    self.release_delayed();
                }
                Wake::Store => self.store_changed().await,
                Wake::Drain => self.drain().await,
            }
            if self.may_leave() {
                break;
            }
        }
        self.leave();
    }

    async fn wait(&mut self) -> Wake {
        let due = self.next_due();
        let deadline = async {
            match due {
                Some(at) => clock::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let unattended = self.over_since.filter(|_| self.attachments.is_empty());
        let lingered = unattended.map(|since| since + self.server.limits.linger);
        let linger = async {
            match lingered {
                Some(at) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            message = self.messages.recv() => message.map_or(Wake::Time, Wake::Message),
            () = deadline => Wake::Time,
            () = linger => Wake::Time,
            changed = self.store.changed() => if changed.is_ok() { Wake::Store } else { Wake::Time },
            changed = self.draining.changed() => if changed.is_ok() { Wake::Drain } else { Wake::Time },
        }
    }

    /// When something happens by itself next.
    fn next_due(&self) -> Option<Stamp> {
        let deadline = if self.suspended.is_some() { None } else { self.game.poll_timeout() };
        let release = self.public.as_ref().and_then(|public| public.next_release());
        [deadline, release].into_iter().flatten().min()
    }

    /// All that has been stamped by now, in the order in which it counts: by stamp, and at one stamp
    /// the arbiter before the side on move before the other (LAWS A3).
    async fn gather(&mut self, first: Option<ToActor>) -> Vec<ToActor> {
        let mut batch: Vec<ToActor> = first.into_iter().collect();
        loop {
            while let Ok(message) = self.messages.try_recv() {
                batch.push(message);
            }
            if self.handle.stamping.load(Ordering::SeqCst) == 0 {
                // What was enqueued before that zero was read is here now.
                while let Ok(message) = self.messages.try_recv() {
                    batch.push(message);
                }
                break;
            }
            tokio::task::yield_now().await;
        }
        if batch.len() > 1 {
            let turn = self.game.turn();
            batch.sort_by_key(|message| match message {
                ToActor::Command(stamped) => (stamped.at, rank(stamped.by, turn)),
                // A stream attaches before its first command and leaves after its last; the rest has no
                // stamp. All of it may come first: none of it is judged.
                ToActor::Recover { .. } => (Stamp(0), 0),
                ToActor::Attach(_) => (Stamp(0), 1),
                ToActor::Resync { .. } | ToActor::MateVerdict(_) | ToActor::Director(_) => (Stamp(0), 2),
                ToActor::Detach { .. } => (Stamp(u64::MAX), 0),
            });
        }
        batch
    }

    async fn work(&mut self, batch: Vec<ToActor>) {
        for message in batch {
            match message {
                ToActor::Attach(new) => self.attach(*new).await,
                ToActor::Detach { attachment } => self.detach(attachment).await,
                ToActor::Command(stamped) => self.command(*stamped).await,
                ToActor::Resync { attachment, after } => self.resync(attachment, after),
                ToActor::MateVerdict(verdict) => self.own(&verdict).await,
                ToActor::Director(command) => self.by_itself(Party::Arbiter, &command).await,
                ToActor::Recover { until } => self.interrupt(until).await,
            }
        }
    }

    // ---- Commands ----

    async fn command(&mut self, stamped: Stamped) {
        let started = Instant::now();
        let attachment = stamped.attachment;
        let id = stamped.id;
        let result = self.judge(&stamped, started).await;
        if let Err(refusal) = result {
            self.server.metrics.refused(refusal);
            tracing::debug!(by = ?stamped.by, command = stamped.command.name(), refusal = refusal.name(), "refused");
        }
        if let Some(reader) = self.attachments.iter().find(|reader| reader.id == attachment) {
            reader.send(&frame(&FromGame::Answer { id, result }));
        }
    }

    /// Decides a command and makes it happen.
    async fn judge(&mut self, stamped: &Stamped, started: Instant) -> Result<Seq, Refusal> {
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
    async fn own(&mut self, command: &Command) {
        self.by_itself(Party::Server, command).await;
    }

    /// A command that nobody sent.
    async fn by_itself(&mut self, by: Party, command: &Command) {
        let at = clock::now();
        let decision = self.game.decide(Arrival { at, lag_us: 0 }, by, command);
        if let Err(refusal) = decision.answer {
            tracing::debug!(command = command.name(), refusal = refusal.name(), "not needed");
        }
        if let Err(refusal) = self.commit(at, by, None, decision, Instant::now()).await {
            tracing::debug!(command = command.name(), refusal = refusal.name(), "not stored");
        }
    }

    /// What has happened by itself by now.
    async fn deadlines(&mut self) {
        self.deadlines_by(clock::now()).await;
    }

    async fn deadlines_by(&mut self, now: Stamp) {
        while let Some(due) = self.game.poll_timeout().filter(|&due| due <= now && self.suspended.is_none()) {
            // Decided as at the instant itself: waking late changes nothing.
            let decision = self.game.decide_timeout(due);
            if decision.events.is_empty() {
                tracing::error!(%due, "a deadline without an event");
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

    // ---- Durable, then seen ----

    /// Makes a decision durable, folds it in and shows it. The number of the game's last event then.
    async fn commit(
        &mut self,
        at: Stamp,
        by: Party,
        command_id: Option<u64>,
        decision: Decision,
        started: Instant,
    ) -> Result<Seq, Refusal> {
        let Decision { events: entries, question, .. } = decision;
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
        let finished = self.finished_by(&record).map(Box::new);
        let before_commit = started.elapsed();
        let committed = self.make_durable(&record, finished).await?;
        let resumed = Instant::now();
        let position_seq = self.game.position_seq();
        for entry in &record.entries {
            self.game.apply(at, &entry.event);
        }
        let moved = self.game.position_seq() != position_seq;
        self.past.began = None;
        if self.game.awaits_turn() {
            self.game.turn_began(committed);
            self.past.began = Some(committed);
        }
        let awaits = self.past.remember(&record);
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

    async fn make_durable(
        &mut self,
        record: &Record,
        finished: Option<Box<Finished>>,
    ) -> Result<Stamp, Refusal> {
        match self.server.journal.append(record.clone(), finished).await {
            Ok(Ok(committed)) => Ok(committed),
            Ok(Err(StoreError::Down(why))) => {
                tracing::debug!(why, "the store takes nothing; this game stands");
                self.suspend();
                Err(Refusal::StoreDown)
            }
            Ok(Err(error)) => {
                tracing::error!(%error, "a decision was not stored; the game is read again");
                self.abandon();
                Err(Refusal::Busy)
            }
            Err(_) => {
                self.suspend();
                Err(Refusal::StoreDown)
            }
        }
    }

    /// Somebody else owns this game, or its store is damaged: this actor must not go on. Whoever
    /// attaches next gets the game as the store has it.
    fn abandon(&mut self) {
        self.messages.close();
        for reader in self.attachments.drain(..) {
            reader.end(None, Code::Internal);
        }
        self.over_since = Some(Instant::now());
    }

    /// Counts and shows a decision that is durable.
    fn show(&mut self, record: Record, moved: bool) {
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
                    tracing::info!(reason = reason.name(), plies = self.game.plies(), "ended");
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
            self.over_since = Some(Instant::now());
        }
        self.count_clock();
        self.broadcast(record, moved);
    }

    /// Keeps the arbiters' queue right, and tells them of something new.
    fn publish_waiting(&self, new: bool) {
        let info = &self.handle.info;
        info.set_waiting(self.past.waiting.entries());
        if let Some(latest) = self.past.waiting.entries().last().filter(|_| new) {
            self.server.hub.notify_arbiters(&Notice::Awaiting(info.awaiting(latest)));
        }
    }

    /// Keeps the number of running clocks right, for the journal's heartbeat.
    fn count_clock(&mut self) {
        let runs = self.game.reading().running.is_some() && !self.game.status().is_over();
        if runs != self.clock_counted {
            self.clock_counted = runs;
            let count = &self.server.hub.clocks;
            let count = if runs {
                count.fetch_add(1, Ordering::Relaxed) + 1
            } else {
                count.fetch_sub(1, Ordering::Relaxed) - 1
            };
            self.server.journal.clocks_running(count);
        }
    }

    /// What a reader sees of the game: its state and its clocks.
    fn seen_from(&self, seat: Seat) -> (&Game, ClockReading) {
        match &self.public {
            Some(public) if seat == Seat::Spectator => (public.game(), public.reading()),
            _ => (&self.game, self.game.reading()),
        }
    }

    fn broadcast(&mut self, record: Record, moved: bool) {
        let began = self.past.began;
        let delayed = self.public.as_mut().map(|public| public.enqueue(&record, began));
        if self.attachments.is_empty() {
            return;
        }
        let encoded = Encoded::new(events_of(record, &self.game, self.game.reading()));
        let legal = (moved && self.attachments.iter().any(|reader| reader.legal_moves))
            .then(|| legal_moves(&self.game));
        // Players' streams come first.
        for players in [true, false] {
            for reader in &self.attachments {
                let is_player = reader.seat != Seat::Spectator;
                if is_player != players || (!is_player && delayed.is_some()) {
                    continue;
                }
                reader.send(encoded.view(reader.view()));
                if let Some(legal) = legal.as_ref().filter(|_| reader.legal_moves) {
                    reader.send(legal);
                }
            }
        }
    }

    /// Shows spectators what has become old enough for them.
    fn release_delayed(&mut self) {
        let Some(public) = self.public.as_mut() else { return };
        for events in public.release(clock::now()) {
            let bytes = frame(&FromGame::Events(Box::new(withhold(events, crate::attachment::View::Public))));
            let legal = self.attachments.iter().any(|r| r.legal_moves && r.seat == Seat::Spectator);
            let legal = legal.then(|| legal_moves(public.game()));
            for reader in self.attachments.iter().filter(|reader| reader.seat == Seat::Spectator) {
                reader.send(&bytes);
                if let Some(legal) = legal.as_ref().filter(|_| reader.legal_moves) {
                    reader.send(legal);
                }
            }
        }
    }

    // ---- Streams ----

    async fn attach(&mut self, new: NewAttachment) {
        let NewAttachment { id, attach, side, outbox, lagging } = new;
        let attachment =
            Attachment { id, seat: attach.seat, side, legal_moves: attach.legal_moves, outbox, lagging };
        if attach.seat == Seat::Spectator && self.attachments.len() >= self.server.limits.attachments_per_game
        {
            self.server.metrics.reset(Code::Full);
            attachment.end(None, Code::Full);
            return;
        }
        let playing = attach.seat == Seat::Player;
        let mut here_already = false;
        if playing
            && let Some(index) =
                self.attachments.iter().position(|r| r.seat == Seat::Player && r.side == side)
        {
            here_already = true;
            let old = self.attachments.swap_remove(index);
            old.end(Some(frame(&FromGame::TakenOver)), Code::TakenOver);
            self.server.metrics.attachments.dec();
        }
        self.server.metrics.attachments.inc();
        self.attachments.push(attachment);
        self.resync(id, attach.after);
        if let Some(side) = side.filter(|_| playing && !here_already) {
            self.own(&Command::Presence { side, present: true }).await;
            // Where no hour is appointed, and at the board of a tournament, sitting down is coming to it.
            if self.game.waits_for_both() || self.server.tournaments.has(self.handle.info.game) {
                self.by_itself(Party::from(side), &Command::MarkPresent).await;
            }
        }
    }

    async fn detach(&mut self, id: u64) {
        let Some(index) = self.attachments.iter().position(|reader| reader.id == id) else { return };
        let gone = self.attachments.swap_remove(index);
        self.server.metrics.attachments.dec();
        if let (Seat::Player, Some(side)) = (gone.seat, gone.side) {
            self.own(&Command::Presence { side, present: false }).await;
        }
    }

    /// Sends a reader what it missed after `after`, or a snapshot.
    fn resync(&mut self, id: u64, after: Option<Seq>) {
        let Some(reader) = self.attachments.iter().find(|reader| reader.id == id) else { return };
        reader.lagging.store(false, Ordering::Release);
        let (game, clock) = self.seen_from(reader.seat);
        let missed = after.and_then(|after| self.missed(game, after));
        let frames: Vec<Bytes> = match missed {
            Some(records) => {
                let view = reader.view();
                let frames = records.into_iter().map(|record| {
                    frame(&FromGame::Events(Box::new(withhold(events_of(record, game, clock), view))))
                });
                frames.collect()
            }
            None => vec![self.snapshot_for(reader)],
        };
        for bytes in &frames {
            if !reader.send(bytes) {
                return;
            }
        }
        if reader.legal_moves {
            reader.send(&legal_moves(game));
        }
    }

    /// The records after `after`, if that is something this game has, few enough, and told whole.
    fn missed(&self, game: &Game, after: Seq) -> Option<Vec<Record>> {
        let last = game.seq()?;
        if after > last {
            return None;
        }
        let room = self.server.limits.outbox / 2;
        let mut records = Vec::new();
        for record in self.past.records().rev().skip_while(|record| record.first > last) {
            if last_seq(&record) <= after {
                break;
            }
            if records.len() == room {
                return None;
            }
            records.push(record);
        }
        records.reverse();
        // Half of a decision cannot be told: a snapshot can.
        let starts = records.first().map_or(after.next(), |record| record.first);
        (starts == after.next()).then_some(records)
    }

    fn snapshot_for(&self, reader: &Attachment) -> Bytes {
        let (game, clock) = self.seen_from(reader.seat);
        let mut snapshot = game.snapshot();
        snapshot.clock = clock;
        let party = match (reader.seat, reader.side) {
            (Seat::Player, Some(side)) => Some(Party::from(side)),
            (Seat::Arbiter, _) => Some(Party::Arbiter),
            (Seat::Device, _) => Some(Party::Device),
            _ => None,
        };
        snapshot.last_command = party.and_then(|party| self.past.ids.highest(party));
        frame(&FromGame::Snapshot { now: clock::now(), snapshot: Box::new(snapshot) })
    }

    // ---- Outages ----

    /// The store takes nothing: this game's clock stands.
    fn suspend(&mut self) {
        if self.suspended.is_none() {
            let until = self.server.journal.last_durable().unwrap_or_else(|_| clock::now());
            self.suspended = Some(until);
        }
    }

    async fn store_changed(&mut self) {
        let up = *self.store.borrow_and_update();
        if !up {
            if self.clock_counted {
                self.suspend();
            }
        } else if let Some(until) = self.suspended.take() {
            self.interrupt(until).await;
        }
    }

    /// Play was interrupted at `until`: the clocks stand, and run again once both players are here.
    async fn interrupt(&mut self, until: Stamp) {
        // First of all: whatever came due while the server was away is nobody's.
        self.own(&Command::Interrupt { until }).await;
        let present = self.game.snapshot().present;
        for side in Color::BOTH {
            let here = self.attachments.iter().any(|r| r.seat == Seat::Player && r.side == Some(side));
            if present[side] != here {
                self.own(&Command::Presence { side, present: here }).await;
            }
        }
    }

    /// The server goes down: the clock stands from now on.
    async fn drain(&mut self) {
        if !*self.draining.borrow_and_update() {
            return;
        }
        if !self.game.status().is_over() {
            self.own(&Command::Interrupt { until: clock::now() }).await;
        }
        self.server.hub.drained.fetch_add(1, Ordering::Relaxed);
    }

    // ---- The end ----

    /// What the game leaves behind, if it is over after `last`.
    fn finished_by(&self, last: &Record) -> Option<Finished> {
        let ends = |event: &Event| matches!(event, Event::GameEnded { .. } | Event::GameAnnulled { .. });
        if !self.game.status().is_over() && !last.entries.iter().any(|entry| ends(&entry.event)) {
            return None;
        }
        let mut after = self.game.clone();
        for entry in &last.entries {
            after.apply(last.at, &entry.event);
        }
        let mut records: Vec<Record> = self.past.records().collect();
        records.push(last.clone());
        let setup = after.setup();
        let outcome = match after.status() {
            Status::Ended(outcome) => Some(outcome),
            _ => None,
        };
        let moves = after.snapshot().moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        Some(Finished {
            summary: GameSummary {
                game: setup.game,
                players: setup.players.clone(),
                time_control: setup.terms.time_control.clone(),
                outcome,
                over: true,
                plies: after.plies(),
            },
            edition: setup.terms.rules.edition.name(),
            speed: setup.terms.rules.speed.name(),
            moves,
            pgn: pgn::render(&records).unwrap_or_else(|error| {
                tracing::error!(%error, "a game cannot be written as PGN");
                String::new()
            }),
            created: self.past.created,
            ended: last.at,
        })
    }

    /// Searches for a mate beside the game; the clock has stopped, so that waiting charges nobody.
    fn ask(&self, question: MateQuestion) {
        let server = Arc::clone(&self.server);
        let mailbox = self.handle.mailbox.clone();
        tokio::spawn(async move {
            let Ok(permit) = Arc::clone(&server.mate_searches).acquire_owned().await else { return };
            let positions = server.limits.mate_search_positions;
            let searched = tokio::task::spawn_blocking(move || question.answer(positions)).await;
            drop(permit);
            let Ok(verdict) = searched else { return };
            if let Command::MateVerdict { certificate, .. } = &verdict {
                server.metrics.mate_searched(match certificate {
                    Certificate::Mates(_) => "mates",
                    Certificate::Unknown { .. } => "unknown",
                    _ => "never",
                });
            }
            // The game waits for this; it has to arrive.
            let _gone = mailbox.send(ToActor::MateVerdict(Box::new(verdict))).await;
        });
    }

    /// Whether nobody needs this actor any more.
    fn may_leave(&self) -> bool {
        self.messages.is_closed()
            || (self.attachments.is_empty()
                && self.messages.is_empty()
                && self.over_since.is_some_and(|since| since.elapsed() >= self.server.limits.linger))
    }

    fn leave(mut self) {
        self.messages.close();
        if self.clock_counted {
            let count = self.server.hub.clocks.fetch_sub(1, Ordering::Relaxed) - 1;
            self.server.journal.clocks_running(count);
        }
        self.server.hub.remove_game(self.handle.info.game, &self.handle.mailbox);
        // Whoever slipped in while the mailbox was closing is told to come again.
        while let Ok(message) = self.messages.try_recv() {
            if let ToActor::Attach(new) = message {
                let _gone = new.outbox.try_send(Out::End(Code::Internal));
            }
        }
    }
}

/// Where a party stands in the order of one stamp (LAWS A3): flags come before all of them.
fn rank(by: Party, turn: Color) -> u8 {
    match by {
        Party::Server => 0,
        Party::Arbiter => 1,
        Party::Device => 2,
        player if player.side() == Some(turn) => 3,
        _ => 4,
    }
}

/// The frame of a record's events, as things stand in `game`.
fn events_of(record: Record, game: &Game, clock: ClockReading) -> Events {
    Events {
        first: record.first,
        at: record.at,
        by: record.by,
        entries: List::cut(record.entries),
        position_seq: game.position_seq(),
        clock,
        now: clock::now(),
    }
}

/// The legal moves of a game's position, as a frame.
fn legal_moves(game: &Game) -> Bytes {
    let moves: Vec<LegalMove> = if game.status().is_over() { Vec::new() } else { game.legal_moves() };
    frame(&FromGame::LegalMoves { on: game.position_seq(), moves: List::cut(moves) })
}

impl Record {
    /// The record as bytes, for memory and for the journal's own use.
    ///
    /// # Errors
    /// It is longer than any decision can be.
    pub fn encode(&self) -> Result<Vec<u8>, codec::EncodeError> {
        let Record { game, first, turn_began, at, by, command_id, entries } = self;
        codec::encode_value(&(game, first, turn_began, at, by, command_id, entries))
    }

    /// The record of these bytes.
    ///
    /// # Errors
    /// The bytes are not one.
    pub fn decode(bytes: &[u8]) -> Result<Record, codec::DecodeError> {
        let (game, first, turn_began, at, by, command_id, entries): (
            zeitnot_proto::GameId,
            Seq,
            Option<Stamp>,
            Stamp,
            Party,
            Option<u64>,
            List<zeitnot_proto::Entry, { zeitnot_proto::limits::EVENTS_MAX }>,
        ) = codec::decode_value(bytes)?;
        Ok(Record { game, first, turn_began, at, by, command_id, entries: entries.into_vec() })
    }
}
