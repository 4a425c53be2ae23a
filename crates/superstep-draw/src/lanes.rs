//! Lanes: the columns beside the layers in which wires run back up.
//!
//! A lane is just outside of everything on the layers it passes; short lanes stand nearer
//! than the long ones around them. `paths.rs` connects them.

use std::collections::BTreeMap;

use super::rows::Rows;
use super::sketch::{Course, Side, Sketch};

/// Columns between a lane and what is next to it.
const APART: i32 = 3;

/// The column of every wire that runs in a lane.
pub(super) fn assign(sketch: &Sketch, rows: &Rows) -> BTreeMap<usize, i32> {
    let wires = sketch.wires.iter().enumerate();
    let wires = wires.filter(|(_, strand)| strand.course == Course::Lane);
    let mut lanes: Vec<_> = wires
        .map(|(wire, strand)| Lane::new(sketch, rows, wire, strand.side))
        .collect();
    lanes.sort_by_key(|lane| (lane.rows.1 - lane.rows.0, lane.wire));
    let extents = extents(sketch, rows);
    let mut placed: Vec<(Lane, i32)> = Vec::new();
    for lane in lanes {
        let beside = extents
            .iter()
            .skip(lane.layers.0)
            .take(lane.layers.1 - lane.layers.0 + 1);
        let beside = beside.map(|extent| match lane.side {
            Side::Left => -extent.0,
            Side::Right => extent.1,
        });
        let nearer = placed.iter().filter(|(other, _)| other.meets(&lane));
        let nearer = nearer.map(|(other, out)| out + other.label);
        let out = beside.chain(nearer).max().unwrap_or(0) + APART;
        placed.push((lane, out));
    }
    let column = |(lane, out): (Lane, i32)| match lane.side {
        Side::Left => (lane.wire, -out),
        Side::Right => (lane.wire, out),
    };
    placed.into_iter().map(column).collect()
}

struct Lane {
    wire: usize,
    side: Side,
    /// The first and the last row, and likewise the layers it has beside it.
    rows: (i32, i32),
    layers: (usize, usize),
    /// Columns its widest label takes.
    label: i32,
}

impl Lane {
    fn new(sketch: &Sketch, rows: &Rows, wire: usize, side: Side) -> Self {
        let (mut first, mut last) = ((i32::MAX, usize::MAX), (i32::MIN, 0));
        let mut widest = 0;
        for (touch, label) in sketch.touches(wire) {
            let row = rows.lane_row(touch, sketch);
            let layer = sketch.item(touch.0).layer;
            let (above, below) = match sketch.stubs.contains_key(&touch) {
                true => (layer, layer),
                false => (sketch.gap_at(touch).saturating_sub(1), sketch.gap_at(touch)),
            };
            first = (first.0.min(row), first.1.min(above));
            last = (last.0.max(row), last.1.max(below));
            widest = widest.max(label);
        }
        let (rows, layers) = ((first.0, last.0), (first.1, last.1));
        let label = if widest > 0 { widest + 1 } else { 0 };
        Self {
            wire,
            side,
            rows,
            layers,
            label,
        }
    }

    fn meets(&self, other: &Self) -> bool {
        let overlap = self.rows.0 <= other.rows.1 && other.rows.0 <= self.rows.1;
        overlap && self.side == other.side
    }
}

/// The leftmost and the rightmost column on each layer and in the gaps around it.
fn extents(sketch: &Sketch, rows: &Rows) -> Vec<(i32, i32)> {
    let of_layer = |(layer, row): (usize, &Vec<usize>)| {
        let items = row.iter().filter_map(|&item| sketch.items.get(item));
        let items = items.map(|item| (item.x, item.x + item.w + item.reach - 1));
        let changes = rows
            .changes(layer)
            .chain(rows.changes(layer + 1))
            .map(|x| (x, x));
        let all = items.chain(changes);
        all.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
            .unwrap_or_default()
    };
    sketch.rows.iter().enumerate().map(of_layer).collect()
}
