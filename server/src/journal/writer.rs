//! The one thread that writes: it takes what is queued, writes it as one group, and answers when the
//! group is durable.

use super::live::{LiveGame, Shared, count};
use super::row::{EncodedRow, party_number};
use super::sqlite::Group;
use super::sweep::Sweep;
use super::{Finished, StoreError, TournamentRecord, games, live, tournaments};
use crate::clock;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tracing::{error, info, warn};
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Seq, Stamp};

/// How often a heartbeat is written while clocks run.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// How often a store that is down is tried again.
const PROBE: Duration = Duration::from_millis(250);

/// What the write-ahead log may grow to before it is copied into the database, in bytes, about.
const CHECKPOINT_BYTES: usize = 8 << 20;

/// What a group costs in the log beside its rows, in bytes, about.
const GROUP_BYTES: usize = 3 * 4096;

/// The least that has to be written before a store that was down counts as up, in bytes.
const BALLAST_MIN: usize = 64 << 10;

/// Swept after this long without a record, whatever the number of rows.
const QUIET: Duration = Duration::from_mins(1);

/// Something on its way to the disk.
pub(super) struct Append {
    pub(super) work: Work,
    pub(super) answer: oneshot::Sender<Result<Stamp, StoreError>>,
}

/// What is written.
pub(super) enum Work {
    /// A decision of a game, with the row that it leaves if it ends the game.
    Decision { row: EncodedRow, finished: Option<Box<Finished>> },
    /// Events of a tournament.
    Tournament(TournamentRecord),
}

impl Append {
    fn bytes(&self) -> usize {
        match &self.work {
            Work::Decision { row, finished } => {
                let finished = finished.as_ref().map_or(0, |finished| finished.pgn.len() * 2);
                row.entries.len() + 64 + finished
            }
            Work::Tournament(record) => record.events.iter().map(|event| event.len() + 64).sum(),
        }
    }

    /// The stamp of the decision.
    fn at(&self) -> Stamp {
        match &self.work {
            Work::Decision { row, .. } => row.at,
            Work::Tournament(record) => record.at,
        }
    }
}

pub(super) struct Writer {
    connection: Connection,
    orders: Receiver<Append>,
    shared: Arc<Shared>,
    group_max: usize,
    sweep: Sweep,
    last_row: i64,
    /// When the last group was committed; stands in no row yet.
    mark: Option<Stamp>,
    written: Written,
    /// When to try again, and how much has to go through then; none while the store is up.
    down: Option<(Instant, usize)>,
}

/// When and how much was written last.
struct Written {
    /// The last commit of any kind: a heartbeat is due a while after it.
    commit: Instant,
    /// The last group.
    group: Instant,
    /// Bytes in the log since it was last copied.
    bytes: usize,
    /// The log could not be copied the last time.
    stuck: bool,
}

impl Writer {
    pub(super) fn new(
        connection: Connection,
        orders: Receiver<Append>,
        shared: Arc<Shared>,
        found: &live::Found,
        (group_max, sweep_rows): (usize, usize),
    ) -> Writer {
        let now = Instant::now();
        Writer {
            connection,
            orders,
            shared,
            group_max,
            sweep: Sweep::new(found.dead_rows, sweep_rows),
            last_row: found.last_row,
            mark: found.mark,
            written: Written { commit: now, group: now, bytes: 0, stuck: false },
            down: None,
        }
    }

