//! The best perfect assignment of rows to columns, and among the best the first in lexicographic order.

use super::weight::Weight;

/// Assigns every row a column of its own so that the total of `weight(row, column)` is greatest; among all such
/// assignments, the one whose sequence of columns comes first. `None` forbids a cell; the result is `None` if no
/// perfect assignment exists. Columns number as many as rows.
pub fn first_best_assignment<W: Weight>(
    size: usize,
    weight: impl Fn(usize, usize) -> Option<W>,
) -> Option<Vec<usize>> {
    let mut cells = Vec::with_capacity(size * size);
    for row in 0..size {
        cells.extend((0..size).map(|column| weight(row, column)));
    }
    let mut solver = Solver::start(size, cells)?;
    for row in 0..size {
        if solver.column_of[row].is_none() && !solver.augment(row) {
            return None;
        }
    }
    Some(solver.first_in_order())
}

struct Solver<W> {
    size: usize,
    cells: Vec<Option<W>>,
    row_dual: Vec<W>,
    column_dual: Vec<W>,
    column_of: Vec<Option<usize>>,
    row_of: Vec<Option<usize>>,
}

impl<W: Weight> Solver<W> {
    /// Feasible duals and a greedy start; `None` if some row has no cell at all.
    fn start(size: usize, cells: Vec<Option<W>>) -> Option<Self> {
        let row_dual: Option<Vec<W>> = (0..size)
            .map(|row| cells[row * size..(row + 1) * size].iter().flatten().max().copied())
            .collect();
        let mut solver = Self {
            size,
            cells,
            row_dual: row_dual?,
            column_dual: vec![W::default(); size],
            column_of: vec![None; size],
            row_of: vec![None; size],
        };
        for row in 0..size {
            // The natural partner first, then those after it: the lexicographic pass has less to do.
            let free = (row..size)
                .chain(0..row)
                .find(|&column| solver.row_of[column].is_none() && solver.is_tight(row, column));
            if let Some(column) = free {
                solver.column_of[row] = Some(column);
                solver.row_of[column] = Some(row);
            }
        }
        Some(solver)
    }

    fn slack(&self, row: usize, column: usize) -> Option<W> {
        self.cells[row * self.size + column].map(|w| self.row_dual[row] + self.column_dual[column] - w)
    }

    fn is_tight(&self, row: usize, column: usize) -> bool {
        self.slack(row, column) == Some(W::default())
    }

    /// Grows a tree of tight cells from a free row until it reaches a free column.
    fn augment(&mut self, root: usize) -> bool {
        let size = self.size;
        let mut distance: Vec<Option<W>> = vec![None; size];
        let mut from = vec![root; size];
        let mut reached = vec![false; size];
        let (mut rows, mut row, mut passed) = (vec![(root, W::default())], root, W::default());
        let end = loop {
            let mut next: Option<(W, usize)> = None;
            for column in 0..size {
                if reached[column] {
                    continue;
                }
                if let Some(slack) = self.slack(row, column) {
                    let via = passed + slack;
                    if distance[column].is_none_or(|d| via < d) {
                        distance[column] = Some(via);
                        from[column] = row;
                    }
                }
                if let Some(d) = distance[column]
                    && next.is_none_or(|(least, _)| d < least)
                {
                    next = Some((d, column));
                }
            }
            let Some((least, column)) = next else { return false };
            passed = least;
            reached[column] = true;
            let Some(holder) = self.row_of[column] else { break column };
            rows.push((holder, passed));
            row = holder;
        };
        for &(row, at) in &rows {
            self.row_dual[row] = self.row_dual[row] - (passed - at);
        }
        for column in 0..size {
            if let (true, Some(d)) = (reached[column], distance[column]) {
                self.column_dual[column] = self.column_dual[column] + (passed - d);
            }
        }
        let mut column = end;
        loop {
            let row = from[column];
            self.row_of[column] = Some(row);
            let old = self.column_of[row].replace(column);
            let Some(old) = old else { return true };
            column = old;
        }
    }

