//! What many sliders attack at once: all squares of a set in a handful of shifts instead of a look-up for each.

use shakmaty::Bitboard;

const NOT_FILE_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_FILE_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Squares attacked along diagonals from any square of `from`, over `free` squares up to and with the first that
/// is not.
pub(super) fn diagonal(from: Bitboard, free: Bitboard) -> Bitboard {
    Bitboard(
        up::<9>(from.0, free.0, NOT_FILE_A)
            | up::<7>(from.0, free.0, NOT_FILE_H)
            | down::<9>(from.0, free.0, NOT_FILE_H)
            | down::<7>(from.0, free.0, NOT_FILE_A),
    )
}

/// The same along files and ranks.
pub(super) fn straight(from: Bitboard, free: Bitboard) -> Bitboard {
    Bitboard(
        up::<8>(from.0, free.0, u64::MAX)
            | up::<1>(from.0, free.0, NOT_FILE_A)
            | down::<8>(from.0, free.0, u64::MAX)
            | down::<1>(from.0, free.0, NOT_FILE_H),
    )
}

/// Slides of 1, 2 and 4 squares at a time cover the board's 7. `inside` leaves out the file on which a step
/// that wraps around the edge would land.
const fn up<const BY: u32>(from: u64, free: u64, inside: u64) -> u64 {
    let (mut all, mut open) = (from, free & inside);
    all |= open & (all << BY);
    open &= open << BY;
    all |= open & (all << (2 * BY));
    open &= open << (2 * BY);
    all |= open & (all << (4 * BY));
    (all << BY) & inside
}

const fn down<const BY: u32>(from: u64, free: u64, inside: u64) -> u64 {
    let (mut all, mut open) = (from, free & inside);
    all |= open & (all >> BY);
    open &= open >> BY;
    all |= open & (all >> (2 * BY));
    open &= open >> (2 * BY);
    all |= open & (all >> (4 * BY));
    (all >> BY) & inside
}

#[cfg(test)]
mod tests {
    use super::{diagonal, straight};
    use shakmaty::{Bitboard, attacks};

    #[test]
    fn a_set_attacks_what_its_squares_attack() {
        let mut seed = 0x51de_u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for round in 0..2000 {
            let dense = if round % 2 == 0 { u64::MAX } else { next() };
            let (from, occupied) = (Bitboard(next() & next() & next()), Bitboard(next() & dense));
            let each = |attack: fn(shakmaty::Square, Bitboard) -> Bitboard| {
                from.into_iter().fold(Bitboard::EMPTY, |all, at| all | attack(at, occupied))
            };
            assert_eq!(diagonal(from, !occupied), each(attacks::bishop_attacks), "{from:?} {occupied:?}");
            assert_eq!(straight(from, !occupied), each(attacks::rook_attacks), "{from:?} {occupied:?}");
        }
    }
}
