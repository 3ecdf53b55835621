//! The terminal board: what `play` and `watch` share.

pub mod draw;
pub mod lobby;
pub mod men;
pub mod moves;
pub mod screen;
pub mod table;
pub mod typed;
pub mod words;
