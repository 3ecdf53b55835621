//! The short way through a bracket: when counting shows how good the best pairing can possibly be, and a pairing that
//! good exists without exchanges, no general matching is needed (art. 3.4.1 in spirit).
//!
//! Only used where what lies below takes in any floater, so that C4 and C8 cannot tell two candidates apart. Every
//! rejection on the way to the answer is a proof; where there is none, the answer is `None` and the full matching
//! decides.

use super::bracket::{Found, Paired};
use super::colour::Strength;
use super::criteria::{Quality, bits_for};
use super::field::{Field, Float};
use crate::matching::first_best_assignment;
use crate::round::Color;

/// Pairs a bracket of `moved` and `residents` (both in order of rank), or gives up. `may_float` says who may stay over
/// as far as the bye is concerned (C2, C5, C9).
pub(super) fn pair(
    field: &Field,
    moved: &[usize],
    residents: &[usize],
    may_float: &dyn Fn(usize) -> bool,
) -> Option<Paired> {
    if moved.len() > residents.len() {
        return None;
    }
    let all = || moved.iter().chain(residents).copied();
    let odd = (moved.len() + residents.len()) % 2;
    let census = Census::of(field, all());
    let bound = census.least(odd, field.last_round);
    let mut search = Search {
        field,
        moved,
        residents,
        may_float,
        bound,
        taken: vec![false; residents.len()],
        mdp: Vec::new(),
        // A few times what the way without dead ends takes.
        steps: 8 * (moved.len() + 1) * (residents.len() + 1),
    };
    let pairs = search.go(census, Cost::default())?;
    let natural = pairs.iter().enumerate().all(|(i, &(_, v))| {
        let rest = residents.len() - moved.len();
        let place = if i < moved.len() { i } else { moved.len() + rest / 2 + (i - moved.len()) };
        residents.get(place) == Some(&v)
    });
    let found = if natural { Found::Natural } else { Found::Transposition };
    Some(Paired { pairs, found, left: odd })
}

/// Players who miss a preference, and those among them who miss a strong one (C12, C13), by pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    preference: usize,
    strong: usize,
}

impl Cost {
    fn of(quality: Quality) -> Self {
        Self { preference: usize::from(!quality.preferences), strong: usize::from(!quality.strong) }
    }

    fn plus(self, other: Self) -> Self {
        Self { preference: self.preference + other.preference, strong: self.strong + other.strong }
    }
}

/// Who prefers what.
#[derive(Clone, Copy, Debug, Default)]
struct Census {
    /// By colour, White first: mild, strong, absolute.
    by_colour: [[usize; 3]; 2],
    indifferent: usize,
}

impl Census {
    fn of(field: &Field, seats: impl Iterator<Item = usize>) -> Self {
        let mut census = Self::default();
        for seat in seats {
            *census.slot(field, seat) += 1;
        }
        census
    }

    fn slot(&mut self, field: &Field, seat: usize) -> &mut usize {
        let preference = field.seats[seat].preference;
        let strength = match preference.strength {
            Strength::Mild | Strength::None => 0,
            Strength::Strong => 1,
            Strength::Absolute => 2,
        };
        match preference.colour {
            Some(colour) => &mut self.by_colour[usize::from(colour == Color::Black)][strength],
            None => &mut self.indifferent,
        }
    }

    fn without(mut self, field: &Field, seat: usize) -> Self {
        *self.slot(field, seat) -= 1;
        self
    }

    /// No pairing of these players costs less. `odd` of them stay out.
    fn least(self, odd: usize, topscorers: bool) -> Cost {
        let [white, black] = self.by_colour.map(|counts| counts.iter().sum::<usize>());
        let (major, many, few) = if white >= black {
            (self.by_colour[0], white, black)
        } else {
            (self.by_colour[1], black, white)
        };
        // Whoever is in excess of those with the other colour or none meets his like.
        let preference = many.saturating_sub(few + self.indifferent + odd).div_ceil(2);
        // Such a pair spares a strong preference only if one of the two is mild, or both are absolute topscorers.
        let absolute = if topscorers { major[2] / 2 } else { 0 };
        Cost { preference, strong: preference.saturating_sub(major[0] + absolute) }
    }
}

