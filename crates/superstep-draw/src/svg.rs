//! The drawing as an SVG image: the layout in pixels.
//!
//! The image needs nothing from outside and runs nothing. Its colors are all in the style at its
//! top, once for light and once for dark; names in full and the ends of every edge are titles,
//! which viewers show on hover and read aloud.

use super::layout::{Layout, Placed, Wire};
use super::point::Point;
use super::sketch::Shape;
use super::words::columns;
use super::{Drawing, DrawnNode, EdgeKind, NodeKind};

/// The size of a cell, and the space around the drawing.
const CELL: Point = (8, 18);
const MARGIN: i32 = 12;
const CORNER: i32 = 8;
const ARROW: i32 = 8;

const STYLE: &str = "\
.ss-page{fill:#fff}
.ss-box{fill:#f3f5f8;stroke:#66758a}
.ss-end{fill:#e1ebf8;stroke:#3f6cab}
.ss-nest{fill:#fff;stroke:#8493a8}
.ss-text{fill:#1b2430;font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.ss-note{fill:#5b6878}
.ss-label{fill:#3f6cab}
.ss-title{font-weight:bold}
.ss-line{fill:none;stroke:#4a5a70;stroke-width:1.5}
.ss-conditional{stroke-dasharray:6 4}
.ss-join{stroke-width:5}
.ss-core{fill:none;stroke:#fff;stroke-width:2}
.ss-command{stroke-dasharray:1.5 4;stroke-width:2}
.ss-send{stroke-width:3.5}
.ss-arrow{fill:#4a5a70}
@media (prefers-color-scheme:dark){
.ss-page{fill:#12161c}
.ss-box{fill:#1e2530;stroke:#7f8ea3}
.ss-end{fill:#1c2c44;stroke:#7ba4de}
.ss-nest{fill:#12161c;stroke:#76859a}
.ss-text{fill:#e4e9f0}
.ss-note{fill:#a0acbb}
.ss-label{fill:#8db5ec}
.ss-line{stroke:#a3b1c4}
.ss-core{stroke:#12161c}
.ss-arrow{fill:#a3b1c4}
}
";

/// Writes a drawing as an image.
pub(super) fn write(drawing: &Drawing) -> String {
    let layout = Layout::new(drawing, 0);
    let mut image = Image {
        body: String::new(),
        kinds: Vec::new(),
    };
    image.graph(drawing, &layout, (0, 0));
    let legend = image.legend(layout.height + 1);
    let rows = layout.height + if legend > 0 { 2 } else { 0 };
    let (width, height) = (
        layout.width.max(legend) * CELL.0 + 2 * MARGIN,
        rows * CELL.1 + 2 * MARGIN,
    );
    let body = image.body;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"graph\">\n\
         <style>\n{STYLE}</style>\n\
         <defs><marker id=\"ss-arrow\" markerUnits=\"userSpaceOnUse\" markerWidth=\"{ARROW}\" \
         markerHeight=\"10\" refX=\"0\" refY=\"5\" orient=\"auto-start-reverse\">\
         <path class=\"ss-arrow\" d=\"M0 0L{ARROW} 5L0 10z\"/></marker></defs>\n\
         <rect class=\"ss-page\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n"
    )
}

struct Image {
    body: String,
    kinds: Vec<EdgeKind>,
}

impl Image {
    fn graph(&mut self, drawing: &Drawing, layout: &Layout, origin: Point) {
        for wire in &layout.wires {
            self.kinds.push(wire.kind);
            self.wire(drawing, wire, origin);
        }
        for (node, placed) in drawing.nodes.iter().zip(&layout.boxes) {
            self.node(node, placed, origin);
            if let (Some(inside), Some((content, at))) = (&node.inside, placed.content()) {
                self.graph(inside, content, (origin.0 + at.0, origin.1 + at.1));
            }
        }
        for label in layout.wires.iter().flat_map(|wire| &wire.labels) {
            let (x, y) = pixel(origin, label.at);
            self.text("ss-label", "start", (x - CELL.0 / 2, y), &label.text);
        }
    }

    fn node(&mut self, node: &DrawnNode, placed: &Placed, origin: Point) {
        let (x, y) = pixel(origin, (placed.x, placed.y));
        let (w, h) = ((placed.w - 1) * CELL.0, (placed.h - 1) * CELL.1);
        let (class, round) = match (node.kind, &placed.inside) {
            (_, Some(_)) => ("ss-nest", CORNER),
            (NodeKind::Plain, None) => ("ss-box", CORNER / 2),
            (NodeKind::Start | NodeKind::End, None) => ("ss-end", h / 2),
        };
        let name = escape(&node.title());
        self.body.push_str(&format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" \
             rx=\"{round}\"><title>{name}</title></rect>\n"
        ));
        if placed.inside.is_some() {
            let title = placed.lines.join(" ");
            // Under the frame's upper edge, where no arrow ends and the content has not begun.
            self.text("ss-title", "start", (x + CELL.0, y + CELL.1 / 2), &title);
            return;
        }
        let above = (placed.lines.len() as i32 - 1) * CELL.1 / 2;
        for (row, line) in (0..).zip(&placed.lines) {
            let class = if row == 0 { "ss-name" } else { "ss-note" };
            self.text(
                class,
                "middle",
                (x + w / 2, y + h / 2 - above + row * CELL.1),
                line,
            );
        }
    }

    fn text(&mut self, class: &str, anchor: &str, (x, y): Point, text: &str) {
        let (y, text) = (y + 4, escape(text));
        self.body.push_str(&format!(
            "<text class=\"ss-text {class}\" text-anchor=\"{anchor}\" x=\"{x}\" y=\"{y}\">{text}</text>\n"
        ));
    }

    fn wire(&mut self, drawing: &Drawing, wire: &Wire, origin: Point) {
        let mut cores = String::new();
        for path in &wire.paths {
            let mut points: Vec<_> = path.points.iter().map(|&at| pixel(origin, at)).collect();
            if let [.., before, last] = points.as_mut_slice() {
                *last = toward(*last, *before, ARROW);
            }
            // Edges that merge are drawn from where they are one, so that their dashes agree.
            let arrow = if wire.shape == Shape::In {
                points.reverse();
                "marker-start"
            } else {
                "marker-end"
            };
            let line = rounded(&points);
            let name = |node| {
                drawing
                    .nodes
                    .get(node)
                    .map(DrawnNode::title)
                    .unwrap_or_default()
            };
            let (from, to) = (escape(&name(path.from)), escape(&name(path.to)));
            self.body.push_str(&format!(
                "<path class=\"ss-line {}\" d=\"{line}\" {arrow}=\"url(#ss-arrow)\">\
                 <title>{from} → {to}</title></path>\n",
                class(wire.kind)
            ));
            if wire.kind == EdgeKind::Join {
                cores.push_str(&format!("<path class=\"ss-core\" d=\"{line}\"/>\n"));
            }
        }
        self.body.push_str(&cores);
    }

    /// Explains the lines that are not plain, in a row of cells; returns the columns it takes.
    fn legend(&mut self, row: i32) -> i32 {
        let mut column = 0;
        for (kind, word) in EdgeKind::NAMED {
            if !self.kinds.contains(&kind) {
                continue;
            }
            let (x, y) = pixel((0, 0), (column, row));
            let line = format!("M{x} {y}h{}", 4 * CELL.0);
            let class = class(kind);
            self.body
                .push_str(&format!("<path class=\"ss-line {class}\" d=\"{line}\"/>\n"));
            if kind == EdgeKind::Join {
                self.body
                    .push_str(&format!("<path class=\"ss-core\" d=\"{line}\"/>\n"));
            }
            self.text("ss-note", "start", (x + 5 * CELL.0, y), word);
            column += columns(word) as i32 + 8;
        }
        column
    }
}

fn class(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Always => "ss-always",
        EdgeKind::Conditional => "ss-conditional",
        EdgeKind::Join => "ss-join",
        EdgeKind::Command => "ss-command",
        EdgeKind::Send => "ss-send",
    }
}

/// The middle of a cell.
fn pixel(origin: Point, at: Point) -> Point {
    let x = (origin.0 + at.0) * CELL.0 + CELL.0 / 2 + MARGIN;
    (x, (origin.1 + at.1) * CELL.1 + CELL.1 / 2 + MARGIN)
}

/// The point so many pixels from one toward another, but never past it.
fn toward(from: Point, to: Point, by: i32) -> Point {
    (
        from.0 + (to.0 - from.0).clamp(-by, by),
        from.1 + (to.1 - from.1).clamp(-by, by),
    )
}

/// A line through points, its corners rounded as far as the lines between them allow.
fn rounded(points: &[Point]) -> String {
    let mut line = String::new();
    for (index, &point) in points.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| points.get(before));
        let (Some(&before), Some(&after)) = (before, points.get(index + 1)) else {
            let command = if index == 0 { 'M' } else { 'L' };
            line.push_str(&format!("{command}{} {}", point.0, point.1));
            continue;
        };
        let length = |to: Point| (to.0 - point.0).abs() + (to.1 - point.1).abs();
        let radius = CORNER.min(length(before) / 2).min(length(after) / 2);
        let (start, end) = (toward(point, before, radius), toward(point, after, radius));
        let ((ax, ay), (x, y), (bx, by)) = (start, point, end);
        line.push_str(&format!("L{ax} {ay}Q{x} {y} {bx} {by}"));
    }
    line
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            c => escaped.push(c),
        }
    }
    escaped
}
