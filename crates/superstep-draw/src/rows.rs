//! Rows: how far down each layer is, and the rows of what runs between two layers.
//!
//! A gap holds the tracks of its nets (`channel.rs`), below them a row for labels and below
//! that a row for arrow heads. `paths.rs` reads the outcome.

use std::collections::BTreeMap;

use super::EdgeKind;
use super::channel::{self, Net};
use super::point::Point;
use super::sketch::{Course, End, Segment, Shape, Sketch, Touch};

/// The rows of a layout.
pub(super) struct Rows {
    pub(super) height: i32,
    layers: Vec<i32>,
    gaps: Vec<Gap>,
}

/// What stands for all ends of a lane in one gap, where else an item is named.
const LANE: usize = usize::MAX;

#[derive(Default)]
struct Gap {
    y: i32,
    tracks: usize,
    nets: Vec<Net>,
    /// The net of a wire at the item its links share.
    of: BTreeMap<(usize, usize), usize>,
}

impl Rows {
    /// Routes all gaps of a sketch and stacks them with the layers.
    pub(super) fn new(sketch: &Sketch) -> Self {
        let mut gaps: Vec<Gap> = sketch.gaps.iter().map(|_| Gap::default()).collect();
        for (gap, segments) in gaps.iter_mut().zip(&sketch.gaps) {
            for segment in segments {
                let (top, bottom) = sketch.columns(segment);
                let Some(net) = gap.net((segment.wire, shared(sketch, segment))) else {
                    continue;
                };
                // The end that segments of a net share comes again and again, the other once.
                net.tops
                    .extend(Some(top).filter(|top| net.tops.last() != Some(top)));
                net.bottoms
                    .extend(Some(bottom).filter(|x| net.bottoms.last() != Some(x)));
            }
        }
        for (wire, strand) in sketch.wires.iter().enumerate() {
            let lane = strand.course == Course::Lane;
            let touches = sketch.touches(wire).into_keys().filter(|_| lane);
            for touch in touches.filter(|touch| !sketch.stubs.contains_key(touch)) {
                let gap = gaps.get_mut(sketch.gap_at(touch));
                let Some(net) = gap.and_then(|gap| gap.net((wire, LANE))) else {
                    continue;
                };
                net.side = Some(strand.side);
                match touch.1 {
                    End::Enter => net.bottoms.push(sketch.column(touch)),
                    End::Leave => net.tops.push(sketch.column(touch)),
                }
            }
        }

        let (mut layers, mut y) = (Vec::new(), 0);
        for (index, gap) in gaps.iter_mut().enumerate() {
            gap.y = y;
            gap.tracks = channel::route(&mut gap.nets);
            let segments = || sketch.gaps.get(index).into_iter().flatten();
            let labels = segments().any(|segment| segment.label > 0);
            // An arrow head alone does not tell the kind of its edge; a piece of line does.
            let plain = |segment: &Segment| {
                let strand = sketch.wires.get(segment.wire);
                strand.is_some_and(|strand| strand.kind == EdgeKind::Always)
            };
            let is_plain = gap.tracks > 0 || segments().all(plain);
            let arrows = gap.nets.iter().any(|net| !net.bottoms.is_empty());
            let between = 0 < index && index < sketch.rows.len();
            let height = gap.tracks as i32 + i32::from(labels || !is_plain) + i32::from(arrows);
            y += height.max(i32::from(between));
            let Some(row) = sketch.rows.get(index) else {
                continue;
            };
            layers.push(y);
            let heights = row.iter().map(|&item| sketch.item(item).h);
            y += heights.max().unwrap_or(0);
        }
        Self {
            height: y,
            layers,
            gaps,
        }
    }

    /// The first row of a layer.
    pub(super) fn layer(&self, layer: usize) -> i32 {
        self.layers.get(layer).copied().unwrap_or(0)
    }

    /// The row for labels in a gap.
    pub(super) fn labels(&self, gap: usize) -> i32 {
        self.gaps
            .get(gap)
            .map_or(0, |gap| gap.y + gap.tracks as i32)
    }

    /// The way of a segment through its gap, without its ends at the layers.
    pub(super) fn way(&self, gap: usize, segment: &Segment, sketch: &Sketch) -> Vec<Point> {
        let (top, bottom) = sketch.columns(segment);
        let Some(gap) = self.gaps.get(gap).filter(|_| top != bottom) else {
            return Vec::new();
        };
        let Some(net) = gap.known((segment.wire, shared(sketch, segment))) else {
            return Vec::new();
        };
        let (upper, lower) = gap.tracks_of(net);
        let turn = net.change.unwrap_or(bottom);
        vec![(top, upper), (turn, upper), (turn, lower), (bottom, lower)]
    }

    /// The row in which a wire runs from a box to its lane.
    pub(super) fn lane_row(&self, touch: Touch, sketch: &Sketch) -> i32 {
        if let Some(row) = sketch.stubs.get(&touch) {
            return self.layer(sketch.item(touch.0).layer) + row;
        }
        let gap = self.gaps.get(sketch.gap_at(touch));
        let row = gap.and_then(|gap| Some(gap.tracks_of(gap.known((touch.2, LANE))?).0));
        row.unwrap_or(0)
    }

    /// The columns in which nets of a gap change tracks.
    pub(super) fn changes(&self, gap: usize) -> impl Iterator<Item = i32> {
        let nets = self.gaps.get(gap).into_iter().flat_map(|gap| &gap.nets);
        nets.filter_map(|net| net.change)
    }
}

impl Gap {
    fn net(&mut self, key: (usize, usize)) -> Option<&mut Net> {
        let slot = *self.of.entry(key).or_insert(self.nets.len());
        if slot == self.nets.len() {
            self.nets.push(Net::default());
        }
        self.nets.get_mut(slot)
    }

    fn known(&self, key: (usize, usize)) -> Option<&Net> {
        self.nets.get(*self.of.get(&key)?)
    }

    fn tracks_of(&self, net: &Net) -> (i32, i32) {
        (self.y + net.tracks.0 as i32, self.y + net.tracks.1 as i32)
    }
}

/// The item that segments of one net have in common.
fn shared(sketch: &Sketch, segment: &Segment) -> usize {
    match sketch.wires.get(segment.wire).map(|strand| strand.shape) {
        Some(Shape::In) => segment.bottom,
        _ => segment.top,
    }
}
