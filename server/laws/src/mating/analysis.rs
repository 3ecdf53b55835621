//! The stages of an analysis, in the order that pays.

use shakmaty::{Chess, Color, Move, Position};

use super::{
    advance::Advance,
    aim::Aim,
    blocked, material,
    plan::Plan,
    projection,
    search::{Dive, Found, Frontier, Guide},
    state::{State, Step},
    verdict::{Budget, Proof, Verdict},
    visited::Visited,
};

/// Quick searches for open positions: which corner, the cost allowed to a line, positions.
const DIVES: [(usize, u8, u64); 8] =
    [(0, 2, 80), (1, 2, 80), (2, 2, 80), (3, 2, 80), (0, 2, 300), (1, 2, 300), (0, 3, 600), (2, 2, 600)];

/// Positions for one aim at a pattern or one advance.
const AIM_POSITIONS: u64 = 3000;

/// Plies that count as much as a step missing, where an aim alone got lost among equals.
const WANDER: u16 = 4;

/// Aims tried.
const AIMS: usize = 12;

/// Positions after which a search is no longer small.
const SMALL_POSITIONS: u64 = 2000;

/// Frames of a projection, and what a frame counts for in positions, as a bound.
const FRAMES_MAX: u64 = 20_000;
const FRAME_COST: u64 = 8;

/// More positions than this are not counted.
const POSITIONS_MAX: u64 = 1 << 31;

/// The verdict, and the positions spent on it.
pub(super) fn analyse(position: &Chess, winner: Color, budget: Budget) -> (Verdict, u64) {
    let root = State::new(position);
    if !root.is_sound() {
        return (Verdict::Unknown(0), 0);
    }
    let mut line = Vec::new();
    let end = follow_forced(&root, winner, budget.positions, &mut line);
    let mut spent = line.len() as u64;
    let verdict = match end {
        Forced::Mate => Verdict::Mates(names(root, &line)),
        Forced::Over(proof) if line.is_empty() => Verdict::Never(proof),
        Forced::Over(_) => Verdict::Never(Proof::ForcedLine(names(root, &line))),
        Forced::Choice(state) => {
            let budget = budget.positions.min(POSITIONS_MAX);
            let mut analysis = Analysis { state, winner, budget, spent };
            let found = analysis.run();
            spent = analysis.spent;
            match found {
                Found::Mate(rest) => {
                    line.extend(rest);
                    Verdict::Mates(names(root, &line))
                }
                Found::Exhausted(positions) => Verdict::Never(Proof::Exhausted(positions)),
                Found::Excluded => Verdict::Never(Proof::Static),
                Found::Open => Verdict::Unknown(spent),
            }
        }
    };
    (verdict, spent)
}

enum Forced {
    /// The loser is mated at the end of the line.
    Mate,
    /// No mate can follow.
    Over(Proof),
    /// The first position with a choice.
    Choice(State),
}

/// Plays while there is exactly one legal move. A line that repeats a position never leaves it.
fn follow_forced(root: &State, winner: Color, plies_max: u64, line: &mut Vec<Step>) -> Forced {
    let mut state = *root;
    let mut seen = Vec::new();
    let mut steps = Vec::with_capacity(128);
    loop {
        steps.clear();
        let check = state.legal(&mut steps);
        if steps.is_empty() {
            return if check && state.turn != winner { Forced::Mate } else { Forced::Over(Proof::Terminal) };
        }
        if material::excludes(&state, winner) {
            return Forced::Over(Proof::Material);
        }
        if steps.len() > 1 || line.len() as u64 >= plies_max {
            return Forced::Choice(state);
        }
        let key = state.key();
        if seen.contains(&key) {
            return Forced::Over(Proof::Terminal);
        }
        seen.push(key);
        line.push(steps[0]);
        state = state.play(steps[0]);
    }
}

/// The analysis of a position with a choice of moves.
struct Analysis {
    state: State,
    winner: Color,
    budget: u64,
    spent: u64,
}

impl Analysis {
    fn run(&mut self) -> Found {
        let plan = Plan::new(&self.state, self.winner, 0);
        let found = self.walls_first().or_else(|| self.dives()).or_else(|| self.static_proof());
        if let Some(found) = found {
            return found;
        }
        let aims = Aim::nearest(&self.state, self.winner, AIMS);
        self.guided(&aims)
            .or_else(|| self.seek(Guide::Bare(plan), SMALL_POSITIONS))
            .or_else(|| self.projection())
            .or_else(|| self.seek(Guide::Plan(plan), self.budget / 16))
            .or_else(|| self.far_afield())
            .or_else(|| {
                aims.iter()
                    .take(AIMS / 2)
                    .find_map(|aim| self.seek(Guide::Aim(aim, WANDER), 8 * AIM_POSITIONS))
            })
            .or_else(|| self.seek(Guide::Plan(plan), u64::MAX))
            .unwrap_or(Found::Open)
    }

    fn left(&self) -> u64 {
        self.budget.saturating_sub(self.spent)
    }

    /// Where pawns stand face to face with little else, the static proof is cheaper than a look around.
    fn walls_first(&self) -> Option<Found> {
        (blocked::is_plausible(&self.state) && blocked::excludes(&self.state, self.winner))
            .then_some(Found::Excluded)
    }

    fn static_proof(&self) -> Option<Found> {
        (!blocked::is_plausible(&self.state) && blocked::excludes(&self.state, self.winner))
            .then_some(Found::Excluded)
    }

    fn dives(&mut self) -> Option<Found> {
        let mut visited = Visited::new();
        for (corner, cost, most) in DIVES {
            let plan = Plan::new(&self.state, self.winner, corner);
            let most = self.left().min(most);
            let (found, positions) = Dive::run(&self.state, plan, cost, most, &mut visited);
            self.spent += positions;
            if !matches!(found, Found::Open) {
                return Some(found);
            }
        }
        None
    }

    /// Best-first searches towards a mate known beforehand.
    fn guided(&mut self, aims: &[Aim]) -> Option<Found> {
        let advances = Advance::all(&self.state, self.winner);
        advances
            .into_iter()
            .find_map(|advance| self.seek(Guide::Advance(advance), AIM_POSITIONS))
            .or_else(|| aims.iter().find_map(|aim| self.seek(Guide::Aim(aim, u16::MAX), AIM_POSITIONS)))
    }

    fn projection(&mut self) -> Option<Found> {
        if !blocked::has_facing_pawns(&self.state) {
            return None;
        }
        let frames = (self.left() / FRAME_COST).min(FRAMES_MAX);
        let (proved, spent) = projection::excludes(&self.state, self.winner, frames as usize);
        self.spent += spent;
        proved.then_some(Found::Excluded)
    }

    /// Searches that wander deep, since a wall may only break after many moves.
    fn far_afield(&mut self) -> Option<Found> {
        (0..4).find_map(|corner| {
            let plan = Plan::new(&self.state, self.winner, corner);
            self.seek(Guide::Deep(plan), self.budget / 8)
        })
    }

    fn seek(&mut self, guide: Guide<'_>, most: u64) -> Option<Found> {
        let mut frontier = Frontier::new(&self.state, self.winner);
        let found = frontier.run(guide, self.left().min(most));
        self.spent += frontier.spent();
        (!matches!(found, Found::Open)).then_some(found)
    }
}

/// The line in the library's terms.
fn names(root: State, line: &[Step]) -> Vec<Move> {
    let mut state = root;
    line.iter()
        .map(|&step| {
            let name = state.name(step);
            state = state.play(step);
            name
        })
        .collect()
}

/// Whether a verdict keeps its word: its line is legal by the library's own rules and mates the right side.
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
