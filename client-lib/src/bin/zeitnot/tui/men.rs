//! The men as signs, and the colours of the board.

use ratatui::style::{Color as Ink, Modifier, Style};
use zeitnot_client::board::Man;
use zeitnot_client::proto::{Color, Role, Square};

/// The sign of a man. With colours both sides have the solid figures, which are easier to see; without,
/// White has the outlined ones.
pub fn sign(man: Man, ascii: bool, plain: bool) -> char {
    if ascii {
        return man.letter();
    }
    match (man.role, plain && man.color == Color::White) {
        (Role::King, false) => '♚',
        (Role::Queen, false) => '♛',
        (Role::Rook, false) => '♜',
        (Role::Bishop, false) => '♝',
        (Role::Knight, false) => '♞',
        (Role::Pawn, false) => '♟',
        (Role::King, true) => '♔',
        (Role::Queen, true) => '♕',
        (Role::Rook, true) => '♖',
        (Role::Bishop, true) => '♗',
        (Role::Knight, true) => '♘',
        (Role::Pawn, true) => '♙',
    }
}

/// Whether a square is dark: a1 is.
pub fn is_dark(square: Square) -> bool {
    (square.file() + square.rank()).is_multiple_of(2)
}

/// How a square and the man on it are painted; `marked` squares are those of the last move.
pub fn style(square: Square, man: Option<Man>, marked: bool, plain: bool) -> Style {
    if plain {
        return if marked { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
    }
    let ground = match (is_dark(square), marked) {
        (false, false) => 180,
        (true, false) => 137,
        (false, true) => 186,
        (true, true) => 143,
    };
    let style = Style::new().bg(Ink::Indexed(ground));
    match man.map(|man| man.color) {
        Some(Color::White) => style.fg(Ink::Indexed(231)).add_modifier(Modifier::BOLD),
        Some(Color::Black) => style.fg(Ink::Indexed(16)).add_modifier(Modifier::BOLD),
        None => style,
    }
}