    /// Runs until nobody can send orders any more.
    pub(super) fn run(mut self) {
        loop {
            match self.orders.recv_timeout(self.wait()) {
                Ok(first) => self.take_group(first),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.maintain();
        }
        self.close();
    }

    /// How long to wait for orders before something else is due.
    fn wait(&self) -> Duration {
        match &self.down {
            Some((at, _)) => at.saturating_duration_since(Instant::now()),
            None if self.sweep.is_running() => Duration::ZERO,
            // What is due a while after the last commit may be due already and not be wanted now.
            None => match HEARTBEAT.saturating_sub(self.written.commit.elapsed()) {
                Duration::ZERO => HEARTBEAT / 4,
                left => left,
            },
        }
    }

    /// Takes whatever is queued behind `first`, up to the bound of a group, and writes it.
    fn take_group(&mut self, first: Append) {
        let mut group = vec![first];
        while group.len() < self.group_max {
            match self.orders.try_recv() {
                Ok(next) => group.push(next),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        self.shared.counters.queued.fetch_sub(group.len(), Ordering::Relaxed);
        if self.down.is_some() {
            refuse(group, "it was down a moment ago and is being tried again");
            return;
        }
        let started = Instant::now();
        match self.write(&group) {
            Ok((verdicts, staged)) => {
                let committed = clock::now();
                self.committed(&group, committed, staged);
                self.observe(&verdicts, started);
                for (append, verdict) in group.into_iter().zip(verdicts) {
                    // Whoever asked may have gone.
                    let _ = append.answer.send(verdict.map(|()| committed));
                }
            }
            Err(error) => {
                let bytes = group.iter().map(Append::bytes).sum();
                self.went_down(&error, bytes);
                refuse(group, &error.to_string());
            }
        }
    }

    /// Writes a group in one transaction. On an error nothing of it is in the database.
    fn write(&self, group: &[Append]) -> rusqlite::Result<(Vec<Result<(), StoreError>>, Staged)> {
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let mut staging = Staging {
            connection: &transaction,
            shared: &self.shared,
            mark: self.mark,
            staged: Staged { games: HashMap::new(), last_row: self.last_row, dead_rows: 0, events: 0 },
        };
        let add = |append: &Append| match &append.work {
            Work::Decision { row, finished } => staging.add(row, finished.as_deref()),
            Work::Tournament(record) => staging.add_events(record),
        };
        let verdicts = group.iter().map(add).collect::<rusqlite::Result<_>>()?;
        let staged = staging.staged;
        transaction.commit()?;
        Ok((verdicts, staged))
    }

    /// Takes over what a committed group changed.
    fn committed(&mut self, group: &[Append], committed: Stamp, staged: Staged) {
        if staged.last_row == self.last_row && staged.events == 0 {
            return; // The fence refused all of it.
        }
        if staged.last_row != self.last_row {
            self.mark = Some(committed);
        }
        self.last_row = staged.last_row;
        self.sweep.add_dead(staged.dead_rows);
        let mut live = self.shared.live();
        for (game, change) in staged.games {
            let entry = live.entry(game).or_insert_with(LiveGame::new);
            entry.next = change.next;
            entry.rows.extend(change.rows);
            entry.committed = Some(committed);
            entry.over = change.over;
            self.shared.last_game.fetch_max(game.0, Ordering::Relaxed);
        }
        drop(live);
        let latest = group.iter().map(Append::at).max().unwrap_or_default();
        self.shared.last_durable.fetch_max(latest.0, Ordering::Relaxed);
        self.written.commit = Instant::now();
        self.written.group = self.written.commit;
        self.written.bytes += GROUP_BYTES + group.iter().map(Append::bytes).sum::<usize>();
    }

    fn observe(&self, verdicts: &[Result<(), StoreError>], started: Instant) {
        let records = verdicts.iter().filter(|verdict| verdict.is_ok()).count();
        count(&self.shared.counters.commits, 1);
        count(&self.shared.counters.records, records as u64);
        if let Some(observer) = &self.shared.observer {
            observer(Group { records, took: started.elapsed() });
        }
    }

    /// Whatever is due beside the orders.
    fn maintain(&mut self) {
        if let Some((at, bytes)) = self.down {
            if at <= Instant::now() {
                self.probe(bytes);
            }
            return;
        }
        let clocks_run = self.shared.clocks.load(Ordering::Relaxed) > 0;
        if clocks_run && self.written.commit.elapsed() >= HEARTBEAT {
            match self.beat() {
                Ok(()) => count(&self.shared.counters.heartbeats, 1),
                Err(error) => self.went_down(&error, 0),
            }
        }
        let quiet = self.written.group.elapsed();
        if self.written.bytes >= CHECKPOINT_BYTES || (self.written.bytes > 0 && quiet >= HEARTBEAT) {
            self.checkpoint();
        }
        let rows = self.sweep.step(&self.connection, &self.shared, self.last_row, quiet >= QUIET);
        match rows {
            Ok(0) => {}
            Ok(rows) => {
                self.written.bytes += rows * 64;
                count(&self.shared.counters.swept, rows as u64);
            }
            Err(error) => warn!(%error, "rows of finished games could not be swept; tried again later"),
        }
    }

    /// Makes this instant durable, and the commit of the last group with it.
    fn beat(&mut self) -> rusqlite::Result<()> {
        let now = clock::now();
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO pulse (id, at, last_row, committed) VALUES (0, ?1, ?2, ?3)",
            )?
            .execute((now.0.cast_signed(), self.last_row, self.mark.map(|mark| mark.0.cast_signed())))?;
        self.shared.last_durable.fetch_max(now.0, Ordering::Relaxed);
        self.written.commit = Instant::now();
        Ok(())
    }

    /// Copies the log into the database, as far as no reader is in the way.
    fn checkpoint(&mut self) {
        self.written.bytes = 0;
        let copied = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        // Said once, however often it fails in a row.
        let failed = copied.is_err();
        if let Err(error) = copied
            && !self.written.stuck
        {
            warn!(%error, "the log cannot be copied into the database; it grows until that works again");
        }
        self.written.stuck = failed;
    }

    fn went_down(&mut self, error: &rusqlite::Error, bytes: usize) {
        error!(%error, "the store is down: games stand until it takes records again");
        count(&self.shared.counters.failures, 1);
        self.down = Some((Instant::now() + PROBE, bytes.max(BALLAST_MIN)));
        self.shared.up.send_replace(false);
    }

    /// Tries a store that is down. What has to go through is as much as what failed, so that being up
    /// again means something; the room it takes in the database stays free for what comes.
    fn probe(&mut self, bytes: usize) {
        match self.write_ballast(bytes).and_then(|()| self.beat()) {
            Ok(()) => {
                info!("the store takes records again");
                self.down = None;
                self.shared.up.send_replace(true);
            }
            Err(_) => self.down = Some((Instant::now() + PROBE, bytes)),
        }
    }

    fn write_ballast(&mut self, bytes: usize) -> rusqlite::Result<()> {
        // Makes the log's own room usable again, where that is all that is missing.
        self.checkpoint();
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO probe (id, ballast) VALUES (0, zeroblob(?1))")?
            .execute([i64::try_from(bytes).unwrap_or(i64::MAX)])?;
        self.connection.prepare_cached("DELETE FROM probe")?.execute([])?;
        Ok(())
    }

    /// Leaves everything in the database itself.
    fn close(mut self) {
        if self.down.is_none()
            && let Err(error) = self.beat()
        {
            warn!(%error, "the last heartbeat could not be written");
        }
        self.checkpoint();
    }
}

/// Answers a whole group that the store did not take.
fn refuse(group: Vec<Append>, why: &str) {
    for append in group {
        let _ = append.answer.send(Err(StoreError::Down(why.to_owned())));
    }
}

/// What a group changes, once it is committed.
struct Staged {
    games: HashMap<GameId, Change>,
    last_row: i64,
    dead_rows: usize,
    /// Events of tournaments.
    events: usize,
}

struct Change {
    next: Seq,
    rows: Vec<i64>,
    over: bool,
}

/// A group that is being written.
struct Staging<'a> {
    connection: &'a Connection,
    shared: &'a Shared,
    mark: Option<Stamp>,
    staged: Staged,
}

impl Staging<'_> {
    /// Writes one decision, unless the fence refuses it.
    fn add(
        &mut self,
        row: &EncodedRow,
        finished: Option<&Finished>,
    ) -> rusqlite::Result<Result<(), StoreError>> {
        let game = row.game;
        let mut change = match self.staged.games.remove(&game) {
            Some(change) => change,
            None => self.standing(game)?,
        };
        let verdict = if row.first == change.next {
            change.rows.push(self.insert(row)?);
            change.next = row.next();
            self.archive(row, finished, &mut change)?;
            Ok(())
        } else {
            Err(StoreError::Fenced { expected: change.next })
        };
        if !change.rows.is_empty() {
            self.staged.games.insert(game, change);
        }
        Ok(verdict)
    }

