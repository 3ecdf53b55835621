//! How far a position is from a mate in the corner, for winners who need the loser's own men as blockers.
//! Guidance only, as in [`super::plan`]: no proof depends on it.

use shakmaty::{Bitboard, Color, Role, Square};

use super::state::State;

/// A corner to mate in, and what is wanted there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    winner: Color,
    corner: Square,
    /// The loser's men wanted next to the corner.
    blockers: usize,
    /// Whether the winner's king is wanted there too.
    king: bool,
}

/// A blocker that is not there at all.
const MISSING: u32 = 12;

impl Aim {
    /// Aims worth trying from `state`, the likeliest first.
    pub(super) fn all(state: &State, winner: Color) -> Vec<Aim> {
        let prey = state.king(winner.other());
        let bishops = state.role.bishop & state.of(winner);
        let knights = state.role.knight & state.of(winner);
        let mut corners = [Square::A1, Square::H1, Square::A8, Square::H8];
        corners.sort_by_key(|corner| corner.distance(prey));
        let mut aims = Vec::new();
        for (blockers, king) in [(1, true), (2, false)] {
            for corner in corners {
                let coloured = if Bitboard::DARK_SQUARES.contains(corner) {
                    Bitboard::DARK_SQUARES
                } else {
                    Bitboard::LIGHT_SQUARES
                };
                if knights.any() || (bishops & coloured).any() {
                    aims.push(Aim { winner, corner, blockers, king });
                }
            }
        }
        aims
    }

    /// A measure of the moves that are missing.
    pub(super) fn distance(&self, state: &State) -> usize {
        let loser = self.winner.other();
        let mut sum = 4 * self.corner.distance(state.king(loser));
        if self.king {
            sum += 2 * self.corner.distance(state.king(self.winner)).saturating_sub(2);
        }
        let knights = state.role.knight & state.of(self.winner);
        sum += knights.into_iter().map(|at| self.corner.distance(at)).min().unwrap_or(0).saturating_sub(2);
        (sum + self.blockers_missing(state, loser)) as usize
    }

    fn blockers_missing(&self, state: &State, loser: Color) -> u32 {
        let mut best = [MISSING; 2];
        let mut offer = |cost: u32| {
            if cost < best[0] {
                best = [cost, best[0]];
            } else if cost < best[1] {
                best[1] = cost;
            }
        };
        let own = state.of(loser);
        // A bishop that runs on the corner's own colour blocks nothing a bishop leaves open.
        let knights = (state.role.knight & state.of(self.winner)).any();
        let corner_dark = Bitboard::DARK_SQUARES.contains(self.corner);
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Pawn] {
            for at in *state.role.get(role) & own {
                let near = 2 * self.corner.distance(at).saturating_sub(1);
                let same = Bitboard::DARK_SQUARES.contains(at) == corner_dark;
                match role {
                    Role::Bishop if same && !knights => {}
                    Role::Pawn if near > 0 => {
                        let rank = u32::from(at.rank());
                        offer(4 + if loser == Color::White { 7 - rank } else { rank });
                    }
                    _ => offer(near),
                }
            }
        }
        best[..self.blockers].iter().sum()
    }
}
