//! Takes the rows of finished games out of the live table: in the background, in one scan over many
//! games, a bounded piece at a time.

use super::live::{LiveGame, Shared};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use zeitnot_proto::rules::GameId;

/// Rows looked at between two groups.
const PIECE: u32 = 2_000;

/// After an error: how long to leave it.
const RETRY: Duration = Duration::from_secs(30);

pub(super) struct Sweep {
    /// Rows that the next scan would take out.
    dead_rows: usize,
    /// How many make a scan worth while.
    threshold: usize,
    not_before: Option<Instant>,
    running: Option<Scan>,
}

/// A scan that is under way.
struct Scan {
    /// The games whose rows go.
    dying: HashSet<GameId>,
    /// The last row looked at, and the last one to look at.
    done: i64,
    end: i64,
    /// Whether the last row of a game that goes on stands in the group before the next one. The
    /// first row of that next group says when it was committed.
    instant_needed: bool,
}

/// What becomes of a row.
enum Fate {
    Stays,
    Goes,
    /// Its entries go; the instant of the commit before it is still needed.
    LeavesInstant,
}

impl Sweep {
    pub(super) fn new(dead_rows: usize, threshold: usize) -> Sweep {
        Sweep { dead_rows, threshold, not_before: None, running: None }
    }

    pub(super) fn add_dead(&mut self, rows: usize) {
        self.dead_rows += rows;
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Sweeps the next piece, if a scan is under way or due: how many rows went.
    pub(super) fn step(
        &mut self,
        connection: &Connection,
        shared: &Shared,
        last_row: i64,
        quiet: bool,
    ) -> rusqlite::Result<usize> {
        if self.running.is_none() {
            let due = self.dead_rows >= self.threshold || (quiet && self.dead_rows > 0);
            if !due || self.not_before.is_some_and(|at| Instant::now() < at) {
                return Ok(0);
            }
            let live = shared.live();
            let dying = live.iter().filter(|(_, entry)| entry.over).map(|(game, _)| *game).collect();
            self.running = Some(Scan { dying, done: 0, end: last_row, instant_needed: false });
        }
        let Some(mut scan) = self.running.take() else { return Ok(0) };
        let removed = match scan.piece(connection, shared) {
            Ok((removed, true)) => {
                self.running = Some(scan);
                removed
            }
            Ok((removed, false)) => {
                let mut live = shared.live();
                scan.forget(&mut live);
                // What came for finished games since.
                self.dead_rows = live.values().filter(|e| e.over).map(|e| e.rows.len()).sum();
                removed
            }
            Err(error) => {
                self.not_before = Some(Instant::now() + RETRY);
                return Err(error);
            }
        };
        Ok(removed)
    }
}

impl Scan {
    /// Looks at the next rows in one transaction: how many went, and whether there are more to look at.
    fn piece(&mut self, connection: &Connection, shared: &Shared) -> rusqlite::Result<(usize, bool)> {
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        let (mut removed, mut seen, mut done) = (0, 0, self.done);
        let mut needed = self.instant_needed;
        {
            let mut rows = transaction.prepare_cached(
                "SELECT row, game, prior_commit IS NOT NULL FROM journal
                 WHERE row > ?1 AND row <= ?2 ORDER BY row LIMIT ?3",
            )?;
            let mut delete = transaction.prepare_cached("DELETE FROM journal WHERE row = ?1")?;
            let mut blank = transaction.prepare_cached(
                "UPDATE journal SET game = 0, first = 0, events = 0, turn_began = NULL, party = 4,
                     command = NULL, entries = x'' WHERE row = ?1",
            )?;
            let found: Vec<(i64, i64, bool)> = rows
                .query_map((done, self.end, PIECE), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let live = shared.live();
            for (row, game, has_instant) in found {
                let game = GameId(game.cast_unsigned());
                match self.fate(row, game, has_instant, &mut needed, &live) {
                    Fate::Stays => {}
                    Fate::Goes => removed += delete.execute([row])?,
                    Fate::LeavesInstant if game.0 == 0 => {}
                    Fate::LeavesInstant => drop(blank.execute([row])?),
                }
                done = row;
                seen += 1;
            }
        }
        transaction.commit()?;
        (self.done, self.instant_needed) = (done, needed);
        Ok((removed, seen == PIECE))
    }

    fn fate(
        &self,
        row: i64,
        game: GameId,
        has_instant: bool,
        needed: &mut bool,
        live: &HashMap<GameId, LiveGame>,
    ) -> Fate {
        let leaves_instant = has_instant && *needed;
        if has_instant {
            *needed = false;
        }
        if game.0 == 0 || self.dying.contains(&game) {
            return if leaves_instant { Fate::LeavesInstant } else { Fate::Goes };
        }
        *needed |= live.get(&game).is_some_and(|entry| entry.rows.last() == Some(&row));
        Fate::Stays
    }

    /// Forgets the games whose rows are gone. A decision that came since keeps its game.
    fn forget(&self, live: &mut HashMap<GameId, LiveGame>) {
        for game in &self.dying {
            if let Some(entry) = live.get_mut(game) {
                entry.rows.retain(|&row| row > self.end);
                if entry.rows.is_empty() {
                    live.remove(game);
                }
            }
        }
    }
}
