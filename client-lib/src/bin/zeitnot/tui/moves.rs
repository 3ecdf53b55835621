//! Moves by their names: those that are made, and those that somebody types.

use zeitnot_client::board::Board;
use zeitnot_client::proto::snapshot::LegalMove;
use zeitnot_client::proto::{Move, Role};

/// The long form of a move (Appendix C.13 of 2023), for moves whose short name is not known.
pub fn long_name(mv: Move, board: &Board) -> String {
    let Some(man) = board.man(mv.from) else { return mv.to_string() };
    if man.role == Role::King && mv.from.file().abs_diff(mv.to.file()) == 2 {
        return if mv.to.file() == 6 { "O-O".into() } else { "O-O-O".into() };
    }
    let letter = match man.role {
        Role::Pawn => String::new(),
        role => role.letter().to_ascii_uppercase().to_string(),
    };
    let sign = if board.is_capture(mv) { 'x' } else { '-' };
    let promotion =
        mv.promotion().map_or(String::new(), |role| format!("={}", role.letter().to_ascii_uppercase()));
    format!("{letter}{}{sign}{}{promotion}", mv.from, mv.to)
}

/// Why what was typed is not a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoMove {
    /// No legal move has that name.
    Unknown,
    /// Several have; these.
    Several(Vec<String>),
    /// The pawn's new piece is missing.
    Promotion,
}

/// The legal move that was typed: from and to (`g1f3`, `e7e8q`) or its name (`Nf3`, `exd5`, `O-O`), with or
/// without signs of capture, check and promotion, in any case where only one move is meant.
pub fn find(typed: &str, legal: &[LegalMove]) -> Result<Move, NoMove> {
    let lower = typed.to_ascii_lowercase();
    if let Some(found) = legal.iter().find(|legal| legal.mv.to_string() == lower) {
        return Ok(found.mv);
    }
    let wanted = plain(typed);
    let exactly = |same: &dyn Fn(&str) -> bool| -> Vec<&LegalMove> {
        legal.iter().filter(|legal| same(&plain(&legal.san))).collect()
    };
    let mut found = exactly(&|san| san == wanted);
    if found.is_empty() {
        found = exactly(&|san| san.eq_ignore_ascii_case(&wanted));
    }
    if found.is_empty() {
        // `Nd2` where `Nbd2` and `Nfd2` are meant.
        found = exactly(&|san| shortened(san).is_some_and(|short| short == wanted));
    }
    match found[..] {
        [one] => Ok(one.mv),
        [] if legal.iter().any(|legal| promotes_without(&wanted, &lower, legal)) => Err(NoMove::Promotion),
        [] => Err(NoMove::Unknown),
        _ => Err(NoMove::Several(found.iter().map(|legal| legal.san.to_string()).collect())),
    }
}

/// A name without signs of capture, check, promotion and comment.
fn plain(san: &str) -> String {
    let san = if san.starts_with("0-0") || san.starts_with("o-o") {
        san.replace(['0', 'o'], "O")
    } else {
        san.into()
    };
    san.chars().filter(|letter| !matches!(letter, 'x' | '+' | '#' | '=' | '!' | '?' | ':')).collect()
}

/// A piece's plain name without what tells two pieces of a kind apart.
fn shortened(plain: &str) -> Option<String> {
    let letter = plain.chars().next().filter(|letter| matches!(letter, 'N' | 'B' | 'R' | 'Q'))?;
    let arrival = plain.len().checked_sub(2).filter(|&at| at > 1)?;
    Some(format!("{letter}{}", plain.get(arrival..)?))
}

/// Whether the legal move is what was typed and a promotion besides.
fn promotes_without(wanted: &str, lower: &str, legal: &LegalMove) -> bool {
    let (mv, san) = (legal.mv.to_string(), plain(&legal.san));
    legal.mv.promotion().is_some() && (mv.get(..4) == Some(lower) || san.get(..san.len() - 1) == Some(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use zeitnot_client::proto::Text;

    fn legal(moves: &[(&str, &str)]) -> Vec<LegalMove> {
        moves.iter().map(|(mv, san)| LegalMove { mv: mv.parse().unwrap(), san: Text::cut(san) }).collect()
    }

    #[test]
    fn what_people_type() {
        let legal = legal(&[
            ("g1f3", "Nf3"),
            ("b1d2", "Nbd2"),
            ("f3d2", "Nfd2"),
            ("e1g1", "O-O"),
            ("e1c1", "O-O-O+"),
            ("e4d5", "exd5"),
            ("e7e8q", "e8=Q+"),
            ("e7e8n", "e8=N"),
            ("b2b4", "b4"),
            ("b5b4", "Bb4"),
        ]);
        for (typed, mv) in [
            ("g1f3", "g1f3"),
            ("G1F3", "g1f3"),
            ("Nf3", "g1f3"),
            ("nf3", "g1f3"),
            ("Nbd2", "b1d2"),
            ("0-0", "e1g1"),
            ("o-o-o", "e1c1"),
            ("O-O-O", "e1c1"),
            ("ed5", "e4d5"),
            ("exd5!", "e4d5"),
            ("e8Q", "e7e8q"),
            ("e8=n", "e7e8n"),
            ("e7e8q", "e7e8q"),
            ("b4", "b2b4"),
            ("Bb4", "b5b4"),
        ] {
            assert_eq!(find(typed, &legal), Ok(mv.parse().unwrap()), "{typed}");
        }
        assert_eq!(find("Nd2", &legal), Err(NoMove::Several(vec!["Nbd2".into(), "Nfd2".into()])));
        assert_eq!(find("e8", &legal), Err(NoMove::Promotion));
        assert_eq!(find("e7e8", &legal), Err(NoMove::Promotion));
        assert_eq!(find("e5", &legal), Err(NoMove::Unknown));
    }

    #[test]
    fn long_names() {
        let board = Board::from_fen("r3k2r/1P6/8/3pP3/8/2N5/8/R3K2R w KQkq d6 0 1").unwrap();
        for (mv, name) in [
            ("e1g1", "O-O"),
            ("e1c1", "O-O-O"),
            ("c3d5", "Nc3xd5"),
            ("e5d6", "e5xd6"),
            ("e5e6", "e5-e6"),
            ("b7a8q", "b7xa8=Q"),
            ("h4h5", "h4h5"),
        ] {
            assert_eq!(long_name(mv.parse().unwrap(), &board), name);
        }
    }

    proptest! {
        #[test]
        fn nothing_typed_panics(typed in ".{0,12}") {
            let legal = legal(&[("e7e8q", "e8=Q"), ("b1d2", "Nbd2")]);
            let _ = find(&typed, &legal);
        }
    }
}
