//! The moves.

use super::{PgnError, Ply, Sheet};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};
use std::fmt::{self, Write as _};
use zeitnot_proto::{Color, Move, Role, Square};

/// Characters of a line (8.2.1 of the standard: fewer than 80).
const WIDTH: usize = 79;

/// Appends moves, comments and result to `out`.
pub(super) fn movetext(sheet: &Sheet, out: &mut String) -> Result<(), PgnError> {
    let mut chess = start(sheet)?;
    let mut lines = Lines { out, column: 0 };
    let opening = offers(&sheet.offers, None);
    lines.comment(&opening);
    let mut after_comment = true;
    let mut word = String::new();
    for (index, ply) in sheet.plies.iter().enumerate() {
        let Some(mv) = legal(&chess, ply.mv) else {
            // An illegal move that nobody complained about stands, but has no name.
            lines.comment(&illegal_from(&sheet.plies[index..]));
            break;
        };
        let number = chess.fullmoves();
        if chess.turn().is_white() {
            lines.spell(&mut word, format_args!("{number}."));
        } else if after_comment {
            lines.spell(&mut word, format_args!("{number}..."));
        }
        let san = SanPlus::from_move_and_play_unchecked(&mut chess, mv);
        lines.spell(&mut word, format_args!("{san}"));
        word.clear();
        comment(ply, &mut word);
        after_comment = !word.is_empty();
        lines.comment(&word);
    }
    lines.word(sheet.result());
    lines.out.push('\n');
    Ok(())
}

fn start(sheet: &Sheet) -> Result<Chess, PgnError> {
    let Some(fen) = &sheet.setup.terms.start.fen else { return Ok(Chess::new()) };
    let fen: Fen = fen.parse().map_err(|_| PgnError::BadStart)?;
    fen.into_position(CastlingMode::Standard).map_err(|_| PgnError::BadStart)
}

/// The move, if it is legal here.
fn legal(chess: &Chess, mv: Move) -> Option<shakmaty::Move> {
    let square = |square: Square| shakmaty::Square::new(u32::from(square.index()));
    let promotion = mv.promotion().map(|role| match role {
        Role::Pawn => shakmaty::Role::Pawn,
        Role::Knight => shakmaty::Role::Knight,
        Role::Bishop => shakmaty::Role::Bishop,
        Role::Rook => shakmaty::Role::Rook,
        Role::Queen => shakmaty::Role::Queen,
        Role::King => shakmaty::Role::King,
    });
    UciMove::Normal { from: square(mv.from), to: square(mv.to), promotion }.to_move(chess).ok()
}

/// Appends what follows a move.
fn comment(ply: &Ply, out: &mut String) {
    out.push_str(&offers(&ply.offers, Some(ply.side)));
    for (command, us) in [("clk", ply.clock_us), ("emt", ply.elapsed_us)] {
        let Some(us) = us else { continue };
        let blank = if out.is_empty() { "" } else { " " };
        // Writing to a string cannot fail.
        let _written = write!(out, "{blank}[%{command} {}]", Time(us));
    }
}

/// Draw offers as a scoresheet marks them (Appendix C of 2023); of one who has not just moved, with his colour.
fn offers(offers: &[Color], mover: Option<Color>) -> String {
    let marks = offers
        .iter()
        .map(|&side| if Some(side) == mover { "(=)".to_owned() } else { format!("(=) by {side}") });
    marks.collect::<Vec<_>>().join(" ")
}

fn illegal_from(plies: &[Ply]) -> String {
    let moves: Vec<String> = plies.iter().map(|ply| ply.mv.to_string()).collect();
    format!("illegal, and what was played after it: {}", moves.join(" "))
}

/// `0:05:00`, with milliseconds where there are any.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, ms) = (self.0 / 1_000_000, self.0 / 1_000 % 1_000);
        write!(f, "{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        if ms == 0 { Ok(()) } else { write!(f, ".{ms:03}") }
    }
}

/// Words in lines of bounded length.
struct Lines<'a> {
    out: &'a mut String,
    column: usize,
}

impl Lines<'_> {
    /// A word that is spelled in `scratch`.
    fn spell(&mut self, scratch: &mut String, word: fmt::Arguments<'_>) {
        scratch.clear();
        let _written = scratch.write_fmt(word);
        self.word(scratch);
    }

    fn word(&mut self, word: &str) {
        self.pieces([word, "", ""]);
    }

    /// A word of pieces that stay together.
    fn pieces(&mut self, pieces: [&str; 3]) {
        let length: usize = pieces.iter().map(|piece| piece.len()).sum();
        if self.column > 0 {
            let fits = self.column + 1 + length <= WIDTH;
            self.out.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        for piece in pieces {
            self.out.push_str(piece);
        }
        self.column += length;
    }

    /// A comment; a command such as `[%clk 0:05:00]` in it stays in one piece.
    fn comment(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut rest = text;
        let mut open = "{ ";
        while !rest.is_empty() {
            let stop = if rest.starts_with('[') { rest.find(']').map(|at| at + 1) } else { rest.find(' ') };
            let (word, tail) = rest.split_at(stop.unwrap_or(rest.len()));
            rest = tail.trim_start();
            let close = if rest.is_empty() { " }" } else { "" };
            self.pieces([open, word, close]);
            open = "";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_on_a_clock() {
        assert_eq!(Time(0).to_string(), "0:00:00");
        assert_eq!(Time(299_999_999).to_string(), "0:04:59.999");
        assert_eq!(Time(7_200_000_000).to_string(), "2:00:00");
    }

    #[test]
    fn commands_in_comments_are_not_broken() {
        let mut out = String::new();
        let mut lines = Lines { out: &mut out, column: 0 };
        for _ in 0..20 {
            lines.word("Nf3");
            lines.comment("(=) by black [%clk 0:05:00] [%emt 0:00:01.500]");
        }
        assert!(out.lines().all(|line| line.len() < 80));
        assert_eq!(out.matches("[%clk 0:05:00]").count(), 20);
    }
}
