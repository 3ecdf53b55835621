//! What is durable.
//!
//! The journal is append-only: one row per decision, whole or not at all, written by one thread that
//! commits in groups. Nothing is shown to anyone before its row is durable. A finished game becomes
//! a row of the table `games` with plain columns.
//!
//! | module | what it does |
//! |---|---|
//! | `sqlite` | [`SqliteJournal`]: opens, queues, answers questions |
//! | `writer` | the one thread that writes: groups, heartbeats, outages |
//! | `live` | the games in the live table, kept in memory: fence and rows |
//! | `games` | the table of finished games |
//! | `tournaments` | the table of tournaments |
//! | `sweep` | takes finished games out of the live table |
//! | `archive` | [`Archive`]: reads and copies the database beside the server |
//! | `row` | a decision as bytes |
//! | `schema` | tables and their version |

mod archive;
mod games;
mod live;
mod row;
pub(crate) mod schema;
mod sqlite;
mod sweep;
mod tournaments;
mod writer;

pub use archive::{Archive, BackupError};
pub use row::{EncodedRow, split};
pub use schema::OpenError;
pub use sqlite::{Group, Observer, Options, SqliteJournal, Stats};
pub use tournaments::TournamentRecord;

use std::fmt;
use zeitnot_proto::command::Party;
use zeitnot_proto::control::{GameFilter, GameSummary};
use zeitnot_proto::rules::GameId;
use zeitnot_proto::tournament::TournamentId;
use zeitnot_proto::{Entry, Seq, Stamp};

/// One decision of one game, as it is written and read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Which game.
    pub game: GameId,
    /// The number of its first event.
    pub first: Seq,
    /// When the turn began that the decision before this one opened: the instant of its commit.
    pub turn_began: Option<Stamp>,
    /// The stamp of the decision.
    pub at: Stamp,
    /// Who caused it.
    pub by: Party,
    /// The number of the command that caused it, if a player's did.
    pub command_id: Option<u64>,
    /// The events.
    pub entries: Vec<Entry>,
}

/// What a finished game leaves in the table `games`, beside its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its line in lists.
    pub summary: GameSummary,
    /// The edition's name.
    pub edition: &'static str,
    /// The speed's name.
    pub speed: &'static str,
    /// The moves in UCI, separated by spaces.
    pub moves: String,
    /// The whole game in portable notation.
    pub pgn: String,
    /// When it was created.
    pub created: Stamp,
    /// When it ended.
    pub ended: Stamp,
}

/// Why something could not be made durable or read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// The store does not take or give anything now (disk full, device error); it is tried again.
    Down(String),
    /// Somebody else wrote to this game: the record does not follow its last event.
    Fenced {
        /// The number that the next event should have.
        expected: Seq,
    },
    /// What was read back makes no sense.
    Corrupt(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Down(why) => write!(f, "the store is down: {why}"),
            StoreError::Fenced { expected } => {
                write!(f, "another writer owns this game: its next event is {}", expected.0)
            }
            StoreError::Corrupt(what) => write!(f, "the store is damaged: {what}"),
        }
    }
}

impl std::error::Error for StoreError {}

/// What comes of an append, once it is known.
pub type Committed = tokio::sync::oneshot::Receiver<Result<Stamp, StoreError>>;

/// The durable side of the server.
pub trait Journal: Send + Sync + 'static {
    /// Hands a decision over. The answer is the instant of the commit that made it durable; the same
    /// for all records of a group. With `finished` the game's row in `games` is written in the
    /// same commit.
    fn append(&self, row: EncodedRow, finished: Option<Box<Finished>>) -> Committed;

    /// Says how many clocks run. While any does, the writer commits a heartbeat every second.
    fn clocks_running(&self, count: usize);

    /// Whether the store takes records: false from the first failed write (a heartbeat counts) until one
    /// succeeds again. Actors watch it: clocks stand while it is false.
    fn health(&self) -> tokio::sync::watch::Receiver<bool>;

    /// All records of games that are not finished, in the order in which they were written.
    fn unfinished(&self) -> Result<Vec<Record>, StoreError>;

    /// When the last record of this game was committed, which is when the turn began that it opened.
    /// None if the server was killed before that instant itself was written, with the next group or
    /// heartbeat. For a game from [`Journal::unfinished`].
    fn committed_at(&self, game: GameId) -> Result<Option<Stamp>, StoreError>;

    /// What it has done since it was opened, and how it stands.
    fn stats(&self) -> Stats;

    /// The last durable instant.
    fn last_durable(&self) -> Result<Stamp, StoreError>;

    /// The records of one game, finished or not.
    fn load(&self, game: GameId) -> Result<Vec<Record>, StoreError>;

    /// The highest number that a game ever had; 0 if there was none.
    fn last_game(&self) -> Result<GameId, StoreError>;

    /// Lines of finished games, newest first, before the given one, and whether there are more.
    fn finished(
        &self,
        filter: &GameFilter,
        before: Option<GameId>,
        limit: usize,
    ) -> Result<(Vec<GameSummary>, bool), StoreError>;

    /// The PGN of a finished game.
    fn pgn(&self, game: GameId) -> Result<Option<String>, StoreError>;

    /// Hands events of a tournament over, as [`Journal::append`] does a game's decision: all of them are
    /// written or none.
    fn append_tournament(&self, record: TournamentRecord) -> Committed;

    /// The numbers of all tournaments.
    fn tournaments(&self) -> Result<Vec<TournamentId>, StoreError>;

    /// The events of a tournament in order.
    fn tournament(&self, tournament: TournamentId) -> Result<Vec<TournamentRecord>, StoreError>;
}
