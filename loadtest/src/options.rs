//! What all scenarios take on the command line.

use crate::objectives::Objectives;
use crate::site::Site;
use crate::{corpus, random_games};
use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use zeitnot_proto::Move;

/// Random games, played one after another and over again.
const RANDOM_GAMES: u64 = 64;
/// Half-moves of a random game.
const RANDOM_PLIES: usize = 300;

/// The server, the games, the report.
#[derive(Debug, Clone, clap::Args)]
pub struct Common {
    /// The server under test.
    #[command(flatten)]
    pub site: Site,
    /// How long to measure, after all have sat down: 30s, 5m, 2h.
    #[arg(long, default_value = "30s", value_parser = span, value_name = "SPAN")]
    pub duration: Duration,
    /// The games that are played: `recorded`, `random`, or a file: PGN, or a game in UCI notation on each line.
    #[arg(long, default_value = "recorded", value_name = "WHICH")]
    pub moves: Moves,
    /// What has to be kept to.
    #[command(flatten)]
    pub objectives: Objectives,
    /// Where the report goes besides the table.
    #[command(flatten)]
    pub output: Output,
}

/// Where a report goes.
#[derive(Debug, Clone, clap::Args)]
pub struct Output {
    /// Write the report to this file as JSON, too.
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub json: Option<PathBuf>,
    /// Write the report to this file as a page of HTML, too.
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub html: Option<PathBuf>,
}

/// Which games are played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moves {
    /// Recorded games of people.
    Recorded,
    /// Random legal games.
    Random,
    /// Those in a file.
    File(PathBuf),
}

impl FromStr for Moves {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Moves, Infallible> {
        Ok(match text {
            "recorded" => Moves::Recorded,
            "random" => Moves::Random,
            file => Moves::File(file.into()),
        })
    }
}

impl Moves {
    /// The games.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn load(&self) -> Result<Vec<Vec<Move>>, String> {
        match self {
            Moves::Recorded => Ok(corpus::games()),
            Moves::Random => {
                Ok((0..RANDOM_GAMES).map(|seed| random_games::game(seed, RANDOM_PLIES)).collect())
            }
            Moves::File(path) => {
                let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
                corpus::read(&text).map_err(|e| format!("{}: {e}", path.display()))
            }
        }
    }
}

/// Reads a span of time: a number with `us`, `ms`, `s`, `m` or `h`; without a unit, of seconds.
///
/// # Errors
/// How it is written.
pub fn span(text: &str) -> Result<Duration, String> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let seconds = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let span = number.trim().parse::<f64>().ok().map(|number| number * seconds);
    span.and_then(|span| Duration::try_from_secs_f64(span).ok())
        .ok_or_else(|| "write a span of time as 500us, 20ms, 1.5s, 10m or 2h".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_with_their_units() {
        for (text, us) in
            [("20ms", 20_000), ("1.5s", 1_500_000), ("3", 3_000_000), ("2m", 120_000_000), ("7us", 7)]
        {
            assert_eq!(span(text), Ok(Duration::from_micros(us)));
        }
        for text in ["", "x", "-1s", "1d", "ms"] {
            assert!(span(text).is_err(), "{text}");
        }
    }
}
