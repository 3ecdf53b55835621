//! Whether the server's record holds every move that it acknowledged.

use crate::play::Played;
use crate::umpire::uci_of;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};
use zeitnot_client::connection::Connection;
use zeitnot_proto::control::{Reply, Request};

/// Asks for the PGN of a game and compares its moves and its result. What is wrong, if something is.
pub async fn check(connection: &Connection, played: &Played) -> Result<(), String> {
    let pgn = match connection.request(Request::Pgn(played.game)).await {
        Ok(Reply::Pgn(pgn)) => pgn,
        Ok(other) => return Err(format!("a PGN was asked for, {other:?} came")),
        Err(error) => return Err(format!("no PGN: {error}")),
    };
    let recorded = moves_of(&pgn)?;
    let acknowledged: Vec<String> = played.moves.iter().map(ToString::to_string).collect();
    if recorded != acknowledged {
        return Err("the PGN does not hold the acknowledged moves".into());
    }
    let scores = played.outcome.scores;
    let result = format!("[Result \"{}-{}\"]", scores.white, scores.black);
    if pgn.contains(&result) { Ok(()) } else { Err(format!("the PGN lacks {result}")) }
}

/// The moves of a PGN in UCI notation.
///
/// # Errors
/// A move is not legal.
pub fn moves_of(pgn: &str) -> Result<Vec<String>, String> {
    // The tags end at the first empty line; brackets may stand in comments, too.
    let moves = pgn.split_once("\n\n").map_or(pgn, |(_, moves)| moves);
    let mut position = Chess::default();
    let mut list = Vec::new();
    for word in without_comments(moves).split_whitespace() {
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let word = word.trim_start_matches('.');
        // Numbers of moves, and the result: `1/2-1/2`, `1-0` and `*` are no moves.
        let Ok(san) = word.parse::<SanPlus>() else { continue };
        let mv =
            san.san.to_move(&position).map_err(|_| "the PGN holds a move that is not legal".to_string())?;
        list.push(uci_of(mv));
        position.play_unchecked(mv);
    }
    Ok(list)
}

/// A PGN's moves without what stands in braces, which may hold brackets of its own.
fn without_comments(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|&c| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::moves_of;

    #[test]
    fn moves_are_read_from_a_pgn_with_clocks() {
        let pgn = "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4 { [%clk 0:05:00]\n[%emt 0:00:01] } e5 2. Nf3 Nc6 3. Bb5 a6 \
                   {[%emt 0:00:01]}\n4. O-O Nf6 1-0\n";
        let moves = moves_of(pgn).unwrap();
        assert_eq!(moves, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1", "g8f6"]);
        assert!(moves_of("1. e5 *").is_err());
        assert!(moves_of("*").unwrap().is_empty());
    }
}
