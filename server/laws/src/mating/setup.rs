//! Positions from FEN, lenient where a study or a mutated test position is stricter than play.

use std::{error, fmt};

use shakmaty::{CastlingMode, Chess, FromSetup, PositionError, fen::Fen};

/// Why a FEN is no position one can ask about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenError {
    /// Not FEN.
    Syntax(String),
    /// FEN, but no position: a king missing or doubled, a pawn on a back rank, or the side that just moved
    /// left in check.
    Position(String),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenError::Syntax(why) => write!(f, "not a FEN: {why}"),
            FenError::Position(why) => write!(f, "not a position: {why}"),
        }
    }
}

impl error::Error for FenError {}

/// Reads a FEN of four to six fields. Set-ups that no game can reach are accepted as long as the moves from
/// them are well defined: too many men, checks that no move could have given, and castling rights or
/// en-passant squares that do not fit (these are dropped).
pub fn position_from_fen(fen: &str) -> Result<Chess, FenError> {
    let setup = fen.parse::<Fen>().map_err(|e| FenError::Syntax(e.to_string()))?.into_setup();
    let mode = CastlingMode::detect(&setup);
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .map_err(|e| FenError::Position(e.to_string()))
}
