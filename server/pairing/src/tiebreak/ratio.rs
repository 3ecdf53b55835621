//! Exact values of tie-breaks.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Sub};

use crate::points::Points;

/// A fraction with a positive denominator.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    numerator: i64,
    denominator: i64,
}

impl Ratio {
    /// Nothing.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// A whole number.
    pub const fn whole(number: i64) -> Self {
        Self { numerator: number, denominator: 1 }
    }

    /// A count of something.
    pub fn count(number: usize) -> Self {
        Self::whole(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// So many points.
    pub fn points(points: Points) -> Self {
        Self { numerator: i64::from(points.tenths()), denominator: 10 }.reduced()
    }

    /// The value divided by a count; zero if the count is zero.
    #[must_use]
    pub fn over(self, count: usize) -> Self {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        if count == 0 {
            return Self::ZERO;
        }
        Self { numerator: self.numerator, denominator: self.denominator.saturating_mul(count) }.reduced()
    }

    /// To the nearest whole number, halves up.
    pub fn rounded(self) -> i64 {
        (2 * self.numerator + self.denominator).div_euclid(2 * self.denominator)
    }

    /// As a float, for display only.
    pub fn to_f64(self) -> f64 {
        let (whole, rest) =
            (self.numerator.div_euclid(self.denominator), self.numerator.rem_euclid(self.denominator));
        let exact = |n: i64| f64::from(i32::try_from(n).unwrap_or(i32::MAX));
        exact(whole) + exact(rest) / exact(self.denominator)
    }

    fn reduced(self) -> Self {
        let (mut a, mut b) = (self.numerator.abs(), self.denominator);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = a.max(1);
        Self { numerator: self.numerator / divisor, denominator: self.denominator / divisor }
    }
}

impl Add for Ratio {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            numerator: self.numerator * other.denominator + other.numerator * self.denominator,
            denominator: self.denominator * other.denominator,
        }
        .reduced()
    }
}

impl Sub for Ratio {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { numerator: -other.numerator, denominator: other.denominator }
    }
}

impl Mul for Ratio {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            numerator: self.numerator * other.numerator,
            denominator: self.denominator * other.denominator,
        }
        .reduced()
    }
}

impl std::iter::Sum for Ratio {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = i128::from(self.numerator) * i128::from(other.denominator);
        left.cmp(&(i128::from(other.numerator) * i128::from(self.denominator)))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ratio {}

impl fmt::Display for Ratio {
    /// Up to four decimals, without trailing zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scaled = (2 * i128::from(self.numerator) * 10_000 + i128::from(self.denominator))
            .div_euclid(2 * i128::from(self.denominator));
        let sign = if scaled < 0 { "-" } else { "" };
        let (whole, rest) = (scaled.abs() / 10_000, scaled.abs() % 10_000);
        let text = format!("{sign}{whole}.{rest:04}");
        f.pad(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_behave() {
        let third = Ratio::whole(1).over(3);
        assert_eq!(third + third + third, Ratio::whole(1));
        assert!(third < Ratio::points(Points::HALF));
        assert_eq!(third.to_string(), "0.3333");
        assert_eq!((Ratio::points(Points::HALF) * Ratio::points(Points::HALF)).to_string(), "0.25");
        assert_eq!(Ratio::whole(5).over(2).rounded(), 3);
        assert_eq!(Ratio::whole(-5).over(2).rounded(), -2);
        assert_eq!(Ratio::whole(-3).over(2).to_string(), "-1.5");
    }
}
