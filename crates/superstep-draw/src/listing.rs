//! The drawing as a list: every node with the edges that leave it, for narrow terminals.
//!
//! What `text.rs` cannot fit comes here; the list breaks its lines at the width it is given.

use super::Drawing;
use super::text::{ALONG, stroke};
use super::words::{columns, printable, width as width_of};

/// Lists a drawing in lines no wider than asked.
pub(super) fn write(drawing: &Drawing, width: Option<usize>) -> String {
    let mut list = List {
        out: String::new(),
        width: width.unwrap_or(usize::MAX).max(1),
    };
    list.graph(drawing, 0);
    list.out
}

struct List {
    out: String,
    width: usize,
}

impl List {
    fn graph(&mut self, drawing: &Drawing, depth: usize) {
        let indent = "│ ".repeat(depth);
        let mut leaving = vec![Vec::new(); drawing.nodes.len()];
        for edge in drawing.sound_edges() {
            leaving
                .get_mut(edge.from)
                .into_iter()
                .for_each(|edges| edges.push(edge));
        }
        for (node, edges) in drawing.nodes.iter().zip(leaving) {
            let note = node
                .note
                .as_deref()
                .map(|note| format!(" ({})", printable(note)));
            self.line(
                &indent,
                &format!("{}{}", node.title(), note.unwrap_or_default()),
            );
            for edge in edges {
                let Some(target) = drawing.nodes.get(edge.to) else {
                    continue;
                };
                let line = stroke(edge.kind, ALONG);
                let label = edge
                    .words()
                    .map(|label| format!(" [{label}]"))
                    .unwrap_or_default();
                self.line(
                    &format!("{indent}  "),
                    &format!("{line}► {}{label}", target.title()),
                );
            }
            if let Some(inside) = node.content(depth) {
                self.graph(inside, depth + 1);
            }
        }
    }

    /// Writes one line, or several if it is too wide; deep indents give way to the words.
    fn line(&mut self, indent: &str, words: &str) {
        let indent: String = indent.chars().take(self.width / 2).collect();
        let room = self.width - columns(&indent);
        let mut left = 0;
        for (index, c) in words.chars().enumerate() {
            // Half of a wide character cannot be shown where only one column is left at all.
            let c = if width_of(c) > room { '…' } else { c };
            if index == 0 || width_of(c) > left {
                self.out.push_str(if index == 0 { "" } else { "\n" });
                self.out.push_str(&indent);
                left = room;
            }
            left -= width_of(c);
            self.out.push(c);
        }
        self.out.push('\n');
    }
}
