//! Pairs report files and prints standings: `cargo run -p zeitnot-pairing --example pair -- --help`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use zeitnot_pairing::command::{self, Answer, Format, PairOptions, PairOutput, StandingsOptions, exit};
use zeitnot_pairing::round::Tpn;
use zeitnot_pairing::tiebreak::Criterion;

/// Pairs report files and prints standings.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Pair the next round of a report file.
    Pair(Pair),
    /// Print standings or a crosstable.
    Standings(Standings),
}

#[derive(Args)]
struct Pair {
    /// TRF-2026 or TRF(bx).
    file: PathBuf,
    /// Say why: bracket, floats, criteria, colour rule.
    #[arg(long, conflicts_with_all = ["check", "trf"])]
    explain: bool,
    /// Pair every round again and list differences.
    #[arg(long, conflicts_with = "trf")]
    check: bool,
    /// Print the report file with the round entered.
    #[arg(long)]
    trf: bool,
    /// This round instead of the next.
    #[arg(long)]
    round: Option<usize>,
    /// Art. 5.2.5 by pairing number, instead of counting only those paired so far.
    #[arg(long)]
    literal_parity: bool,
}

#[derive(Args)]
struct Standings {
    /// TRF-2026 or TRF(bx).
    file: PathBuf,
    /// Codes of C.07 in order, for example BH/C1,BH,SB,DE; the file's own list otherwise.
    #[arg(long, value_delimiter = ',')]
    tiebreaks: Vec<Criterion>,
    /// After this round.
    #[arg(long)]
    rounds: Option<usize>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    /// The crosstable.
    #[arg(long)]
    crosstable: bool,
    /// Every value with what it is made of.
    #[arg(long)]
    explain: bool,
    /// Leave a player out of the standings.
    #[arg(long, value_delimiter = ',')]
    exclude: Vec<Tpn>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shape {
    Text,
    Csv,
    Markdown,
    Html,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let file = match &cli.command {
        Command::Pair(pair) => &pair.file,
        Command::Standings(standings) => &standings.file,
    };
    let answer = match std::fs::read_to_string(file) {
        Ok(text) => run(cli.command, &text),
        Err(error) => {
            let messages = vec![format!("{}: {error}", file.display())];
            Answer { messages, code: exit::FILE, ..Answer::default() }
        }
    };
    for message in &answer.messages {
        eprintln!("{message}");
    }
    print!("{}", answer.output);
    ExitCode::from(answer.code)
}

fn run(command: Command, text: &str) -> Answer {
    match command {
        Command::Pair(options) if options.check => command::check(text, options.literal_parity),
        Command::Pair(options) => {
            let output = match (options.explain, options.trf) {
                (true, _) => PairOutput::Explained,
                (_, true) => PairOutput::Report,
                _ => PairOutput::Pairs,
            };
            command::pair(
                text,
                PairOptions { output, round: options.round, literal_parity: options.literal_parity },
            )
        }
        Command::Standings(options) => {
            let format = match options.format {
                Shape::Text => Format::Text,
                Shape::Csv => Format::Csv,
                Shape::Markdown => Format::Markdown,
                Shape::Html => Format::Html,
            };
            command::standings(
                text,
                &StandingsOptions {
                    criteria: options.tiebreaks,
                    rounds: options.rounds,
                    format,
                    crosstable: options.crosstable,
                    explain: options.explain,
                    excluded: options.exclude,
                },
            )
        }
    }
}
