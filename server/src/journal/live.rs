//! What the writer and the readers of the journal share: the games in the live table, and counters.

use super::row::EncodedRow;
use super::sqlite::Observer;
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Seq, Stamp};

/// A game that has rows in the live table.
#[derive(Debug)]
pub(super) struct LiveGame {
    /// The fence: the number that its next event has.
    pub(super) next: Seq,
    /// Its rows, in order: the table has no index that would find them.
    pub(super) rows: Vec<i64>,
    /// When the last of them was committed, if that is known.
    pub(super) committed: Option<Stamp>,
    /// It has a row in `games`; those here are only waiting to be swept.
    pub(super) over: bool,
}

impl LiveGame {
    /// A game without any rows yet.
    pub(super) fn new() -> LiveGame {
        LiveGame { next: Seq(0), rows: Vec::new(), committed: None, over: false }
    }
}

/// Counters since the start.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) commits: AtomicU64,
    pub(super) records: AtomicU64,
    pub(super) heartbeats: AtomicU64,
    pub(super) failures: AtomicU64,
    pub(super) swept: AtomicU64,
    pub(super) queued: AtomicUsize,
}

/// Adds to a counter that is only ever looked at.
pub(super) fn count(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

pub(super) struct Shared {
    live: Mutex<HashMap<GameId, LiveGame>>,
    pub(super) clocks: AtomicUsize,
    pub(super) up: watch::Sender<bool>,
    pub(super) last_durable: AtomicU64,
    pub(super) last_game: AtomicU64,
    pub(super) counters: Counters,
    pub(super) observer: Option<Observer>,
}

impl Shared {
    pub(super) fn new(found: &Found, live: HashMap<GameId, LiveGame>, observer: Option<Observer>) -> Shared {
        Shared {
            live: Mutex::new(live),
            clocks: AtomicUsize::new(0),
            up: watch::Sender::new(true),
            last_durable: AtomicU64::new(found.last_durable.0),
            last_game: AtomicU64::new(found.last_game.0),
            counters: Counters::default(),
            observer,
        }
    }

    pub(super) fn live(&self) -> MutexGuard<'_, HashMap<GameId, LiveGame>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the table showed when it was opened.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) last_row: i64,
    pub(super) last_durable: Stamp,
    pub(super) last_game: GameId,
    /// When the last row was committed, or the last durable instant if that is not known.
    pub(super) mark: Option<Stamp>,
    /// Rows of games that are over.
    pub(super) dead_rows: usize,
}

/// Reads the live table once, in row order, without its events.
pub(super) fn scan(connection: &Connection) -> rusqlite::Result<(Found, HashMap<GameId, LiveGame>)> {
    let pulse = connection
        .query_row("SELECT at, last_row, committed FROM pulse", [], |row| {
            Ok((stamp(row.get(0)?), row.get::<_, i64>(1)?, row.get::<_, Option<i64>>(2)?.map(stamp)))
        })
        .optional()?;
    let last_archived: Option<i64> =
        connection.query_row("SELECT max(game) FROM games", [], |row| row.get(0))?;
    let mut found = Found {
        last_row: pulse.map_or(0, |(_, row, _)| row),
        last_durable: pulse.map_or(Stamp(0), |(at, ..)| at),
        last_game: GameId(last_archived.unwrap_or(0).cast_unsigned()),
        mark: None,
        dead_rows: 0,
    };
    let mut games: HashMap<GameId, LiveGame> = HashMap::new();
    // Games with rows since the last known commit.
    let mut pending: Vec<GameId> = Vec::new();
    let mut last_row = 0;
    let mut statement =
        connection.prepare("SELECT row, game, first, events, prior_commit, at FROM journal ORDER BY row")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        last_row = row.get(0)?;
        let game = GameId(row.get::<_, i64>(1)?.cast_unsigned());
        if let Some(committed) = row.get::<_, Option<i64>>(4)?.map(stamp) {
            settle(&mut games, &mut pending, Some(committed));
            found.last_durable = found.last_durable.max(committed);
        }
        found.last_durable = found.last_durable.max(stamp(row.get(5)?));
        if game.0 == 0 {
            found.dead_rows += 1;
            continue;
        }
        found.last_game = found.last_game.max(game);
        let entry = games.entry(game).or_insert_with(LiveGame::new);
        entry.next = Seq(row.get::<_, u32>(2)?.saturating_add(row.get(3)?));
        entry.rows.push(last_row);
        entry.committed = None;
        pending.push(game);
    }
    let committed = pulse.filter(|&(_, row, _)| row >= last_row).and_then(|(.., committed)| committed);
    settle(&mut games, &mut pending, committed);
    found.last_durable = found.last_durable.max(committed.unwrap_or_default());
    found.last_row = found.last_row.max(last_row);
    found.mark = (found.last_row > 0).then_some(committed.unwrap_or(found.last_durable));
    mark_finished(connection, &mut games, &mut found)?;
    Ok((found, games))
}

fn stamp(us: i64) -> Stamp {
    Stamp(us.cast_unsigned())
}

/// The rows since the last known commit were committed then.
fn settle(games: &mut HashMap<GameId, LiveGame>, pending: &mut Vec<GameId>, committed: Option<Stamp>) {
    for game in pending.drain(..) {
        if let Some(entry) = games.get_mut(&game) {
            entry.committed = committed;
        }
    }
}

/// Notes which games have a row in `games` already.
fn mark_finished(
    connection: &Connection,
    games: &mut HashMap<GameId, LiveGame>,
    found: &mut Found,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT 1 FROM games WHERE game = ?1")?;
    for (game, entry) in games.iter_mut() {
        if statement.exists([game.0.cast_signed()])? {
            entry.over = true;
            found.dead_rows += entry.rows.len();
        }
    }
    Ok(())
}

/// The rows of a game that is under way, read one by one.
pub(super) fn rows_of(connection: &Connection, rows: &[i64]) -> rusqlite::Result<Vec<EncodedRow>> {
    let sql = format!("SELECT {} FROM journal WHERE row = ?1", super::row::COLUMNS);
    let mut statement = connection.prepare_cached(&sql)?;
    rows.iter().map(|row| statement.query_row([row], EncodedRow::read)).collect()
}
