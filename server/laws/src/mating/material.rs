//! Material that excludes mate by any series of legal moves.

use shakmaty::{Bitboard, Board, Color};

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
    let own = board.by_color(winner);
    let other = board.by_color(winner.other());
    lemmas(
        own,
        other,
        board.bishops(),
        board.knights(),
        board.pawns(),
        board.rooks_and_queens() & own,
        board.kings() | board.queens(),
    )
}

fn lemmas(
    own: Bitboard,
    other: Bitboard,
    bishops: Bitboard,
    knights: Bitboard,
    pawns: Bitboard,
    own_heavy: Bitboard,
    kings_and_queens: Bitboard,
) -> bool {
    if (own & pawns).any() || own_heavy.any() {
        return false;
    }
    let own_bishops = own & bishops;
    let own_knights = own & knights;
    match (own_bishops.any(), own_knights.count()) {
        (false, 0) => true,
        (false, 1) => (other & !kings_and_queens).is_empty(),
        (true, 0) => {
            let one_colour = (bishops & Bitboard::DARK_SQUARES).is_empty()
                || (bishops & Bitboard::LIGHT_SQUARES).is_empty();
            one_colour && (other & (knights | pawns)).is_empty()
        }
        _ => false,
    }
}
