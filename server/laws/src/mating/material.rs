//! Material that excludes mate by any series of legal moves.

use shakmaty::{Bitboard, Board, ByRole, Color};

use super::state::State;

/// Whether the men on the board alone exclude that `winner` ever mates.
///
/// Exact in this direction: `true` is a proof for every position with these men that is not checkmate
/// already. `false` only says that material does not decide. Three cases:
///
/// 1. `winner` has a bare king. A king gives no check.
/// 2. `winner` has king and one knight, the opponent nothing but king and queens. The neighbours of a king in
///    check from the knight that the other king does not cover would have to be blocked by queens, and one of
///    these always takes the knight. (A test tries all cases. Further queens change nothing: one that stands
///    in another's way takes the knight itself.)
/// 3. `winner` has bishops of one square colour only, there is no bishop of the other colour on the board,
///    and the opponent has no knight and no pawn. Take the square next to the checked king on the line of the
///    check. Two neighbours of the king are next to it on its rank and file. They have the other square
///    colour, so no bishop covers them, and the winner's king cannot cover both without standing next to the
///    other king. So a rook or a queen would have to block one of them, and she steps onto that square: she
///    takes or interposes. She is not pinned, since she does not stand on a diagonal with her king, and
///    bishops of one colour cannot give a double check by a legal move.
///
/// Men only leave the board, and each case is closed under captures and has no pawns that could change it, so
/// the exclusion lasts.
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
