//! The journal in an SQLite database: appends go to the writer's thread, questions to a connection of
//! their own.

use super::live::{self, Shared};
use super::row::{COLUMNS, EncodedRow};
use super::schema::{self, OpenError};
use super::writer::{Append, Work, Writer};
use super::{Committed, Finished, Journal, Record, StoreError, TournamentRecord, games, tournaments};
use crate::data_dir::{DataDir, Lock};
use rusqlite::{Connection, ErrorCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SendError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use zeitnot_proto::Stamp;
use zeitnot_proto::control::{GameFilter, GameSummary};
use zeitnot_proto::rules::GameId;
use zeitnot_proto::tournament::TournamentId;

/// A group that was committed, as an observer sees it.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Decisions in it.
    pub records: usize,
    /// From the first of them leaving the queue to the end of the commit.
    pub took: Duration,
}

/// Told of every group by the writer's thread, before anyone who waits for it.
pub type Observer = Arc<dyn Fn(Group) + Send + Sync>;

/// How the journal works.
#[derive(Clone)]
pub struct Options {
    /// Decisions that may wait for the writer; beyond it an append fails at once.
    pub queue_max: usize,
    /// Decisions that go into one commit at most.
    pub group_max: usize,
    /// Rows of finished games that make a sweep worth while.
    pub sweep_rows: usize,
    /// Told of every group.
    pub observer: Option<Observer>,
}

impl Default for Options {
    fn default() -> Options {
        Options { queue_max: 65_536, group_max: 1_024, sweep_rows: 50_000, observer: None }
    }
}

/// What the journal has done since it was opened, and how it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Groups committed.
    pub commits: u64,
    /// Decisions in them.
    pub records: u64,
    /// Heartbeats.
    pub heartbeats: u64,
    /// Times that the store went down.
    pub failures: u64,
    /// Rows swept.
    pub swept: u64,
    /// Decisions waiting for the writer now.
    pub queued: usize,
}

/// The embedded journal.
pub struct SqliteJournal {
    orders: Option<Sender<Append>>,
    queue_max: usize,
    writer: Option<JoinHandle<()>>,
    reader: Mutex<Connection>,
    shared: Arc<Shared>,
    _lock: Lock,
}

impl SqliteJournal {
    /// Opens the journal of a data directory, made if there is none, and keeps every other server out.
    pub fn open(dir: &DataDir, options: Options) -> Result<SqliteJournal, OpenError> {
        let lock = dir.lock()?;
        let connection = schema::open(dir)?;
        let sqlite = |error| OpenError::Sqlite(dir.database(), error);
        // The writer copies the log itself, after it has answered; this is for the case that it cannot.
        connection.pragma_update(None, "wal_autocheckpoint", 50_000).map_err(sqlite)?;
        connection.pragma_update(None, "journal_size_limit", 64 << 20).map_err(sqlite)?;
        // A game's rows are read back when it ends: those of a few hundred thousand moves stay in memory, in KiB.
        connection.pragma_update(None, "cache_size", -32 * 1024).map_err(sqlite)?;
        let (found, games) = live::scan(&connection).map_err(sqlite)?;
        let reader = Mutex::new(schema::open_reader(dir)?);
        let latest = tournaments::latest(&connection).map_err(sqlite)?;
        let shared = Arc::new(Shared::new(&found, games, options.observer));
        shared.last_durable.fetch_max(latest.0, Ordering::Relaxed);
        let (orders, queue) = channel();
        let queue_max = options.queue_max;
        let bounds = (options.group_max, options.sweep_rows);
        let writer = Writer::new(connection, queue, Arc::clone(&shared), &found, bounds);
        let writer = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || writer.run())
            .map_err(|error| OpenError::DataDir(crate::data_dir::DataDirError::Io(dir.database(), error)))?;
        Ok(SqliteJournal {
            orders: Some(orders),
            queue_max,
            writer: Some(writer),
            reader,
            shared,
            _lock: lock,
        })
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues something for the writer. Where there is no room for it, that is the answer.
    fn hand_over(&self, work: Work) -> Committed {
        let (answer, committed) = oneshot::channel();
        // None once the journal is being dropped, when nobody has it any more.
        let Some(orders) = &self.orders else { return committed };
        let queued = &self.shared.counters.queued;
        let (answer, why) = if queued.fetch_add(1, Ordering::Relaxed) >= self.queue_max {
            (answer, "more decisions wait than there is room for")
        } else {
            match orders.send(Append { work, answer }) {
                Ok(()) => return committed,
                Err(SendError(append)) => (append.answer, "the journal's writer is gone"),
            }
        };
        queued.fetch_sub(1, Ordering::Relaxed);
        // Whoever asked has the receiver still.
        let _ = answer.send(Err(StoreError::Down(why.to_owned())));
        committed
    }
}

