//! The terminal picture: the layout painted with box-drawing characters.
//!
//! Each kind of edge has its own line. Where two wires cross, the one that runs down stays whole
//! and the other is interrupted, so a junction always means a branch of the same wire. A picture
//! that does not fit is left to `listing.rs`.

use super::layout::{Layout, Placed};
use super::point::Point;
use super::words::{columns, width};
use super::{Drawing, EdgeKind, NodeKind};

/// Cells beyond which no one could read the picture.
const MOST_CELLS: i64 = 1 << 20;

/// Paints a drawing, unless it is wider than asked or too large.
pub(super) fn write(drawing: &Drawing, width: Option<usize>) -> Option<String> {
    let layout = Layout::new(drawing, 0);
    let widest = width.unwrap_or(usize::MAX).max(1);
    let cells = i64::from(layout.width) * i64::from(layout.height);
    if layout.width as usize > widest || cells > MOST_CELLS {
        return None;
    }
    let row = vec![Cell::Blank; layout.width as usize];
    let mut canvas = Canvas {
        rows: vec![row; layout.height as usize],
        wires: 0,
        kinds: vec![],
    };
    canvas.paint(&layout, (0, 0));
    let legend = canvas.legend(widest);
    if legend.lines().any(|line| columns(line) > widest) {
        return None;
    }
    Some(canvas.picture() + &legend)
}

/// The character of an edge with these arms.
pub(super) fn stroke(kind: EdgeKind, arms: usize) -> char {
    // By the sum of the arms: none, N, E, NE, S, NS, ES, NES, W, NW, EW and so on.
    let strokes = match kind {
        EdgeKind::Always => " │─╰││╭├─╯─┴╮┤┬┼",
        EdgeKind::Conditional => " ╎╌╰╎╎╭├╌╯╌┴╮┤┬┼",
        EdgeKind::Join => " ║═╚║║╔╠═╝═╩╗╣╦╬",
        EdgeKind::Command => " ┊┈╰┊┊╭├┈╯┈┴╮┤┬┼",
        EdgeKind::Send => " ┃━┗┃┃┏┣━┛━┻┓┫┳╋",
    };
    strokes.chars().nth(arms).unwrap_or(' ')
}

const NORTH: usize = 1;
const EAST: usize = 2;
const SOUTH: usize = 4;
const WEST: usize = 8;
pub(super) const ALONG: usize = EAST | WEST;

#[derive(Clone)]
enum Cell {
    Blank,
    /// A wire, its kind and its arms.
    Line(usize, EdgeKind, usize),
    Text(String),
}

struct Canvas {
    rows: Vec<Vec<Cell>>,
    /// Wires painted so far, which numbers them through all nested layouts.
    wires: usize,
    kinds: Vec<EdgeKind>,
}

impl Canvas {
    fn paint(&mut self, layout: &Layout, origin: Point) {
        let at = |point: Point| (origin.0 + point.0, origin.1 + point.1);
        for placed in &layout.boxes {
            self.frame(placed, at((placed.x, placed.y)));
            if let Some((inside, start)) = placed.content() {
                self.paint(inside, at(start));
            }
        }
        // Those that run down come second: they stay whole where they cross another.
        for down in [false, true] {
            for (wire, index) in layout.wires.iter().zip(self.wires..) {
                for path in &wire.paths {
                    let pairs = path.points.iter().zip(path.points.iter().skip(1));
                    for (&from, &to) in pairs.filter(|(from, to)| (from.0 == to.0) == down) {
                        self.line(index, wire.kind, at(from), at(to));
                    }
                }
            }
        }
        self.wires += layout.wires.len();
        for wire in &layout.wires {
            self.kinds.push(wire.kind);
            for points in wire.paths.iter().map(|path| path.points.as_slice()) {
                if let [first, second, ..] = points {
                    self.port(wire.kind, at(*first), at(*second));
                }
                if let [.., second, last] = points {
                    self.arrow_head(at(*second), at(*last));
                }
            }
            for label in &wire.labels {
                self.text(at(label.at), &label.text);
            }
        }
    }

