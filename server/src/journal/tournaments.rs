//! The table of tournaments: their events, one row each.

use super::StoreError;
use rusqlite::Connection;
use zeitnot_proto::Stamp;
use zeitnot_proto::rules::Name;
use zeitnot_proto::tournament::TournamentId;

/// One event of a tournament, as it is written and read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentRecord {
    /// Which tournament.
    pub tournament: TournamentId,
    /// The number of the first event in it, from 0.
    pub first: u32,
    /// The stamp of the decision.
    pub at: Stamp,
    /// Who decided; nobody if it came about by itself.
    pub by: Option<Name>,
    /// The events, each encoded.
    pub events: Vec<Vec<u8>>,
}

/// Writes the events, unless they do not follow the last one.
pub(super) fn insert(
    connection: &Connection,
    record: &TournamentRecord,
) -> rusqlite::Result<Result<(), StoreError>> {
    let id = record.tournament.0.cast_signed();
    let next: u32 = connection
        .prepare_cached("SELECT coalesce(max(seq) + 1, 0) FROM tournaments WHERE tournament = ?1")?
        .query_row([id], |row| row.get(0))?;
    if next != record.first {
        return Ok(Err(StoreError::Fenced { expected: zeitnot_proto::Seq(next) }));
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO tournaments (tournament, seq, at, by, event) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (seq, event) in (next..).zip(&record.events) {
        let by = record.by.as_ref().map(Name::as_str);
        statement.execute((id, seq, record.at.0.cast_signed(), by, event))?;
    }
    Ok(Ok(()))
}

/// The numbers of all tournaments.
pub(super) fn known(connection: &Connection) -> Result<Vec<TournamentId>, StoreError> {
    let mut statement =
        connection.prepare("SELECT DISTINCT tournament FROM tournaments ORDER BY tournament")?;
    let ids = statement.query_map([], |row| row.get::<_, i64>(0))?;
    ids.map(|id| Ok(TournamentId(id?.cast_unsigned()))).collect()
}

/// The events of a tournament in order.
pub(super) fn load(
    connection: &Connection,
    tournament: TournamentId,
) -> Result<Vec<TournamentRecord>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT seq, at, by, event FROM tournaments WHERE tournament = ?1 ORDER BY seq")?;
    let mut rows = statement.query([tournament.0.cast_signed()])?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        let by: Option<String> = row.get(2)?;
        records.push(TournamentRecord {
            tournament,
            first: row.get(0)?,
            at: Stamp(row.get::<_, i64>(1)?.cast_unsigned()),
            by: by.map(|name| Name::cut(&name)),
            events: vec![row.get(3)?],
        });
    }
    Ok(records)
}

/// The latest stamp in the table.
pub(super) fn latest(connection: &Connection) -> rusqlite::Result<Stamp> {
    connection
        .query_row("SELECT coalesce(max(at), 0) FROM tournaments", [], |row| row.get::<_, i64>(0))
        .map(|at| Stamp(at.cast_unsigned()))
}
