//! Columns: every item as near as it can be to what it is wired to, in whole columns.
//!
//! Each sweep moves a row to the place of least squares that keeps its order and its gaps; then
//! bends and ports slide where that makes a wire straight. `channel.rs` routes what is not.

use std::collections::BTreeMap;

use super::ports::room;
use super::sketch::{End, Item, Sketch};
use super::slots::set;

const ROUNDS: usize = 10;
/// Segments visited in all rounds together, beyond which there are fewer rounds.
const EFFORT: usize = 400_000;

/// The columns that an item, or its port for a wire, should move; none if asked two ways.
type Wants = BTreeMap<(usize, usize), Option<i32>>;

/// What a segment asks of the item at one of its ends.
struct Tug {
    item: usize,
    wire: usize,
    /// How many columns further right the segment would be straight.
    by: i32,
    weight: i64,
}

impl Sketch {
    /// Gives every item its column.
    pub(super) fn place(&mut self) {
        let mut pulls = vec![(0, 0); self.items.len()];
        let segments: usize = self.gaps.iter().map(Vec::len).sum();
        let rounds = (EFFORT / segments.max(1)).clamp(1, ROUNDS);
        for round in 0..=rounds {
            for row in 0..self.rows.len() {
                self.pull(row, End::Enter, &mut pulls);
                self.settle(row, &mut pulls);
            }
            for row in (0..self.rows.len()).rev() {
                self.pull(row, End::Leave, &mut pulls);
                if round * 2 > rounds {
                    self.pull(row, End::Enter, &mut pulls);
                }
                self.settle(row, &mut pulls);
            }
        }
        self.slide();
    }

    /// What the segments above or below a row ask of its items.
    fn tugs(&self, row: usize, end: End) -> impl Iterator<Item = Tug> {
        let gap = match end {
            End::Enter => self.gaps.get(row),
            End::Leave => self.gaps.get(row + 1),
        };
        gap.into_iter().flatten().map(move |segment| {
            let (top, bottom) = self.columns(segment);
            let (item, by) = match end {
                End::Enter => (segment.bottom, top - bottom),
                End::Leave => (segment.top, bottom - top),
            };
            let solid = |item: usize| self.item(item).solid;
            // Long wires look best straight.
            let weight = match (solid(segment.top), solid(segment.bottom)) {
                (false, false) => 8,
                (true, true) => 1,
                _ => 2,
            };
            let wire = segment.wire;
            Tug {
                item,
                wire,
                by,
                weight,
            }
        })
    }

    fn pull(&self, row: usize, end: End, pulls: &mut [(i64, i64)]) {
        for tug in self.tugs(row, end) {
            let x = i64::from(self.item(tug.item).x + tug.by);
            if let Some(pull) = pulls.get_mut(tug.item) {
                *pull = (pull.0 + x * tug.weight, pull.1 + tug.weight);
            }
        }
    }

    /// Moves a row to where it is pulled: items that would overlap form a block, and a block
    /// is at the weighted mean of what its items want.
    fn settle(&mut self, row: usize, pulls: &mut [(i64, i64)]) {
        let Some(row) = self.rows.get(row) else {
            return;
        };
        let mut offsets: Vec<i64> = Vec::with_capacity(row.len());
        let mut blocks: Vec<(i64, i64, usize)> = Vec::new();
        let mut before: Option<Item> = None;
        for &index in row {
            let item = self.item(index);
            let apart = before.map_or(0, |before| i64::from(before.to_next(item)));
            let offset = offsets.last().copied().unwrap_or(0) + apart;
            let pull = pulls.get_mut(index).map(std::mem::take);
            let pull = pull.filter(|pull| pull.1 > 0);
            let (sum, weight) = pull.unwrap_or((i64::from(item.x), 1));
            let mut block = (sum - offset * weight, weight, 1);
            while let Some(last) = blocks.pop_if(|last| last.0 * block.1 > block.0 * last.1) {
                block = (last.0 + block.0, last.1 + block.1, last.2 + block.2);
            }
            blocks.push(block);
            offsets.push(offset);
            before = Some(item);
        }
        let places = blocks.into_iter().flat_map(|(sum, weight, count)| {
            std::iter::repeat_n((2 * sum + weight).div_euclid(2 * weight), count)
        });
        for ((&index, place), offset) in row.iter().zip(places).zip(offsets) {
            let x = (place + offset) as i32;
            self.items
                .get_mut(index)
                .into_iter()
                .for_each(|item| item.x = x);
        }
    }