struct Search<'a> {
    field: &'a Field,
    moved: &'a [usize],
    residents: &'a [usize],
    may_float: &'a dyn Fn(usize) -> bool,
    bound: Cost,
    taken: Vec<bool>,
    mdp: Vec<(usize, usize)>,
    /// How many more opponents may be tried: proofs of dead ends are exponential at worst.
    steps: usize,
}

impl Search<'_> {
    fn affordable(&self, cost: Cost) -> bool {
        cost.preference <= self.bound.preference && cost.strong <= self.bound.strong
    }

    /// Pairs the remaining moved-down players in order, each with the first resident that is not proven wrong, then
    /// the remainder.
    fn go(&mut self, census: Census, cost: Cost) -> Option<Vec<(usize, usize)>> {
        let Some(&mdp) = self.moved.get(self.mdp.len()) else { return self.finish(cost) };
        let odd = (self.moved.len() + self.residents.len()) % 2;
        let census = census.without(self.field, mdp);
        for i in 0..self.residents.len() {
            let resident = self.residents[i];
            if self.steps == 0 {
                return None;
            }
            self.steps -= 1;
            if self.taken[i] || !self.field.may_meet(mdp, resident) {
                continue;
            }
            let quality = Quality::of(self.field, mdp, resident);
            // C15, C17, C19, C21: the bound supposes that no opponent of an MDP has just floated up.
            let floated_up = self.field.seats[resident].floats.contains(&Float::Up);
            let cost = cost.plus(Cost::of(quality));
            let rest = census.without(self.field, resident);
            let total = cost.plus(rest.least(odd, self.field.last_round));
            if floated_up || !quality.difference || !quality.no_third || !self.affordable(total) {
                continue;
            }
            self.taken[i] = true;
            self.mdp.push((mdp, resident));
            let below = self.mdp.len() == self.moved.len();
            let found = self.go(rest, cost);
            // A remainder that fails without exchanges proves nothing, so there is no going on from there.
            if found.is_some() || below || self.gave_up() {
                return found;
            }
            self.mdp.pop();
            self.taken[i] = false;
        }
        None
    }

    /// A complete MDP-pairing is left in place when its remainder failed.
    fn gave_up(&self) -> bool {
        self.mdp.len() == self.moved.len() || self.steps == 0
    }

    /// The remainder: S1 as it stands against S2, C14 and C16 for the one who floats.
    fn finish(&self, cost: Cost) -> Option<Vec<(usize, usize)>> {
        let rest: Vec<usize> = self
            .residents
            .iter()
            .zip(&self.taken)
            .filter(|&(_, &taken)| !taken)
            .map(|(&seat, _)| seat)
            .collect();
        let (upper, lower) = rest.split_at(rest.len() / 2);
        let width = bits_for(lower.len());
        let unit = 1i64 << width;
        let columns = first_best_assignment(lower.len(), |row, column| {
            let v = lower[column];
            let Some(&u) = upper.get(row) else { return self.floats_well(v).then_some(0) };
            if !self.field.may_meet(u, v) {
                return None;
            }
            let quality = Quality::of(self.field, u, v);
            let weight = i64::from(!quality.preferences) * unit + i64::from(!quality.strong);
            (quality.difference && quality.no_third).then_some(-weight)
        })?;
        let mut pairs = self.mdp.clone();
        pairs.extend(upper.iter().zip(&columns).map(|(&u, &column)| (u, lower[column])));
        let total = pairs[self.mdp.len()..]
            .iter()
            .fold(cost, |cost, &(u, v)| cost.plus(Cost::of(Quality::of(self.field, u, v))));
        (total == self.bound).then_some(pairs)
    }

    fn floats_well(&self, seat: usize) -> bool {
        (self.may_float)(seat) && !self.field.seats[seat].floats.contains(&Float::Down)
    }
}
