//! Who may come in: bearers of tokens, and guests.
//!
//! A token is 256 random bits, shown once when it is created and kept as its SHA-256. Roles belong to
//! the token. A guest gets a name and a token of his own with which to come back under it; that
//! token is kept nowhere: it is the name with a code made from a key in the data directory.

mod guest;
mod tokens;

pub use tokens::{NewToken, Token, TokenError, Which, create, list, revoke};

use crate::data_dir::{DataDir, DataDirError};
use crate::journal::{OpenError, schema};
use guest::GuestKey;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::broadcast;
use zeitnot_proto::Text;
use zeitnot_proto::close::Code;
use zeitnot_proto::control::{Credential, Roles};
use zeitnot_proto::limits::{NAME_MAX, TOKEN_MAX};
use zeitnot_proto::rules::Name;

/// How often to look for tokens that another process has revoked.
const REVOCATION_POLL: Duration = Duration::from_millis(400);

/// Revocations that a receiver may be behind.
const REVOCATIONS_KEPT: usize = 1_024;

/// What the names of guests begin with; nobody else's may.
pub const GUEST_PREFIX: &str = "guest-";

/// Who somebody turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub name: Name,
    /// What it may do.
    pub roles: Roles,
    /// For a guest: the token with which to come back under this name.
    pub guest_token: Option<Text<TOKEN_MAX>>,
}

/// The book of identities of a server.
pub struct Identities {
    connection: Mutex<Connection>,
    /// None where guests are not let in.
    guests: Option<GuestKey>,
    revoked: broadcast::Sender<Name>,
}

impl Identities {
    /// The identities of a data directory. Guests are let in if `guests` says so.
    pub fn open(dir: &DataDir, guests: bool) -> Result<Arc<Identities>, OpenError> {
        let guests = if guests { Some(GuestKey::new(&dir.key("guest.key")?)) } else { None };
        let connection = schema::open_reader(dir)?;
        let known =
            tokens::last_revocation(&connection).map_err(|error| OpenError::Sqlite(dir.database(), error))?;
        let revoked = broadcast::Sender::new(REVOCATIONS_KEPT);
        let identities = Arc::new(Identities { connection: Mutex::new(connection), guests, revoked });
        let watched = Arc::downgrade(&identities);
        std::thread::Builder::new()
            .name("revocations".to_owned())
            .spawn(move || watch(&watched, known))
            .map_err(|error| OpenError::DataDir(DataDirError::Io(dir.database(), error)))?;
        Ok(identities)
    }

    /// Who that is. The database is asked each time, so that a revoked token is refused from the
    /// commit of its revocation on; blocks for some microseconds.
    ///
    /// # Errors
    /// The code to close the connection with.
    pub fn authenticate(&self, credential: &Credential) -> Result<Identity, Code> {
        match credential {
            Credential::Guest => {
                let key = self.guests.as_ref().ok_or(Code::NoGuests)?;
                let name = guest::new_name().map_err(|error| internal(&error))?;
                Ok(guest_identity(key, name))
            }
            Credential::Token(token) if token.starts_with(GUEST_PREFIX) => {
                let key = self.guests.as_ref().ok_or(Code::NoGuests)?;
                Ok(guest_identity(key, key.name_of(token).ok_or(Code::BadToken)?))
            }
            Credential::Token(token) => {
                let found = tokens::find(&self.connection(), token).map_err(|error| internal(&error))?;
                let (name, roles) = found.ok_or(Code::BadToken)?;
                Ok(Identity { name, roles, guest_token: None })
            }
        }
    }

