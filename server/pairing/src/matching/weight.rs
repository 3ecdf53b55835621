//! Exact additive weights, ordered like the criteria they are packed from.

use std::fmt::Debug;
use std::ops::{Add, Sub};

/// An exact signed number wide enough for a round's criteria.
///
/// The matcher only adds, subtracts, compares and halves even numbers, so two's complement of any width serves.
pub trait Weight: Copy + Ord + Debug + Default + Add<Output = Self> + Sub<Output = Self> {
    /// Bits of the representation, sign included.
    const BITS: usize;

    /// `value` times two to the power `shift`.
    fn at(value: u64, shift: usize) -> Self;

    /// Half of an even number.
    #[must_use]
    fn half(self) -> Self;

    /// Twice the number.
    #[must_use]
    fn double(self) -> Self {
        self + self
    }
}

impl Weight for i64 {
    const BITS: usize = 64;

    fn at(value: u64, shift: usize) -> Self {
        value.cast_signed() << shift
    }

    fn half(self) -> Self {
        self >> 1
    }
}

impl Weight for i128 {
    const BITS: usize = 128;

    fn at(value: u64, shift: usize) -> Self {
        i128::from(value) << shift
    }

    fn half(self) -> Self {
        self >> 1
    }
}

/// A two's complement integer of `N` words, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Ord for Wide<N> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let top = N - 1;
        let signs = self.0[top].cast_signed().cmp(&other.0[top].cast_signed());
        signs.then_with(|| self.0[..top].iter().rev().cmp(other.0[..top].iter().rev()))
    }
}

impl<const N: usize> PartialOrd for Wide<N> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> Add for Wide<N> {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        let mut carry = false;
        for (a, b) in self.0.iter_mut().zip(other.0) {
            (*a, carry) = a.carrying_add(b, carry);
        }
        self
    }
}

impl<const N: usize> Sub for Wide<N> {
    type Output = Self;

    fn sub(mut self, other: Self) -> Self {
        let mut borrow = false;
        for (a, b) in self.0.iter_mut().zip(other.0) {
            (*a, borrow) = a.borrowing_sub(b, borrow);
        }
        self
    }
}

impl<const N: usize> Weight for Wide<N> {
    const BITS: usize = 64 * N;

    fn at(value: u64, shift: usize) -> Self {
        let mut words = [0; N];
        let (word, bit) = (shift / 64, shift % 64);
        words[word] = value << bit;
        if bit > 0 && word + 1 < N {
            words[word + 1] = value >> (64 - bit);
        }
        Self(words)
    }

    fn half(mut self) -> Self {
        for word in 0..N - 1 {
            self.0[word] = self.0[word] >> 1 | self.0[word + 1] << 63;
        }
        self.0[N - 1] = (self.0[N - 1].cast_signed() >> 1).cast_unsigned();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(value: i128) -> Wide<3> {
        let bits = value.cast_unsigned();
        let low = u64::try_from(bits & u128::from(u64::MAX)).expect("masked");
        let high = u64::try_from(bits >> 64).expect("shifted");
        Wide([low, high, if value < 0 { u64::MAX } else { 0 }])
    }

    proptest! {
        #[test]
        fn wide_numbers_agree_with_i128(a in any::<i64>(), b in any::<i64>(), s in 0usize..60) {
            let (a, b) = (i128::from(a) << s, i128::from(b) << s);
            prop_assert_eq!(wide(a) + wide(b), wide(a + b));
            prop_assert_eq!(wide(a) - wide(b), wide(a - b));
            prop_assert_eq!(wide(a).cmp(&wide(b)), a.cmp(&b));
            prop_assert_eq!(wide(a).double().half(), wide(a));
        }

        #[test]
        fn a_value_lands_where_it_is_put(value in any::<u64>(), shift in 0usize..63) {
            prop_assert_eq!(Wide::<3>::at(value, shift), wide(i128::from(value) << shift));
        }
    }
}