impl Drop for SqliteJournal {
    /// Writes what is queued, and leaves everything in the database itself.
    fn drop(&mut self) {
        self.orders = None;
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has said so itself.
            let _ = writer.join();
        }
    }
}

impl Journal for SqliteJournal {
    fn stats(&self) -> Stats {
        let counters = &self.shared.counters;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            commits: read(&counters.commits),
            records: read(&counters.records),
            heartbeats: read(&counters.heartbeats),
            failures: read(&counters.failures),
            swept: read(&counters.swept),
            queued: counters.queued.load(Ordering::Relaxed),
        }
    }

    fn append(&self, row: EncodedRow, finished: Option<Box<Finished>>) -> Committed {
        self.hand_over(Work::Decision { row, finished })
    }

    fn clocks_running(&self, count: usize) {
        self.shared.clocks.store(count, Ordering::Relaxed);
    }

    fn health(&self) -> watch::Receiver<bool> {
        self.shared.up.subscribe()
    }

    fn unfinished(&self) -> Result<Vec<Record>, StoreError> {
        let connection = self.reader();
        let live = self.shared.live();
        let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM journal ORDER BY row"))?;
        let mut rows = statement.query([])?;
        let mut records = Vec::new();
        while let Some(row) = rows.next()? {
            let game = GameId(row.get::<_, i64>(0)?.cast_unsigned());
            if live.get(&game).is_some_and(|entry| !entry.over) {
                records.push(EncodedRow::read(row)?.decode()?);
            }
        }
        Ok(records)
    }

    fn committed_at(&self, game: GameId) -> Result<Option<Stamp>, StoreError> {
        Ok(self.shared.live().get(&game).and_then(|entry| entry.committed))
    }

    fn last_durable(&self) -> Result<Stamp, StoreError> {
        Ok(Stamp(self.shared.last_durable.load(Ordering::Relaxed)))
    }

    fn load(&self, game: GameId) -> Result<Vec<Record>, StoreError> {
        let numbers =
            self.shared.live().get(&game).filter(|entry| !entry.over).map(|entry| entry.rows.clone());
        let connection = self.reader();
        if let Some(numbers) = numbers {
            match live::rows_of(&connection, &numbers) {
                // It ended and was swept since.
                Err(rusqlite::Error::QueryReturnedNoRows) => {}
                rows => return rows?.iter().map(EncodedRow::decode).collect(),
            }
        }
        Ok(games::load(&connection, game)?.unwrap_or_default())
    }

    fn last_game(&self) -> Result<GameId, StoreError> {
        Ok(GameId(self.shared.last_game.load(Ordering::Relaxed)))
    }

    fn finished(
        &self,
        filter: &GameFilter,
        before: Option<GameId>,
        limit: usize,
    ) -> Result<(Vec<GameSummary>, bool), StoreError> {
        let mut page = games::list(&self.reader(), filter, before, limit.saturating_add(1))?;
        let more = page.len() > limit;
        page.truncate(limit);
        Ok((page, more))
    }

    fn pgn(&self, game: GameId) -> Result<Option<String>, StoreError> {
        Ok(games::pgn(&self.reader(), game)?)
    }

    fn append_tournament(&self, record: TournamentRecord) -> Committed {
        self.hand_over(Work::Tournament(record))
    }

    fn tournaments(&self) -> Result<Vec<TournamentId>, StoreError> {
        tournaments::known(&self.reader())
    }

    fn tournament(&self, tournament: TournamentId) -> Result<Vec<TournamentRecord>, StoreError> {
        tournaments::load(&self.reader(), tournament)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        use rusqlite::Error::{
            FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, SqliteFailure, Utf8Error,
        };
        match &error {
            SqliteFailure(code, _)
                if matches!(code.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) =>
            {
                StoreError::Corrupt(error.to_string())
            }
            FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)
            | InvalidColumnType(..)
            | Utf8Error(..) => StoreError::Corrupt(error.to_string()),
            _ => StoreError::Down(error.to_string()),
        }
    }
}
