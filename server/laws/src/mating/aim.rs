//! Mates in the corner for winners who need the loser's own men as blockers, and how far a position is from
//! one. Guidance only, as in [`super::plan`]: no proof depends on it.

use std::sync::LazyLock;

use shakmaty::{Bitboard, ByColor, ByRole, Color, File, Rank, Role, Square, attacks};

use super::state::State;

/// Mates with the losing king on h1, White winning: where the checking man, the winner's king and the
/// blockers stand.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    checker: Role,
    from: Bitboard,
    /// None: the blockers do without.
    king: Option<Square>,
    blockers: [Option<(Role, Square)>; 2],
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(patterns);

/// The moves each man is away from its place in one pattern in one corner, by square.
#[derive(Clone)]
pub(super) struct Aim {
    winner: Color,
    checker: Role,
    prey: Steps,
    king: Option<Steps>,
    from: Steps,
    blockers: [Option<Blocker>; 2],
    /// Neighbours of the corner that no blocker is to stand on.
    unwanted: Bitboard,
}

#[derive(Clone)]
struct Blocker {
    role: Role,
    steps: Steps,
    /// For pawns: straight to the place, or by promotion.
    pawn: Steps,
}

pub(super) type Steps = [u8; 64];

/// Not to be reached.
pub(super) const FAR: u8 = 200;

impl Aim {
    /// Aims from `state` whose men are all there, the nearest first.
    pub(super) fn nearest(state: &State, winner: Color, count: usize) -> Vec<Aim> {
        let walls = Walls::new(state, winner);
        let mut ranked: Vec<(usize, Aim)> = Vec::new();
        for corner in [Square::A1, Square::H1, Square::A8, Square::H8] {
            for pattern in PATTERNS.iter() {
                if let Some(aim) = Aim::new(pattern, corner, state, winner, &walls) {
                    let distance = aim.distance(state);
                    if distance < usize::from(FAR) {
                        ranked.push((distance, aim));
                    }
                }
            }
        }
        ranked.sort_by_key(|(distance, _)| *distance);
        ranked.truncate(count);
        ranked.into_iter().map(|(_, aim)| aim).collect()
    }

    fn new(pattern: &Pattern, corner: Square, state: &State, winner: Color, walls: &Walls) -> Option<Aim> {
        let loser = winner.other();
        let place = |square: Square| turned(square, corner);
        let own = state.of(winner);
        if (*state.role.get(pattern.checker) & own).is_empty() {
            return None;
        }
        let from = pattern.from.into_iter().map(place).collect();
        let prey = steps_to(Role::King, Bitboard::from(corner), walls.prey);
        let king = pattern.king.map(|at| steps_to(Role::King, Bitboard::from(place(at)), walls.king));
        let mut blockers = [None, None];
        for (slot, wanted) in blockers.iter_mut().zip(pattern.blockers) {
            if let Some((role, at)) = wanted {
                *slot = Some(Blocker::new(role, place(at), loser, walls)?);
            }
        }
        let from = steps_to(pattern.checker, from, walls.fixed);
        let wanted: Bitboard = pattern.blockers.iter().flatten().map(|&(_, at)| place(at)).collect();
        let unwanted = attacks::king_attacks(corner) & !wanted;
        Some(Aim { winner, checker: pattern.checker, prey, king, from, blockers, unwanted })
    }

    /// The moves missing to the pattern, each side's added up, as if nothing were in the way.
    pub(super) fn distance(&self, state: &State) -> usize {
        let own = state.of(self.winner);
        let least = |men: Bitboard, steps: &Steps| {
            men.into_iter().map(|at| steps[usize::from(at)]).min().unwrap_or(FAR)
        };
        let mut sum = 4 * usize::from(self.prey[usize::from(state.king(self.winner.other()))]);
        if let Some(king) = &self.king {
            sum += usize::from(king[usize::from(state.king(self.winner))]);
        }
        sum += usize::from(least(*state.role.get(self.checker) & own, &self.from));
        let other = state.of(self.winner.other());
        // The loser's men in the way have to be taken, and his queens had better be.
        sum += 3 * (self.unwanted & other).count();
        sum += 2 * (state.role.queen & other).count() + (state.role.rook & other).count();
        sum + 2 * self.blockers_distance(state)
    }

    fn blockers_distance(&self, state: &State) -> usize {
        let other = state.of(self.winner.other());
        let mut best = [(FAR, Square::A1); 2];
        let mut sum = 0;
        for (index, blocker) in self.blockers.iter().enumerate() {
            let Some(blocker) = blocker else { continue };
            let taken = if index == 1 { Bitboard::from(best[0].1) } else { Bitboard::EMPTY };
            let officers = if blocker.role == Role::Pawn {
                Bitboard::EMPTY
            } else {
                *state.role.get(blocker.role) & other
            };
            let candidates =
                (officers & !taken).into_iter().map(|at| (blocker.steps[usize::from(at)], at)).chain(
                    (state.role.pawn & other & !taken)
                        .into_iter()
                        .map(|at| (blocker.pawn[usize::from(at)], at)),
                );
            best[index] = candidates.min().unwrap_or((FAR, Square::A1));
            sum += usize::from(best[index].0);
        }
        sum
    }
}

