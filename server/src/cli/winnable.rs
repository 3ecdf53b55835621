//! `zeitnot-server winnable`: whether a side can still mate by any series of legal moves, with the certificate.

use clap::ValueEnum;
use serde_json::{Value, json};
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position as _};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use zeitnot_laws::mating::{self, Budget, Proof, Verdict};

/// Says whether a side can still mate, as at a flag fall.
///
/// The answer is a line of legal moves that mates, a proof that there is none, or "unknown" when the budget is
/// spent, which a ruling counts as "can mate". Exits 0 if every question could be read, 2 if not.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The position, as FEN in one argument.
    #[arg(value_name = "FEN", required_unless_present = "file", requires = "side")]
    fen: Option<String>,
    /// The side that is to mate.
    #[arg(value_name = "SIDE")]
    side: Option<Side>,
    /// Questions from a file instead: a FEN, a tab and `white` or `black` on each line.
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    file: Option<PathBuf>,
    /// Positions to visit at most for each question.
    #[arg(long, value_name = "POSITIONS", default_value_t = Budget::RULING.positions)]
    budget: u64,
    /// Prints one JSON object for each question.
    #[arg(long)]
    json: bool,
}

/// The winner asked about.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Side {
    White,
    Black,
}

impl Side {
    const fn color(self) -> Color {
        match self {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Side::White => "white",
            Side::Black => "black",
        }
    }
}

/// Answers the question or all questions of the file.
pub fn run(args: &Args) -> ExitCode {
    match answer_all(args, &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(2),
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("standard output: {error}");
            ExitCode::FAILURE
        }
    }
}

/// False if a question could not be read: standard error says which and why.
fn answer_all(args: &Args, out: &mut impl Write) -> io::Result<bool> {
    if let (Some(fen), Some(side)) = (&args.fen, args.side) {
        return answer(args, Ok((fen, side)), fen, out);
    }
    let Some(file) = &args.file else { return Ok(false) };
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return Ok(false);
        }
    };
    let mut all = true;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{}:{}", file.display(), number + 1);
        all &= answer(args, question(line), &place, out)?;
    }
    Ok(all)
}

/// The question on a line of a file.
fn question(line: &str) -> Result<(&str, Side), String> {
    let expected = "expected a FEN, a tab, and `white` or `black`";
    let (fen, side) = line.split_once('\t').ok_or_else(|| format!("{expected}, found no tab"))?;
    let side =
        Side::from_str(side.trim(), true).map_err(|_| format!("{expected}, found {:?}", side.trim()))?;
    Ok((fen.trim(), side))
}

/// Answers one question that stands at `place`.
fn answer(
    args: &Args,
    question: Result<(&str, Side), String>,
    place: &str,
    out: &mut impl Write,
) -> io::Result<bool> {
    let read = question.and_then(|(fen, side)| {
        let position = mating::position_from_fen(fen).map_err(|wrong| wrong.to_string())?;
        Ok((fen, side, position))
    });
    let (fen, side, position) = match read {
        Ok(read) => read,
        Err(wrong) => {
            eprintln!("{place}: {wrong}");
            return Ok(false);
        }
    };
    let answer = Answer::find(&position, side, Budget { positions: args.budget });
    if args.json {
        writeln!(out, "{}", answer.json(fen))?;
    } else {
        writeln!(out, "{}", answer.text())?;
    }
    Ok(true)
}

struct Answer {
    side: Side,
    verdict: Verdict,
    positions: u64,
    us: u64,
    castling: CastlingMode,
}

impl Answer {
    fn find(position: &Chess, side: Side, budget: Budget) -> Answer {
        let castling = CastlingMode::detect(&position.to_setup(EnPassantMode::Legal));
        let start = Instant::now();
        let (verdict, positions) = mating::analyse_counted(position, side.color(), budget);
        let us = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        Answer { side, verdict, positions, us, castling }
    }

    fn line(&self) -> Option<Vec<String>> {
        let words = |line: &[Move]| line.iter().map(|step| step.to_uci(self.castling).to_string()).collect();
        match &self.verdict {
            Verdict::Mates(line) | Verdict::Never(Proof::ForcedLine(line)) => Some(words(line)),
            Verdict::Never(_) | Verdict::Unknown(_) => None,
        }
    }

    fn proof(&self) -> Option<&'static str> {
        let Verdict::Never(proof) = &self.verdict else { return None };
        Some(match proof {
            Proof::Material => "material",
            Proof::Terminal => "terminal",
            Proof::ForcedLine(_) => "forced",
            Proof::Exhausted(_) => "exhausted",
            Proof::Static => "static",
        })
    }

    fn json(&self, fen: &str) -> Value {
        let verdict = match self.verdict {
            Verdict::Mates(_) => "mates",
            Verdict::Never(_) => "never",
            Verdict::Unknown(_) => "unknown",
        };
        json!({
            "fen": fen,
            "winner": self.side.name(),
            "verdict": verdict,
            "line": self.line(),
            "proof": self.proof(),
            "positions": self.positions,
            "us": self.us,
        })
    }

    fn text(&self) -> String {
        let (side, positions) = (self.side.name(), self.positions);
        let line = self.line().unwrap_or_default().join(" ");
        match &self.verdict {
            Verdict::Mates(moves) if moves.is_empty() => format!("{side} has mated"),
            Verdict::Mates(moves) => format!("{side} can mate, in {} plies: {line}", moves.len()),
            Verdict::Never(Proof::Material) => format!("{side} can never mate: too little material"),
            Verdict::Never(Proof::Terminal) => {
                format!("{side} can never mate: the game is over on the board")
            }
            Verdict::Never(Proof::ForcedLine(_)) => {
                format!("{side} can never mate: every move is forced, {line}")
            }
            Verdict::Never(Proof::Exhausted(all)) => {
                format!("{side} can never mate: none of the {all} positions that can follow is the mate")
            }
            Verdict::Never(Proof::Static) => {
                format!("{side} can never mate: the men cannot get to where a mate could arise")
            }
            Verdict::Unknown(_) => format!("unknown after {positions} positions; counts as can mate"),
        }
    }
}