    /// Makes wires straight that need only a bend or a port to move a little.
    fn slide(&mut self) {
        for row in (0..self.rows.len()).rev() {
            let wants = self.wants(row, End::Leave);
            self.slide_bends(row, &wants);
        }
        for row in 0..self.rows.len() {
            let wants = self.wants(row, End::Enter);
            self.slide_bends(row, &wants);
            self.slide_ports(End::Enter, &wants);
        }
        for row in 0..self.rows.len() {
            let wants = self.wants(row, End::Leave);
            self.slide_ports(End::Leave, &wants);
        }
    }

    /// What an end is asked for, if only one segment asks.
    fn wants(&self, row: usize, end: End) -> Wants {
        let mut wants = Wants::new();
        for tug in self.tugs(row, end) {
            let want = wants.entry((tug.item, tug.wire));
            want.and_modify(|want| *want = None).or_insert(Some(tug.by));
        }
        wants
    }

    fn slide_bends(&mut self, row: usize, wants: &Wants) {
        let row = self.rows.get(row).map_or(&[][..], Vec::as_slice);
        for (at, &index) in row.iter().enumerate() {
            let bend = self.item(index);
            let mut want = wants.range((index, 0)..=(index, usize::MAX));
            let Some((_, &Some(by))) = want.next().filter(|_| !bend.solid) else {
                continue;
            };
            let x = bend.x + by;
            let left = at.checked_sub(1).and_then(|left| row.get(left));
            let left = left.map(|&left| self.item(left));
            let right = row.get(at + 1).map(|&right| self.item(right));
            let clear_left = left.is_none_or(|left| left.x + left.to_next(bend) <= x);
            let clear_right = right.is_none_or(|right| x + bend.to_next(right) <= right.x);
            if clear_left && clear_right {
                set(&mut self.items, index, Item { x, ..bend });
            }
        }
    }

    fn slide_ports(&mut self, end: End, wants: &Wants) {
        let mut nodes: Vec<usize> = wants.keys().map(|&(item, _)| item).collect();
        nodes.dedup();
        for node in nodes {
            let item = self.item(node);
            let border = (node, end, 0)..=(node, end, usize::MAX);
            let mut ports: Vec<_> = self.ports.range_mut(border).collect();
            ports.sort_by_key(|(_, port)| port.offset);
            let count = ports.len();
            let mut limits: Vec<i32> = Vec::with_capacity(count);
            for (_, port) in ports.iter().rev() {
                let next = limits.last().map(|next| next - room(port.label, count));
                let next = next.unwrap_or(item.w - 3);
                let label_end = if port.label > 0 { port.label + 2 } else { 0 };
                limits.push(next.min(item.w + item.reach - label_end));
            }
            let mut least = 2;
            for ((touch, port), most) in ports.into_iter().zip(limits.into_iter().rev()) {
                let by = wants.get(&(node, touch.2)).copied().flatten();
                let want = by.map(|by| port.offset + by);
                let want = want.filter(|want| (least..=most).contains(want));
                port.offset = want.unwrap_or_else(|| port.offset.max(least));
                least = port.offset + room(port.label, count);
            }
        }
    }
}

impl Item {
    /// Columns from the left of this item to the left of the next.
    fn to_next(self, next: Item) -> i32 {
        let gap = if self.solid && next.solid { 3 } else { 2 };
        self.w + self.reach + gap
    }
}
