//! The graph made ready for layout: edges merged into wires and cut at every layer they cross.
//!
//! Edges of one kind that leave the same node, or enter the same node, share a wire, so that a
//! fan-out is one line that branches. The steps that fill in a [`Sketch`] are `order.rs` (who
//! is left of whom), `ports.rs` (where wires touch boxes) and `place.rs` (columns).

use std::collections::BTreeMap;

use super::slots::set;
use super::words::{columns, shorten};
use super::{Drawing, EdgeKind, layers};

/// Bends allowed in one drawing; the longest edges beyond that run in a side lane instead.
const MOST_BENDS: usize = 8_000;
const LONGEST_LABEL: usize = 32;

/// A drawing on its way to a layout.
pub(super) struct Sketch {
    pub(super) links: Vec<Link>,
    pub(super) wires: Vec<Strand>,
    /// The nodes in their order, then the bends.
    pub(super) items: Vec<Item>,
    /// The items of each layer from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// What runs between the layers; the gap of an index lies above the row of that index.
    pub(super) gaps: Vec<Vec<Segment>>,
    /// Where a wire touches the top or bottom of a box.
    pub(super) ports: BTreeMap<Touch, Port>,
    /// Where a wire touches a side of a box: the row below the top of the box.
    pub(super) stubs: BTreeMap<Touch, i32>,
}

/// A node, the end of the wire there, and the wire.
pub(super) type Touch = (usize, End, usize);

/// An edge that is drawn; edges alike but for their labels are one link.
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: EdgeKind,
    pub(super) label: String,
}

/// Links drawn as one line.
pub(super) struct Strand {
    pub(super) kind: EdgeKind,
    pub(super) course: Course,
    pub(super) shape: Shape,
    /// The side its lane is on, if it runs in one.
    pub(super) side: Side,
    pub(super) links: Vec<usize>,
}

/// Which way a strand takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Course {
    Down,
    Lane,
    Loop,
}

/// What the links of a strand have in common: their source or their target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    Out,
    In,
}

/// A side of the layout.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

/// The end of a wire at a box: entering is by the top or a side, leaving by the bottom or a side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    Enter,
    Leave,
}

/// Something that takes columns in a row: the box of a node, or a bend of a long link.
#[derive(Default, Clone, Copy)]
pub(super) struct Item {
    pub(super) layer: usize,
    pub(super) solid: bool,
    pub(super) x: i32,
    pub(super) w: i32,
    pub(super) h: i32,
    /// Columns to the right of the item that its labels and loops need.
    pub(super) reach: i32,
}

/// The part of a link between one layer and the next.
pub(super) struct Segment {
    pub(super) link: usize,
    pub(super) wire: usize,
    pub(super) top: usize,
    pub(super) bottom: usize,
    /// Columns of the label that is at the lower end.
    pub(super) label: i32,
}

/// Where a wire meets a border: columns from its left end, and columns of the label there.
#[derive(Clone, Copy)]
pub(super) struct Port {
    pub(super) offset: i32,
    pub(super) label: i32,
}

impl Sketch {
    /// Sketches a drawing whose nodes have boxes of these sizes.
    pub(super) fn new(drawing: &Drawing, sizes: &[(i32, i32)]) -> Self {
        let links = links(drawing);
        let pairs: Vec<_> = links.iter().map(|link| (link.from, link.to)).collect();
        let kinds: Vec<_> = drawing.nodes.iter().map(|node| node.kind).collect();
        let layers = layers::assign(&kinds, &pairs);
        let depth = layers.of.iter().max().map_or(0, |deepest| deepest + 1);
        let mut sketch = Self {
            wires: wires(&links, &layers),
            links,
            items: Vec::new(),
            rows: vec![Vec::new(); depth],
            gaps: (0..=depth).map(|_| Vec::new()).collect(),
            ports: BTreeMap::new(),
            stubs: BTreeMap::new(),
        };
        for (&layer, &(w, h)) in layers.of.iter().zip(sizes) {
            let size = Item {
                w,
                h,
                ..Item::default()
            };
            sketch.add(Item {
                layer,
                solid: true,
                ..size
            });
        }
        sketch.cut();
        sketch
    }

    pub(super) fn item(&self, item: usize) -> Item {
        self.items.get(item).copied().unwrap_or_default()
    }

    /// The column in which a wire meets the top or bottom of an item.
    pub(super) fn column(&self, touch: Touch) -> i32 {
        let x = self.items.get(touch.0).map_or(0, |item| item.x);
        x + self.ports.get(&touch).map_or(0, |port| port.offset)
    }

    /// The columns of the upper and the lower end of a segment.
    pub(super) fn columns(&self, segment: &Segment) -> (i32, i32) {
        let top = self.column((segment.top, End::Leave, segment.wire));
        (top, self.column((segment.bottom, End::Enter, segment.wire)))
    }

