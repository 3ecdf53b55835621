//! Which moves bring a helpmate nearer. Guidance only: it orders and prices moves and never removes one, so
//! no proof depends on it.

use shakmaty::{Bitboard, Color, Rank, Role, Square, attacks};

use super::state::{Kind, State, Step};

/// Where the losing king is to be mated, and from where the winning king helps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) winner: Color,
    corner: Square,
    helper: Square,
}

/// What a move costs a search that looks at cheap lines first, and its rank among equally cheap moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price {
    pub(super) cost: u8,
    pub(super) order: u8,
    /// Whether the move serves the plan, which makes the next move free.
    pub(super) serves: bool,
}

const fn serves(order: u8) -> Price {
    Price { cost: 0, order, serves: true }
}

const fn waits(order: u8) -> Price {
    Price { cost: 1, order, serves: false }
}

const fn harms(order: u8) -> Price {
    Price { cost: 3, order, serves: false }
}

impl Plan {
    /// A plan for the men of `state`: the corner nearest to the losing king that the winner can cover, or the
    /// `choice`-th nearest.
    pub(super) fn new(state: &State, winner: Color, choice: usize) -> Plan {
        let own = state.of(winner);
        let all = [Square::A1, Square::H1, Square::A8, Square::H8];
        let strong = own & (state.role.pawn | state.role.rook | state.role.queen);
        let bishops = own & state.role.bishop;
        let covered = if strong.is_empty() && bishops.any() {
            let dark = (bishops & Bitboard::DARK_SQUARES).any();
            let light = (bishops & Bitboard::LIGHT_SQUARES).any();
            (if dark { Bitboard::DARK_SQUARES } else { Bitboard::EMPTY })
                | (if light { Bitboard::LIGHT_SQUARES } else { Bitboard::EMPTY })
        } else {
            Bitboard::FULL
        };
        let prey = state.king(winner.other());
        let king = state.king(winner);
        let mut corners = all;
        corners.sort_by_key(|&corner| {
            let away = u32::from(!covered.contains(corner)) * 64;
            away + 2 * corner.distance(prey) + corner.distance(king)
        });
        let corner = corners[choice % 4];
        // Two squares from the corner along the diagonal's neighbour: it covers the corner's neighbours.
        let file = if corner.file() < shakmaty::File::E { 1 } else { 6 };
        let rank = if corner.rank() < Rank::Fifth { 2 } else { 5 };
        let helper = Square::new(rank * 8 + file);
        Plan { winner, corner, helper }
    }

    pub(super) fn price(self, state: &State, step: Step, heavy: bool) -> Price {
        if state.turn == self.winner {
            self.price_winner(state, step, heavy)
        } else {
            self.price_loser(state, step)
        }
    }

    fn price_winner(self, state: &State, step: Step, heavy: bool) -> Price {
        if let Kind::Promotion(role) = step.kind {
            return match role {
                Role::Queen => serves(0),
                Role::Rook => serves(1),
                _ => serves(20),
            };
        }
        if state.takes(step) {
            return serves(12);
        }
        match step.role {
            Role::Pawn => {
                let rank = step.to.rank() as u8;
                let left = if self.winner == Color::White { 7 - rank } else { rank };
                if heavy { waits(20 + left) } else { serves(2 + left) }
            }
            Role::King if step.kind == Kind::Plain => {
                let (before, after) = (apart(step.from, self.helper), apart(step.to, self.helper));
                if after < before { serves(10) } else { waits(30 + after) }
            }
            Role::Knight if !heavy => {
                let near = step.to.distance(self.corner);
                if near < step.from.distance(self.corner) { serves(11) } else { waits(25) }
            }
            _ => waits(22),
        }
    }

    fn price_loser(self, state: &State, step: Step) -> Price {
        if state.takes(step) {
            return harms(40);
        }
        match step.role {
            Role::King if step.kind == Kind::Plain => {
                let (before, after) = (apart(step.from, self.corner), apart(step.to, self.corner));
                if after < before { serves(0) } else { waits(30 + after) }
            }
            Role::Pawn => waits(10),
            Role::Knight => {
                let near = step.to.distance(self.corner);
                if near < step.from.distance(self.corner) { waits(14) } else { waits(16) }
            }
            _ => waits(20),
        }
    }
}

/// King moves between two squares.
fn apart(a: Square, b: Square) -> u8 {
    let files = (a.file() as u8).abs_diff(b.file() as u8);
    let ranks = (a.rank() as u8).abs_diff(b.rank() as u8);
    files.max(ranks)
}

/// Squares from which a man of each role would give check to the losing king.
pub(super) struct CheckSquares {
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
    pawn: Bitboard,
}

impl CheckSquares {
    pub(super) fn new(state: &State, prey: Color) -> CheckSquares {
        let king = state.king(prey);
        let occupied = state.occupied();
        CheckSquares {
            knight: attacks::knight_attacks(king),
            bishop: attacks::bishop_attacks(king, occupied),
            rook: attacks::rook_attacks(king, occupied),
            pawn: attacks::pawn_attacks(prey, king),
        }
    }

    /// Whether `step` checks with the man that moves; discovered checks are not looked for.
    pub(super) fn gives(&self, step: Step) -> bool {
        let role = if let Kind::Promotion(role) = step.kind { role } else { step.role };
        match role {
            Role::Pawn => self.pawn,
            Role::Knight => self.knight,
            Role::Bishop => self.bishop,
            Role::Rook => self.rook,
            Role::Queen => self.bishop | self.rook,
            Role::King => Bitboard::EMPTY,
        }
        .contains(step.to)
    }
}
