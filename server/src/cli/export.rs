//! `zeitnot-server export`: games as PGN, beside a live server.

use super::data::{self, Failure};
use crate::journal::Archive;
use crate::pgn;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use zeitnot_proto::rules::GameId;

/// Writes games as PGN: finished ones, and those under way with the result `*`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["games", "all"])))]
pub struct Args {
    /// The numbers of the games
    #[arg(long = "game", value_name = "N")]
    games: Vec<u64>,
    /// All games
    #[arg(long)]
    all: bool,
    /// Where to; the standard output if not said
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    data: data::Args,
}

/// Exports; exit code 1 if something could not be written.
pub fn run(args: &Args) -> ExitCode {
    data::report(export(args))
}

fn export(args: &Args) -> Result<(), Failure> {
    let archive = Archive::open(&args.data.existing()?)?;
    match &args.output {
        None => match write_games(args, &archive, &mut BufWriter::new(io::stdout().lock())) {
            // Whoever reads has enough: `export --all | head`.
            Err(Stop::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => Ok(done.map(drop)?),
        },
        Some(path) => {
            let name = |error: io::Error| Failure::new(format!("{}: {error}", path.display()));
            let mut file = BufWriter::new(File::create(path).map_err(name)?);
            let count = match write_games(args, &archive, &mut file) {
                Err(Stop::Write(error)) => return Err(name(error)),
                done => done?,
            };
            eprintln!("{count} games written to {}", path.display());
            Ok(())
        }
    }
}

/// Why an export ended before its time.
enum Stop {
    Write(io::Error),
    Failed(Failure),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Write(error)
    }
}

impl From<crate::journal::StoreError> for Stop {
    fn from(error: crate::journal::StoreError) -> Stop {
        Stop::Failed(error.into())
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        match stop {
            Stop::Write(error) => error.into(),
            Stop::Failed(failure) => failure,
        }
    }
}

/// Writes the games that were asked for: how many.
fn write_games(args: &Args, archive: &Archive, out: &mut dyn Write) -> Result<usize, Stop> {
    let count = if args.all { write_all(archive, out)? } else { write_some(&args.games, archive, out)? };
    out.flush()?;
    Ok(count)
}

fn write_some(games: &[u64], archive: &Archive, out: &mut dyn Write) -> Result<usize, Stop> {
    let under_way = under_way(archive, |game| games.contains(&game.0))?;
    for &game in games {
        let pgn = match under_way.get(&game) {
            Some(pgn) => Some(pgn.clone()),
            None => archive.pgn(GameId(game))?,
        };
        let missing = || Failure::new(format!("there is no game {game} here; --all writes every game"));
        out.write_all(pgn.ok_or_else(|| Stop::Failed(missing()))?.as_bytes())?;
    }
    Ok(games.len())
}

/// Finished games as they come from the table, those under way after them.
fn write_all(archive: &Archive, out: &mut dyn Write) -> Result<usize, Stop> {
    let under_way = under_way(archive, |_| true)?;
    let mut count = 0;
    let mut after = GameId(0);
    while let Some((game, pgn)) = archive.pgn_after(after)? {
        after = game;
        // It may have ended since the others were read.
        if !under_way.contains_key(&game.0) {
            out.write_all(pgn.as_bytes())?;
            count += 1;
        }
    }
    for pgn in under_way.values() {
        out.write_all(pgn.as_bytes())?;
    }
    Ok(count + under_way.len())
}

/// The games under way that `wanted` picks, by number.
fn under_way(archive: &Archive, wanted: impl Fn(GameId) -> bool) -> Result<BTreeMap<u64, String>, Stop> {
    let mut games: BTreeMap<u64, Vec<_>> = BTreeMap::new();
    for record in archive.unfinished()? {
        if wanted(record.game) {
            games.entry(record.game.0).or_default().push(record);
        }
    }
    let rendered = games.into_iter().map(|(game, records)| {
        let pgn = pgn::render(&records)
            .map_err(|error| Stop::Failed(Failure::new(format!("game {game}: {error}"))))?;
        Ok((game, pgn))
    });
    rendered.collect()
}
