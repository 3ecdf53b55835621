//! Optimality against dynamic programming, and by weak duality.

use super::*;
use proptest::prelude::*;

/// The best total over all matchings, by dynamic programming over vertex sets.
fn best_total(order: usize, weight: &impl Fn(usize, usize) -> i64) -> i64 {
    let mut best = vec![0i64; 1 << order];
    for set in 1usize..1 << order {
        let u = set.trailing_zeros() as usize;
        let rest = set & !(1 << u);
        best[set] = best[rest];
        for v in u + 1..order {
            if rest & (1 << v) != 0 {
                best[set] = best[set].max(best[rest & !(1 << v)] + weight(u, v));
            }
        }
    }
    best[(1 << order) - 1]
}

fn total(matcher: &Matcher<i64>, order: usize, weight: &impl Fn(usize, usize) -> i64) -> i64 {
    (0..order).filter_map(|u| matcher.mate(u).filter(|&v| u < v && v < order).map(|v| weight(u, v))).sum()
}

/// Weak duality: feasible duals, tight matched edges, blossoms of positive dual entered once.
fn certify(matcher: &Matcher<i64>) {
    let order = matcher.order;
    let chain =
        |v: usize| std::iter::successors(matcher.parent[v], |&b| matcher.parent[b]).collect::<Vec<_>>();
    for u in (0..order).filter(|&u| !matcher.gone[u]) {
        for v in (u + 1..order).filter(|&v| !matcher.gone[v]) {
            let shared: i64 =
                chain(u).iter().filter(|b| chain(v).contains(b)).map(|&b| matcher.dual[b]).sum();
            let slack = matcher.dual[u] + matcher.dual[v] + shared - matcher.doubled[u * order + v];
            assert!(slack >= 0, "edge {u} {v} has slack {slack}");
            if matcher.mate[u] == Some(v) {
                assert_eq!(slack, 0, "matched edge {u} {v} is loose");
            }
        }
    }
    for (slot, blossom) in matcher.blossoms.iter().enumerate() {
        let Some(blossom) = blossom else { continue };
        assert!(matcher.dual[order + slot] >= 0);
        let out = blossom
            .members
            .iter()
            .filter(|&&v| matcher.mate[v].is_none_or(|u| !blossom.members.contains(&u)))
            .count();
        assert_eq!(out, 1, "blossom {} of {:?}", order + slot, blossom);
    }
}

fn symmetric(table: &[i64], order: usize) -> impl Fn(usize, usize) -> i64 + '_ {
    move |u, v| table[u.min(v) * order + u.max(v)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_matching_is_optimal(order in 1usize..12, top in 1i64..40, seed in prop::collection::vec(0i64..1000, 144)) {
        let table: Vec<i64> = seed.iter().map(|x| x % (top + 1)).collect();
        let weight = symmetric(&table, order);
        let mut matcher = Matcher::new(order, &weight);
        matcher.solve();
        certify(&matcher);
        prop_assert_eq!(total(&matcher, order, &weight), best_total(order, &weight));
    }

    /// Reweighing vertices and fixing pairs keeps what remains optimal.
    #[test]
    fn changes_keep_the_matching_optimal(
        order in 2usize..12,
        top in 1i64..12,
        seed in prop::collection::vec(0i64..1000, 144),
        changes in prop::collection::vec((0usize..12, prop::collection::vec(0i64..1000, 12), any::<bool>()), 1..12),
    ) {
        let mut table: Vec<i64> = seed.iter().map(|x| x % (top + 1)).collect();
        let mut matcher = Matcher::new(order, symmetric(&table, order));
        matcher.solve();
        let mut there: Vec<usize> = (0..order).collect();
        for (v, row, fix) in changes {
            let v = there[v % there.len()];
            for u in (0..order).filter(|&u| u != v) {
                table[u.min(v) * order + u.max(v)] = row[u] % (top + 1);
            }
            matcher.reweigh(v, |u| if u < order { row[u] % (top + 1) } else { 0 });
            matcher.solve();
            certify(&matcher);
            let mate = matcher.mate(v).filter(|&u| u < order);
            let rest: Vec<usize> = there.clone();
            let sub = |a: usize, b: usize| symmetric(&table, order)(rest[a], rest[b]);
            prop_assert_eq!(
                rest.iter().filter_map(|&u| matcher.mate(u).filter(|&w| u < w && w < order)
                    .map(|w| symmetric(&table, order)(u, w))).sum::<i64>(),
                best_total(rest.len(), &sub)
            );
            if let Some(u) = mate.filter(|_| fix && there.len() > 2) {
                matcher.fix(u, v);
                matcher.solve();
                certify(&matcher);
                there.retain(|&x| x != u && x != v);
            }
        }
    }
}
