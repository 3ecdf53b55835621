//! Pairing.
pub mod audit;
pub mod baku;
pub mod dutch;
pub mod matching;
pub mod points;
pub mod results;
pub mod round;
pub mod simulate;
pub mod tournament;
pub mod trf;
