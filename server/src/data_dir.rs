//! The data directory: the journal's database, keys, and the lock that keeps a second server out.
//!
//! | file | what it is |
//! |---|---|
//! | `zeitnot.db` (`-wal`, `-shm`) | journal, finished games, tokens: an SQLite database |
//! | `zeitnot.lock` | locked by the server that runs |
//! | `certificate.pem`, `key.pem` | the certificate made at the first start, and its private key |
//! | `guest.key` | the key that guests' own tokens are made with |
//! | `reset.key` | the key of stateless resets and connection ids |

use ring::rand::{SecureRandom, SystemRandom};
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Bytes of a key that the data directory keeps.
pub const KEY_LEN: usize = 32;

/// A directory that exists and belongs to one server.
#[derive(Debug, Clone)]
pub struct DataDir {
    path: PathBuf,
}

/// Why the data directory cannot be used.
#[derive(Debug)]
pub enum DataDirError {
    /// Another server runs on it.
    Locked(PathBuf),
    /// There is none, and it was not to be made.
    Missing(PathBuf),
    /// A key file of another length than it should have.
    BadKey(PathBuf),
    /// The file system refused.
    Io(PathBuf, io::Error),
}

impl fmt::Display for DataDirError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataDirError::Locked(path) => write!(
                f,
                "another server runs on {}; stop it, or give this one a data directory of its own with \
                 --data-dir",
                path.display()
            ),
            DataDirError::Missing(path) => write!(
                f,
                "there is no data directory {}; name the server's with --data-dir, or start the server \
                 once to make it",
                path.display()
            ),
            DataDirError::BadKey(path) => write!(
                f,
                "{} is not a key of {KEY_LEN} bytes; restore it from a backup, or remove it and a new one \
                 is made at the next start",
                path.display()
            ),
            DataDirError::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for DataDirError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DataDirError::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// Held by the one server that runs on a data directory; free again when it is dropped or its
/// process ends in any way.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl DataDir {
    /// The directory at `path`, made if there is none, readable by its owner alone.
    pub fn create(path: &Path) -> Result<DataDir, DataDirError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(|error| DataDirError::Io(path.into(), error))?;
        Ok(DataDir { path: path.into() })
    }

    /// The directory at `path`, in which a server has run before.
    pub fn existing(path: &Path) -> Result<DataDir, DataDirError> {
        let dir = DataDir { path: path.into() };
        if dir.database().is_file() { Ok(dir) } else { Err(DataDirError::Missing(path.into())) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of this name in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The database of journal, games and tokens.
    pub fn database(&self) -> PathBuf {
        self.file("zeitnot.db")
    }

    /// Keeps every other server out.
    pub fn lock(&self) -> Result<Lock, DataDirError> {
        let path = self.file("zeitnot.lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| DataDirError::Io(path.clone(), error))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(DataDirError::Locked(self.path.clone())),
            Err(TryLockError::Error(error)) => Err(DataDirError::Io(path, error)),
        }
    }

    /// The secret key in the file of this name, made at the first call ever.
    pub fn key(&self, name: &str) -> Result<[u8; KEY_LEN], DataDirError> {
        let path = self.file(name);
        match fs::read(&path) {
            Ok(bytes) => bytes.try_into().map_err(|_| DataDirError::BadKey(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut key = [0; KEY_LEN];
                random(&mut key).map_err(|error| DataDirError::Io(path.clone(), error))?;
                write_secret(&path, &key).map_err(|error| DataDirError::Io(path, error))?;
                Ok(key)
            }
            Err(error) => Err(DataDirError::Io(path, error)),
        }
    }
}

/// Fills `bytes` from the system's random numbers.
pub fn random(bytes: &mut [u8]) -> io::Result<()> {
    SystemRandom::new().fill(bytes).map_err(|_| io::Error::other("the system gives no random numbers"))
}

/// Writes a file that only its owner may read, whole or not at all.
pub fn write_secret(path: &Path, content: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_kept_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::create(&dir.path().join("a/b")).unwrap();
        let key = data.key("guest.key").unwrap();
        assert_eq!(data.key("guest.key").unwrap(), key);
        assert_ne!(data.key("reset.key").unwrap(), key);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&data.file("guest.key")), 0o600);
            assert_eq!(mode(data.path()), 0o700);
        }
        fs::write(data.file("guest.key"), b"short").unwrap();
        assert!(matches!(data.key("guest.key"), Err(DataDirError::BadKey(_))));
    }

    #[test]
    fn two_servers_cannot_share_a_directory() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::create(dir.path()).unwrap();
        let lock = data.lock().unwrap();
        assert!(matches!(data.lock(), Err(DataDirError::Locked(_))));
        drop(lock);
        data.lock().unwrap();
    }

    #[test]
    fn a_directory_without_a_database_is_no_servers() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(DataDir::existing(dir.path()), Err(DataDirError::Missing(_))));
    }
}
