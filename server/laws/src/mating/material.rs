//! Material that excludes mate by any series of legal moves.

use shakmaty::{Bitboard, Board, ByRole, Color};

use super::state::State;

/// Whether the men on the board alone exclude that `winner` ever mates.
///
/// Exact in this direction: `true` is a proof for every position with these men that is not checkmate
/// already. `false` only says that material does not decide. Three cases:
///
/// 1. `winner` has a bare king. A king gives no check.
/// 2. `winner` has king and one knight, the opponent nothing but king and queens. A mate by a lone knight
///    leaves the mated king's other neighbours to its own men, and a queen next to its king would capture
///    the knight or guard against it from every square where she would have to stand.
/// 3. `winner` has bishops of one square colour only, there is no bishop of the other colour on the board,
///    and the opponent has no knight and no pawn. The neighbours of the mated king on the other colour would
///    have to be blocked by his own rooks and queens, and those could always interpose or capture.
///
/// Men only leave the board or promote, and each case is closed under captures and has no pawns that could
/// change it, so the exclusion lasts.
pub fn material_cannot_mate(board: &Board, winner: Color) -> bool {
    let (role, colour) = board.clone().into_bitboards();
    lemmas(&role, *colour.get(winner), *colour.get(winner.other()))
}

/// The same question of a state.
pub(super) fn excludes(state: &State, winner: Color) -> bool {
    lemmas(&state.role, state.of(winner), state.of(winner.other()))
}

fn lemmas(role: &ByRole<Bitboard>, own: Bitboard, other: Bitboard) -> bool {
    if (own & (role.pawn | role.rook | role.queen)).any() {
        return false;
    }
    match ((own & role.bishop).any(), (own & role.knight).count()) {
        (false, 0) => true,
        (false, 1) => (other & !(role.king | role.queen)).is_empty(),
        (true, 0) => {
            let dark = (role.bishop & Bitboard::DARK_SQUARES).any();
            let light = (role.bishop & Bitboard::LIGHT_SQUARES).any();
            !(dark && light) && (other & (role.knight | role.pawn)).is_empty()
        }
        _ => false,
    }
}
