//! Random legal games that do not end: long enough to measure moves without beginnings and ends.

use shakmaty::{CastlingMode, Chess, Move as Played, MoveList, Position, Role};
use std::collections::HashMap;
use zeitnot_proto::Move;

/// Half-moves without a capture or a pawn move after which one is made on purpose: far from the 75 moves that
/// end a game.
const STALE: u32 = 90;
/// How often a position may stand: the fifth time ends a game.
const TIMES: u32 = 3;

/// A random legal game of `plies` half-moves, or of fewer where it could not go on without coming near its end.
/// The same seed gives the same game.
pub fn game(seed: u64, plies: usize) -> Vec<Move> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut position = Chess::default();
    let mut stood = HashMap::new();
    let mut moves = Vec::with_capacity(plies);
    while moves.len() < plies {
        let legal = position.legal_moves();
        let Some((mv, next)) = choose(&mut random, &position, &legal, &stood) else { break };
        let Ok(mv) = mv.to_uci(CastlingMode::Standard).to_string().parse() else { break };
        moves.push(mv);
        *stood.entry(key(&next)).or_default() += 1;
        position = next;
    }
    moves
}

type Key = (shakmaty::Board, shakmaty::Color);

fn key(position: &Chess) -> Key {
    (position.board().clone(), position.turn())
}

/// A move after which the game can go on: mostly quiet ones, so that there is material for a long game.
fn choose(
    random: &mut fastrand::Rng,
    position: &Chess,
    legal: &MoveList,
    stood: &HashMap<Key, u32>,
) -> Option<(Played, Chess)> {
    let lasting = |mv: &Played| mv.is_capture() || mv.role() == Role::Pawn;
    let wants_lasting = position.halfmoves() >= STALE || random.u32(..40) == 0;
    let mut order: Vec<Played> = legal.iter().copied().collect();
    random.shuffle(&mut order);
    // Captures last: men that are gone do not come back.
    order.sort_by_key(|mv| (lasting(mv) != wants_lasting, mv.is_capture()));
    order.into_iter().find_map(|mv| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        let goes_on = !next.is_game_over() && next.legal_moves().len() > 3 && next.halfmoves() < 140;
        let fresh = stood.get(&key(&next)).is_none_or(|times| *times < TIMES);
        (goes_on && fresh).then_some((mv, next))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_long_legal_and_repeatable() {
        let games: Vec<_> = (0..4).map(|seed| game(seed, 600)).collect();
        for (seed, moves) in (0..).zip(&games) {
            assert_eq!(moves.len(), 600, "seed {seed}");
            assert_eq!(&game(seed, 600), moves);
            let mut position = Chess::default();
            for mv in moves {
                let uci: shakmaty::uci::UciMove = mv.to_string().parse().unwrap();
                position = position.clone().play(uci.to_move(&position).unwrap()).unwrap();
            }
            assert!(!position.is_game_over());
        }
        assert_ne!(games[0], games[1]);
    }
}
