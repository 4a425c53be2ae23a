//! The drawing as a Mermaid flowchart.
//!
//! Nodes are called by number and carry their name as a label, so that no name can be taken for
//! syntax; within labels, whatever could be is written as an entity.

use super::words::printable;
use super::{Drawing, DrawnEdge, DrawnNode, EdgeKind, NodeKind};

const CLASSES: &str = "    classDef terminal fill:#e3ecf7,stroke:#4a6fa5,color:#1c2b3a";

/// Writes a drawing as a flowchart.
pub(super) fn write(drawing: &Drawing) -> String {
    let mut chart = Chart {
        lines: vec!["flowchart TD".to_owned()],
        ..Chart::default()
    };
    chart.graph(drawing, "n", 0);
    let Chart {
        mut lines, dotted, ..
    } = chart;
    lines.push(CLASSES.to_owned());
    if !dotted.is_empty() {
        lines.push(format!(
            "    linkStyle {} stroke-dasharray:1 4",
            dotted.join(",")
        ));
    }
    lines.join("\n") + "\n"
}

#[derive(Default)]
struct Chart {
    lines: Vec<String>,
    /// Links written so far: a style names a link by its number.
    links: usize,
    dotted: Vec<String>,
}

impl Chart {
    fn graph(&mut self, drawing: &Drawing, prefix: &str, depth: usize) {
        let indent = "    ".repeat(depth + 1);
        for (index, node) in drawing.nodes.iter().enumerate() {
            let (id, label) = (format!("{prefix}{index}"), label(node));
            let Some(inside) = node.content(depth) else {
                let shape = match node.kind {
                    NodeKind::Plain => format!("[\"{label}\"]"),
                    NodeKind::Start | NodeKind::End => format!("([\"{label}\"]):::terminal"),
                };
                self.lines.push(format!("{indent}{id}{shape}"));
                continue;
            };
            self.lines
                .push(format!("{indent}subgraph {id}[\"{label}\"]"));
            self.lines.push(format!("{indent}    direction TD"));
            self.graph(inside, &format!("{id}_"), depth + 1);
            self.lines.push(format!("{indent}end"));
        }
        for edge in drawing.sound_edges() {
            let (from, to) = ends(drawing, edge, prefix, depth);
            let label = edge
                .words()
                .map(|label| format!("|\"{}\"|", escape(&label)));
            let arrow = match edge.kind {
                EdgeKind::Always => "-->",
                EdgeKind::Conditional | EdgeKind::Command => "-.->",
                EdgeKind::Join => "==>",
                EdgeKind::Send => "--o",
            };
            if edge.kind == EdgeKind::Command {
                self.dotted.push(self.links.to_string());
            }
            self.links += 1;
            self.lines.push(format!(
                "{indent}{from} {arrow}{} {to}",
                label.unwrap_or_default()
            ));
        }
    }
}

fn label(node: &DrawnNode) -> String {
    let name = escape(&node.title());
    match &node.note {
        Some(note) => format!("{name}<br/>({})", escape(&printable(note))),
        None => name,
    }
}

/// What an edge connects. Mermaid cannot draw an edge from a subgraph to itself, so such an edge
/// leads from its end to its start.
fn ends(drawing: &Drawing, edge: &DrawnEdge, prefix: &str, depth: usize) -> (String, String) {
    let (from, to) = (
        format!("{prefix}{}", edge.from),
        format!("{prefix}{}", edge.to),
    );
    let node = drawing
        .nodes
        .get(edge.from)
        .filter(|_| edge.from == edge.to);
    let Some(inside) = node.and_then(|node| node.content(depth)) else {
        return (from, to);
    };
    let last = inside.nodes.len() - 1;
    let find = |kind| inside.nodes.iter().position(|node| node.kind == kind);
    let end = find(NodeKind::End).unwrap_or(last);
    (
        format!("{from}_{end}"),
        format!("{to}_{}", find(NodeKind::Start).unwrap_or(0)),
    )
}

/// Writes as an entity what Mermaid, or the Markdown within its labels, gives a meaning.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut in_word = false;
    while let Some(c) = rest.next() {
        let ends_word = rest.peek().is_none_or(|next| !next.is_alphanumeric());
        match c {
            ' ' | ',' => escaped.push(c),
            '_' | '-' | '.' if in_word && !ends_word => escaped.push(c),
            c if c.is_alphanumeric() => escaped.push(c),
            c => escaped.push_str(&format!("#{};", u32::from(c))),
        }
        in_word = c.is_alphanumeric();
    }
    escaped
}