    /// Writes events of a tournament, unless the fence refuses them.
    fn add_events(&mut self, record: &TournamentRecord) -> rusqlite::Result<Result<(), StoreError>> {
        let verdict = tournaments::insert(self.connection, record)?;
        if verdict.is_ok() {
            self.staged.events += record.events.len();
        }
        Ok(verdict)
    }

    /// How a game stands before this group.
    fn standing(&self, game: GameId) -> rusqlite::Result<Change> {
        if let Some(LiveGame { next, over, .. }) = self.shared.live().get(&game) {
            return Ok(Change { next: *next, rows: Vec::new(), over: *over });
        }
        let archived = games::next_of(self.connection, game)?;
        Ok(Change { next: archived.unwrap_or(Seq(0)), rows: Vec::new(), over: archived.is_some() })
    }

    fn insert(&mut self, row: &EncodedRow) -> rusqlite::Result<i64> {
        let number = self.staged.last_row + 1;
        self.connection
            .prepare_cached(
                "INSERT INTO journal (row, game, first, events, prior_commit, turn_began, at, party, command,
                     format, entries) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute((
                number,
                row.game.0.cast_signed(),
                row.first.0,
                row.events,
                self.mark.take().map(|mark| mark.0.cast_signed()),
                row.turn_began.map(|at| at.0.cast_signed()),
                row.at.0.cast_signed(),
                party_number(row.party),
                row.command.map(u64::cast_signed),
                row.format,
                &row.entries,
            ))?;
        self.staged.last_row = number;
        Ok(number)
    }

    /// Keeps the row in `games` in step, for a game that ends or has ended.
    fn archive(
        &mut self,
        row: &EncodedRow,
        finished: Option<&Finished>,
        change: &mut Change,
    ) -> rusqlite::Result<()> {
        match (finished, change.over) {
            (None, false) => {}
            (Some(finished), false) => {
                let mut numbers =
                    self.shared.live().get(&row.game).map_or_else(Vec::new, |game| game.rows.clone());
                numbers.extend(&change.rows);
                games::insert(self.connection, finished, &live::rows_of(self.connection, &numbers)?)?;
                change.over = true;
                self.staged.dead_rows += numbers.len();
            }
            (finished, true) => {
                if let Some(finished) = finished {
                    games::update(self.connection, finished)?;
                }
                games::extend(self.connection, row.game, std::slice::from_ref(row))?;
                self.staged.dead_rows += 1;
            }
        }
        Ok(())
    }
}
