//! The stages of an analysis, in the order that pays.

use shakmaty::{Chess, Color, Move, Position};

use super::{
    advance::Advance,
    aim::Aim,
    blocked, material,
    plan::Plan,
    projection::{self, Projected},
    search::{Dive, Found, Frontier, Guide},
    state::{State, Step},
    verdict::{Budget, Proof, Verdict},
    visited::Visited,
};

/// Quick searches: which corner, the cost allowed to a line, and positions.
const DIVES: &[(usize, u8, u64)] = &[(0, 2, 80), (1, 2, 80), (2, 2, 80), (3, 2, 80), (0, 2, 300), (1, 2, 300), (0, 3, 600), (2, 2, 600)];

/// Positions for one aim.
const AIM_POSITIONS: u64 = 3000;

/// Positions after which a search is no longer small.
const SMALL_POSITIONS: u64 = 2000;

/// Frames of a projection.
const FRAMES_MAX: usize = 20_000;

/// Aims tried.
const AIMS: usize = 12;

pub(super) fn analyse(position: &Chess, winner: Color, budget: Budget) -> Verdict {
    let root = State::new(position);
    let mut forced = Vec::new();
    let state = match follow_forced(&root, winner, &mut forced) {
        Forced::Mate => return Verdict::Mates(names(position, &forced)),
        Forced::Over(material) => {
            let proof = if !forced.is_empty() {
                Proof::ForcedLine(names(position, &forced))
            } else if material {
                Proof::Material
            } else {
                Proof::Terminal
            };
            return Verdict::Never(proof);
        }
        Forced::Choice(state) => state,
    };
    let mut spent = forced.len() as u64;
    let walled = blocked::is_plausible(&state);
    if walled && blocked::excludes(&state, winner) {
        return Verdict::Never(Proof::Static);
    }
    let mut visited = Visited::new();
    for &(choice, cost, most) in DIVES {
        let left = budget.positions.saturating_sub(spent).min(most);
        let (found, nodes) = Dive::run(&state, Plan::new(&state, winner, choice), cost, left, &mut visited);
        spent += nodes;
        match found {
            Found::Mate(line) => {
                forced.extend(line);
                return Verdict::Mates(names(position, &forced));
            }
            Found::Exhausted(n) => return Verdict::Never(Proof::Exhausted(n)),
            Found::Excluded => return Verdict::Never(Proof::Static),
            Found::Open => {}
        }
    }
    if !walled && blocked::excludes(&state, winner) {
        return Verdict::Never(Proof::Static);
    }
    let aims = Aim::nearest(&state, winner, AIMS);
    let mut seek = |guide: Guide<'_>, most: u64, spent: &mut u64| {
        let left = budget.positions.saturating_sub(*spent).min(most);
        let mut frontier = Frontier::new(&state, winner);
        let found = frontier.run(guide, left);
        *spent += frontier.spent();
        match found {
            Found::Mate(line) => {
                forced.extend(line);
                Some(Verdict::Mates(names(position, &forced)))
            }
            Found::Exhausted(n) => Some(Verdict::Never(Proof::Exhausted(n))),
            Found::Excluded => Some(Verdict::Never(Proof::Static)),
            Found::Open => None,
        }
    };
    for advance in Advance::all(&state, winner) {
        if let Some(verdict) = seek(Guide::Advance(advance), AIM_POSITIONS, &mut spent) {
            return verdict;
        }
    }
    for aim in &aims {
        if let Some(verdict) = seek(Guide::Aim(aim), AIM_POSITIONS, &mut spent) {
            return verdict;
        }
    }
    let plan = Plan::new(&state, winner, 0);
    if let Some(verdict) = seek(Guide::Bare(plan), SMALL_POSITIONS, &mut spent) {
        return verdict;
    }
    if blocked::has_facing_pawns(&state) {
        let left = budget.positions.saturating_sub(spent);
        let frames = usize::try_from(left / 8).unwrap_or(usize::MAX).min(FRAMES_MAX);
        let (projected, cost) = projection::run(&state, winner, frames);
        spent += cost;
        if matches!(projected, Projected::Never) {
            return Verdict::Never(Proof::Static);
        }
    }
    if let Some(verdict) = seek(Guide::Plan(plan), budget.positions / 16, &mut spent) {
        return verdict;
    }
    for choice in 0..4 {
        let deep = Guide::Deep(Plan::new(&state, winner, choice));
        if let Some(verdict) = seek(deep, budget.positions / 8, &mut spent) {
            return verdict;
        }
    }
    for aim in aims.iter().take(AIMS / 2) {
        if let Some(verdict) = seek(Guide::Aim(aim), AIM_POSITIONS * 8, &mut spent) {
            return verdict;
        }
    }
    seek(Guide::Plan(plan), u64::MAX, &mut spent).unwrap_or(Verdict::Unknown(spent))
}

enum Forced {
    /// The loser is mated at the end of the line.
    Mate,
    /// No mate can follow; whether for lack of material.
    Over(bool),
    /// The first position with a choice.
    Choice(State),
}

/// Plays while there is exactly one legal move. A line that repeats a position never leaves it.
fn follow_forced(root: &State, winner: Color, line: &mut Vec<Step>) -> Forced {
    let mut state = *root;
    let mut seen = Vec::new();
    let mut steps = Vec::with_capacity(64);
    loop {
        steps.clear();
        let check = state.legal(&mut steps);
        if steps.is_empty() {
            return if check && state.turn != winner { Forced::Mate } else { Forced::Over(false) };
        }
        if material::excludes(&state, winner) {
            return Forced::Over(true);
        }
        if steps.len() > 1 {
            return Forced::Choice(state);
        }
        let key = state.key();
        if seen.contains(&key) {
            return Forced::Over(false);
        }
        seen.push(key);
        line.push(steps[0]);
        state = state.play(steps[0]);
    }
}

/// The line in the library's terms.
fn names(position: &Chess, line: &[Step]) -> Vec<Move> {
    let mut state = State::new(position);
    line.iter()
        .map(|&step| {
            let name = state.name(step);
            state = state.play(step);
            name
        })
        .collect()
}

/// Whether a line is what the verdict claims: legal by the library's own rules, and mate of the right side.
pub(super) fn holds(position: &Chess, winner: Color, verdict: &Verdict) -> bool {
    let Verdict::Mates(line) = verdict else { return true };
    let mut position = position.clone();
    for &step in line {
        if !position.is_legal(step) {
            return false;
        }
        position.play_unchecked(step);
    }
    position.is_checkmate() && position.turn() != winner
}
