//! One decision as bytes: the columns of its row, and the record of a finished game made of them.

use super::{Record, StoreError};
use rusqlite::Row;
use zeitnot_proto::codec::{self, read_varint, varint_len, write_varint};
use zeitnot_proto::command::Party;
use zeitnot_proto::limits::VARINT_MAX;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Entry, Seq, Stamp};

/// The format of `entries`: a list of [`Entry`] in bincode. Another encoding is another number.
const FORMAT: u8 = 1;

/// The columns that [`EncodedRow::read`] expects, in its order.
pub(super) const COLUMNS: &str = "game, first, events, turn_began, at, party, command, format, entries";

/// A decision in the shape of its row: encoded once, for the journal and for the game's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedRow {
    pub(super) game: GameId,
    pub(super) first: Seq,
    /// How many events there are.
    pub(super) events: u32,
    pub(super) turn_began: Option<Stamp>,
    pub(super) at: Stamp,
    pub(super) party: Party,
    pub(super) command: Option<u64>,
    pub(super) format: u8,
    pub(super) entries: Vec<u8>,
}

/// What precedes the entries of a row in a finished game's record: first, events, turn began, at,
/// party, command, format.
type Header = (Seq, u32, Option<Stamp>, Stamp, Party, Option<u64>, u8);

impl EncodedRow {
    /// Encodes a decision.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`]: it is longer than any decision can be.
    pub fn encode(record: &Record) -> Result<EncodedRow, StoreError> {
        let too_large = |_| StoreError::Corrupt("a decision that is too large to be written".to_owned());
        Ok(EncodedRow {
            game: record.game,
            first: record.first,
            events: u32::try_from(record.entries.len()).unwrap_or(u32::MAX),
            turn_began: record.turn_began,
            at: record.at,
            party: record.by,
            command: record.command_id,
            format: FORMAT,
            entries: codec::encode_value(&record.entries).map_err(too_large)?,
        })
    }

    /// The decision.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`]: the bytes are not what the row says.
    pub fn decode(&self) -> Result<Record, StoreError> {
        let damaged =
            |what: &str| StoreError::Corrupt(format!("game {}, event {}: {what}", self.game, self.first.0));
        if self.format != FORMAT {
            return Err(damaged("written in a format that this version does not know"));
        }
        let entries: Vec<Entry> =
            codec::decode_value(&self.entries).map_err(|error| damaged(&error.to_string()))?;
        if entries.len() != self.events as usize {
            return Err(damaged("another number of events than its row says"));
        }
        Ok(Record {
            game: self.game,
            first: self.first,
            turn_began: self.turn_began,
            at: self.at,
            by: self.party,
            command_id: self.command,
            entries,
        })
    }

    /// The number that the event after this decision has.
    pub fn next(&self) -> Seq {
        Seq(self.first.0.saturating_add(self.events))
    }

    /// Reads the columns of [`COLUMNS`].
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<EncodedRow> {
        let stamp = |us: i64| Stamp(us.cast_unsigned());
        Ok(EncodedRow {
            game: GameId(row.get::<_, i64>(0)?.cast_unsigned()),
            first: Seq(row.get(1)?),
            events: row.get(2)?,
            turn_began: row.get::<_, Option<i64>>(3)?.map(stamp),
            at: stamp(row.get(4)?),
            party: party_from(row.get(5)?).ok_or(rusqlite::Error::IntegralValueOutOfRange(5, 0))?,
            command: row.get::<_, Option<i64>>(6)?.map(i64::cast_unsigned),
            format: row.get(7)?,
            entries: row.get(8)?,
        })
    }

    /// Appends this decision to the record of its game: two lengths, each before its bytes.
    ///
    /// # Errors
    /// Never for a decision that [`EncodedRow::encode`] made.
    pub fn append_to(&self, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let header: Header =
            (self.first, self.events, self.turn_began, self.at, self.party, self.command, self.format);
        let start = out.len();
        // A header is at most 43 bytes long: its length is one byte.
        out.push(0);
        let written = codec::append_value(&header, out);
        let length = u8::try_from(out.len() - start - 1).ok().filter(|length| varint_len(*length) == 1);
        let (Ok(()), Some(length)) = (written, length) else {
            out.truncate(start);
            return Err(StoreError::Corrupt("a header that is too large to be written".to_owned()));
        };
        out[start] = length;
        out.extend_from_slice(write_varint(self.entries.len() as u64, &mut [0; VARINT_MAX]));
        out.extend_from_slice(&self.entries);
        Ok(())
    }
}

/// The decisions of a game's record.
///
/// # Errors
/// [`StoreError::Corrupt`]: the bytes are not what [`EncodedRow::append_to`] writes.
pub fn split(game: GameId, mut record: &[u8]) -> Result<Vec<EncodedRow>, StoreError> {
    let damaged = || StoreError::Corrupt(format!("the record of game {game}"));
    let mut rows = Vec::new();
    while !record.is_empty() {
        let header = take(&mut record).ok_or_else(damaged)?;
        let entries = take(&mut record).ok_or_else(damaged)?.to_vec();
        let (first, events, turn_began, at, party, command, format) =
            codec::decode_value::<Header>(header).map_err(|_| damaged())?;
        rows.push(EncodedRow { game, first, events, turn_began, at, party, command, format, entries });
    }
    Ok(rows)
}

/// The bytes after a length.
fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let prefix = varint_len(*rest.first()?);
    let (prefix, tail) = rest.split_at_checked(prefix)?;
    let (part, tail) = tail.split_at_checked(usize::try_from(read_varint(prefix)).ok()?)?;
    *rest = tail;
    Some(part)
}

/// The number of a party in the table.
pub(super) const fn party_number(party: Party) -> u8 {
    match party {
        Party::White => 0,
        Party::Black => 1,
        Party::Arbiter => 2,
        Party::Device => 3,
        Party::Server => 4,
    }
}

const fn party_from(number: u8) -> Option<Party> {
    Some(match number {
        0 => Party::White,
        1 => Party::Black,
        2 => Party::Arbiter,
        3 => Party::Device,
        4 => Party::Server,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeitnot_proto::Event;

    fn record(first: u32) -> Record {
        Record {
            game: GameId(7),
            first: Seq(first),
            turn_began: (first > 0).then_some(Stamp(5)),
            at: Stamp(u64::from(first) + 10),
            by: Party::Device,
            command_id: Some(u64::MAX),
            entries: vec![Entry { article: None, event: Event::GameStarted }; 2],
        }
    }

    #[test]
    fn a_record_is_the_decisions_it_was_made_of() {
        let rows: Vec<_> = (0..3).map(|n| EncodedRow::encode(&record(n * 2)).unwrap()).collect();
        let mut blob = Vec::new();
        for row in &rows {
            row.append_to(&mut blob).unwrap();
        }
        assert_eq!(split(GameId(7), &blob).unwrap(), rows);
        assert_eq!(rows[1].decode().unwrap(), record(2));
        assert_eq!(rows[1].next(), Seq(4));
        for cut in 1..blob.len() {
            // A damaged record is an error or fewer decisions, never a panic.
            let _ = split(GameId(7), &blob[..cut]);
            let _ = split(GameId(7), &blob[cut..]);
        }
    }

    #[test]
    fn every_party_has_its_number() {
        for party in [Party::White, Party::Black, Party::Arbiter, Party::Device, Party::Server] {
            assert_eq!(party_from(party_number(party)), Some(party));
        }
        assert_eq!(party_from(5), None);
    }
}
