//! The games that are played: recorded ones, so that positions, captures and lengths are real, or those of a file.

use crate::verify;
use zeitnot_proto::Move;

/// `result TAB plies TAB final TAB moves` in lines; lines that begin with `#` are remarks.
const RECORDED: &str = include_str!("../../tests/data/real-games.tsv");

/// All recorded games as moves.
pub fn games() -> Vec<Vec<Move>> {
    RECORDED.lines().filter(|line| !line.starts_with('#')).filter_map(game).collect()
}

/// The games of a text: PGN if a tag is in it, else lines of moves in UCI notation, the last column of each
/// if there are several.
///
/// # Errors
/// Which game cannot be read.
pub fn read(text: &str) -> Result<Vec<Vec<Move>>, String> {
    let games = if text.contains("[Event ") {
        let parts = text.split("[Event ").skip(1).enumerate();
        parts.map(|(at, pgn)| of_pgn(pgn).map_err(|e| format!("game {}: {e}", at + 1))).collect()
    } else {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
        lines.map(|(at, line)| game(line).ok_or_else(|| format!("line {}: no moves", at + 1))).collect()
    };
    let games: Result<Vec<Vec<Move>>, String> = games;
    let games: Vec<Vec<Move>> = games?.into_iter().filter(|moves| !moves.is_empty()).collect();
    if games.is_empty() { Err("there are no games in it".into()) } else { Ok(games) }
}

fn game(line: &str) -> Option<Vec<Move>> {
    line.rsplit('\t').next()?.split_whitespace().map(|text| text.parse().ok()).collect()
}

fn of_pgn(pgn: &str) -> Result<Vec<Move>, String> {
    let moves = verify::moves_of(&pgn.replace("\r\n", "\n"))?;
    moves.iter().map(|mv| mv.parse().map_err(|_| format!("{mv} is no move"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recorded_game_is_read() {
        let games = games();
        assert_eq!(games.len(), 924);
        assert!(games.iter().all(|moves| !moves.is_empty()));
    }

    #[test]
    fn games_come_from_pgn_and_from_lines() {
        let pgn = "[Event \"a\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"b\"]\n\n1. d4 *\n";
        let games = read(pgn).unwrap();
        assert_eq!(games.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(
            read("# a remark\ne2e4 e7e5 g1f3\nd2d4\n").unwrap(),
            games_of(&["e2e4 e7e5 g1f3", "d2d4"])
        );
        assert!(read("e2e4 e7e5\nnonsense\n").unwrap_err().contains("line 2"));
        assert!(read("").is_err());
    }

    fn games_of(lines: &[&str]) -> Vec<Vec<Move>> {
        lines.iter().map(|line| line.split(' ').map(|mv| mv.parse().unwrap()).collect()).collect()
    }
}
