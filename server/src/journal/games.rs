//! The table of finished games.

use super::row::{EncodedRow, split};
use super::{Finished, Record, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use zeitnot_proto::control::{GameFilter, GameSummary};
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::{ByColor, Outcome, Reason, Score, Seq};

/// The number that the next event of a finished game has.
pub(super) fn next_of(connection: &Connection, game: GameId) -> rusqlite::Result<Option<Seq>> {
    connection
        .prepare_cached("SELECT events FROM games WHERE game = ?1")?
        .query_row([id(game)], |row| row.get(0).map(Seq))
        .optional()
}

/// Writes the row of a game that has just ended.
pub(super) fn insert(
    connection: &Connection,
    finished: &Finished,
    rows: &[EncodedRow],
) -> rusqlite::Result<()> {
    let summary = &finished.summary;
    let result = result_of(summary);
    let mut record = Vec::new();
    append(&mut record, rows)?;
    connection
        .prepare_cached(
            "INSERT INTO games (game, white, black, time_control, edition, speed, result, white_score,
                 black_score, reason, played, plies, created_us, ended_us, events, moves, pgn, record)
             VALUES (:game, :white, :black, :time_control, :edition, :speed, :result, :white_score,
                 :black_score, :reason, :played, :plies, :created, :ended, :events, :moves, :pgn, :record)",
        )?
        .execute(named_params! {
            ":game": id(summary.game),
            ":white": summary.players.white.as_str(),
            ":black": summary.players.black.as_str(),
            ":time_control": summary.time_control.to_string(),
            ":edition": finished.edition,
            ":speed": finished.speed,
            ":result": result.words,
            ":white_score": result.white,
            ":black_score": result.black,
            ":reason": result.reason,
            ":played": result.played,
            ":plies": summary.plies,
            ":created": finished.created.0.cast_signed(),
            ":ended": finished.ended.0.cast_signed(),
            ":events": rows.last().map_or(0, |last| last.next().0),
            ":moves": finished.moves,
            ":pgn": finished.pgn,
            ":record": record,
        })
        .map(drop)
}

/// A result in the columns that say it.
struct ResultColumns<'a> {
    words: String,
    white: Option<String>,
    black: Option<String>,
    reason: Option<&'a str>,
    played: Option<bool>,
}

fn result_of(summary: &GameSummary) -> ResultColumns<'_> {
    let outcome = summary.outcome.as_ref();
    ResultColumns {
        words: outcome.map_or_else(|| "*".to_owned(), Outcome::result),
        white: outcome.map(|o| o.scores.white.to_string()),
        black: outcome.map(|o| o.scores.black.to_string()),
        reason: outcome.map(|o| o.reason.name()),
        played: outcome.map(|o| o.played),
    }
}

/// Writes what a later decision may have changed: players, result, moves, PGN.
pub(super) fn update(connection: &Connection, finished: &Finished) -> rusqlite::Result<()> {
    let summary = &finished.summary;
    let result = result_of(summary);
    connection
        .prepare_cached(
            "UPDATE games SET white = :white, black = :black, time_control = :time_control,
                 result = :result, white_score = :white_score, black_score = :black_score,
                 reason = :reason, played = :played, plies = :plies, ended_us = :ended,
                 moves = :moves, pgn = :pgn
             WHERE game = :game",
        )?
        .execute(named_params! {
            ":game": id(summary.game),
            ":white": summary.players.white.as_str(),
            ":black": summary.players.black.as_str(),
            ":time_control": summary.time_control.to_string(),
            ":result": result.words,
            ":white_score": result.white,
            ":black_score": result.black,
            ":reason": result.reason,
            ":played": result.played,
            ":plies": summary.plies,
            ":ended": finished.ended.0.cast_signed(),
            ":moves": finished.moves,
            ":pgn": finished.pgn,
        })
        .map(drop)
}

