//! The criteria of a bracket as counters on edges, and their packing into one exact weight.
//!
//! Each criterion is a counter; the sum of a counter over a matching cannot exceed (players / 2) times its largest
//! value on an edge, and that is how wide its field is. So no field can ever carry into the one above it.

use std::ops::Range;

use super::colour::{self, Strength, allocate};
use super::field::{Field, Float};
use crate::matching::Weight;
use crate::points::Points;

/// A bracket under construction: the moved-down players, the residents, and what of the field below is looked at.
#[derive(Debug)]
pub(super) struct Bracket<'a> {
    pub(super) field: &'a Field,
    /// Seats in order of rank: moved-down players, residents, then as far down as `scope` says.
    pub(super) vertices: Vec<usize>,
    /// How many of `vertices` were moved down.
    pub(super) moved: usize,
    /// Residents, as positions in `vertices`.
    pub(super) residents: Range<usize>,
    /// The next score group, as positions; empty if it is not looked at.
    pub(super) next: Range<usize>,
    /// Whether what lies below is in the graph, so that completion (C4) must be counted.
    pub(super) completion: bool,
    /// The best possible score of the bye taker, if the field is odd (C5).
    pub(super) bye_score: Option<Points>,
    /// The bracket's only downfloater will take the bye (C9).
    pub(super) bye_inside: bool,
}

/// Where each counter lies in the packed weight.
#[derive(Debug)]
pub(super) struct Layout {
    /// `None` where no edge has the counter.
    shifts: Vec<Option<usize>>,
    /// Bits left free below all criteria for the order of art. 4.
    pub(super) order_bits: usize,
    /// Bits of the packed weight in all.
    pub(super) bits: usize,
}

/// How many bits hold `value`.
pub(super) fn bits_for(value: usize) -> usize {
    (usize::BITS - value.leading_zeros()) as usize
}

impl Bracket<'_> {
    /// Whether the seat may take the bye of this round (C2, C5).
    pub(super) fn bye_candidate(&self, seat: usize) -> bool {
        let seat = &self.field.seats[seat];
        self.bye_score.is_none_or(|best| seat.bye_eligible && seat.score <= best)
    }

    /// The counters of the edge between two positions, `high < low`, most significant first; empty if they may not
    /// meet. All edges have equally many.
    pub(super) fn counters(&self, high: usize, low: usize, ranks: &Ranks, out: &mut Vec<u16>) {
        out.clear();
        let (h, l) = (self.vertices[high], self.vertices[low]);
        if !self.field.may_meet(h, l) {
            return;
        }
        let (a, b) = (&self.field.seats[h], &self.field.seats[l]);
        let resident = self.residents.contains(&low);
        let next = self.next.contains(&low);
        let candidates = u16::from(!self.bye_candidate(h)) + u16::from(!self.bye_candidate(l));
        let groups = ranks.groups;
        let per_group = |out: &mut Vec<u16>, values: &[(usize, u16)]| {
            let base = out.len();
            out.resize(base + groups, 0);
            for &(group, value) in values {
                if group < groups {
                    out[base + group] += value;
                }
            }
        };
        let (hg, lg) = (ranks.group_of[high], ranks.group_of[low]);
        let when = |condition: bool| u16::from(condition);

        // C4, with C2 and C5: everyone below must find an opponent, but for one candidate.
        out.push(if self.completion { 1 + candidates } else { 0 });
        // C6, C7; then the same for the next bracket (C8).
        out.push(when(resident));
        per_group(out, &[(hg, when(resident))]);
        out.push(when(next));
        per_group(out, &[(hg, when(next))]);
        // C9: pair those with most unplayed games.
        let unplayed = |position: usize| ranks.unplayed[position];
        out.push(if resident && self.bye_inside { unplayed(high) + unplayed(low) } else { 0 });

        let quality = resident.then(|| Quality::of(self.field, h, l));
        let count = |of: fn(&Quality) -> bool| when(quality.as_ref().is_some_and(of));
        out.push(count(|q| q.difference));
        out.push(count(|q| q.no_third));
        out.push(count(|q| q.preferences));
        out.push(count(|q| q.strong));
        let same = a.score == b.score;
        for back in 0..2 {
            // C14, C16: residents that floated down are paired. C15, C17: opponents of MDPs have not floated up.
            let down = when(b.floats[back] == Float::Down) + when(same && a.floats[back] == Float::Down);
            out.push(when(resident) * down);
            out.push(when(resident && (same || b.floats[back] != Float::Up)));
        }
        for back in 0..2 {
            // C18, C20: by score differences, MDPs that floated down. C19, C21: their opponents that floated up.
            let down = |float: Float| when(resident && float == Float::Down);
            per_group(out, &[(lg, down(b.floats[back])), (hg, down(a.floats[back]))]);
            per_group(out, &[(hg, when(resident && (same || b.floats[back] != Float::Up)))]);
        }
    }

    /// The places of the score groups among what is looked at, and of the unplayed games among possible bye takers.
    pub(super) fn ranks(&self) -> Ranks {
        let seats = &self.field.seats;
        let looked_at = self.moved.max(self.residents.end).max(self.next.end);
        let mut group_of = Vec::with_capacity(self.vertices.len());
        let mut groups = 0;
        for (i, &v) in self.vertices.iter().enumerate() {
            if i < looked_at && (i == 0 || seats[v].score != seats[self.vertices[i - 1]].score) {
                groups += 1;
            }
            // Lower players belong to no counted group.
            group_of.push(if i < looked_at { groups - 1 } else { usize::MAX });
        }
        let of_bye_score = |v: usize| Some(seats[v].score) == self.bye_score;
        let mut distinct: Vec<usize> =
            self.vertices.iter().filter(|&&v| of_bye_score(v)).map(|&v| seats[v].unplayed).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let rank = |v: usize| {
            let place = distinct.partition_point(|&unplayed| unplayed < seats[v].unplayed);
            if of_bye_score(v) { u16::try_from(place).unwrap_or(u16::MAX) } else { 0 }
        };
        Ranks { groups, group_of, unplayed: self.vertices.iter().map(|&v| rank(v)).collect() }
    }

    /// Packs the counters of all edges. `order_bits` stay free below.
    pub(super) fn layout(&self, ranks: &Ranks, order_bits: usize) -> Layout {
        let size = self.vertices.len();
        let mut most: Vec<u16> = Vec::new();
        let mut counters = Vec::new();
        for low in 1..size {
            for high in 0..low {
                self.counters(high, low, ranks, &mut counters);
                most.resize(most.len().max(counters.len()), 0);
                for (most, &value) in most.iter_mut().zip(&counters) {
                    *most = (*most).max(value);
                }
            }
        }
        let mut at = order_bits;
        let mut shifts = vec![None; most.len()];
        for (shift, &value) in shifts.iter_mut().zip(&most).rev() {
            if value > 0 {
                *shift = Some(at);
                at += bits_for(usize::from(value) * (size / 2));
            }
        }
        // Doubling, the sign, and room for sums of duals along a path.
        let bits = at + 4 + 2 * bits_for(size);
        Layout { shifts, order_bits, bits }
    }
}

