//! Recorded games: lines of UCI moves with a result, or PGN.

use std::fmt;
use zeitnot_client::proto::{ByColor, Move, Score};

/// A half-move as the record writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ply {
    /// From and to.
    Uci(Move),
    /// In algebraic notation, without signs of check or comment.
    San(String),
}

impl fmt::Display for Ply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ply::Uci(mv) => mv.fmt(f),
            Ply::San(san) => san.fmt(f),
        }
    }
}

/// What stands on the board at the end, as far as the record says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Final {
    /// Mate.
    Mate,
    /// Stalemate.
    Stalemate,
    /// Neither side can mate any more.
    Insufficient,
    /// The players ended it: by resignation, by agreement, or on time.
    Open,
    /// The record does not say.
    Unsaid,
}

/// A recorded game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Where it stands in the file.
    pub label: String,
    /// The position that it starts from; the initial array if none.
    pub fen: Option<String>,
    /// The moves.
    pub plies: Vec<Ply>,
    /// What each side scored.
    pub scores: ByColor<Score>,
    /// What stands on the board at the end.
    pub ending: Final,
}

/// Why a file is not a record of games.
#[derive(Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// The line, from 1.
    line: usize,
    /// What is wrong there.
    text: String,
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)
    }
}

impl std::error::Error for BadRecord {}

/// The games of a file in either form. Games without a result are left out.
pub fn read(text: &str) -> Result<Vec<Record>, BadRecord> {
    let text = text.trim_start_matches('\u{feff}');
    match text.trim_start().chars().next() {
        Some('[') => Ok(super::pgn::read(text)),
        _ => read_lines(text),
    }
}

/// Lines of `result TAB plies TAB final TAB moves`; those that begin with `#` are comments.
fn read_lines(text: &str) -> Result<Vec<Record>, BadRecord> {
    let numbered = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    numbered
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(number, line)| read_line(line, number).map_err(|text| BadRecord { line: number, text }))
        .collect()
}

fn read_line(line: &str, number: usize) -> Result<Record, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [result, count, ending, moves] = fields[..] else {
        return Err("write result, plies, final and moves, with tabs between, or a file in PGN".into());
    };
    let scores = scores(result).ok_or_else(|| format!("`{result}` is no result"))?;
    let ending = match ending {
        "mate" => Final::Mate,
        "stalemate" => Final::Stalemate,
        "insufficient" => Final::Insufficient,
        "open" | "rep3+" | "50+" => Final::Open,
        other => return Err(format!("`{other}` is no final")),
    };
    let plies = moves
        .split_ascii_whitespace()
        .map(|text| text.parse().map(Ply::Uci).map_err(|_| format!("`{text}` is no move in UCI notation")));
    let plies = plies.collect::<Result<Vec<_>, _>>()?;
    if count.parse() != Ok(plies.len()) {
        return Err(format!("{} moves, and the line says {count}", plies.len()));
    }
    Ok(Record { label: format!("line {number}"), fen: None, plies, scores, ending })
}

/// The scores of `1-0`, `0-1` or `1/2-1/2`.
pub fn scores(result: &str) -> Option<ByColor<Score>> {
    match result {
        "1-0" => Some(ByColor::new(Score::ONE, Score::ZERO)),
        "0-1" => Some(ByColor::new(Score::ZERO, Score::ONE)),
        "1/2-1/2" => Some(ByColor::both(Score::HALF)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let games = read("# comment\n0-1\t4\tmate\tf2f3 e7e5 g2g4 d8h4\n\n1/2-1/2\t0\topen\t\n").unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!(
            (games[0].label.as_str(), games[0].plies.len(), games[0].ending),
            ("line 2", 4, Final::Mate)
        );
        assert_eq!(games[0].scores, ByColor::new(Score::ZERO, Score::ONE));
        assert_eq!((games[1].plies.len(), games[1].ending), (0, Final::Open));
    }

    #[test]
    fn bad_lines_are_named() {
        for (line, part) in [
            ("1-0", "tabs"),
            ("2-0\t0\topen\t", "result"),
            ("1-0\t0\tsomehow\t", "final"),
            ("1-0\t1\topen\te2e9", "UCI"),
            ("1-0\t2\topen\te2e4", "says 2"),
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.starts_with("line 1: ") && error.contains(part), "{error}");
        }
    }
}
