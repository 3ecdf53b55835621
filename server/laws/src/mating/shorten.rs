//! Shorter ways to the same mate. A search that wanders deep finds lines of thousands of plies; whoever reads a
//! ruling wants the mate, not the journey.

use std::collections::HashMap;

use super::{
    state::{Key, State, Step},
    visited::{NONE, Visited},
};

/// Lines up to this length are given as found.
pub(super) const LINE_SHORT: usize = 48;

/// Positions looked at for one shortcut at most and at least, and for all of a pass.
const HOP_MAX: usize = 1500;
const HOP_MIN: usize = 100;
const PASS_POSITIONS: usize = 300_000;

/// How often the whole line is gone over.
const PASSES: usize = 4;

/// A line of legal moves from `root` to the same last position, no longer than `line`.
pub(super) fn shortened(root: &State, line: Vec<Step>) -> Vec<Step> {
    let mut line = line;
    for _ in 0..PASSES {
        if line.len() <= LINE_SHORT {
            break;
        }
        let shorter = pass(root, &line);
        if shorter.len() >= line.len() {
            break;
        }
        line = shorter;
    }
    line
}

/// Goes along the line and takes every shortcut to a later position of it.
fn pass(root: &State, line: &[Step]) -> Vec<Step> {
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut states = vec![*root];
    for (index, &step) in line.iter().enumerate() {
        let next = states[index].play(step);
        places.insert(next.key(), index + 1);
        states.push(next);
    }
    let hop_max = (PASS_POSITIONS / line.len().max(1)).clamp(HOP_MIN, HOP_MAX);
    let mut out = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let found = shortcut(&states[at], at, &places, hop_max);
        let (hop, to) = found.unwrap_or_else(|| (vec![line[at]], at + 1));
        out.extend(hop);
        at = to;
    }
    out
}

/// The best way from `state`, the line's position number `at`, to a later one that saves plies.
fn shortcut(
    state: &State,
    at: usize,
    places: &HashMap<Key, usize>,
    hop_max: usize,
) -> Option<(Vec<Step>, usize)> {
    let mut near = Visited::new();
    near.insert(state.key(), NONE, None);
    let mut depth = vec![0];
    let mut steps = Vec::with_capacity(256);
    let mut best: Option<(usize, u32, usize)> = None;
    let mut number = 0;
    while (number as usize) < near.len() && near.len() < hop_max {
        let from = near.state(number);
        let plies = depth[number as usize] + 1;
        steps.clear();
        from.legal(&mut steps);
        for &step in &steps {
            let key = from.play(step).key();
            let Some(child) = near.insert(key, number, Some(step)) else { continue };
            depth.push(plies);
            let Some(&place) = places.get(&key) else { continue };
            let saved = place.saturating_sub(at + plies);
            if saved > 0 && best.is_none_or(|(most, ..)| saved > most) {
                best = Some((saved, child, place));
            }
        }
        number += 1;
    }
    best.map(|(_, child, place)| (near.path(child), place))
}
