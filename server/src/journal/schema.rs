//! The database: its tables, its settings, its version.

use crate::data_dir::{DataDir, DataDirError};
use rusqlite::{Connection, OpenFlags};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `ZEIT`: marks the file as ours, for `file` and for [`open`].
const APPLICATION_ID: i32 = 0x5a45_4954;

/// The version of the tables. A change of a table is a new version and a step in [`upgrade`].
const VERSION: i32 = 2;

/// How long to wait for another process (`token`, `backup`) that writes or locks.
const BUSY: Duration = Duration::from_secs(5);

/// The tables of version 1.
///
/// `journal` is append-only and has no index beside its row order: a key over game and sequence
/// number would cost many times the log's own bytes. `prior_commit` stands in the first row of a
/// group and is the instant of the commit that made the rows before it durable. `pulse` is the last
/// heartbeat. `probe` is empty but for an instant after an outage. Instants are microseconds since
/// 1970; game 0 marks a row that was swept and whose `prior_commit` is still needed. Revocations of
/// tokens are numbered, so that a server finds those that are new to it.
const TABLES: &str = "
CREATE TABLE journal (
    row          INTEGER PRIMARY KEY,
    game         INTEGER NOT NULL,
    first        INTEGER NOT NULL,
    events       INTEGER NOT NULL,
    prior_commit INTEGER,
    turn_began   INTEGER,
    at           INTEGER NOT NULL,
    party        INTEGER NOT NULL,
    command      INTEGER,
    format       INTEGER NOT NULL,
    entries      BLOB NOT NULL
) STRICT;
CREATE TABLE pulse (
    id        INTEGER PRIMARY KEY CHECK (id = 0),
    at        INTEGER NOT NULL,
    last_row  INTEGER NOT NULL,
    committed INTEGER
) STRICT;
CREATE TABLE probe (
    id      INTEGER PRIMARY KEY CHECK (id = 0),
    ballast BLOB NOT NULL
) STRICT;
CREATE TABLE games (
    game         INTEGER PRIMARY KEY,
    white        TEXT NOT NULL,
    black        TEXT NOT NULL,
    time_control TEXT NOT NULL,
    edition      TEXT NOT NULL,
    speed        TEXT NOT NULL,
    result       TEXT NOT NULL,
    white_score  TEXT,
    black_score  TEXT,
    reason       TEXT,
    played       INTEGER,
    plies        INTEGER NOT NULL,
    created_us   INTEGER NOT NULL,
    ended_us     INTEGER NOT NULL,
    created      TEXT AS (strftime('%Y-%m-%dT%H:%M:%SZ', created_us / 1000000, 'unixepoch')) VIRTUAL,
    ended        TEXT AS (strftime('%Y-%m-%dT%H:%M:%SZ', ended_us / 1000000, 'unixepoch')) VIRTUAL,
    events       INTEGER NOT NULL,
    moves        TEXT NOT NULL,
    pgn          TEXT NOT NULL,
    record       BLOB NOT NULL
) STRICT;
CREATE INDEX games_white ON games (white, game);
CREATE INDEX games_black ON games (black, game);
CREATE TABLE tokens (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    label      TEXT NOT NULL,
    sha256     BLOB NOT NULL UNIQUE,
    player     INTEGER NOT NULL,
    organizer  INTEGER NOT NULL,
    arbiter    INTEGER NOT NULL,
    admin      INTEGER NOT NULL,
    created_us INTEGER NOT NULL,
    revoked_us INTEGER,
    revocation INTEGER
) STRICT;
CREATE INDEX tokens_revocation ON tokens (revocation) WHERE revocation IS NOT NULL;
";

/// What version 2 added: the events of tournaments.
const TOURNAMENTS: &str = "
CREATE TABLE tournaments (
    tournament INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    by         TEXT,
    event      BLOB NOT NULL,
    PRIMARY KEY (tournament, seq)
) STRICT, WITHOUT ROWID;
";

/// Why the database cannot be opened.
#[derive(Debug)]
pub enum OpenError {
    /// The directory around it.
    DataDir(DataDirError),
    /// A newer version of the server made it.
    Newer(PathBuf),
    /// It is some other program's database.
    NotOurs(PathBuf),
    /// SQLite refused.
    Sqlite(PathBuf, rusqlite::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::DataDir(error) => error.fmt(f),
            OpenError::Newer(path) => write!(
                f,
                "{} was written by a newer version of the server; run that version, or restore a backup \
                 from before the upgrade",
                path.display()
            ),
            OpenError::NotOurs(path) => write!(
                f,
                "{} is another program's database; give the server a data directory of its own with \
                 --data-dir",
                path.display()
            ),
            OpenError::Sqlite(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<DataDirError> for OpenError {
    fn from(error: DataDirError) -> OpenError {
        OpenError::DataDir(error)
    }
}

/// Opens the database for reading and writing, made if there is none. Every commit of this
/// connection is on the disk when it returns.
pub fn open(dir: &DataDir) -> Result<Connection, OpenError> {
    let path = dir.database();
    let sqlite = |error| OpenError::Sqlite(path.clone(), error);
    restrict(&path).map_err(|error| OpenError::DataDir(DataDirError::Io(path.clone(), error)))?;
    let mut connection = Connection::open(&path).map_err(sqlite)?;
    connection.busy_timeout(BUSY).map_err(sqlite)?;
    upgrade(&mut connection, &path)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(sqlite)?;
    connection.pragma_update(None, "synchronous", "full").map_err(sqlite)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Opens the database of an existing data directory for reading, beside the server that writes it.
pub fn open_reader(dir: &DataDir) -> Result<Connection, OpenError> {
    let path = dir.database();
    let sqlite = |error| OpenError::Sqlite(path.clone(), error);
    // Not opened read-only: the first reader after a crash has to be able to recover the log.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&path, flags).map_err(sqlite)?;
    connection.busy_timeout(BUSY).map_err(sqlite)?;
    check(&connection, &path)?;
    connection.pragma_update(None, "query_only", true).map_err(sqlite)?;
    Ok(connection)
}

/// Makes the file, if there is none, so that only its owner may read it: SQLite gives the log beside
/// it the same mode.
pub(super) fn restrict(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// The version of the tables in a database of ours; 0 if it has none yet.
fn check(connection: &Connection, path: &Path) -> Result<i32, OpenError> {
    let number = |name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i32>(0))
            .map_err(|error| OpenError::Sqlite(path.into(), error))
    };
    let (version, application, pages) =
        (number("user_version")?, number("application_id")?, number("page_count")?);
    if pages > 0 && application != APPLICATION_ID {
        return Err(OpenError::NotOurs(path.into()));
    }
    if version > VERSION { Err(OpenError::Newer(path.into())) } else { Ok(version) }
}

/// Brings the tables to this version.
fn upgrade(connection: &mut Connection, path: &Path) -> Result<(), OpenError> {
    let sqlite = |error| OpenError::Sqlite(path.into(), error);
    if check(connection, path)? == VERSION {
        return Ok(());
    }
    let step = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate);
    let step = step.map_err(sqlite)?;
    // Another process may have been faster.
    let version: i32 = step.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(sqlite)?;
    if version == 0 {
        step.execute_batch(TABLES).map_err(sqlite)?;
        step.pragma_update(None, "application_id", APPLICATION_ID).map_err(sqlite)?;
    }
    if version < 2 {
        step.execute_batch(TOURNAMENTS).map_err(sqlite)?;
    }
    if version < VERSION {
        step.pragma_update(None, "user_version", VERSION).map_err(sqlite)?;
    }
    step.commit().map_err(sqlite)
}