/// Adds decisions to the record of a finished game.
pub(super) fn extend(connection: &Connection, game: GameId, rows: &[EncodedRow]) -> rusqlite::Result<()> {
    let Some(last) = rows.last() else { return Ok(()) };
    let mut record = record_bytes(connection, game)?.unwrap_or_default();
    append(&mut record, rows)?;
    connection
        .prepare_cached("UPDATE games SET record = ?2, events = ?3 WHERE game = ?1")?
        .execute((id(game), record, last.next().0))
        .map(drop)
}

fn append(record: &mut Vec<u8>, rows: &[EncodedRow]) -> rusqlite::Result<()> {
    let unwritable = |error: StoreError| rusqlite::Error::ToSqlConversionFailure(error.into());
    rows.iter().try_for_each(|row| row.append_to(record).map_err(unwritable))
}

fn record_bytes(connection: &Connection, game: GameId) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .prepare_cached("SELECT record FROM games WHERE game = ?1")?
        .query_row([id(game)], |row| row.get(0))
        .optional()
}

/// The decisions of a finished game.
pub(super) fn load(connection: &Connection, game: GameId) -> Result<Option<Vec<Record>>, StoreError> {
    let Some(record) = record_bytes(connection, game)? else { return Ok(None) };
    split(game, &record)?.iter().map(EncodedRow::decode).collect::<Result<_, _>>().map(Some)
}

/// The PGN of a finished game.
pub(super) fn pgn(connection: &Connection, game: GameId) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT pgn FROM games WHERE game = ?1")?
        .query_row([id(game)], |row| row.get(0))
        .optional()
}

const SUMMARY: &str = "game, white, black, time_control, white_score, black_score, reason, played, plies";

/// At most `limit` finished games, newest first, with numbers below `before`.
pub(super) fn list(
    connection: &Connection,
    filter: &GameFilter,
    before: Option<GameId>,
    limit: usize,
) -> Result<Vec<GameSummary>, StoreError> {
    let before = before.map_or(i64::MAX, id);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let player = match filter {
        GameFilter::Live => return Ok(Vec::new()),
        GameFilter::Finished => None,
        GameFilter::Player(name) => Some(name.as_str()),
    };
    let sql = match player {
        None => {
            format!("SELECT {SUMMARY} FROM games WHERE game < ?2 AND ?1 IS NULL ORDER BY game DESC LIMIT ?3")
        }
        Some(_) => format!(
            "SELECT {SUMMARY} FROM games WHERE white = ?1 AND game < ?2
             UNION ALL
             SELECT {SUMMARY} FROM games WHERE black = ?1 AND game < ?2 AND white <> ?1
             ORDER BY game DESC LIMIT ?3"
        ),
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((player, before, limit), |row| Ok(summary(row)))?;
    rows.map(|row| row?).collect()
}

fn summary(row: &Row<'_>) -> Result<GameSummary, StoreError> {
    let game = GameId(row.get::<_, i64>(0)?.cast_unsigned());
    let damaged = |what: &str| StoreError::Corrupt(format!("game {game} in the table of games: {what}"));
    let text = |index| row.get_ref(index)?.as_str_or_null().map_err(|_| damaged("a text"));
    let name = |index| -> Result<Name, StoreError> {
        text(index)?.and_then(|name| name.try_into().ok()).ok_or_else(|| damaged("a player's name"))
    };
    let score = |index| -> Result<Option<Score>, StoreError> {
        text(index)?.map(|score| score.parse().map_err(|_| damaged("a score"))).transpose()
    };
    let outcome = match (score(4)?, score(5)?, text(6)?) {
        (Some(white), Some(black), Some(reason)) => Some(Outcome {
            scores: ByColor { white, black },
            reason: Reason::from_name(reason),
            played: row.get::<_, Option<bool>>(7)?.unwrap_or(true),
        }),
        _ => None,
    };
    let time_control = text(3)?.and_then(|t| t.parse().ok()).ok_or_else(|| damaged("the time control"))?;
    Ok(GameSummary {
        game,
        players: ByColor { white: name(1)?, black: name(2)? },
        time_control,
        outcome,
        over: true,
        plies: row.get(8)?,
    })
}

fn id(game: GameId) -> i64 {
    game.0.cast_signed()
}
