//! The database as those read it who work beside the server.

use super::row::{COLUMNS, EncodedRow};
use super::schema::{self, OpenError};
use super::{Record, StoreError, games};
use crate::data_dir::DataDir;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OptionalExtension};
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use zeitnot_proto::rules::GameId;

/// How long to wait for the database where it is busy.
const BUSY_PAUSE: Duration = Duration::from_millis(50);

/// How often.
const BUSY_TRIES: u32 = 200;

/// A reader of a server's database.
pub struct Archive {
    connection: Connection,
}

/// Why there is no backup.
#[derive(Debug)]
pub enum BackupError {
    /// The file exists already.
    Exists(PathBuf),
    /// The file cannot be written.
    Io(PathBuf, io::Error),
    /// The copy cannot be made or is not sound.
    Copy(PathBuf, String),
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackupError::Exists(path) => {
                write!(f, "{} exists; name a file that does not, or remove it first", path.display())
            }
            BackupError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            BackupError::Copy(path, why) => {
                write!(f, "{} is not a backup: {why}; the server is as it was, try again", path.display())
            }
        }
    }
}

impl std::error::Error for BackupError {}

impl Archive {
    /// The database of a data directory in which a server has run.
    pub fn open(dir: &DataDir) -> Result<Archive, OpenError> {
        Ok(Archive { connection: schema::open_reader(dir)? })
    }

    /// All records of games that are not finished, in the order in which they were written.
    pub fn unfinished(&self) -> Result<Vec<Record>, StoreError> {
        let mut statement = self.connection.prepare(&format!(
            "SELECT {COLUMNS} FROM journal
             WHERE game > 0 AND NOT EXISTS (SELECT 1 FROM games WHERE games.game = journal.game) ORDER BY row"
        ))?;
        let rows = statement.query_map([], EncodedRow::read)?;
        rows.map(|row| row?.decode()).collect()
    }

    /// The PGN of a finished game.
    pub fn pgn(&self, game: GameId) -> Result<Option<String>, StoreError> {
        Ok(games::pgn(&self.connection, game)?)
    }

    /// The finished game of the next higher number, with its PGN.
    pub fn pgn_after(&self, game: GameId) -> Result<Option<(GameId, String)>, StoreError> {
        Ok(self
            .connection
            .prepare_cached("SELECT game, pgn FROM games WHERE game > ?1 ORDER BY game LIMIT 1")?
            .query_row([game.0.cast_signed()], |row| {
                Ok((GameId(row.get::<_, i64>(0)?.cast_unsigned()), row.get(1)?))
            })
            .optional()?)
    }

    /// Copies the whole database, as it is at one instant, into a new file: its size in bytes. The
    /// server goes on meanwhile.
    pub fn backup(&self, file: &Path) -> Result<u64, BackupError> {
        if file.exists() {
            return Err(BackupError::Exists(file.into()));
        }
        let io = |error| BackupError::Io(file.into(), error);
        // Under another name until it is whole.
        let mut unfinished = file.as_os_str().to_owned();
        unfinished.push(".part");
        let unfinished = Path::new(&unfinished);
        // A rest of an earlier try would be copied into.
        match fs::remove_file(unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
            _ => {}
        }
        schema::restrict(unfinished).map_err(io)?;
        let copied = self.copy(unfinished);
        if let Err(why) = copied {
            // What is left of it is of no use; that it cannot be removed is no more news.
            let _ = fs::remove_file(unfinished);
            return Err(BackupError::Copy(file.into(), why));
        }
        let whole = File::open(unfinished).map_err(io)?;
        whole.sync_all().map_err(io)?;
        fs::rename(unfinished, file).map_err(io)?;
        Ok(whole.metadata().map_err(io)?.len())
    }

    fn copy(&self, path: &Path) -> Result<(), String> {
        let text = |error: rusqlite::Error| error.to_string();
        let mut copy = Connection::open(path).map_err(text)?;
        let backup = Backup::new(&self.connection, &mut copy).map_err(text)?;
        let mut tries = 0;
        loop {
            // All pages in one step: the copy is of one instant, and no writer makes it start again.
            match backup.step(-1).map_err(text)? {
                StepResult::Done => break,
                _ if tries == BUSY_TRIES => return Err("the database was busy all the time".to_owned()),
                _ => std::thread::sleep(BUSY_PAUSE),
            }
            tries += 1;
        }
        drop(backup);
        // One file, without a log beside it.
        let mode =
            copy.pragma_update_and_check(None, "journal_mode", "delete", |row| row.get::<_, String>(0));
        mode.map_err(text)?;
        let sound: String = copy.query_row("PRAGMA quick_check", [], |row| row.get(0)).map_err(text)?;
        if sound == "ok" { Ok(()) } else { Err(sound) }
    }
}
