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

/// Aims tried at most, the nearest first.
const AIMS: usize = 12;

/// Positions for each aim followed straight.
const AIM_POSITIONS: u64 = 1500;

/// Plies that count as much as a step missing, where an aim alone got lost among equals.
const WANDER: u16 = 4;

/// One search: what it follows, whether it tries static proofs on the way, and what it may spend.
struct Attempt {
    along: Along,
    proves: bool,
    positions: u64,
}

/// What an attempt follows: the corner of a plan, the number of an advance or of an aim.
#[derive(Clone, Copy)]
enum Along {
    Plan(usize),
    Deep(usize),
    Advance(usize),
    Aim(usize),
}

const fn search(along: Along, positions: u64) -> Attempt {
    Attempt { along, proves: false, positions }
}

const fn proving(along: Along, positions: u64) -> Attempt {
    Attempt { along, proves: true, positions }
}

/// Before anything large: proofs right after the next capture or pawn move, and mates a few strides away.
const SHORT: [Attempt; 3] =
    [proving(Along::Plan(0), 200), search(Along::Advance(0), 1000), search(Along::Advance(1), 1000)];

/// What may be small altogether is exhausted; what is not is looked at from several sides.
const SMALL: [Attempt; 4] = [
    search(Along::Deep(3), 2000),
    search(Along::Plan(0), 2000),
    search(Along::Deep(0), 1000),
    search(Along::Advance(0), 10_000),
];

/// Searches of different kinds in turn, each as long as it is likelier to end than the next: what one of them
/// does not see for millions of positions another often finds at once.
const LONG: [Attempt; 12] = [
    search(Along::Aim(0), 20_000),
    search(Along::Aim(1), 20_000),
    search(Along::Deep(2), 20_000),
    search(Along::Advance(1), 80_000),
    search(Along::Plan(2), 10_000),
    proving(Along::Plan(0), 40_000),
    search(Along::Plan(1), 150_000),
    proving(Along::Deep(0), 40_000),
    search(Along::Deep(0), 80_000),
    search(Along::Advance(0), 120_000),
    search(Along::Deep(1), 80_000),
    search(Along::Deep(3), 300_000),
];

/// Then all the budget that is left, each search up to a share of it.
const SHARES: [(Along, u64); 6] = [
    (Along::Deep(1), 6),
    (Along::Deep(0), 5),
    (Along::Deep(2), 4),
    (Along::Deep(3), 3),
    (Along::Plan(1), 2),
    (Along::Plan(0), 1),
];

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
        if let Some(found) = self.walls_first().or_else(|| self.dives()).or_else(|| self.static_proof()) {
            return found;
        }
        let guides = Guides::new(&self.state, self.winner);
        self.attempt(&guides, &SHORT)
            .or_else(|| self.straight_aims(&guides))
            .or_else(|| self.attempt(&guides, &SMALL))
            .or_else(|| self.projection())
            .or_else(|| self.attempt(&guides, &LONG))
            .or_else(|| self.shares(&guides))
            .unwrap_or(Found::Open)
    }

    fn attempt(&mut self, guides: &Guides, attempts: &[Attempt]) -> Option<Found> {
        attempts.iter().find_map(|attempt| {
            let guide = guides.get(attempt.along)?;
            self.seek(guide, attempt.proves, attempt.positions)
        })
    }

    /// Best-first searches towards a mate known beforehand.
    fn straight_aims(&mut self, guides: &Guides) -> Option<Found> {
        guides.aims.iter().find_map(|aim| self.seek(Guide::Aim(aim, u16::MAX), false, AIM_POSITIONS))
    }

    fn shares(&mut self, guides: &Guides) -> Option<Found> {
        SHARES.iter().find_map(|&(along, share)| {
            let guide = guides.get(along)?;
            self.seek(guide, true, self.left() / share)
        })
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

    fn projection(&mut self) -> Option<Found> {
        if !blocked::has_facing_pawns(&self.state) {
            return None;
        }
        let frames = (self.left() / FRAME_COST).min(FRAMES_MAX);
        let (proved, spent) = projection::excludes(&self.state, self.winner, frames as usize);
        self.spent += spent;
        proved.then_some(Found::Excluded)
    }

    fn seek(&mut self, guide: Guide<'_>, proves: bool, most: u64) -> Option<Found> {
        let mut frontier = Frontier::new(&self.state, self.winner, proves);
        let found = frontier.run(guide, self.left().min(most));
        self.spent += frontier.spent();
        (!matches!(found, Found::Open)).then_some(found)
    }
}

/// What the searches from one position may follow.
struct Guides {
    plans: [Plan; 4],
    advances: Vec<Advance>,
    aims: Vec<Aim>,
}

impl Guides {
    fn new(state: &State, winner: Color) -> Guides {
        Guides {
            plans: [0, 1, 2, 3].map(|corner| Plan::new(state, winner, corner)),
            advances: Advance::all(state, winner),
            aims: Aim::nearest(state, winner, AIMS),
        }
    }

    /// None if there is nothing of the kind here.
    fn get(&self, along: Along) -> Option<Guide<'_>> {
        match along {
            Along::Plan(corner) => self.plans.get(corner).map(|&plan| Guide::Plan(plan)),
            Along::Deep(corner) => self.plans.get(corner).map(|&plan| Guide::Deep(plan)),
            Along::Advance(number) => self.advances.get(number).map(|&advance| Guide::Advance(advance)),
            Along::Aim(number) => self.aims.get(number).map(|aim| Guide::Aim(aim, WANDER)),
        }
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
