//! `zeitnot-server standings`: standings and crosstables of a report file.

use super::pair;
use clap::ValueEnum;
use std::path::PathBuf;
use std::process::ExitCode;
use zeitnot_pairing::command::{self, Format, StandingsOptions};
use zeitnot_pairing::round::Tpn;
use zeitnot_pairing::tiebreak::Criterion;

/// Prints the standings of a tournament report file, with the tie-breaks of FIDE C.07 in the published order.
///
/// Exit codes as for `pair`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The report file; `-` is the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Codes in order, for example BH/C1,BH,SB,DE; the list of the file if not said
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    tiebreaks: Vec<Criterion>,
    /// After this round; all that are paired if not said
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    /// The crosstable instead (an HTML page has both)
    #[arg(long)]
    crosstable: bool,
    /// Every value with what it is made of, and what decided each place
    #[arg(long, conflicts_with = "crosstable")]
    explain: bool,
    /// Leaves players out, by their numbers: withdrawn from a round robin before half of their games, say
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    exclude: Vec<Tpn>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shape {
    /// Columns for a terminal
    Text,
    /// Comma-separated
    Csv,
    /// A Markdown table
    Markdown,
    /// One printable page
    Html,
}

/// Prints; the exit code says what came of it.
pub fn run(args: &Args) -> ExitCode {
    let format = match args.format {
        Shape::Text => Format::Text,
        Shape::Csv => Format::Csv,
        Shape::Markdown => Format::Markdown,
        Shape::Html => Format::Html,
    };
    let options = StandingsOptions {
        criteria: args.tiebreaks.clone(),
        rounds: args.rounds,
        format,
        crosstable: args.crosstable,
        explain: args.explain,
        excluded: args.exclude.clone(),
    };
    pair::answer(&args.file, |text| command::standings(text, &options))
}
