//! Pairing one bracket by weighted matching: the criteria first, then the order of art. 4 among the best.

use serde::{Deserialize, Serialize};

use super::criteria::{Bracket, Layout, Ranks, bits_for};
use crate::matching::{Matcher, Weight, Wide, first_best_assignment};

/// Why the pairing of a bracket is the one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    /// The candidate of art. 3.3 as it stood was the best.
    Natural,
    /// After altering the order of S2 (art. 4.2).
    Transposition,
    /// After exchanging players between S1 and S2 (art. 4.3).
    Exchange,
}

/// The pairs of a bracket as seats, higher ranked first, with how they were found.
#[derive(Debug)]
pub(super) struct Paired {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) found: Found,
    /// Seats of the scope that would have to float below it.
    pub(super) left: usize,
}

/// Pairs the bracket. `None` if its weights are wider than any type here, which takes hundreds of score groups.
pub(super) fn pair(bracket: &mut Bracket<'_>) -> Option<Paired> {
    let ranks = bracket.ranks();
    // C9 speaks of brackets with exactly one downfloater, who takes the bye: find out by the criteria above it.
    let residents_score = bracket.field.seats[bracket.vertices[bracket.residents.start]].score;
    if bracket.bye_score.is_some_and(|best| residents_score <= best) && bracket.completion {
        bracket.bye_inside = false;
        let inside = dispatch(bracket, &ranks, true)?.pairs.len();
        bracket.bye_inside = bracket.residents.end - 2 * inside == 1;
    }
    dispatch(bracket, &ranks, false)
}

/// Chooses the narrowest type that holds the weights.
fn dispatch(bracket: &Bracket<'_>, ranks: &Ranks, count_only: bool) -> Option<Paired> {
    let (moved, residents) = (bracket.moved, bracket.residents.len());
    // Step (a), (b): a pin or an addend per MDP. Steps (c) to (g): exchanges, BSN sums, a spare counter.
    let mdp = bits_for(moved.max(1) * (2 * residents + 4));
    let remainder = bits_for(residents) + bits_for(residents * residents) + bits_for(residents.max(2));
    let layout = bracket.layout(ranks, mdp.max(remainder) + 2);
    macro_rules! narrowest {
        ($($weight:ty),*) => {
            $(if layout.bits <= <$weight as Weight>::BITS {
                return Some(Solver::<$weight>::new(bracket, ranks, &layout).run(count_only));
            })*
        };
    }
    narrowest!(i64, i128, Wide<3>, Wide<4>, Wide<6>, Wide<8>, Wide<16>, Wide<32>, Wide<64>, Wide<160>);
    None
}

struct Solver<'a, W> {
    bracket: &'a Bracket<'a>,
    size: usize,
    /// Packed criteria of every edge, by positions; zero if they may not meet.
    base: Vec<W>,
    /// Bits below the criteria.
    order_bits: usize,
    /// Positions already paired.
    fixed: Vec<bool>,
    pairs: Vec<(usize, usize)>,
}

impl<'a, W: Weight> Solver<'a, W> {
    fn new(bracket: &'a Bracket<'a>, ranks: &Ranks, layout: &Layout) -> Self {
        let size = bracket.vertices.len();
        let mut base = vec![W::default(); size * size];
        let mut counters = Vec::new();
        for low in 1..size {
            for high in 0..low {
                bracket.counters(high, low, ranks, &mut counters);
                let weight = layout.pack(&counters);
                base[high * size + low] = weight;
                base[low * size + high] = weight;
            }
        }
        Self {
            bracket,
            size,
            base,
            order_bits: layout.order_bits,
            fixed: vec![false; size],
            pairs: Vec::new(),
        }
    }

    fn base(&self, u: usize, v: usize) -> W {
        if u < self.size && v < self.size { self.base[u * self.size + v] } else { W::default() }
    }

    /// Whether a position's mate is a pairing inside the bracket.
    fn mate_inside(&self, matcher: &Matcher<W>, u: usize) -> Option<usize> {
        matcher
            .mate(u)
            .filter(|&v| v < self.bracket.residents.end && self.base(u, v) != W::default())
            // Two moved-down players matched with each other only prove that the rest can be completed.
            .filter(|&v| u.max(v) >= self.bracket.moved)
    }