impl Blocker {
    fn new(role: Role, at: Square, loser: Color, walls: &Walls) -> Option<Blocker> {
        let mut pawn = [FAR; 64];
        if role == Role::Pawn {
            if Bitboard::BACKRANKS.contains(at) {
                return None;
            }
            let (mut square, mut cost) = (Some(at), 0);
            while let Some(here) = square.filter(|&s| !Bitboard::BACKRANKS.contains(s)) {
                pawn[usize::from(here)] = cost;
                cost += 1;
                square = here.offset(if loser == Color::White { -8 } else { 8 });
            }
            return Some(Blocker { role, steps: [FAR; 64], pawn });
        }
        let steps = steps_to(role, Bitboard::from(at), walls.fixed);
        for square in !Bitboard::BACKRANKS {
            let rank = square.rank() as u8;
            let (last, missing) = match loser {
                Color::White => (Rank::Eighth, 7 - rank),
                Color::Black => (Rank::First, rank),
            };
            let promoted = steps[usize::from(Square::from_coords(square.file(), last))];
            if promoted < FAR {
                pawn[usize::from(square)] = promoted + missing;
            }
        }
        Some(Blocker { role, steps, pawn })
    }
}

/// What blocked pawns keep men from.
struct Walls {
    fixed: Bitboard,
    prey: Bitboard,
    king: Bitboard,
}

impl Walls {
    fn new(state: &State, winner: Color) -> Walls {
        let white = state.role.pawn & state.colour.white;
        let black = state.role.pawn & state.colour.black;
        let fixed = ByColor { white: white & Bitboard(black.0 >> 8), black: black & Bitboard(white.0 << 8) };
        let attacked = |colour: Color| {
            let men = *fixed.get(colour);
            men.into_iter().fold(Bitboard::EMPTY, |all, at| all | attacks::pawn_attacks(colour, at))
        };
        let both = fixed.white | fixed.black;
        Walls { fixed: both, prey: both | attacked(winner), king: both | attacked(winner.other()) }
    }
}

/// Moves from every square to the nearest of `targets` for a man of `role` that never enters `walls`.
pub(super) fn steps_to(role: Role, targets: Bitboard, walls: Bitboard) -> Steps {
    let mut steps = [FAR; 64];
    let mut seen = targets & !walls;
    let mut level = seen;
    let mut cost = 0;
    while level.any() {
        let mut next = Bitboard::EMPTY;
        for at in level {
            steps[usize::from(at)] = cost;
            next |= match role {
                Role::King | Role::Pawn => attacks::king_attacks(at),
                Role::Knight => attacks::knight_attacks(at),
                Role::Bishop => attacks::bishop_attacks(at, walls),
                Role::Rook => attacks::rook_attacks(at, walls),
                Role::Queen => attacks::queen_attacks(at, walls),
            };
        }
        level = next & !seen & !walls;
        seen |= level;
        cost += 1;
    }
    steps
}

/// The square that takes the place of `square` when h1 becomes `corner`.
fn turned(square: Square, corner: Square) -> Square {
    let file = if corner.file() == File::A { 7 - u32::from(square.file()) } else { u32::from(square.file()) };
    let rank =
        if corner.rank() == Rank::Eighth { 7 - u32::from(square.rank()) } else { u32::from(square.rank()) };
    Square::new(rank * 8 + file)
}

/// Finds the patterns by trying all: a knight or a bishop checks, the king and one blocker or two blockers
/// take the neighbours of h1.
fn patterns() -> Vec<Pattern> {
    let kings = [Square::H3, Square::G3, Square::F3, Square::F2, Square::F1].map(Some);
    let places = [Square::G1, Square::G2, Square::H2];
    let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Pawn];
    let single = places.iter().flat_map(|&at| roles.map(|role| [Some((role, at)), None]));
    let double = roles.iter().flat_map(|&a| roles.map(|b| [Some((a, Square::G1)), Some((b, Square::H2))]));
    let mut found = Vec::new();
    for checker in [Role::Knight, Role::Bishop] {
        let all = match checker {
            Role::Knight => attacks::knight_attacks(Square::H1),
            _ => attacks::bishop_attacks(Square::H1, Bitboard::EMPTY),
        };
        let helped = single.clone().flat_map(|blockers| kings.map(|king| (king, blockers)));
        let alone = double.clone().map(|blockers| (None, blockers));
        for (king, blockers) in helped.chain(alone) {
            let from: Bitboard =
                all.into_iter().filter(|&from| is_mate(checker, from, king, blockers)).collect();
            if from.any() {
                found.push(Pattern { checker, from, king, blockers });
            }
        }
    }
    found
}

fn is_mate(checker: Role, from: Square, king: Option<Square>, blockers: [Option<(Role, Square)>; 2]) -> bool {
    // A king that does not matter stands far off every line to the corner.
    let king = king.unwrap_or(Square::B5);
    let mut state = State {
        role: ByRole::default(),
        colour: ByColor::default(),
        castling: Bitboard::EMPTY,
        en_passant: None,
        turn: Color::Black,
    };
    let mut men = vec![(Role::King, Square::H1, Color::Black), (Role::King, king, Color::White)];
    men.push((checker, from, Color::White));
    men.extend(blockers.iter().flatten().map(|&(role, at)| (role, at, Color::Black)));
    for (role, at, colour) in men {
        if state.occupied().contains(at) || (role == Role::Pawn && Bitboard::BACKRANKS.contains(at)) {
            return false;
        }
        state.drop(role, Bitboard::from(at), colour);
    }
    let mut steps = Vec::new();
    let check = state.legal(&mut steps);
    check && steps.is_empty() && state.attackers(king, Color::Black, state.occupied()).is_empty()
}
