//! The check after every move: is the position dead, as far as a microsecond can tell?

use shakmaty::{Color, Role};

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

/// Whether neither side can mate any more, as far as proven.
// Law 2023 5.2.2; 1997 9.6: such a position ends the game at once.
pub(super) fn is_proven(state: &State) -> bool {
    let first = weaker(state);
    state.is_sound() && [first, first.other()].into_iter().all(|side| never(state, side))
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
    let mut look = Look { winner, positions: 0, steps: Vec::new() };
    look.closes(state, 0) || (blocked::is_plausible(state) && blocked::excludes(state, winner))
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
