//! The lowest occupied row over every column of a channel.

use super::checked_index::CheckedIndex;

/// Maximum number of stretches; beyond it, no new ones are split off.
const FINE: usize = 2_000;

/// The first free row over each stretch of columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Skyline {
    /// First column of every stretch, ascending.
    starts: Vec<i32>,
    /// Segment tree over the stretches: maximum of the free rows below each node.
    most: Vec<i32>,
    /// The row assigned to all stretches of a node.
    whole: Vec<i32>,
    leaves: usize,
}

impl Skyline {
    /// A skyline for parts with these first and last columns.
    pub(super) fn over(parts: impl Iterator<Item = (i32, i32)>) -> Self {
        let mut starts: Vec<i32> = parts
            .flat_map(|(low, high)| [low - 1, low, high + 1, high + 2])
            .collect();
        starts.sort_unstable();
        starts.dedup();
        Self::of(starts)
    }

    fn of(starts: Vec<i32>) -> Self {
        let leaves = starts.len().next_power_of_two();
        Self {
            starts,
            most: vec![0; 2 * leaves],
            whole: vec![0; 2 * leaves],
            leaves,
        }
    }

    /// Adds columns at which a part begins and ends. With more than [`FINE`] stretches, the part occupies every
    /// stretch that it touches instead.
    pub(super) fn cut(&mut self, low: i32, high: i32) {
        if self.starts.len() > FINE {
            return;
        }
        let new = [low - 1, low, high + 1, high + 2];
        let mut starts = [&self.starts[..], &new].concat();
        starts.sort_unstable();
        starts.dedup();
        let mut finer = Self::of(starts);
        for stretch in 0..finer.starts.len() {
            let first = finer.starts.at(stretch);
            let row = self.free(1, 0, self.leaves, self.stretches(first, first));
            finer.take(1, 0, finer.leaves, (stretch, stretch + 1), row);
        }
        *self = finer;
    }

    /// Returns the first row below all parts within one column of this one, and occupies it.
    pub(super) fn row_for(&mut self, low: i32, high: i32) -> i32 {
        let row = self.free(1, 0, self.leaves, self.stretches(low - 1, high + 1));
        let own = self.stretches(low, high);
        self.take(1, 0, self.leaves, own, row + 1);
        row
    }

    /// Index range of the stretches between two columns, end exclusive.
    fn stretches(&self, first: i32, last: i32) -> (usize, usize) {
        let from = self.starts.partition_point(|start| *start <= first);
        let to = self.starts.partition_point(|start| *start <= last);
        (from.saturating_sub(1), to)
    }

    fn free(&self, node: usize, from: usize, to: usize, wanted: (usize, usize)) -> i32 {
        if wanted.1 <= from || to <= wanted.0 {
            return 0;
        }
        if wanted.0 <= from && to <= wanted.1 {
            return self.most.at(node);
        }
        let middle = from.midpoint(to);
        let left = self.free(2 * node, from, middle, wanted);
        let right = self.free(2 * node + 1, middle, to, wanted);
        self.whole.at(node).max(left).max(right)
    }

    fn take(&mut self, node: usize, from: usize, to: usize, wanted: (usize, usize), row: i32) {
        if wanted.1 <= from || to <= wanted.0 {
            return;
        }
        self.most.put(node, self.most.at(node).max(row));
        if wanted.0 <= from && to <= wanted.1 {
            self.whole.put(node, self.whole.at(node).max(row));
            return;
        }
        let middle = from.midpoint(to);
        self.take(2 * node, from, middle, wanted, row);
        self.take(2 * node + 1, middle, to, wanted, row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part goes below every earlier one that comes within a column of it.
    #[test]
    fn rows_are_those_of_a_search_through_all_parts() {
        let mut state = 7u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            i32::try_from((state >> 8) % below).unwrap_or(0)
        };
        for _ in 0..200 {
            let parts: Vec<(i32, i32)> = (0..40)
                .map(|_| {
                    let low = random(60) - 20;
                    (low, low + random(15))
                })
                .collect();
            let mut skyline = Skyline::over(parts.iter().copied().take(30));
            let mut placed: Vec<(i32, i32, i32)> = Vec::new();
            for (low, high) in parts {
                let near = placed
                    .iter()
                    .filter(|(a, b, _)| *a <= high + 1 && low <= *b + 1);
                let wanted = near.map(|(_, _, row)| row + 1).max().unwrap_or(0);
                skyline.cut(low, high);
                assert_eq!(skyline.row_for(low, high), wanted);
                placed.push((low, high, wanted));
            }
        }
    }
}
