//! What has happened in a game so far: its records, folded and kept.

use super::command_ids::CommandIds;
use super::waiting::Queue;
use crate::journal::Record;
use zeitnot_laws::Game;
use zeitnot_proto::command::Party;
use zeitnot_proto::{Event, List, Seq, Stamp, codec};

/// What has happened in a game so far, as its actor needs it.
#[derive(Default)]
pub struct Past {
    /// The records, encoded: few readers ask for them, and there are many games.
    records: Vec<Box<[u8]>>,
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

    pub(super) fn records(&self) -> impl DoubleEndedIterator<Item = Record> {
        self.records.iter().filter_map(|bytes| Record::decode(bytes).ok())
    }
}

/// The number of the last event of a record.
pub(super) fn last_seq(record: &Record) -> Seq {
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