    fn run(mut self, count_only: bool) -> Paired {
        let mut matcher = Matcher::new(self.size, |u, v| self.base(u, v));
        matcher.solve();
        let left = (0..self.size)
            .filter(|&u| matcher.mate(u).is_none_or(|v| self.base(u, v) == W::default()))
            .count();
        if count_only {
            let pairs = (0..self.bracket.residents.end)
                .filter_map(|u| self.mate_inside(&matcher, u).filter(|&v| u < v).map(|v| (u, v)))
                .collect();
            return Paired { pairs, found: Found::Natural, left };
        }
        let chosen = self.choose_moved(&mut matcher);
        let natural_mdps = self.pair_moved(&mut matcher, &chosen);
        let found = self.pair_remainder(&matcher);
        let found = if natural_mdps || found == Found::Exchange { found } else { Found::Transposition };
        let seats = |&(u, v): &(usize, usize)| (self.bracket.vertices[u], self.bracket.vertices[v]);
        Paired { pairs: self.pairs.iter().map(seats).collect(), found, left }
    }

    /// Art. 4.4: which moved-down players are paired in the bracket, where not all can be.
    fn choose_moved(&self, matcher: &mut Matcher<W>) -> Vec<usize> {
        let mut chosen = Vec::new();
        let score = |u: usize| self.bracket.field.seats[self.bracket.vertices[u]].score;
        let mut start = 0;
        while start < self.bracket.moved {
            let end =
                (start..self.bracket.moved).find(|&u| score(u) != score(start)).unwrap_or(self.bracket.moved);
            let paired = (start..end).filter(|&u| self.mate_inside(matcher, u).is_some()).count();
            let goal = chosen.len() + paired;
            if paired == end - start {
                chosen.extend(start..end);
            }
            for u in start..end {
                if chosen.len() == goal {
                    break;
                }
                if self.mate_inside(matcher, u).is_none() {
                    self.favour(matcher, u, 1);
                }
                if self.mate_inside(matcher, u).is_some() {
                    self.favour(matcher, u, self.pin());
                    chosen.push(u);
                } else {
                    self.favour(matcher, u, 0);
                }
            }
            start = end;
        }
        chosen
    }

    /// More than any addend that orders opponents.
    fn pin(&self) -> u64 {
        self.bracket.residents.len() as u64 + 2
    }

    /// Adds to all edges of a moved-down player to residents, and solves.
    fn favour(&self, matcher: &mut Matcher<W>, u: usize, addend: u64) {
        let residents = self.bracket.residents.clone();
        matcher.reweigh(u, |v| {
            let base = self.base(u, v);
            if residents.contains(&v) && base != W::default() { base + W::at(addend, 0) } else { base }
        });
        matcher.solve();
    }

    /// Art. 4.2 for the MDP-pairing: each in order of rank gets the highest ranked resident with whom the bracket
    /// stays best. Whether these were the first residents in order.
    fn pair_moved(&mut self, matcher: &mut Matcher<W>, chosen: &[usize]) -> bool {
        let residents = self.bracket.residents.clone();
        let mut natural = true;
        // Pins of those chosen without a trial, where some others were not chosen.
        if chosen.len() < self.bracket.moved {
            for &u in chosen {
                self.favour(matcher, u, self.pin());
            }
        }
        for (i, &u) in chosen.iter().enumerate() {
            let pin = if chosen.len() < self.bracket.moved { self.pin() } else { 0 };
            matcher.reweigh(u, |v| {
                let base = self.base(u, v);
                if residents.contains(&v) && base != W::default() {
                    base + W::at(pin + (residents.end - v) as u64, 0)
                } else {
                    base
                }
            });
            matcher.solve();
            if let Some(v) = self.mate_inside(matcher, u) {
                natural &= v == residents.start + i;
                self.fix(matcher, u, v);
            }
        }
        natural
    }

    fn fix(&mut self, matcher: &mut Matcher<W>, u: usize, v: usize) {
        matcher.fix(u, v);
        matcher.solve();
        self.fixed[u] = true;
        self.fixed[v] = true;
        self.pairs.push((u.min(v), u.max(v)));
    }