    /// Tells the name of each identity that had a token revoked, within a second of it: whoever is here
    /// under that name has to leave, and comes back if it has another token. A name may come twice.
    pub fn revoked(&self) -> broadcast::Receiver<Name> {
        self.revoked.subscribe()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn guest_identity(key: &GuestKey, name: Name) -> Identity {
    let roles = Roles { player: true, ..Roles::default() };
    Identity { guest_token: Some(key.token_of(&name)), name, roles }
}

fn internal(error: &dyn std::fmt::Display) -> Code {
    tracing::error!(%error, "nobody can be identified");
    Code::Internal
}

/// Whether an identity may have this name: 1 to 32 letters, digits, `_`, `.` or `-`.
pub fn is_name(name: &str) -> bool {
    (1..=NAME_MAX).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

/// Announces revocations for as long as the identities are in use.
fn watch(identities: &Weak<Identities>, mut known: i64) {
    let mut again: Vec<Name> = Vec::new();
    let mut failing = false;
    loop {
        std::thread::sleep(REVOCATION_POLL);
        let Some(identities) = identities.upgrade() else { return };
        let found = tokens::revoked_after(&identities.connection(), known);
        match found {
            Ok(revoked) => {
                failing = false;
                known = revoked.last().map_or(known, |(number, _)| *number);
                let names: Vec<Name> = revoked.into_iter().map(|(_, name)| name).collect();
                // Once more the next time: someone may have been between the check of his token and
                // the list of those who are here.
                for name in names.iter().chain(&again) {
                    // Nobody may be listening.
                    let _ = identities.revoked.send(name.clone());
                }
                again = names;
            }
            Err(error) if !failing => {
                failing = true;
                tracing::error!(%error, "revoked tokens cannot be looked for; tried again");
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn token(text: &str) -> Credential {
        Credential::Token(text.try_into().unwrap())
    }

    fn book(guests: bool) -> (tempfile::TempDir, Connection, Arc<Identities>) {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::create(dir.path()).unwrap();
        let connection = schema::open(&data).unwrap();
        let identities = Identities::open(&data, guests).unwrap();
        (dir, connection, identities)
    }

    fn new_token(name: &str) -> NewToken {
        let roles = Roles { player: true, arbiter: true, ..Roles::default() };
        NewToken { name: name.to_owned(), label: "a laptop".to_owned(), roles }
    }

    #[test]
    fn a_token_identifies_its_bearer_until_it_is_revoked() {
        let (_dir, connection, identities) = book(false);
        let (_, secret) = create(&connection, &new_token("ann")).unwrap();
        let ann = identities.authenticate(&token(&secret)).unwrap();
        assert_eq!((&*ann.name, ann.roles.arbiter, ann.roles.admin), ("ann", true, false));
        let nobody = identities.authenticate(&token(&format!("{secret}0")));
        assert_eq!(nobody, Err(Code::BadToken));
        assert_eq!(identities.authenticate(&token("")), Err(Code::BadToken));

        let mut revoked = identities.revoked();
        let before = Instant::now();
        assert_eq!(revoke(&connection, Which::Name("ann")).unwrap(), 1);
        assert_eq!(identities.authenticate(&token(&secret)), Err(Code::BadToken));
        assert_eq!(&*revoked.blocking_recv().unwrap(), "ann");
        assert!(before.elapsed() < Duration::from_secs(1));
        assert_eq!(revoke(&connection, Which::Name("ann")).unwrap(), 0);
    }

    #[test]
    fn only_its_sha_256_is_kept_of_a_token() {
        let (dir, connection, _identities) = book(false);
        let (_, secret) = create(&connection, &new_token("ann")).unwrap();
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let bytes = std::fs::read(dir.path().join("zeitnot.db")).unwrap();
        let holds = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
        assert!(holds(b"a laptop") && !holds(secret.as_bytes()));
    }

    #[test]
    fn one_of_two_tokens_is_revoked_and_the_other_stays() {
        let (_dir, connection, identities) = book(false);
        let (first, secret) = create(&connection, &new_token("ann")).unwrap();
        let (_, other) = create(&connection, &new_token("ann")).unwrap();
        assert_eq!(revoke(&connection, Which::Id(first)).unwrap(), 1);
        assert!(identities.authenticate(&token(&secret)).is_err());
        assert!(identities.authenticate(&token(&other)).is_ok());
        let all = list(&connection).unwrap();
        assert_eq!(all.iter().map(|t| t.revoked.is_some()).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_guest_comes_back_under_his_name_also_after_a_restart() {
        let (dir, _connection, identities) = book(true);
        let guest = identities.authenticate(&Credential::Guest).unwrap();
        assert!(guest.name.starts_with(GUEST_PREFIX) && guest.name.len() == 14);
        assert_eq!(guest.roles, Roles { player: true, ..Roles::default() });
        let own = Credential::Token(guest.guest_token.clone().unwrap());
        assert_eq!(identities.authenticate(&own).unwrap(), guest);
        let again = Identities::open(&DataDir::create(dir.path()).unwrap(), true).unwrap();
        assert_eq!(again.authenticate(&own).unwrap(), guest);
        let other = identities.authenticate(&Credential::Guest).unwrap();
        assert_ne!(other.name, guest.name);
        // Somebody else's name with one's own code.
        let code = guest.guest_token.unwrap();
        let forged = format!("{}.{}", other.name, code.split_once('.').unwrap().1);
        assert_eq!(identities.authenticate(&token(&forged)), Err(Code::BadToken));
        for bad in ["guest-", "guest-.", "guest-abc", "guest-01234567.00", "guest-01234567.zz"] {
            assert_eq!(identities.authenticate(&token(bad)), Err(Code::BadToken), "{bad}");
        }
    }

    #[test]
    fn guests_stay_out_where_they_are_not_let_in() {
        let (_dir, _connection, identities) = book(false);
        assert_eq!(identities.authenticate(&Credential::Guest), Err(Code::NoGuests));
        assert_eq!(identities.authenticate(&token("guest-01234567.00")), Err(Code::NoGuests));
    }

    #[test]
    fn names_are_short_and_plain_and_not_a_guests() {
        let (_dir, connection, _identities) = book(false);
        for good in ["a", "Ann.B-C_9", &"x".repeat(32)] {
            create(&connection, &new_token(good)).unwrap();
        }
        for bad in ["", "a b", "ä", "a/b", &"x".repeat(33), "guest-1", "Guest-1", "a\n"] {
            assert!(create(&connection, &new_token(bad)).is_err(), "{bad:?}");
        }
    }
}
