//! The table of tokens. Everything here works beside a live server.

use super::{GUEST_PREFIX, is_name};
use crate::{clock, data_dir, hex};
use ring::digest;
use rusqlite::{Connection, OptionalExtension, Row};
use std::fmt;
use std::io;
use zeitnot_proto::Stamp;
use zeitnot_proto::control::Roles;
use zeitnot_proto::rules::Name;

/// What tokens begin with, so that they are recognized where they should not be.
const PREFIX: &str = "zeitnot_";

/// Random bytes of a token.
const SECRET_LEN: usize = 32;

/// A token to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// Whose it is.
    pub name: String,
    /// What its owner knows it by, such as a device.
    pub label: String,
    /// What its bearer may do.
    pub roles: Roles,
}

/// A token as the table shows it: without the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its number.
    pub id: i64,
    /// Whose it is.
    pub name: String,
    /// What its owner knows it by.
    pub label: String,
    /// What its bearer may do.
    pub roles: Roles,
    /// When it was made.
    pub created: Stamp,
    /// When it was revoked, if it was.
    pub revoked: Option<Stamp>,
}

/// Which tokens are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which<'a> {
    /// The one of this number.
    Id(i64),
    /// All of an identity.
    Name(&'a str),
}

/// Why a token was not made or revoked.
#[derive(Debug)]
pub enum TokenError {
    /// Not a name that an identity may have.
    BadName(String),
    /// The system gives no random numbers.
    NoRandom(io::Error),
    /// The database refused.
    Sqlite(rusqlite::Error),
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenError::BadName(name) => write!(
                f,
                "{name:?} cannot be a name: take 1 to 32 letters, digits, `_`, `.` or `-`, not beginning \
                 with {GUEST_PREFIX}"
            ),
            TokenError::NoRandom(error) => error.fmt(f),
            TokenError::Sqlite(error) => write!(f, "the database of tokens: {error}"),
        }
    }
}

impl std::error::Error for TokenError {}

impl From<rusqlite::Error> for TokenError {
    fn from(error: rusqlite::Error) -> TokenError {
        TokenError::Sqlite(error)
    }
}

/// Makes a token: its number, and the secret that is shown this once.
pub fn create(connection: &Connection, new: &NewToken) -> Result<(i64, String), TokenError> {
    let reserved = new.name.get(..GUEST_PREFIX.len()).is_some_and(|p| p.eq_ignore_ascii_case(GUEST_PREFIX));
    if !is_name(&new.name) || reserved {
        return Err(TokenError::BadName(new.name.clone()));
    }
    let mut bytes = [0; SECRET_LEN];
    data_dir::random(&mut bytes).map_err(TokenError::NoRandom)?;
    let secret = format!("{PREFIX}{}", hex::encode(&bytes));
    let Roles { player, organizer, arbiter, admin } = new.roles;
    connection.execute(
        "INSERT INTO tokens (name, label, sha256, player, organizer, arbiter, admin, created_us)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        (
            &new.name,
            &new.label,
            hash(&secret),
            player,
            organizer,
            arbiter,
            admin,
            clock::now().0.cast_signed(),
        ),
    )?;
    Ok((connection.last_insert_rowid(), secret))
}

/// All tokens, oldest first, the revoked ones too.
pub fn list(connection: &Connection) -> Result<Vec<Token>, TokenError> {
    let mut statement = connection.prepare(
        "SELECT id, name, label, player, organizer, arbiter, admin, created_us, revoked_us FROM tokens
         ORDER BY id",
    )?;
    let tokens = statement.query_map([], |row| {
        Ok(Token {
            id: row.get(0)?,
            name: row.get(1)?,
            label: row.get(2)?,
            roles: roles(row, 3)?,
            created: Stamp(row.get::<_, i64>(7)?.cast_unsigned()),
            revoked: row.get::<_, Option<i64>>(8)?.map(|us| Stamp(us.cast_unsigned())),
        })
    })?;
    Ok(tokens.collect::<rusqlite::Result<_>>()?)
}

/// Revokes tokens: how many were valid until now. A live server notices within a second.
pub fn revoke(connection: &Connection, which: Which<'_>) -> Result<usize, TokenError> {
    let now = clock::now().0.cast_signed();
    // The tokens of one statement may share a number: they are found together.
    let revoke = |condition: &str, whose: &dyn rusqlite::ToSql| {
        let sql = format!(
            "UPDATE tokens SET revoked_us = ?1,
                 revocation = (SELECT ifnull(max(revocation), 0) FROM tokens) + 1
             WHERE revoked_us IS NULL AND {condition}"
        );
        connection.execute(&sql, rusqlite::params![now, whose])
    };
    Ok(match which {
        Which::Id(id) => revoke("id = ?2", &id)?,
        Which::Name(name) => revoke("name = ?2", &name)?,
    })
}

/// Name and roles of the bearer of a token that is valid.
pub(super) fn find(connection: &Connection, secret: &str) -> rusqlite::Result<Option<(Name, Roles)>> {
    if !secret.starts_with(PREFIX) {
        return Ok(None);
    }
    connection
        .prepare_cached(
            "SELECT name, player, organizer, arbiter, admin FROM tokens
             WHERE sha256 = ?1 AND revoked_us IS NULL",
        )?
        .query_row([hash(secret)], |row| Ok((name(row, 0)?, roles(row, 1)?)))
        .optional()
}

/// The number of the last revocation.
pub(super) fn last_revocation(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT ifnull(max(revocation), 0) FROM tokens", [], |row| row.get(0))
}

/// Revocations after the one of this number, in their order, with the names of those concerned.
pub(super) fn revoked_after(connection: &Connection, known: i64) -> rusqlite::Result<Vec<(i64, Name)>> {
    connection
        .prepare_cached("SELECT revocation, name FROM tokens WHERE revocation > ?1 ORDER BY revocation")?
        .query_map([known], |row| Ok((row.get(0)?, name(row, 1)?)))?
        .collect()
}

fn name(row: &Row<'_>, index: usize) -> rusqlite::Result<Name> {
    let text: String = row.get(index)?;
    Name::new(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, Box::new(error))
    })
}

/// The roles in four columns from `at` on.
fn roles(row: &Row<'_>, at: usize) -> rusqlite::Result<Roles> {
    Ok(Roles {
        player: row.get(at)?,
        organizer: row.get(at + 1)?,
        arbiter: row.get(at + 2)?,
        admin: row.get(at + 3)?,
    })
}

fn hash(secret: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, secret.as_bytes()).as_ref().to_vec()
}