    /// Art. 3.6, 4.2, 4.3 for the remainder or a homogeneous bracket.
    fn pair_remainder(&mut self, matcher: &Matcher<W>) -> Found {
        let rest: Vec<usize> = self.bracket.residents.clone().filter(|&u| !self.fixed[u]).collect();
        let inside: Vec<(usize, usize)> = rest
            .iter()
            .filter_map(|&u| self.mate_inside(matcher, u).filter(|&v| u < v).map(|v| (u, v)))
            .collect();
        if inside.is_empty() {
            return Found::Natural;
        }
        let alone = self.size == self.bracket.residents.end;
        if alone {
            let best = inside.iter().fold(W::default(), |sum, &(u, v)| sum + self.base(u, v));
            if let Some(pairs) = self.assign(&rest, &rest[..inside.len()], Some(best)) {
                return self.accept(&rest, pairs, false);
            }
        }
        let (upper, exchanged) = self.choose_upper(&rest, inside.len());
        if alone && let Some(pairs) = self.assign(&rest, &upper, None) {
            return self.accept(&rest, pairs, exchanged);
        }
        let pairs = self.assign_in_graph(&rest, &upper);
        self.accept(&rest, pairs, exchanged)
    }

    fn accept(&mut self, rest: &[usize], pairs: Vec<(usize, usize)>, exchanged: bool) -> Found {
        let natural = pairs.iter().enumerate().all(|(i, &(u, v))| u == rest[i] && v == rest[pairs.len() + i]);
        self.pairs.extend(pairs);
        match (natural, exchanged) {
            (true, _) => Found::Natural,
            (false, false) => Found::Transposition,
            (false, true) => Found::Exchange,
        }
    }

    /// The first transposition that is best for a given S1, with nobody below in the graph. If `best` is given, the
    /// total must reach it.
    fn assign(&self, rest: &[usize], upper: &[usize], best: Option<W>) -> Option<Vec<(usize, usize)>> {
        let lower: Vec<usize> = rest.iter().copied().filter(|u| !upper.contains(u)).collect();
        let columns = first_best_assignment(lower.len(), |row, column| {
            let Some(&u) = upper.get(row) else { return Some(W::default()) };
            let v = lower[column];
            let base = self.base(u, v);
            (u < v && base != W::default()).then_some(base)
        })?;
        let pairs: Vec<(usize, usize)> =
            upper.iter().zip(&columns).map(|(&u, &column)| (u, lower[column])).collect();
        let total = pairs.iter().fold(W::default(), |sum, &(u, v)| sum + self.base(u, v));
        best.is_none_or(|best| total == best).then_some(pairs)
    }

    /// Art. 4.3: which residents are the upper ends of the pairs, by the four comparison rules.
    fn choose_upper(&self, rest: &[usize], count: usize) -> (Vec<usize>, bool) {
        let mut order = Order::new(self, rest, count);
        let mut matcher = order.matcher(self);
        let mut upper = order.upper(self, &matcher);
        let exchanges = upper.iter().filter(|&&u| order.index[u] >= count).count();
        if exchanges == 0 {
            return (upper, false);
        }
        // Rule 3: the largest leave S1.
        let mut left = exchanges;
        for i in (0..count).rev() {
            if left == 0 {
                break;
            }
            let u = rest[i];
            order.spare[u] = 0;
            order.reweigh(self, &mut matcher, u);
            if order.is_upper(self, &matcher, u) {
                order.spare[u] = 1;
            } else {
                order.barred[u] = Some(Side::Upper);
                left -= 1;
            }
            order.reweigh(self, &mut matcher, u);
        }
        // Rule 4: the smallest enter it.
        let mut left = exchanges;
        for &u in &rest[count..] {
            if left == 0 {
                break;
            }
            order.spare[u] = 2;
            order.reweigh(self, &mut matcher, u);
            if order.is_upper(self, &matcher, u) {
                order.barred[u] = Some(Side::Lower);
                left -= 1;
            }
            order.spare[u] = 1;
            order.reweigh(self, &mut matcher, u);
        }
        upper = order.upper(self, &matcher);
        (upper, true)
    }

