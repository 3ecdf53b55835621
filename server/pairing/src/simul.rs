//! Simultaneous display: one host against many guests.

use crate::round::Color;

/// The boards (White, Black) in the order of the guests. The host has these men everywhere, or both by turns with White
/// on the first board.
pub fn boards<P: Copy>(
    host: P,
    guests: impl IntoIterator<Item = P>,
    host_colour: Option<Color>,
) -> Vec<(P, P)> {
    let turns = [Color::White, Color::Black].into_iter().cycle();
    let seat = |(guest, turn)| match host_colour.unwrap_or(turn) {
        Color::White => (host, guest),
        Color::Black => (guest, host),
    };
    guests.into_iter().zip(turns).map(seat).collect()
}

/// The host's time on every board, when each of so many adds something to it. Microseconds.
pub fn host_time_us(base_us: u64, extra_us: u64, boards: usize) -> u64 {
    let boards = u64::try_from(boards).unwrap_or(u64::MAX);
    base_us.saturating_add(extra_us.saturating_mul(boards))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_sits_at_every_board() {
        assert_eq!(boards(9, [1, 2, 3], None), [(9, 1), (2, 9), (9, 3)]);
        assert_eq!(boards(9, [1, 2], Some(Color::Black)), [(1, 9), (2, 9)]);
        assert_eq!(boards(9, [], Some(Color::White)), []);
    }

    #[test]
    fn every_board_adds_to_the_time_on_each() {
        // Half an hour and a minute for each of twenty boards.
        assert_eq!(host_time_us(1_800_000_000, 60_000_000, 20), 3_000_000_000);
        assert_eq!(host_time_us(u64::MAX, 1, 1), u64::MAX);
    }
}
