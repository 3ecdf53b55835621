//! Whether a round can be completed (C4), and how low the bye can go (C5).

use std::ops::Range;

use super::PairingError;
use super::criteria::bits_for;
use super::field::Field;
use crate::matching::{Matcher, Weight, Wide};
use crate::points::Points;

/// Checks that the round can be paired at all; for an odd field, the least score a bye taker can have.
pub(super) fn bye_score(field: &Field) -> Result<Option<Points>, PairingError> {
    let size = field.len();
    if size == 1 {
        let only = &field.seats[0];
        return if only.bye_eligible { Ok(Some(only.score)) } else { Err(PairingError::NoPairing) };
    }
    let eligible = || field.seats.iter().filter(|seat| seat.bye_eligible);
    if size % 2 == 1 && eligible().next().is_none() {
        return Err(PairingError::NoByeTaker);
    }
    if spare(field, 0..size, 0..0).is_some() {
        // Whoever stays out, the others have a complete pairing.
        return Ok(if size % 2 == 1 { eligible().map(|seat| seat.score).min() } else { None });
    }
    solve(field)
}

/// The same by one matching over the whole field.
pub(super) fn solve(field: &Field) -> Result<Option<Points>, PairingError> {
    let size = field.len();
    let low = bits_for(2 * field.groups.len() * (size / 2));
    let bits = low + bits_for(3 * (size / 2)) + 4 + 2 * bits_for(size);
    let unpaired = if bits <= i64::BITS as usize {
        unpaired::<i64>(field, low)
    } else {
        unpaired::<Wide<2>>(field, low)
    };
    match (unpaired.as_slice(), size % 2) {
        ([], 0) => Ok(None),
        ([one], 1) if field.seats[*one].bye_eligible => Ok(Some(field.seats[*one].score)),
        _ => Err(PairingError::NoPairing),
    }
}

/// Who stays unpaired when as many as possible are paired, those who cannot take the bye first, then the higher
/// scores.
fn unpaired<W: Weight>(field: &Field, low: usize) -> Vec<usize> {
    let size = field.len();
    let mut height = vec![0u64; size];
    for (i, group) in field.groups.iter().rev().enumerate() {
        for seat in group.clone() {
            height[seat] = i as u64;
        }
    }
    let barred = |i: usize| u64::from(!field.seats[i].bye_eligible);
    let mut matcher = Matcher::new(size, |i, j| {
        if field.may_meet(i, j) {
            W::at(1 + barred(i) + barred(j), low) + W::at(height[i] + height[j], 0)
        } else {
            W::default()
        }
    });
    matcher.solve();
    (0..size).filter(|&i| matcher.mate(i).is_none_or(|j| j >= size || !field.may_meet(i, j))).collect()
}

/// How many floaters from `above` the seats in `below` can take in for certain, whoever they are, even when one of
/// those below stays out. `None` if that is not certain for any number.
///
/// Dirac: a graph of even order s in which every vertex has at least s / 2 neighbours has a Hamiltonian cycle, hence a
/// perfect matching. Edges among floaters are not counted, so each floater is matched into `below`.
pub(super) fn spare(field: &Field, below: Range<usize>, above: Range<usize>) -> Option<usize> {
    let barred = below.clone().chain(above).map(|i| field.barred_within(i, below.clone())).max().unwrap_or(0);
    below.len().checked_sub(2 * barred + 4)
}
