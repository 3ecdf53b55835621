//! `zeitnot-server pair`: the next round of a report file, and rounds checked.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use zeitnot_pairing::command::{self, Answer, PairOptions, PairOutput, exit};
use zeitnot_pairing::trf;

/// Pairs the next round of a tournament report file (TRF-2026 or TRF(bx)): FIDE (Dutch) of 2026, or Berger tables.
///
/// Prints how many pairs there are, then `white black` a line; 0 is the bye. Exits 0 if done, 1 if no pairing is
/// possible or --check found differences, 2 if the arguments are wrong, 3 if the file or the request makes no sense,
/// 5 if the file cannot be read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The report file; `-` is the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Says why: bracket, floats, criteria and colour rule of every board
    #[arg(long, conflicts_with_all = ["check", "trf"])]
    explain: bool,
    /// Pairs every round of the file again and lists what differs
    #[arg(long, conflicts_with_all = ["trf", "round"])]
    check: bool,
    /// Prints the report file with the round entered
    #[arg(long)]
    trf: bool,
    /// This round instead of the next, from what was known before it
    #[arg(long, value_name = "N")]
    round: Option<usize>,
    /// Article 5.2.5 goes by the pairing number, not by the place among those paired so far
    #[arg(long)]
    literal_parity: bool,
}

/// Pairs or checks; the exit code says what came of it.
pub fn run(args: &Args) -> ExitCode {
    answer(&args.file, |text| {
        if args.check {
            return command::check(text, args.literal_parity);
        }
        let output = match (args.explain, args.trf) {
            (true, _) => PairOutput::Explained,
            (_, true) => PairOutput::Report,
            _ => PairOutput::Pairs,
        };
        command::pair(text, PairOptions { output, round: args.round, literal_parity: args.literal_parity })
    })
}

/// Reads a report file and prints what a command says of it.
pub(super) fn answer(file: &Path, command: impl FnOnce(&str) -> Answer) -> ExitCode {
    let answer = match read(file) {
        Ok(bytes) => command(&trf::decode(&bytes)),
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return ExitCode::from(exit::FILE);
        }
    };
    for message in &answer.messages {
        eprintln!("{message}");
    }
    match io::stdout().write_all(answer.output.as_bytes()) {
        // Whoever reads has enough: `pair --explain | head`.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("standard output: {error}");
            ExitCode::from(exit::FILE)
        }
        _ => ExitCode::from(answer.code),
    }
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    fs::read(file)
}
