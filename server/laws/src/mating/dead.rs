//! The check after every move: is the position dead, as far as a microsecond can tell?

use shakmaty::{Color, Role, attacks};

use super::{
    blocked, material,
    state::{State, Step},
};

/// Plies looked ahead for forced ends. Deep enough for a capture that has to be made and what it leaves.
const PLIES_MAX: usize = 4;

/// Up to so many moves a position costs no ply: forced lines are followed further.
const NARROW: usize = 2;

/// Positions looked at.
const POSITIONS_MAX: u32 = 64;

/// With so many men and choices the next moves do not bring about that nobody can mate.
const CROWDED: usize = 10;
const CHOICES: usize = 3;

/// Whether neither side can mate any more, as far as proven.
// Law 2023 5.2.2; 1997 9.6: such a position ends the game at once.
pub(super) fn is_proven(state: &State) -> bool {
    if is_open(state) && !blocked::is_plausible(state) {
        return false;
    }
    let first = weaker(state);
    state.is_sound() && [first, first.other()].into_iter().all(|side| never(state, side))
}

/// Whether a look ahead is not worth its time, as in nearly all positions of a game: many men, no check, and
/// choices that cost nothing to count. Nothing rests on it but time: what the look might still prove is left
/// to the full question.
pub(super) fn is_open(state: &State) -> bool {
    let occupied = state.occupied();
    if occupied.count() < CROWDED || state.is_check() {
        return false;
    }
    let own = state.of(state.turn);
    let free = own & !state.pinned(state.king(state.turn), occupied);
    let pushes = state.pushed(free & state.role.pawn) & !occupied;
    let jumps =
        (free & state.role.knight).into_iter().map(|from| (attacks::knight_attacks(from) & !own).count());
    pushes.count() + jumps.sum::<usize>() >= CHOICES
}

/// The side that is likelier to be unable to mate.
fn weaker(state: &State) -> Color {
    let strength = |colour: Color| {
        let own = state.of(colour);
        let count = |role: Role| (*state.role.get(role) & own).count();
        9 * count(Role::Queen)
            + 5 * (count(Role::Rook) + count(Role::Pawn))
            + 3 * (count(Role::Bishop) + count(Role::Knight))
    };
    if strength(Color::White) < strength(Color::Black) { Color::White } else { Color::Black }
}

fn never(state: &State, winner: Color) -> bool {
    // Room for the moves of a few positions: growing costs more than the look.
    let mut look = Look { winner, positions: 0, steps: Vec::with_capacity(256) };
    look.closes(state, 0) || (blocked::is_plausible(state) && blocked::excludes(state, winner))
}

/// Whether the look alone proves it.
#[cfg(test)]
pub(super) fn looks_dead(state: &State) -> bool {
    Color::ALL.into_iter().all(|winner| Look { winner, positions: 0, steps: Vec::new() }.closes(state, 0))
}

struct Look {
    winner: Color,
    positions: u32,
    steps: Vec<Step>,
}

impl Look {
    /// Whether every line from `state` ends without mate by the winner within the plies looked ahead. Stops
    /// at the first line that does not.
    fn closes(&mut self, state: &State, ply: usize) -> bool {
        self.positions += 1;
        let base = self.steps.len();
        let (over, closed) = self.ends(state, base);
        let closed = if over {
            closed
        } else if ply == PLIES_MAX || self.positions >= POSITIONS_MAX {
            false
        } else {
            let wide = self.steps.len() - base > NARROW;
            (base..self.steps.len()).all(|index| {
                let next = state.play(self.steps[index]);
                self.closes(&next, ply + usize::from(wide))
            })
        };
        self.steps.truncate(base);
        closed
    }

    /// Whether the line ends here, and if so whether without mate. Leaves the legal moves in `steps`.
    fn ends(&mut self, state: &State, base: usize) -> (bool, bool) {
        let excluded = material::excludes(state, self.winner);
        if excluded && !state.is_check() {
            return (true, true);
        }
        let check = state.legal(&mut self.steps);
        if self.steps.len() == base {
            return (true, !check || state.turn == self.winner);
        }
        (excluded, excluded)
    }
}
