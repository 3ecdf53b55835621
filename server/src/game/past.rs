//! What has happened in a game so far: its records, folded and kept.

use super::command_ids::CommandIds;
use super::waiting::Queue;
use crate::journal::{EncodedRow, Record, StoreError, split};
use zeitnot_laws::Game;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Event, Seq, Stamp};

/// What has happened in a game so far, as its actor needs it.
#[derive(Default)]
pub struct Past {
    /// The decisions as a finished game's record has them: few readers ask for them, and there are many games.
    record: Vec<u8>,
    pub(super) ids: CommandIds,
    pub(super) waiting: Queue,
    pub(super) created: Stamp,
    /// When the present turn began, if no record says so yet.
    pub began: Option<Stamp>,
}

impl Past {
    /// What awaits an arbiter.
    pub fn waiting(&self) -> &Queue {
        &self.waiting
    }

    /// Adds a record. True if something new awaits an arbiter.
    ///
    /// # Errors
    /// It is longer than any decision can be.
    pub fn add(&mut self, record: &Record) -> Result<bool, StoreError> {
        EncodedRow::encode(record)?.append_to(&mut self.record)?;
        Ok(self.fold(record))
    }

    /// Keeps the bytes of a decision that is about to become durable. How many there were before it, for
    /// [`Past::take_back`].
    ///
    /// # Errors
    /// It is longer than any decision can be.
    pub(super) fn append(&mut self, row: &EncodedRow) -> Result<usize, StoreError> {
        let before = self.record.len();
        row.append_to(&mut self.record)?;
        Ok(before)
    }

    /// Forgets what did not become durable.
    pub(super) fn take_back(&mut self, before: usize) {
        self.record.truncate(before);
    }

    /// Folds a record in whose bytes are kept. True if something new awaits an arbiter.
    pub(super) fn fold(&mut self, record: &Record) -> bool {
        if record.first == Seq(0) {
            self.created = record.at;
        }
        if let Some(id) = record.command_id {
            self.ids.accept(record.by, id, last_seq(record));
        }
        self.waiting.fold(record)
    }

    /// The decisions, the first first; of `game`, whose they are.
    pub(super) fn rows(&self, game: GameId) -> Vec<EncodedRow> {
        split(game, &self.record).unwrap_or_else(|error| {
            tracing::error!(%error, "what is remembered of a game is damaged");
            Vec::new()
        })
    }
}

/// The number of the last event of a record.
pub(super) fn last_seq(record: &Record) -> Seq {
    Seq(record.first.0 + u32::try_from(record.entries.len()).unwrap_or(u32::MAX).saturating_sub(1))
}

/// Folds the records of one game; none if they do not begin with its creation.
///
/// # Errors
/// A record is longer than any decision can be.
pub fn replay(records: &[Record]) -> Result<Option<(Game, Past)>, StoreError> {
    let Some(Event::GameCreated(setup)) = records.first().and_then(|r| r.entries.first()).map(|e| &e.event)
    else {
        return Ok(None);
    };
    let Ok(mut game) = Game::replay_start(setup) else { return Ok(None) };
    let mut past = Past::default();
    for record in records {
        if let Some(began) = record.turn_began {
            game.turn_began(began);
        }
        for entry in &record.entries {
            game.apply(record.at, &entry.event);
        }
        past.add(record)?;
    }
    Ok(Some((game, past)))
}
