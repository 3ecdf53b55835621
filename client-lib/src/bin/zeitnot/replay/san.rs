//! Whether a name in algebraic notation fits a move, without rules of chess.

use zeitnot_client::board::Board;
use zeitnot_client::proto::{Move, Role, Square};

/// Whether `san`, without signs of check, can be the name of `mv` on `board` (Appendix C of 2023): the man,
/// the square of arrival, whatever it says of the square of departure, capture and promotion agree.
pub fn describes(san: &str, mv: Move, board: &Board) -> bool {
    let Some(man) = board.man(mv.from) else { return false };
    let castling = man.role == Role::King && mv.from.file().abs_diff(mv.to.file()) == 2;
    match san {
        "O-O" => return castling && mv.to.file() == 6,
        "O-O-O" => return castling && mv.to.file() == 2,
        _ if castling => return false,
        _ => {}
    }
    let (san, promotion) = match san.split_once('=') {
        Some((san, letter)) => (san, Some(letter)),
        None => (san, None),
    };
    let promotes_to = mv.promotion().map(|role| role.letter().to_ascii_uppercase().to_string());
    if promotion != promotes_to.as_deref() {
        return false;
    }
    let (role, san) = match san.chars().next() {
        Some(letter @ ('K' | 'Q' | 'R' | 'B' | 'N')) => {
            (Role::from_letter(letter.to_ascii_lowercase()), &san[1..])
        }
        _ => (Some(Role::Pawn), san),
    };
    let Some((departure, arrival)) = san.len().checked_sub(2).and_then(|at| san.split_at_checked(at)) else {
        return false;
    };
    let (departure, captures) = match departure.strip_suffix('x') {
        Some(departure) => (departure, true),
        None => (departure, false),
    };
    role == Some(man.role)
        && arrival.parse::<Square>() == Ok(mv.to)
        && captures == board.is_capture(mv)
        && departure.chars().all(|letter| mv.from.to_string().contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_moves() {
        let board = Board::from_fen("r3k2r/1P6/8/3pP3/8/2N3N1/8/R3K2R w KQkq d6 0 1").unwrap();
        let fits = |san: &str, mv: &str| describes(san, mv.parse().unwrap(), &board);
        for (san, mv) in [
            ("O-O", "e1g1"),
            ("O-O-O", "e1c1"),
            ("exd6", "e5d6"),
            ("bxa8=N", "b7a8n"),
            ("b8=Q", "b7b8q"),
            ("Nge4", "g3e4"),
            ("Ne4", "g3e4"),
            ("Nxd5", "c3d5"),
            ("Ra1xa8", "a1a8"),
        ] {
            assert!(fits(san, mv), "{san} {mv}");
        }
        for (san, mv) in [
            ("O-O", "e1c1"),
            ("Kg1", "e1g1"),
            ("ed6", "e5d6"),
            ("bxa8=Q", "b7a8n"),
            ("b8", "b7b8q"),
            ("Nce4", "g3e4"),
            ("Nd5", "c3d5"),
            ("Bxd5", "c3d5"),
            ("", "e5e6"),
            ("é", "e5e6"),
            ("Ne4", "e4e5"),
        ] {
            assert!(!fits(san, mv), "{san} {mv}");
        }
    }
}
