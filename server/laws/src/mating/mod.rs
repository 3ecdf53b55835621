//! Can this side still mate by any series of legal moves?
//!
//! The question behind a flag fall, a resignation, a losing illegal move and the dead position. It is a
//! question about *help*mates: both sides may play as badly as the Laws allow. [`analyse`] answers it with a
//! certificate or says [`Verdict::Unknown`], and unknown always counts as "can mate": nobody loses the point
//! he won on the clock to a guess.
//!
//! The fifty-move, seventy-five-move and repetition rules do not limit "any series of legal moves" here.
// Law 2023 6.9, 5.1.2, 7.5.5 (the winner-to-be must be able to mate), 5.2.2 (dead position).

mod material;
mod setup;
mod verdict;

pub use material::material_cannot_mate;
pub use setup::{FenError, position_from_fen};
use shakmaty::{Chess, Color, Move, Position};
pub use verdict::{Budget, Proof, Verdict};

/// Whether `winner` can mate from `position` by any series of legal moves, within `budget`.
///
/// Deterministic: the same arguments give the same verdict on every machine.
pub fn analyse(position: &Chess, winner: Color, budget: Budget) -> Verdict {
    let mut position = position.clone();
    let mut line: Vec<Move> = Vec::new();
    loop {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return if position.is_check() && position.turn() != winner {
                Verdict::Mates(line)
            } else if line.is_empty() {
                Verdict::Never(Proof::Terminal)
            } else {
                Verdict::Never(Proof::ForcedLine(line))
            };
        }
        if material_cannot_mate(position.board(), winner) {
            return if line.is_empty() {
                Verdict::Never(Proof::Material)
            } else {
                Verdict::Never(Proof::ForcedLine(line))
            };
        }
        if moves.len() > 1 || line.len() as u64 >= budget.positions {
            return Verdict::Unknown(line.len() as u64);
        }
        line.push(moves[0]);
        position.play_unchecked(moves[0]);
    }
}

/// Whether `position` is certainly dead: neither side can mate by any series of legal moves.
///
/// The check made after every move: cheap, sound, and incomplete. `false` means "not proven", and the game
/// goes on. Asks for the weaker side first and stops at the first side that may still mate.
pub fn is_dead_cheap(position: &Chess) -> bool {
    let board = position.board();
    Color::ALL.iter().all(|&side| material_cannot_mate(board, side))
}
