//! Who is left of whom: few crossings, by moving items to the mean place of their neighbors.
//!
//! Sweeps go down and up a bounded number of times and the order with the fewest crossings is
//! kept. `ports.rs` reads the outcome.

use super::sketch::{Segment, Sketch};
use super::slots::set;

const SWEEPS: usize = 8;
/// Means of whole ranks are compared in steps this fine.
pub(super) const STEPS: usize = 1 << 12;

impl Sketch {
    /// Orders every row.
    pub(super) fn order(&mut self) {
        let mut ranks = self.ranks();
        let mut sums = vec![(0, 0); ranks.len()];
        let mut best = (self.crossings(&ranks), self.rows.clone());
        for _ in 0..SWEEPS {
            if best.0 == 0 {
                break;
            }
            for (row, gap) in self.rows.iter_mut().zip(&self.gaps).skip(1) {
                sort(
                    row,
                    gap.iter().map(|s| (s.bottom, s.top)),
                    &mut ranks,
                    &mut sums,
                );
            }
            for (row, gap) in self.rows.iter_mut().zip(self.gaps.iter().skip(1)).rev() {
                sort(
                    row,
                    gap.iter().map(|s| (s.top, s.bottom)),
                    &mut ranks,
                    &mut sums,
                );
            }
            let crossings = self.crossings(&ranks);
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    /// The place of every item in its row.
    pub(super) fn ranks(&self) -> Vec<usize> {
        let mut ranks = vec![0; self.items.len()];
        for (rank, &item) in self.rows.iter().flat_map(|row| row.iter().enumerate()) {
            set(&mut ranks, item, rank);
        }
        ranks
    }

    fn crossings(&self, ranks: &[usize]) -> u64 {
        self.gaps.iter().map(|gap| crossings(gap, ranks)).sum()
    }
}

/// Sorts a row by the mean rank of neighbors, given as pairs of an item and a neighbor.
fn sort(
    row: &mut [usize],
    pairs: impl Iterator<Item = (usize, usize)>,
    ranks: &mut [usize],
    sums: &mut [(usize, usize)],
) {
    for (item, neighbor) in pairs {
        if let (Some(sum), Some(rank)) = (sums.get_mut(item), ranks.get(neighbor)) {
            *sum = (sum.0 + rank * STEPS, sum.1 + 1);
        }
    }
    row.sort_by_cached_key(|&item| match sums.get_mut(item).map(std::mem::take) {
        Some((sum, count)) if count > 0 => sum / count,
        _ => ranks.get(item).map_or(0, |rank| rank * STEPS),
    });
    for (rank, &item) in row.iter().enumerate() {
        set(ranks, item, rank);
    }
}

/// How many pairs of segments in one gap cross, by counting in a Fenwick tree.
fn crossings(gap: &[Segment], ranks: &[usize]) -> u64 {
    let rank = |item: usize| ranks.get(item).copied().unwrap_or(0);
    let mut ends: Vec<_> = gap.iter().map(|s| (rank(s.top), rank(s.bottom))).collect();
    ends.sort_unstable();
    let widest = ends.iter().map(|end| end.1).max().unwrap_or(0);
    let mut tree = vec![0; widest + 2];
    let mut count = 0;
    for (seen, (_, bottom)) in ends.into_iter().enumerate() {
        let (mut slot, mut not_right) = (bottom + 1, 0);
        while slot > 0 {
            not_right += tree.get(slot).copied().unwrap_or(0);
            slot &= slot - 1;
        }
        count += seen as u64 - not_right;
        slot = bottom + 1;
        while let Some(sum) = tree.get_mut(slot) {
            *sum += 1;
            slot += slot & slot.wrapping_neg();
        }
    }
    count
}