/// See [`Bracket::ranks`].
#[derive(Debug)]
pub(super) struct Ranks {
    pub(super) groups: usize,
    pub(super) group_of: Vec<usize>,
    unplayed: Vec<u16>,
}

impl Layout {
    pub(super) fn pack<W: Weight>(&self, counters: &[u16]) -> W {
        let mut weight = W::default();
        for (&value, &shift) in counters.iter().zip(&self.shifts) {
            if let (true, Some(shift)) = (value > 0, shift) {
                weight = weight + W::at(u64::from(value), shift);
            }
        }
        weight
    }
}

/// What a pair fulfils of C10 to C13.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quality {
    /// C10: nobody gets a colour difference beyond two.
    pub(super) difference: bool,
    /// C11: nobody gets a colour for the third time running.
    pub(super) no_third: bool,
    /// C12: both get what they prefer.
    pub(super) preferences: bool,
    /// C13: nobody misses a strong preference.
    pub(super) strong: bool,
}

impl Quality {
    /// `high` ranks above `low`.
    pub(super) fn of(field: &Field, high: usize, low: usize) -> Self {
        let (a, b) = (&field.seats[high], &field.seats[low]);
        if a.preference.fits(b.preference) {
            return Self { difference: true, no_third: true, preferences: true, strong: true };
        }
        let least = a.preference.strength.min(b.preference.strength);
        let mut quality =
            Self { difference: true, no_third: true, preferences: false, strong: least != Strength::Strong };
        if least == Strength::Absolute {
            // Only topscorers meet like this: one of the two must yield.
            let (colour, _) = allocate(field, high, low);
            let yields = if a.preference.colour == Some(colour) { b } else { a };
            let given = if a.preference.colour == Some(colour) { !colour } else { colour };
            quality.difference = !colour::strains_difference(yields, given);
            quality.no_third = !colour::third_in_a_row(yields, given);
        }
        quality
    }
}
