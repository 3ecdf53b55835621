//! Looking for a helpmate: first a quick dive along cheap moves, then best-first over an exact visited set.

use std::cmp::Reverse;

use shakmaty::{Color, Role};

use super::{
    advance::Advance,
    aim::Aim,
    blocked, material,
    plan::{CheckSquares, Plan, Price},
    projection,
    shorten::shortened,
    state::{Key, State, Step},
    visited::{self, NONE, Visited},
};

/// How a search ended.
#[derive(Debug)]
pub(super) enum Found {
    /// Steps from the root to mate.
    Mate(Vec<Step>),
    /// Every reachable position was visited, this many; none is the mate.
    Exhausted(u64),
    /// As before, but parts of it by static proof.
    Excluded,
    /// Stopped early.
    Open,
}

/// Lines longer than this are left to the best-first search.
const PLIES_MAX: usize = 128;

/// One iteration of the quick search: depth first, each line allowed a total cost.
pub(super) struct Dive<'a> {
    plan: Plan,
    visited: &'a mut Visited,
    steps: Vec<Step>,
    ranks: Vec<u32>,
    line: Vec<Step>,
    nodes: u64,
    nodes_max: u64,
    cut: bool,
}

impl<'a> Dive<'a> {
    pub(super) fn run(
        root: &State,
        plan: Plan,
        cost: u8,
        nodes_max: u64,
        visited: &'a mut Visited,
    ) -> (Found, u64) {
        visited.clear();
        let mut dive = Dive {
            plan,
            visited,
            steps: Vec::with_capacity(512),
            ranks: Vec::with_capacity(512),
            line: Vec::with_capacity(64),
            nodes: 0,
            nodes_max,
            cut: false,
        };
        let found = dive.visit(root, cost, false);
        let nodes = dive.nodes;
        let found = if found {
            Found::Mate(dive.line)
        } else if dive.cut {
            Found::Open
        } else {
            Found::Exhausted(nodes)
        };
        (found, nodes)
    }

    /// Visits `state` and what follows from it; whether mate was found, with `line` leading to it.
    fn visit(&mut self, state: &State, cost: u8, free: bool) -> bool {
        if self.visited.insert(state.key(), NONE, None).is_none() {
            return false;
        }
        self.nodes += 1;
        let base = self.steps.len();
        let check = state.legal(&mut self.steps);
        if self.steps.len() == base {
            return check && state.turn != self.plan.winner;
        }
        let found = self.expand(state, cost, free, base);
        self.steps.truncate(base);
        found
    }

    fn expand(&mut self, state: &State, cost: u8, free: bool, base: usize) -> bool {
        if material::excludes(state, self.plan.winner) {
            return false;
        }
        if self.nodes >= self.nodes_max || self.line.len() >= PLIES_MAX {
            self.cut = true;
            return false;
        }
        let end = self.steps.len();
        if state.turn == self.plan.winner
            && let Some(step) = mate_in_one(state, &mut self.steps, base)
        {
            self.line.push(step);
            return true;
        }
        let heavy = (state.of(self.plan.winner) & (state.role.queen | state.role.rook)).any();
        let base_rank = self.ranks.len();
        for index in base..end {
            let price = self.plan.price(state, self.steps[index], heavy);
            self.ranks.push(rank(price, index - base, free));
        }
        let found = self.descend(state, cost, base, base_rank);
        self.ranks.truncate(base_rank);
        found
    }

    /// Follows the ranked moves, the most promising first.
    fn descend(&mut self, state: &State, cost: u8, base: usize, base_rank: usize) -> bool {
        for done in base_rank..self.ranks.len() {
            for later in done + 1..self.ranks.len() {
                if self.ranks[later] < self.ranks[done] {
                    self.ranks.swap(later, done);
                }
            }
            let (step_cost, serves, index) = unrank(self.ranks[done]);
            if step_cost > cost {
                self.cut = true;
                return false;
            }
            let step = self.steps[base + index];
            self.line.push(step);
            if self.visit(&state.play(step), cost - step_cost, serves) {
                return true;
            }
            self.line.pop();
            if self.nodes >= self.nodes_max {
                self.cut = true;
                return false;
            }
        }
        false
    }
}

