//! Pairing.
pub mod audit;
pub mod baku;
pub mod dutch;
pub mod matching;
pub mod points;
pub mod results;
pub mod round;
pub mod round_robin;
pub mod simulate;
pub mod standings;
pub mod tiebreak;
pub mod tournament;
pub mod trf;
