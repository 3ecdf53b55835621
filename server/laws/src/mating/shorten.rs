//! Shorter ways to the same mate. A search that wanders deep finds lines of thousands of plies; whoever reads a
//! ruling wants the mate, not the journey.
//!
//! Pawn moves, captures and the loss of castling rights are the line's milestones. Between two of them men only
//! change places, so the way from one to the next is searched for anew, by the moves each man is away from where
//! it stood. Then stretches of the line are left out where what comes after them is legal without them.

use shakmaty::{Bitboard, Color, Role, attacks};

use super::{
    aim::{FAR, Steps, steps_to},
    state::{State, Step},
    visited::{NONE, Visited},
};

/// Lines up to this length are given as found.
pub(super) const LINE_SHORT: usize = 48;

/// Positions looked at for the way from one milestone to the next: so many for each ply it takes, and at least.
const PLY_POSITIONS: usize = 10;
const WAY_POSITIONS: usize = 2000;

/// From this length a way that is not found is looked for in halves.
const STAGE_LONG: usize = 100;

/// Continuations tried when stretches are left out.
const TRIES: usize = 4000;

/// A line of legal moves from `root` to mate, no longer than `line`, which is one.
pub(super) fn shortened(root: &State, line: Vec<Step>) -> Vec<Step> {
    if line.len() <= LINE_SHORT {
        return line;
    }
    let line = between_milestones(root, &line);
    without_detours(root, line)
}

fn between_milestones(root: &State, line: &[Step]) -> Vec<Step> {
    let mut out = Vec::with_capacity(line.len());
    let mut start = *root;
    let mut state = start;
    let mut first = 0;
    for (index, &step) in line.iter().enumerate() {
        let next = state.play(step);
        if is_milestone(&state, step, &next) {
            out.extend(way(&start, &state, &line[first..index]));
            out.push(step);
            start = next;
            first = index + 1;
        }
        state = next;
    }
    out.extend(way(&start, &state, &line[first..]));
    out
}

fn is_milestone(before: &State, step: Step, after: &State) -> bool {
    step.role == Role::Pawn || before.takes(step) || before.castling != after.castling
}

/// The moves of men between two positions with the same pawns: `known`, or fewer. Where no way is found to the
/// end, one to the middle and one from there may be.
fn way(from: &State, to: &State, known: &[Step]) -> Vec<Step> {
    let journey = Journey::new(to);
    let least = journey.moves_missing(from).into_iter().max().unwrap_or(0);
    if known.len() <= 2 * least + 1 {
        return known.to_vec();
    }
    if let Some(found) = journey.search(from, known.len()) {
        return found;
    }
    if known.len() < STAGE_LONG {
        return known.to_vec();
    }
    let (first, second) = known.split_at(known.len() / 2);
    let middle = first.iter().fold(*from, |state, &step| state.play(step));
    let mut steps = way(from, &middle, first);
    steps.extend(way(&middle, to, second));
    steps
}

/// Where the men have to go, and the moves they are away.
struct Journey {
    to: State,
    /// For each man but pawns: his colour and kind, and the moves to his square from every other.
    places: Vec<(Color, Role, Steps)>,
}

impl Journey {
    fn new(to: &State) -> Journey {
        let pawns = to.role.pawn;
        let mut places = Vec::new();
        for colour in Color::ALL {
            let attacked = (pawns & to.of(colour.other()))
                .into_iter()
                .fold(Bitboard::EMPTY, |all, at| all | attacks::pawn_attacks(colour.other(), at));
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
                let walls = if role == Role::King { pawns | attacked } else { pawns };
                for at in *to.role.get(role) & to.of(colour) {
                    places.push((colour, role, steps_to(role, Bitboard::from(at), walls)));
                }
            }
        }
        Journey { to: *to, places }
    }

    /// The moves of White and Black that are missing, as if no man were in another's way.
    fn moves_missing(&self, state: &State) -> [usize; 2] {
        let mut missing = [0, 0];
        for (colour, role, steps) in &self.places {
            let men = *state.role.get(*role) & state.of(*colour);
            let least = men.into_iter().map(|at| steps[usize::from(at)]).min().unwrap_or(FAR);
            missing[usize::from(*colour == Color::Black)] += usize::from(least);
        }
        missing
    }

    /// Best first to the journey's end, with fewer plies than `plies_max`.
    fn search(&self, from: &State, plies_max: usize) -> Option<Vec<Step>> {
        let end = self.to.key();
        let mut visited = Visited::new();
        visited.insert(from.key(), NONE, None);
        let mut plies = vec![0];
        let mut queue = vec![vec![0]];
        let mut steps = Vec::with_capacity(256);
        let mut cost = 0;
        let most = WAY_POSITIONS.max(PLY_POSITIONS * plies_max);
        while cost < queue.len() && visited.len() < most {
            let Some(number) = queue[cost].pop() else {
                cost += 1;
                continue;
            };
            let state = visited.state(number);
            let after = plies[number as usize] + 1;
            if after >= plies_max {
                continue;
            }
            steps.clear();
            state.legal(&mut steps);
            for &step in &steps {
                let next = state.play(step);
                if is_milestone(&state, step, &next) {
                    continue;
                }
                let key = next.key();
                let Some(child) = visited.insert(key, number, Some(step)) else { continue };
                if key == end {
                    return Some(visited.path(child));
                }
                plies.push(after);
                let [white, black] = self.moves_missing(&next);
                let at = after + 2 * (white + black);
                if queue.len() <= at {
                    queue.resize_with(at + 1, Vec::new);
                }
                queue[at].push(child);
                cost = cost.min(at);
            }
        }
        None
    }
}

/// Leaves out stretches of the line where the rest is legal without them and still mates.
fn without_detours(root: &State, line: Vec<Step>) -> Vec<Step> {
    let mut line = line;
    let mut tries = TRIES;
    let mut state = *root;
    let mut steps = Vec::with_capacity(256);
    let mut at = 0;
    while at < line.len() {
        steps.clear();
        state.legal(&mut steps);
        let resume = (at + 2..line.len()).step_by(2).rev().find(|&later| {
            if tries == 0 || !steps.contains(&line[later]) {
                return false;
            }
            tries -= 1;
            mates(&state, &line[later..])
        });
        if let Some(later) = resume {
            line.drain(at..later);
        }
        state = state.play(line[at]);
        at += 1;
    }
    line
}

/// Whether `line` is legal from `state` and ends in mate.
fn mates(state: &State, line: &[Step]) -> bool {
    let mut state = *state;
    let mut steps = Vec::with_capacity(256);
    for step in line {
        steps.clear();
        state.legal(&mut steps);
        if !steps.contains(step) {
            return false;
        }
        state = state.play(*step);
    }
    steps.clear();
    state.legal(&mut steps) && steps.is_empty()
}
