//! Where wires touch boxes: ports along the top and bottom, stubs on the sides.
//!
//! A strand that runs in a lane takes the side on which less is in its way; a box with no other
//! box in the way is touched at its side, any other at its top or bottom. Boxes grow to hold
//! what touches them. `place.rs` follows.

use std::collections::BTreeMap;

use super::order::STEPS;
use super::sketch::{Course, End, Port, Side, Sketch, Touch};
use super::slots::set;

/// How far right of its box a loop runs.
pub(super) const LOOP_LANE: i32 = 2;

/// Columns between ports, and between the many ports of a crowded box.
const APART: i32 = 4;
const CROWDED: i32 = 2;
const MANY: usize = 6;
/// What a box in the way weighs, where a wire in the way weighs one.
const BOX: usize = 1 << 16;

/// A port to be: the sum and the count of the ranks it leads to, and the columns of its label.
type Want = (usize, usize, i32);

/// What touches a side of a box, and how many layers its strand spans.
type Stub = (Course, usize, Touch);

impl Sketch {
    /// Attaches every strand to its boxes.
    pub(super) fn attach(&mut self) {
        let mut wants = self.wants_of_segments();
        let mut beside: BTreeMap<_, Vec<Stub>> = BTreeMap::new();
        let in_the_way = self.in_the_way();
        let in_the_way = |node: usize, side| match (in_the_way.get(node), side) {
            (Some(ways), Side::Left) => ways.0,
            (Some(ways), Side::Right) => ways.1,
            (None, _) => 0,
        };
        for wire in 0..self.wires.len() {
            let touches = self.touches(wire);
            let nodes = || touches.keys().map(|touch| touch.0);
            let layers = || nodes().map(|node| self.item(node).layer);
            let span = layers().max().unwrap_or(0) - layers().min().unwrap_or(0);
            let cost = |side| nodes().map(|node| in_the_way(node, side)).sum::<usize>();
            let Some(strand) = self.wires.get_mut(wire) else {
                continue;
            };
            let course = strand.course;
            if course == Course::Lane && cost(Side::Left) < cost(Side::Right) {
                strand.side = Side::Left;
            }
            let side = strand.side;
            for (touch, label) in touches {
                match (course, in_the_way(touch.0, side) < BOX) {
                    (Course::Down, _) => break,
                    (Course::Lane, false) => {
                        let ranks = if side == Side::Left {
                            0
                        } else {
                            self.items.len()
                        };
                        wants.insert(touch, (ranks, 1, 0));
                        continue;
                    }
                    (Course::Loop, _) => self.make_room_for_loop(touch.0, label),
                    (Course::Lane, true) => {}
                }
                beside
                    .entry((touch.0, side))
                    .or_default()
                    .push((course, span, touch));
            }
        }
        for ((node, _), touches) in beside {
            self.attach_side(node, touches);
        }
        self.attach_rows(wants);
    }

    fn make_room_for_loop(&mut self, node: usize, label: i32) {
        if let Some(item) = self.items.get_mut(node) {
            let label = if label > 0 { label + 1 } else { 0 };
            item.reach = item.reach.max(LOOP_LANE + 1 + label);
        }
    }

    /// What is left and right of every item in its row.
    fn in_the_way(&self) -> Vec<(usize, usize)> {
        let mut ways = vec![(0, 0); self.items.len()];
        let weigh = |item: usize| if self.item(item).solid { BOX } else { 1 };
        for row in &self.rows {
            let mut right: usize = row.iter().map(|&item| weigh(item)).sum();
            let mut left = 0;
            for &item in row {
                right -= weigh(item);
                set(&mut ways, item, (left, right));
                left += weigh(item);
            }
        }
        ways
    }

    fn wants_of_segments(&self) -> BTreeMap<Touch, Want> {
        let ranks = self.ranks();
        // From one up: zero is left of them all.
        let rank = |item: usize| ranks.get(item).map_or(0, |rank| rank + 1);
        let mut wants: BTreeMap<Touch, Want> = BTreeMap::new();
        for segment in self.gaps.iter().flatten() {
            let leave = (segment.top, End::Leave, rank(segment.bottom), 0);
            let enter = (segment.bottom, End::Enter, rank(segment.top), segment.label);
            for (item, end, rank, label) in [leave, enter] {
                if self.items.get(item).is_some_and(|item| item.solid) {
                    let want = wants.entry((item, end, segment.wire)).or_default();
                    *want = (want.0 + rank, want.1 + 1, label);
                }
            }
        }
        wants
    }

    /// Spreads ports along the borders they touch, in the order of what they lead to.
    fn attach_rows(&mut self, wants: BTreeMap<Touch, Want>) {
        let mut borders: BTreeMap<(usize, End), Vec<_>> = BTreeMap::new();
        for ((node, end, wire), (sum, count, label)) in wants {
            let mean = sum * STEPS / count.max(1);
            let border = borders.entry((node, end)).or_default();
            border.push((mean, wire, label));
        }
        for (&(node, _), ports) in &mut borders {
            ports.sort_unstable();
            if let Some(item) = self.items.get_mut(node) {
                item.w = item.w.max(span(ports) + 5);
            }
        }
        for ((node, end), ports) in borders {
            let Some(item) = self.items.get_mut(node) else {
                continue;
            };
            let mut offset = (item.w - 1 - span(&ports)) / 2;
            for &(_, wire, label) in &ports {
                self.ports.insert((node, end, wire), Port { offset, label });
                if label > 0 {
                    item.reach = item.reach.max(offset + label + 2 - item.w);
                }
                offset += room(label, ports.len());
            }
        }
    }

    /// Gives what touches one side of a box a row each: loops above, then what enters.
    fn attach_side(&mut self, node: usize, mut touches: Vec<Stub>) {
        // A lane that spans more layers is further out: it enters above and leaves below.
        touches.sort_by_key(|&(course, span, (_, end, wire))| match (course, end) {
            (Course::Loop, _) => (0, wire, end as usize),
            (_, End::Enter) => (1, usize::MAX - span, wire),
            (_, End::Leave) => (2, span, wire),
        });
        let Some(item) = self.items.get_mut(node) else {
            return;
        };
        let count = touches.len() as i32;
        item.h = item.h.max(count + 2);
        let first = 1 + (item.h - 2 - count) / 2;
        let touches = touches.into_iter().map(|stub| stub.2);
        self.stubs.extend(touches.zip(first..));
    }
}

/// Columns from a port to the next, which must clear its label.
pub(super) fn room(label: i32, ports: usize) -> i32 {
    let apart = if ports > MANY { CROWDED } else { APART };
    if label > 0 {
        apart.max(label + 3)
    } else {
        apart
    }
}

fn span(ports: &[(usize, usize, i32)]) -> i32 {
    let rooms = ports.iter().map(|port| room(port.2, ports.len()));
    rooms.take(ports.len().saturating_sub(1)).sum()
}