/// Price and place of a move in one sortable word.
#[expect(clippy::cast_possible_truncation, reason = "no position has so many moves")]
fn rank(price: Price, index: usize, free: bool) -> u32 {
    let cost = if free && price.cost == 1 { 0 } else { price.cost };
    u32::from(cost) << 24
        | u32::from(price.order) << 16
        | u32::from(price.serves) << 15
        | (index as u32 & 0x7fff)
}

fn unrank(rank: u32) -> (u8, bool, usize) {
    ((rank >> 24) as u8, rank & 0x8000 != 0, (rank & 0x7fff) as usize)
}

/// A checking move of the side to move that mates, among `steps[base..]`.
fn mate_in_one(state: &State, steps: &mut Vec<Step>, base: usize) -> Option<Step> {
    let checks = CheckSquares::new(state, state.turn.other());
    let end = steps.len();
    for i in base..end {
        let step = steps[i];
        if checks.gives(step) && step.role != Role::King {
            let after = state.play(step);
            if after.king_can_step() {
                continue;
            }
            after.legal(steps);
            let mated = steps.len() == end;
            steps.truncate(end);
            if mated {
                return Some(step);
            }
        }
    }
    None
}

/// What a best-first search follows.
#[derive(Clone, Copy)]
pub(super) enum Guide<'a> {
    /// The prices of moves, summed along the line.
    Plan(Plan),
    /// The latest position first, of its moves the cheapest: wanders far, and so breaks walls.
    Deep(Plan),
    /// The distance from the mate aimed at, and how many plies count as much as one step of it.
    Aim(&'a Aim, u16),
    /// The distance from getting a pawn through and then driving the king.
    Advance(Advance),
}

/// Best first: of all positions seen and not yet expanded, one reached at the least cost. Each position is
/// expanded once and nothing is cut, so an empty queue is a proof.
pub(super) struct Frontier {
    winner: Color,
    visited: Visited,
    /// Positions to expand, by cost; within a cost the latest first.
    queue: Vec<Vec<Waiting>>,
    prune: Option<Prune>,
    /// What follows from the position being expanded, with keys and hashes.
    batch: Vec<(Step, Key, u64)>,
    /// Its moves with their prices, where these decide the order.
    priced: Vec<(u16, Step)>,
}

/// A position to expand.
#[derive(Clone, Copy)]
struct Waiting {
    number: u32,
    plies: u16,
    /// Whether the next move is free.
    free: bool,
}

/// Whether positions after irreversible moves are worth a proof of their own: tried as long as it pays.
#[derive(Default)]
struct Prune {
    /// What projections may spend before the search itself has spent anything.
    ahead: u64,
    tried: u64,
    proved: u64,
    spent: u64,
}

impl Prune {
    /// Whether `winner` is proved never to mate from `state`.
    fn excludes(&mut self, state: &State, winner: Color, visited: u64) -> bool {
        if (self.tried > 100 && self.proved * 16 < self.tried) || !blocked::has_facing_pawns(state) {
            return false;
        }
        self.tried += 1;
        self.spent += STATIC_COST;
        let mut proved = blocked::excludes(state, winner);
        let left = (2 * visited + self.ahead).saturating_sub(self.spent);
        if !proved && left > 0 {
            let frames = usize::try_from(left).map_or(PRUNE_FRAMES, |left| left.min(PRUNE_FRAMES));
            let (excluded, spent) = projection::excludes(state, winner, frames);
            self.spent += spent;
            proved = excluded;
        }
        self.proved += u64::from(proved);
        proved
    }
}

/// What one static proof counts for, in positions.
const STATIC_COST: u64 = 16;

/// The most that is granted for that.
const PRUNE_AHEAD: u64 = 50_000;

/// Most frames for a proof inside the search.
const PRUNE_FRAMES: usize = 20_000;

impl Frontier {
    /// A search from `root`; one that `proves` tries static proofs on what irreversible moves lead to.
    pub(super) fn new(root: &State, winner: Color, proves: bool) -> Frontier {
        let mut visited = Visited::new();
        let first = |number| vec![Waiting { number, plies: 0, free: false }];
        let queue = visited.insert(root.key(), NONE, None).map(first);
        Frontier {
            winner,
            visited,
            queue: queue.into_iter().collect(),
            prune: proves.then(Prune::default),
            batch: Vec::new(),
            priced: Vec::new(),
        }
    }