    /// Walks the rows in order and gives each the first column with which the others can still be best. By
    /// complementary slackness the best assignments are the perfect ones among the tight cells.
    fn first_in_order(mut self) -> Vec<usize> {
        let size = self.size;
        let words = size.div_ceil(64);
        // Per column, the rows that are tight on it.
        let mut tight = vec![0u64; size * words];
        for column in 0..size {
            for row in 0..size {
                if self.is_tight(row, column) {
                    tight[column * words + row / 64] |= 1 << (row % 64);
                }
            }
        }
        let mut unfixed = vec![u64::MAX; words];
        let mut result = Vec::with_capacity(size);
        for row in 0..size {
            unfixed[row / 64] &= !(1 << (row % 64));
            let Some(own) = self.column_of[row] else { return result };
            let chosen = self.first_free_column(row, own, &tight, &unfixed);
            result.push(chosen);
        }
        result
    }

    /// The first column `row` can take, letting the displaced rows shift among the unfixed ones.
    fn first_free_column(&mut self, row: usize, own: usize, tight: &[u64], unfixed: &[u64]) -> usize {
        let words = unfixed.len();
        let on = |column: usize, r: usize| tight[column * words + r / 64] & (1 << (r % 64)) != 0;
        let fixed = |column: usize, this: &Self| {
            this.row_of[column].is_some_and(|r| r != row && unfixed[r / 64] & (1 << (r % 64)) == 0)
        };
        let Some(first) = (0..self.size).find(|&c| on(c, row) && !fixed(c, self)) else { return own };
        if first == own {
            return own;
        }
        // Backwards from the column given up: which rows could take it, hence which columns become free.
        let mut left = unfixed.to_vec();
        let mut toward = vec![None; self.size];
        let (mut queue, mut head) = (vec![own], 0);
        while head < queue.len() {
            let column = queue[head];
            head += 1;
            for word in 0..words {
                let mut rows = tight[column * words + word] & left[word];
                left[word] &= !rows;
                while rows != 0 {
                    let r = word * 64 + rows.trailing_zeros() as usize;
                    rows &= rows - 1;
                    if r < self.size
                        && let Some(freed) = self.column_of[r]
                    {
                        toward[freed] = Some(column);
                        queue.push(freed);
                    }
                }
            }
        }
        let chosen =
            (first..self.size).find(|&c| on(c, row) && (c == own || toward[c].is_some())).unwrap_or(own);
        let mut column = chosen;
        let mut mover = Some(row);
        while let Some(r) = mover {
            let displaced = self.row_of[column].replace(r);
            self.column_of[r] = Some(column);
            if column == own {
                break;
            }
            mover = displaced;
            column = toward[column].unwrap_or(own);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All permutations in lexicographic order; the first of the best.
    fn by_enumeration(size: usize, cell: &impl Fn(usize, usize) -> Option<i64>) -> Option<Vec<usize>> {
        fn go(
            row: usize,
            size: usize,
            sum: i64,
            taken: &mut Vec<usize>,
            best: &mut Option<(i64, Vec<usize>)>,
            cell: &impl Fn(usize, usize) -> Option<i64>,
        ) {
            if row == size {
                if best.as_ref().is_none_or(|(most, _)| sum > *most) {
                    *best = Some((sum, taken.clone()));
                }
                return;
            }
            for column in 0..size {
                if let (false, Some(w)) = (taken.contains(&column), cell(row, column)) {
                    taken.push(column);
                    go(row + 1, size, sum + w, taken, best, cell);
                    taken.pop();
                }
            }
        }
        let mut best = None;
        go(0, size, 0, &mut Vec::new(), &mut best, cell);
        best.map(|(_, columns)| columns)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn the_first_of_the_best(size in 0usize..7, top in 1i64..6, seed in prop::collection::vec(0i64..1000, 49)) {
            let cell = |r: usize, c: usize| Some(seed[r * 7 + c] % (top + 1) - 1).filter(|&w| w >= 0);
            prop_assert_eq!(first_best_assignment(size, cell), by_enumeration(size, &cell));
        }
    }
}
