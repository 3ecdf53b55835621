//! Can this side still mate by any series of legal moves?
//!
//! The question behind a flag fall, a resignation, a losing illegal move and the dead position. It is a
//! question about *help*mates: both sides may play as badly as the Laws allow. [`analyse`] answers it with a
//! certificate or says [`Verdict::Unknown`], and unknown always counts as "can mate": nobody loses the point
//! he won on the clock to a guess.
//!
//! The fifty-move, seventy-five-move and repetition rules do not limit "any series of legal moves" here.
//!
//! | module | what it does |
//! |---|---|
//! | `analysis` | the stages, in the order that pays |
//! | `material`, `blocked`, `projection` | proofs that need no or few positions |
//! | `search` | dives and best-first searches; an empty queue is a proof |
//! | `plan`, `aim`, `advance` | guidance: which moves bring a helpmate nearer |
//! | `slide` | what many sliders attack at once |
//! | `state`, `visited` | positions with an exact key, and the set of those visited |
//! | `shorten` | shorter ways to the same mate |
//! | `dead` | the check after every move |
//! | `setup`, `verdict` | what comes in and goes out |
// Law 2023 6.9, 5.1.2, 7.5.5 (the winner-to-be must be able to mate), 5.2.2 (dead position).

mod advance;
mod aim;
mod analysis;
mod blocked;
mod dead;
mod material;
mod plan;
mod projection;
mod search;
mod setup;
mod shorten;
mod slide;
mod state;
#[cfg(test)]
mod tests;
mod verdict;
mod visited;

pub use material::material_cannot_mate;
pub use setup::{FenError, position_from_fen};
use shakmaty::{Chess, Color};
use state::State;
pub use verdict::{Budget, Proof, Verdict};

/// Whether `winner` can mate from `position` by any series of legal moves, within `budget`.
///
/// Deterministic: the same arguments give the same verdict on every machine.
pub fn analyse(position: &Chess, winner: Color, budget: Budget) -> Verdict {
    analyse_counted(position, winner, budget).0
}

/// As [`analyse`], with the number of positions spent. An attempt at a static proof counts for the positions it
/// takes as long as.
pub fn analyse_counted(position: &Chess, winner: Color, budget: Budget) -> (Verdict, u64) {
    let (verdict, spent) = analysis::analyse(position, winner, budget);
    debug_assert!(analysis::holds(position, winner, &verdict), "a line that does not mate: {verdict:?}");
    (verdict, spent)
}

/// Whether `position` is certainly dead: neither side can mate by any series of legal moves.
///
/// The check made after every move: cheap, sound, and incomplete. `false` means "not proven", and the game
/// goes on. Asks for the weaker side first and stops at the first side that may still mate.
pub fn is_dead_cheap(position: &Chess) -> bool {
    dead::is_proven(&State::new(position))
}
