//! The games that are played: recorded ones, so that positions, captures and lengths are real.

use zeitnot_proto::Move;

/// `result TAB plies TAB final TAB moves` in lines; lines that begin with `#` are remarks.
const RECORDED: &str = include_str!("../../tests/data/real-games.tsv");

/// All recorded games as moves.
pub fn games() -> Vec<Vec<Move>> {
    RECORDED.lines().filter(|line| !line.starts_with('#')).filter_map(game).collect()
}

fn game(line: &str) -> Option<Vec<Move>> {
    line.split('\t').nth(3)?.split(' ').map(|text| text.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_recorded_game_is_read() {
        let games = super::games();
        assert_eq!(games.len(), 924);
        assert!(games.iter().all(|moves| !moves.is_empty()));
    }
}
