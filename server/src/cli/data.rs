//! What the commands share that work on a data directory beside a live server.

use crate::config::{self, ConfigError};
use crate::data_dir::{DataDir, DataDirError};
use crate::journal::OpenError;
use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

/// Which data directory is meant.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)] // It is flattened into arguments of other commands, whose group has the same name.
pub struct Args {
    /// The server's data directory; without it, that of the settings file, or ./zeitnot-data
    #[arg(long, value_name = "DIR", env = "ZEITNOT_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// The server's settings file
    #[arg(long, value_name = "FILE", env = "ZEITNOT_CONFIG")]
    config: Option<PathBuf>,
}

impl Args {
    fn path(&self) -> Result<PathBuf, ConfigError> {
        config::data_dir(self.config.as_deref(), self.data_dir.clone())
    }

    /// The directory of a server that has run before.
    pub(super) fn existing(&self) -> Result<DataDir, Failure> {
        Ok(DataDir::existing(&self.path()?)?)
    }

    /// The directory, made if there is none: tokens may come before the first start.
    pub(super) fn create(&self) -> Result<DataDir, Failure> {
        Ok(DataDir::create(&self.path()?)?)
    }
}

/// Why a command did not do what it should, in words for whoever typed it.
#[derive(Debug)]
pub(super) struct Failure(String);

impl Failure {
    pub(super) fn new(why: impl Display) -> Failure {
        Failure(why.to_string())
    }
}

macro_rules! fails_with {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::new(error)
            }
        }
    )*};
}

fails_with!(
    ConfigError,
    DataDirError,
    OpenError,
    crate::identity::TokenError,
    crate::journal::StoreError,
    std::io::Error
);

/// Says what went wrong, and gives the exit code: 0, or 1 if something did.
pub(super) fn report(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(why)) => {
            eprintln!("zeitnot-server: {why}");
            ExitCode::FAILURE
        }
    }
}
