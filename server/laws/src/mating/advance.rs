//! How far a winner with pawns, rooks or queens is from mating in a corner: first a pawn has to get through,
//! then the king is driven. Guidance only, as in [`super::plan`]: no proof depends on it.

use shakmaty::{Bitboard, Color, Square};

use super::state::State;

/// A corner to mate in once there is a rook or a queen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Advance {
    winner: Color,
    corner: Square,
}

/// What a missing queen counts for.
const UNPROMOTED: u32 = 30;

impl Advance {
    /// The two corners nearest to the losing king; none if there is nothing to advance.
    pub(super) fn all(state: &State, winner: Color) -> Vec<Advance> {
        let own = state.of(winner);
        if (own & (state.role.pawn | state.role.rook | state.role.queen)).is_empty() {
            return Vec::new();
        }
        let prey = state.king(winner.other());
        let mut corners = [Square::A1, Square::H1, Square::A8, Square::H8];
        corners.sort_by_key(|corner| corner.distance(prey));
        corners.into_iter().take(2).map(|corner| Advance { winner, corner }).collect()
    }

    /// A measure of the moves that are missing.
    pub(super) fn distance(self, state: &State) -> usize {
        let own = state.of(self.winner);
        let king = state.king(self.winner);
        let prey = self.corner.distance(state.king(self.winner.other()));
        if (own & (state.role.rook | state.role.queen)).any() {
            return (3 * prey + 2 * self.corner.distance(king).saturating_sub(2)) as usize;
        }
        let pawns = own & state.role.pawn;
        let nearest = pawns.into_iter().map(|at| self.pawn_distance(state, at, king)).min();
        (UNPROMOTED + nearest.unwrap_or(UNPROMOTED) + prey / 2) as usize
    }

    /// Steps to the last rank, and what it takes to clear the file.
    fn pawn_distance(self, state: &State, at: Square, king: Square) -> u32 {
        let rank = u32::from(at.rank());
        let file = Bitboard::from(at.file());
        let (steps, ahead) = match self.winner {
            Color::White => (7 - rank, file & Bitboard(u64::MAX << (8 * rank + 8).min(63))),
            Color::Black => (rank, file & Bitboard((1u64 << (8 * rank)) - 1)),
        };
        let own = ahead & state.of(self.winner);
        let other = ahead & state.of(self.winner.other());
        let wait: u32 = own.into_iter().map(|_| 3).sum();
        let clear: u32 = other.into_iter().map(|man| 3 + king.distance(man)).sum();
        2 * steps + wait + clear
    }
}
