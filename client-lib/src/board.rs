//! Where the men stand: enough to show a position and to follow moves, no legality.

use std::fmt;
use zeitnot_proto::{Color, Move, Role, Square};

/// The initial array.
pub const INITIAL_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A man.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Man {
    /// Whose.
    pub color: Color,
    /// Which.
    pub role: Role,
}

impl Man {
    /// The letter of FEN: upper case for White.
    pub fn letter(self) -> char {
        match self.color {
            Color::White => self.role.letter().to_ascii_uppercase(),
            Color::Black => self.role.letter(),
        }
    }
}

/// The text is not a FEN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadFen;

impl fmt::Display for BadFen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a position in FEN")
    }
}

impl std::error::Error for BadFen {}

/// The men on the board and who is on move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    men: [Option<Man>; 64],
    turn: Color,
    /// The full move that is about to be made, from 1.
    number: u32,
}

impl Default for Board {
    fn default() -> Board {
        // The array is a FEN: an empty board never comes about.
        Board::from_fen(INITIAL_FEN).unwrap_or(Board { men: [None; 64], turn: Color::White, number: 1 })
    }
}

impl Board {
    /// The position of a FEN. Rights and counters other than the move's number are not kept.
    pub fn from_fen(fen: &str) -> Result<Board, BadFen> {
        let mut fields = fen.split_ascii_whitespace();
        let mut men = [None; 64];
        let ranks: Vec<&str> = fields.next().ok_or(BadFen)?.split('/').collect();
        if ranks.len() != 8 {
            return Err(BadFen);
        }
        for (rank, text) in (0..8).rev().zip(ranks) {
            let mut file = 0;
            for letter in text.chars() {
                if let Some(empty @ 1..=8) = letter.to_digit(10) {
                    file += u8::try_from(empty).map_err(|_| BadFen)?;
                    continue;
                }
                let role = Role::from_letter(letter.to_ascii_lowercase()).ok_or(BadFen)?;
                let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
                let square = Square::at(file, rank).ok_or(BadFen)?;
                men[usize::from(square.index())] = Some(Man { color, role });
                file += 1;
            }
            if file != 8 {
                return Err(BadFen);
            }
        }
        let turn = match fields.next() {
            Some("w") | None => Color::White,
            Some("b") => Color::Black,
            Some(_) => return Err(BadFen),
        };
        let number = fields.nth(3).and_then(|n| n.parse().ok()).unwrap_or(1);
        Ok(Board { men, turn, number })
    }

    /// The man on `square`.
    pub fn man(&self, square: Square) -> Option<Man> {
        self.men[usize::from(square.index())]
    }

    /// Who is on move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The number of the full move that is about to be made.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether `mv` takes something, en passant included.
    pub fn is_capture(&self, mv: Move) -> bool {
        self.man(mv.to).is_some() || self.is_en_passant(mv)
    }

    /// A pawn that changes its file without meeting a man there takes en passant (3.7.3.1 of 2023).
    fn is_en_passant(&self, mv: Move) -> bool {
        self.man(mv.from).is_some_and(|man| man.role == Role::Pawn)
            && mv.from.file() != mv.to.file()
            && self.man(mv.to).is_none()
    }

    /// A king that goes two files castles; its rook comes over (3.8.2 of 2023).
    fn castling_rook(&self, mv: Move) -> Option<Move> {
        let king = self.man(mv.from).is_some_and(|man| man.role == Role::King);
        if !king || mv.from.rank() != mv.to.rank() || mv.from.file().abs_diff(mv.to.file()) != 2 {
            return None;
        }
        let rank = mv.from.rank();
        let (from, to) = if mv.to.file() > mv.from.file() { (7, 5) } else { (0, 3) };
        Some(Move::new(Square::at(from, rank)?, Square::at(to, rank)?))
    }

    /// Makes a move, legal or not.
    pub fn play(&mut self, mv: Move) {
        if self.is_en_passant(mv)
            && let Some(passed) = Square::at(mv.to.file(), mv.from.rank())
        {
            self.men[usize::from(passed.index())] = None;
        }
        if let Some(rook) = self.castling_rook(mv) {
            self.shift(rook);
        }
        self.shift(mv);
        if self.turn == Color::Black {
            self.number = self.number.saturating_add(1);
        }
        self.turn = !self.turn;
    }

    fn shift(&mut self, mv: Move) {
        let man = self.men[usize::from(mv.from.index())].take();
        self.men[usize::from(mv.to.index())] =
            man.map(|man| Man { role: mv.promotion().unwrap_or(man.role), ..man });
    }

    /// The first field of a FEN.
    pub fn placement(&self) -> String {
        let mut text = String::new();
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match Square::at(file, rank).and_then(|square| self.man(square)) {
                    None => empty += 1,
                    Some(man) => {
                        push_count(&mut text, &mut empty);
                        text.push(man.letter());
                    }
                }
            }
            push_count(&mut text, &mut empty);
            if rank > 0 {
                text.push('/');
            }
        }
        text
    }
}

/// Writes how many squares were empty, if any, and starts to count anew.
fn push_count(text: &mut String, empty: &mut u32) {
    if *empty > 0 {
        text.push_str(&empty.to_string());
        *empty = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The placement after these moves from a FEN.
    fn after(fen: &str, moves: &str) -> String {
        let mut board = Board::from_fen(fen).unwrap();
        moves.split_whitespace().for_each(|mv| board.play(mv.parse().unwrap()));
        board.placement()
    }

    #[test]
    fn special_moves() {
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(after(castling, "e1g1 e8c8"), "2kr3r/8/8/8/8/8/8/R4RK1");
        assert_eq!(after(castling, "e1c1 e8g8"), "r4rk1/8/8/8/8/8/8/2KR3R");
        assert_eq!(after("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e5d6"), "4k3/8/3P4/8/8/8/8/4K3");
        assert_eq!(after("3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8n"), "3Nk3/8/8/8/8/8/8/4K3");
        assert_eq!(after(INITIAL_FEN, "e2e4 c7c5 g1f3"), "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R");
    }

    #[test]
    fn moves_are_counted_from_the_fen() {
        let mut board = Board::from_fen("4k3/8/8/8/8/8/8/4K3 b - - 3 41").unwrap();
        board.play("e8e7".parse().unwrap());
        assert_eq!((board.turn(), board.number()), (Color::White, 42));
    }

    #[test]
    fn what_is_no_fen_is_refused() {
        for bad in [
            "",
            "8/8/8",
            "9/8/8/8/8/8/8/8 w",
            "x7/8/8/8/8/8/8/8 w",
            "8/8/8/8/8/8/8/pppppppppp w",
            "8/8/8/8/8/8/8/8 x",
        ] {
            assert!(Board::from_fen(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,80}") {
            let _ = Board::from_fen(&text);
        }

        #[test]
        fn no_move_panics(bytes in prop::collection::vec(any::<[u8; 2]>(), 0..60)) {
            let mut board = Board::default();
            for mv in bytes.into_iter().filter_map(Move::from_bytes) {
                board.is_capture(mv);
                board.play(mv);
                prop_assert_eq!(Board::from_fen(&board.placement()).unwrap().placement(), board.placement());
            }
        }
    }
}