    /// The gap in which a wire runs at the top or bottom of a box.
    pub(super) fn gap_at(&self, (node, end, _): Touch) -> usize {
        self.item(node).layer + usize::from(end == End::Leave)
    }

    /// Where a strand touches boxes, each once, with the columns of the label there.
    pub(super) fn touches(&self, wire: usize) -> BTreeMap<Touch, i32> {
        let links = self.wires.get(wire).map(|strand| &strand.links);
        let links = links.into_iter().flatten();
        let links = links.filter_map(|&link| self.links.get(link));
        let ends = links.flat_map(|link| {
            let leave = ((link.from, End::Leave, wire), 0);
            [leave, ((link.to, End::Enter, wire), columns(&link.label))]
        });
        ends.map(|(touch, label)| (touch, label as i32)).collect()
    }

    fn add(&mut self, item: Item) {
        if let Some(row) = self.rows.get_mut(item.layer) {
            row.push(self.items.len());
        }
        self.items.push(item);
    }

    /// Cuts every link that runs down at the layers between its ends.
    fn cut(&mut self) {
        let mut down = Vec::new();
        for (wire, strand) in self.wires.iter().enumerate() {
            let links = strand.links.iter().map(|&link| (wire, link));
            down.extend(links.filter(|_| strand.course == Course::Down));
        }
        for (wire, index) in down {
            let Some(link) = self.links.get(index) else {
                continue;
            };
            let (mut top, mut label) = (link.from, columns(&link.label) as i32);
            let (end, last) = (link.to, self.item(link.to).layer);
            for layer in self.item(top).layer + 1..=last {
                let bottom = if layer == last { end } else { self.items.len() };
                if layer < last {
                    let reach = if label > 0 { label + 2 } else { 0 };
                    let size = Item {
                        w: 1,
                        h: 1,
                        ..Item::default()
                    };
                    self.add(Item {
                        layer,
                        reach,
                        ..size
                    });
                }
                if let Some(gap) = self.gaps.get_mut(layer) {
                    gap.push(Segment {
                        link: index,
                        wire,
                        top,
                        bottom,
                        label,
                    });
                }
                (top, label) = (bottom, 0);
            }
        }
    }
}

/// The links of a drawing, labels of like edges joined.
fn links(drawing: &Drawing) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut known = BTreeMap::new();
    for edge in drawing.sound_edges() {
        let (from, to, kind) = (edge.from, edge.to, edge.kind);
        let label = shorten(&edge.words().unwrap_or_default(), LONGEST_LABEL);
        let slot = *known.entry((from, to, kind)).or_insert(links.len());
        match links.get_mut(slot) {
            None => links.push(Link {
                from,
                to,
                kind,
                label,
            }),
            Some(link) if link.label.is_empty() || label.is_empty() => link.label += &label,
            Some(link) => link.label = format!("{}, {label}", link.label),
        }
    }
    links
}

/// Groups links into strands.
fn wires(links: &[Link], layers: &layers::Layers) -> Vec<Strand> {
    let layer = |node: usize| layers.of.get(node).copied().unwrap_or(0);
    let span = |link: &Link| layer(link.to).saturating_sub(layer(link.from));
    let mut by_span: Vec<_> = links.iter().map(span).enumerate().collect();
    by_span.sort_by_key(|&(link, span)| (span, link));
    let mut bends = 0;
    let mut short = vec![false; links.len()];
    for (link, span) in by_span {
        bends += span.saturating_sub(1);
        set(&mut short, link, bends <= MOST_BENDS);
    }
    let course = |index: usize, link: &Link| match (layers.back.get(index), short.get(index)) {
        _ if link.from == link.to => Course::Loop,
        (Some(false), Some(true)) => Course::Down,
        _ => Course::Lane,
    };

    let mut siblings = BTreeMap::new();
    for (index, link) in links.iter().enumerate() {
        let family = (link.from, link.kind, course(index, link));
        *siblings.entry(family).or_insert(0) += 1;
    }
    let (mut wires, mut known) = (Vec::<Strand>::new(), BTreeMap::new());
    for (index, link) in links.iter().enumerate() {
        let (kind, course) = (link.kind, course(index, link));
        let alone = siblings.get(&(link.from, kind, course)) == Some(&1);
        // A label says which way is taken, so it needs a line of its own to stand beside.
        let merges = link.label.is_empty() && (alone || kind == EdgeKind::Join);
        let (shape, shared) = match merges {
            true => (Shape::In, link.to),
            false => (Shape::Out, link.from),
        };
        let long = (course == Course::Lane && span(link) > 0).then_some(index);
        let family = (kind, course, shape, shared, long);
        let slot = *known.entry(family).or_insert(wires.len());
        if slot == wires.len() {
            let (side, links) = (Side::Right, Vec::new());
            wires.push(Strand {
                kind,
                course,
                shape,
                side,
                links,
            });
        }
        wires
            .get_mut(slot)
            .into_iter()
            .for_each(|wire| wire.links.push(index));
    }
    wires
}