    fn frame(&mut self, placed: &Placed, (x, y): Point) {
        let [nw, ne, sw, se] = match placed.kind {
            NodeKind::Plain => ["┌", "┐", "└", "┘"],
            NodeKind::Start | NodeKind::End => ["╭", "╮", "╰", "╯"],
        };
        let (right, bottom) = (x + placed.w - 1, y + placed.h - 1);
        let bar = "─".repeat((placed.w - 2).max(0) as usize);
        self.text((x, y), &format!("{nw}{bar}{ne}"));
        self.text((x, bottom), &format!("{sw}{bar}{se}"));
        for row in y + 1..bottom {
            self.text((x, row), "│");
            self.text((right, row), "│");
        }
        if placed.inside.is_some() {
            let title = placed.lines.join(" ");
            self.text((x + 2, y), &format!(" {title} "));
            return;
        }
        let first = y + (placed.h - placed.lines.len() as i32) / 2;
        for (row, line) in (first..).zip(&placed.lines) {
            self.text((x + (placed.w - columns(line) as i32) / 2, row), line);
        }
    }

    fn cell(&mut self, (x, y): Point) -> Option<&mut Cell> {
        let row = self.rows.get_mut(usize::try_from(y).ok()?)?;
        row.get_mut(usize::try_from(x).ok()?)
    }

    fn put(&mut self, at: Point, text: &str) {
        if let Some(cell) = self.cell(at) {
            *cell = Cell::Text(text.to_owned());
        }
    }

    fn text(&mut self, (mut x, y): Point, text: &str) {
        for c in text.chars() {
            match width(c) {
                // A mark on the character before it shares the cell of that character.
                0 => {
                    if let Some(Cell::Text(base)) = self.cell((x - 1, y)) {
                        base.push(c);
                    }
                    continue;
                }
                1 => {}
                _ => self.put((x + 1, y), ""),
            }
            self.put((x, y), c.encode_utf8(&mut [0; 4]));
            x += width(c) as i32;
        }
    }

    fn line(&mut self, wire: usize, kind: EdgeKind, from: Point, to: Point) {
        let (low, high) = (from.min(to), from.max(to));
        for x in low.0..=high.0 {
            for y in low.1..=high.1 {
                let arm = |is: bool, arm: usize| if is { arm } else { 0 };
                let mut new = arm(x > low.0, WEST) | arm(x < high.0, EAST);
                new |= arm(y > low.1, NORTH) | arm(y < high.1, SOUTH);
                match self.cell((x, y)) {
                    Some(Cell::Line(same, _, arms)) if *same == wire => *arms |= new,
                    Some(Cell::Text(_)) | None => {}
                    Some(cell) => *cell = Cell::Line(wire, kind, new),
                }
            }
        }
    }

    /// Opens the border of a box where a wire leaves it.
    fn port(&mut self, kind: EdgeKind, at: Point, next: Point) {
        let [down, right, left] = match kind {
            EdgeKind::Always | EdgeKind::Conditional | EdgeKind::Command => ["┬", "├", "┤"],
            EdgeKind::Join => ["╥", "╞", "╡"],
            EdgeKind::Send => ["┰", "┝", "┥"],
        };
        let opening = match next.0 - at.0 {
            0 => down,
            1.. => right,
            _ => left,
        };
        self.put(at, opening);
    }

    fn arrow_head(&mut self, before: Point, border: Point) {
        match border.0 - before.0 {
            0 => self.put((border.0, border.1 - 1), "▼"),
            1.. => self.put((border.0 - 1, border.1), "►"),
            _ => self.put((border.0 + 1, border.1), "◄"),
        }
    }

    fn picture(&self) -> String {
        let mut picture = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for cell in row {
                match cell {
                    Cell::Blank => line.push(' '),
                    Cell::Line(_, kind, arms) => line.push(stroke(*kind, *arms)),
                    Cell::Text(text) => line.push_str(text),
                }
            }
            picture.push_str(line.trim_end());
            picture.push('\n');
        }
        picture
    }

    /// What the lines mean, if there are others than plain ones.
    fn legend(&self, widest: usize) -> String {
        let shown = EdgeKind::NAMED
            .iter()
            .filter(|(kind, _)| self.kinds.contains(kind));
        let entry = |&(kind, word): &(EdgeKind, &str)| {
            let line = stroke(kind, ALONG);
            format!("{line}{line} {word}")
        };
        let entries: Vec<_> = shown.map(entry).collect();
        let one_line = entries.join("   ");
        match entries.len() {
            0 => String::new(),
            _ if columns(&one_line) <= widest => format!("\n{one_line}\n"),
            _ => format!("\n{}\n", entries.join("\n")),
        }
    }
}
