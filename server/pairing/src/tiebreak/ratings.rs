//! Rating tables (FIDE B.02 8.1a and 8.1b) and the rating tie-breaks' arithmetic.

use super::ratio::Ratio;

/// Rating differences for expected scores of 0.50, 0.51, ... 1.00 (8.1a).
const DP: [i64; 51] = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175,
    184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444,
    470, 501, 538, 589, 677, 800,
];

/// The greatest rating difference for which the stronger is expected to score 0.50, 0.51, ... 0.99 (8.1b).
const PD: [i64; 50] = [
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179,
    188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456,
    484, 517, 559, 619, 735,
];

/// The rating difference that a score from so many games stands for; the share is rounded to whole per cent.
pub(super) fn difference(score: Ratio, games: usize) -> i64 {
    let percent = (score * Ratio::whole(100)).over(games).rounded().clamp(0, 100);
    let table = |steps: i64| usize::try_from(steps).ok().and_then(|i| DP.get(i)).copied().unwrap_or(800);
    if percent >= 50 { table(percent - 50) } else { -table(50 - percent) }
}

/// The expected score in hundredths for a rating difference.
fn expected(difference: i64) -> i64 {
    let place = PD.partition_point(|&limit| limit < difference.abs());
    let strong = 50 + i64::try_from(place).unwrap_or(50);
    if difference >= 0 { strong } else { 100 - strong }
}

/// 10.2: the mean rating of the opponents, rounded, plus the difference for the score.
pub(super) fn performance(ratings: &[i64], score: Ratio) -> Option<i64> {
    Some(mean(ratings)? + difference(score, ratings.len()))
}

/// 10.1: the mean, halves up.
pub(super) fn mean(ratings: &[i64]) -> Option<i64> {
    (!ratings.is_empty()).then(|| Ratio::whole(ratings.iter().sum()).over(ratings.len()).rounded())
}

/// 10.3: the least rating whose expected score against these opponents reaches the score; without any points, 800
/// below the weakest.
pub(super) fn perfect(ratings: &[i64], score: Ratio) -> Option<i64> {
    let (&least, &most) = (ratings.iter().min()?, ratings.iter().max()?);
    if score <= Ratio::ZERO {
        return Some(least - 800);
    }
    let wanted = score * Ratio::whole(100);
    let reaches = |rating: i64| {
        Ratio::whole(ratings.iter().map(|&opponent| expected(rating - opponent)).sum()) >= wanted
    };
    let (mut low, mut high) = (least - 800, most + 800);
    while low < high {
        let middle = low + (high - low) / 2;
        if reaches(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_symmetric_and_rise() {
        assert!(DP.is_sorted() && PD.is_sorted());
        assert_eq!(expected(0), 50);
        assert_eq!(expected(4), 51);
        assert_eq!(expected(-4), 49);
        assert_eq!(expected(735), 99);
        assert_eq!(expected(736), 100);
        assert_eq!(difference(Ratio::whole(2), 3), 125);
        assert_eq!(difference(Ratio::ZERO, 3), -800);
    }

    #[test]
    fn a_perfect_score_needs_736_more_than_the_strongest() {
        assert_eq!(perfect(&[2161, 2004], Ratio::whole(2)), Some(2897));
        assert_eq!(perfect(&[], Ratio::ZERO), None);
    }
}