    pub(super) fn spent(&self) -> u64 {
        self.visited.len() as u64 + self.prune.as_ref().map_or(0, |prune| prune.spent)
    }

    /// Continues until mate, exhaustion or `positions` in all.
    pub(super) fn run(&mut self, guide: Guide<'_>, positions: u64) -> Found {
        if let Some(prune) = &mut self.prune {
            prune.ahead = PRUNE_AHEAD.min(positions / 2);
        }
        let mut steps = Vec::with_capacity(256);
        let mut cost = 0;
        while cost < self.queue.len() {
            let Some(next) = self.queue[cost].pop() else {
                cost += 1;
                continue;
            };
            if self.spent() > positions {
                self.queue[cost].push(next);
                return Found::Open;
            }
            let number = next.number;
            let state = self.visited.state(number);
            steps.clear();
            let check = state.legal(&mut steps);
            if steps.is_empty() && check && state.turn != self.winner {
                return Found::Mate(shortened(&self.visited.state(0), self.visited.path(number)));
            }
            if steps.is_empty() || material::excludes(&state, self.winner) {
                continue;
            }
            if state.turn == self.winner
                && let Some(step) = mate_in_one(&state, &mut steps, 0)
            {
                let mut line = self.visited.path(number);
                line.push(step);
                return Found::Mate(shortened(&self.visited.state(0), line));
            }
            let least = self.spread(&state, guide, &mut steps, next, cost);
            cost = cost.min(least);
        }
        let pruned = self.prune.as_ref().is_some_and(|prune| prune.proved > 0);
        if pruned { Found::Excluded } else { Found::Exhausted(self.visited.len() as u64) }
    }

    /// Sorts moves so that the cheapest is queued last and followed first.
    fn dearest_first(&mut self, plan: Plan, state: &State, steps: &mut [Step], heavy: bool) {
        self.priced.clear();
        self.priced.extend(steps.iter().map(|&step| {
            let price = plan.price(state, step, heavy);
            (u16::from(price.cost) << 8 | u16::from(price.order), step)
        }));
        self.priced.sort_by_key(|&(price, _)| Reverse(price));
        for (step, priced) in steps.iter_mut().zip(&self.priced) {
            *step = priced.1;
        }
    }

    /// Queues what follows from a position; the least cost among it.
    fn spread(
        &mut self,
        state: &State,
        guide: Guide<'_>,
        steps: &mut [Step],
        from: Waiting,
        cost: usize,
    ) -> usize {
        let heavy = (state.of(self.winner) & (state.role.queen | state.role.rook)).any();
        let mut least = usize::MAX;
        if let Guide::Deep(plan) = guide {
            self.dearest_first(plan, state, steps, heavy);
        }
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        let planes = state.planes();
        batch.extend(steps.iter().map(|&step| {
            let key = state.key_after(planes, step);
            (step, key, visited::hash(&key))
        }));
        self.visited.warm(batch.iter().map(|&(.., hash)| hash));
        for &(step, key, hash) in &batch {
            let Some(child) = self.visited.insert_hashed(key, hash, from.number, Some(step)) else {
                continue;
            };
            let irreversible = step.role == Role::Pawn || state.takes(step);
            if irreversible
                && let Some(prune) = &mut self.prune
                && prune.excludes(&state.play(step), self.winner, self.visited.len() as u64)
            {
                continue;
            }
            let (at, free) = match guide {
                Guide::Plan(plan) => {
                    let price = plan.price(state, step, heavy);
                    (
                        cost + if from.free && price.cost == 1 { 0 } else { usize::from(price.cost) },
                        price.serves,
                    )
                }
                Guide::Deep(_) => (0, false),
                Guide::Advance(advance) => (advance.distance(&state.play(step)), false),
                Guide::Aim(aim, wander) => {
                    (aim.distance(&state.play(step)) + usize::from(from.plies / wander), false)
                }
            };
            if self.queue.len() <= at {
                self.queue.resize_with(at + 1, Vec::new);
            }
            self.queue[at].push(Waiting { number: child, plies: from.plies.saturating_add(1), free });
            least = least.min(at);
        }
        self.batch = batch;
        least
    }
}