    /// The first best transposition where players below are in the graph: one opponent after the other.
    fn assign_in_graph(&mut self, rest: &[usize], upper: &[usize]) -> Vec<(usize, usize)> {
        let mut side = vec![None; self.size];
        for &u in rest {
            side[u] = Some(upper.contains(&u));
        }
        let weight = |this: &Self, u: usize, v: usize| {
            let (high, low) = (u.min(v), u.max(v));
            if high >= this.size || low >= this.size || this.fixed[high] || this.fixed[low] {
                return W::default();
            }
            match (side[high], side[low]) {
                // Both in the remainder: only an upper above a lower.
                (Some(above), Some(below)) if !above || below => W::default(),
                // An upper is paired inside, so not below.
                (Some(true), None) => W::default(),
                _ => this.base(high, low),
            }
        };
        let mut matcher = Matcher::new(self.size, |u, v| weight(self, u, v));
        matcher.solve();
        let mut pairs = Vec::new();
        for &u in upper {
            matcher.reweigh(u, |v| {
                let base = weight(self, u, v);
                if v < self.size && side[v] == Some(false) && base != W::default() {
                    base + W::at((self.bracket.residents.end - v) as u64, 0)
                } else {
                    base
                }
            });
            matcher.solve();
            let Some(v) = self.mate_inside(&matcher, u) else { continue };
            matcher.fix(u, v);
            matcher.solve();
            self.fixed[u] = true;
            self.fixed[v] = true;
            pairs.push((u, v));
        }
        pairs
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Upper,
    Lower,
}

/// The graph of the remainder with art. 4.3 in its low bits.
struct Order {
    /// The place in the remainder by position.
    index: Vec<usize>,
    /// Whether a position is in the remainder.
    inside: Vec<bool>,
    count: usize,
    len: usize,
    /// 1 normally; 0 or 2 while it is tried whether a player can leave or enter S1.
    spare: Vec<u64>,
    /// A side this player may no longer be on.
    barred: Vec<Option<Side>>,
    sum_shift: usize,
    count_shift: usize,
}

impl Order {
    fn new<W: Weight>(solver: &Solver<'_, W>, rest: &[usize], count: usize) -> Self {
        let mut index = vec![usize::MAX; solver.size];
        let mut inside = vec![false; solver.size];
        for (i, &u) in rest.iter().enumerate() {
            index[u] = i;
            inside[u] = true;
        }
        let sum_shift = bits_for(2 * count);
        let count_shift = sum_shift + bits_for(count * rest.len());
        debug_assert!(count_shift + bits_for(count) <= solver.order_bits);
        Self {
            index,
            inside,
            count,
            len: rest.len(),
            spare: vec![1; solver.size],
            barred: vec![None; solver.size],
            sum_shift,
            count_shift,
        }
    }

    fn weight<W: Weight>(&self, solver: &Solver<'_, W>, u: usize, v: usize) -> W {
        let (high, low) = (u.min(v), u.max(v));
        if low >= solver.size || solver.fixed[high] || solver.fixed[low] {
            return W::default();
        }
        let base = solver.base(high, low);
        if base == W::default() {
            return base;
        }
        let must_be_upper = |u: usize| self.barred[u] == Some(Side::Lower);
        if !(self.inside[high] && self.inside[low]) {
            // Whoever must be an upper does not float.
            return if must_be_upper(high) || must_be_upper(low) { W::default() } else { base };
        }
        if self.barred[high] == Some(Side::Upper) || must_be_upper(low) {
            return W::default();
        }
        let i = self.index[high];
        base + W::at(u64::from(i < self.count), self.count_shift)
            + W::at((self.len - i) as u64, self.sum_shift)
            + W::at(self.spare[high], 0)
    }

    fn matcher<W: Weight>(&self, solver: &Solver<'_, W>) -> Matcher<W> {
        let mut matcher = Matcher::new(solver.size, |u, v| self.weight(solver, u, v));
        matcher.solve();
        matcher
    }

    fn reweigh<W: Weight>(&self, solver: &Solver<'_, W>, matcher: &mut Matcher<W>, u: usize) {
        matcher.reweigh(u, |v| self.weight(solver, u, v));
        matcher.solve();
    }

    fn is_upper<W: Weight>(&self, solver: &Solver<'_, W>, matcher: &Matcher<W>, u: usize) -> bool {
        matcher.mate(u).is_some_and(|v| {
            v > u && v < solver.size && self.inside[v] && self.weight(solver, u, v) != W::default()
        })
    }

    fn upper<W: Weight>(&self, solver: &Solver<'_, W>, matcher: &Matcher<W>) -> Vec<usize> {
        (0..solver.size).filter(|&u| self.inside[u] && self.is_upper(solver, matcher, u)).collect()
    }
}
