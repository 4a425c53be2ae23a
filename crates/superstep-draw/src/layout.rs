//! The one layout that the terminal picture and the SVG both show, in terminal cells.
//!
//! Steps: layers (`layers.rs`), wires and bends (`sketch.rs`), order (`order.rs`), ports
//! (`ports.rs`), columns (`place.rs`), rows and the tracks between layers (`rows.rs`,
//! `channel.rs`), lanes beside them and the paths of all wires (`paths.rs`). A node with a
//! drawing inside is a box as large as that drawing's own layout.

use super::point::Point;
use super::rows::Rows;
use super::sketch::{Shape, Sketch};
use super::words::{columns, printable, shorten};
use super::{Drawing, DrawnNode, EdgeKind, NodeKind};

const LONGEST_NAME: usize = 48;

/// Where everything is.
pub(super) struct Layout {
    pub(super) width: i32,
    pub(super) height: i32,
    /// One for each node, in their order.
    pub(super) boxes: Vec<Placed>,
    pub(super) wires: Vec<Wire>,
}

/// The box of a node: cells, its border included.
pub(super) struct Placed {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) w: i32,
    pub(super) h: i32,
    pub(super) kind: NodeKind,
    /// The words inside; of a box with a layout inside, the words in its upper border.
    pub(super) lines: Vec<String>,
    pub(super) inside: Option<Layout>,
}

/// Edges drawn as one line that may branch or merge.
pub(super) struct Wire {
    pub(super) kind: EdgeKind,
    pub(super) shape: Shape,
    pub(super) paths: Vec<Path>,
    pub(super) labels: Vec<Label>,
}

/// The course of one edge, from the border of its source to the border of its target.
#[derive(Debug)]
pub(super) struct Path {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) points: Vec<Point>,
}

/// Words beside a wire.
pub(super) struct Label {
    pub(super) at: Point,
    pub(super) text: String,
}

impl Layout {
    /// Lays out a drawing that is inside so many others.
    pub(super) fn new(drawing: &Drawing, depth: usize) -> Self {
        let mut boxes: Vec<_> = drawing
            .nodes
            .iter()
            .map(|node| Placed::new(node, depth))
            .collect();
        let sizes: Vec<_> = boxes.iter().map(|placed| (placed.w, placed.h)).collect();
        let mut sketch = Sketch::new(drawing, &sizes);
        sketch.order();
        sketch.attach();
        sketch.place();
        let rows = Rows::new(&sketch);
        for (placed, item) in boxes.iter_mut().zip(&sketch.items) {
            (placed.x, placed.w, placed.h) = (item.x, item.w, item.h);
            placed.y = rows.layer(item.layer);
        }
        let wires = sketch.trace(&rows);
        let mut layout = Self {
            width: 0,
            height: rows.height,
            boxes,
            wires,
        };
        layout.align();
        layout
    }

    /// Moves everything so that the leftmost column is zero, and sets the width.
    fn align(&mut self) {
        let boxes = self
            .boxes
            .iter()
            .map(|placed| (placed.x, placed.x + placed.w));
        let paths = self.wires.iter().flat_map(|wire| &wire.paths);
        let points = paths
            .flat_map(|path| &path.points)
            .map(|point| (point.0, point.0 + 1));
        let labels = self.wires.iter().flat_map(|wire| &wire.labels);
        let labels = labels.map(|label| (label.at.0, label.at.0 + columns(&label.text) as i32));
        let extents = boxes.chain(points).chain(labels);
        let (left, right) = extents
            .reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
            .unwrap_or_default();
        self.width = right - left;
        for placed in &mut self.boxes {
            placed.x -= left;
        }
        for wire in &mut self.wires {
            let points = wire.paths.iter_mut().flat_map(|path| &mut path.points);
            let labels = wire.labels.iter_mut().map(|label| &mut label.at);
            points.chain(labels).for_each(|point| point.0 -= left);
        }
    }
}

impl Placed {
    fn new(node: &DrawnNode, depth: usize) -> Self {
        let inside = node
            .content(depth)
            .map(|content| Layout::new(content, depth + 1));
        let note = node.note.as_deref();
        let note = note.map(|note| format!("({})", printable(note)));
        let words = std::iter::once(node.title()).chain(note);
        let lines: Vec<_> = words.map(|line| shorten(&line, LONGEST_NAME)).collect();
        let wide = lines.iter().map(|line| columns(line)).max().unwrap_or(0) as i32;
        let (w, h) = match &inside {
            Some(inside) => {
                let title = columns(&lines.join(" ")) as i32;
                (title.max(inside.width - 2) + 6, inside.height + 2)
            }
            None => (wide + 4, lines.len() as i32 + 2),
        };
        Self {
            x: 0,
            y: 0,
            w,
            h,
            kind: node.kind,
            lines,
            inside,
        }
    }

    /// The layout inside with the cell where it begins.
    pub(super) fn content(&self) -> Option<(&Layout, Point)> {
        let inside = self.inside.as_ref()?;
        Some((inside, (self.x + (self.w - inside.width) / 2, self.y + 1)))
    }
}
