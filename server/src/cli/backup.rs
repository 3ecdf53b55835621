//! `zeitnot-server backup`: a copy of the database as it is at one instant, while games go on.

use super::data::{self, Failure};
use crate::journal::{Archive, BackupError};
use std::path::PathBuf;
use std::process::ExitCode;

/// Copies journal, games and tokens into one file, while games go on. Keys and the certificate are files of the
/// data directory: copy them once.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file to make; it must not exist
    file: PathBuf,
    #[command(flatten)]
    data: data::Args,
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Failure {
        Failure::new(error)
    }
}

/// Makes the copy; exit code 1 if it could not.
pub fn run(args: &Args) -> ExitCode {
    data::report(backup(args))
}

fn backup(args: &Args) -> Result<(), Failure> {
    let bytes = Archive::open(&args.data.existing()?)?.backup(&args.file)?;
    eprintln!("{} bytes written to {}", bytes, args.file.display());
    Ok(())
}
