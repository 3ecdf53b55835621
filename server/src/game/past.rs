//! What has happened in a game so far: its records, folded and kept.

use super::command_ids::CommandIds;
use super::waiting::Queue;
use crate::journal::{EncodedRow, Record, StoreError};
use zeitnot_laws::Game;
use zeitnot_proto::{Event, Seq, Stamp};

/// What has happened in a game so far, as its actor needs it.
#[derive(Default)]
pub struct Past {
    /// The decisions as the journal has them: few readers ask for them, and there are many games.
    rows: Vec<EncodedRow>,
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

    /// Adds a record, which `row` has encoded. True if something new awaits an arbiter.
    pub fn remember(&mut self, record: &Record, row: EncodedRow) -> bool {
        if self.rows.is_empty() {
            self.created = record.at;
        }
        if let Some(id) = record.command_id {
            self.ids.accept(record.by, id, last_seq(record));
        }
        self.rows.push(row);
        self.waiting.fold(record)
    }

    pub(super) fn records(&self) -> impl DoubleEndedIterator<Item = Record> {
        self.rows.iter().filter_map(|row| row.decode().ok())
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
        past.remember(record, EncodedRow::encode(record)?);
    }
    Ok(Some((game, past)))
}
