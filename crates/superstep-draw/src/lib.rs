//! Drawing a graph as Mermaid text, as a terminal picture and as SVG.
//!
//! A [`Drawing`] is plain data: nodes, edges between them by index, and for a node that is
//! itself a graph the drawing inside it. The picture and the SVG show the same layout
//! (`layout.rs`, which names the steps that lead to it); Mermaid lays out by itself.

mod channel;
mod lanes;
mod layers;
mod layout;
mod listing;
mod mermaid;
mod order;
mod paths;
mod place;
mod point;
mod ports;
mod rows;
mod sketch;
mod slots;
mod svg;
mod text;
mod words;

#[cfg(test)]
mod tests;

/// How many drawings may nest in one another; a node deeper than this shows only its name.
const DEEPEST: usize = 16;

/// A graph to draw.
///
/// ```
/// use superstep_draw::{DrawnEdge, DrawnNode, Drawing, EdgeKind, NodeKind};
///
/// let node = |name: &str, kind| DrawnNode { name: name.to_owned(), kind, note: None, inside: None };
/// let edge = |from, to| DrawnEdge { from, to, label: None, kind: EdgeKind::Always };
/// let drawing = Drawing {
///     nodes: vec![
///         node("start", NodeKind::Start),
///         node("answer", NodeKind::Plain),
///         node("end", NodeKind::End),
///     ],
///     edges: vec![edge(0, 1), edge(1, 2)],
/// };
/// assert!(drawing.text(Some(80)).contains("answer"));
/// assert!(drawing.mermaid().contains("answer"));
/// assert!(drawing.svg().starts_with("<svg"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The nodes; edges speak of them by their index here.
    pub nodes: Vec<DrawnNode>,
    /// The edges; one whose ends are not both nodes is left out of every form.
    pub edges: Vec<DrawnEdge>,
}

/// One node of a [`Drawing`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnNode {
    /// The name shown; characters that do not print are shown escaped.
    pub name: String,
    /// What the node is.
    pub kind: NodeKind,
    /// A remark shown with the name, such as `deferred` or `pause before`.
    pub note: Option<String>,
    /// The graph this node runs, drawn inside it.
    pub inside: Option<Box<Drawing>>,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// Where a run begins; shown as `START` whatever its name.
    Start,
    /// Where a run ends; shown as `END` whatever its name.
    End,
    /// A node that does work.
    Plain,
}

/// One edge of a [`Drawing`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnEdge {
    /// Index of the node it leaves.
    pub from: usize,
    /// Index of the node it enters.
    pub to: usize,
    /// Words shown beside it, such as the answer that picks it.
    pub label: Option<String>,
    /// When it is taken.
    pub kind: EdgeKind,
}

/// When an edge is taken; each kind has its own line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// After every run of its source.
    Always,
    /// If a condition picks it.
    Conditional,
    /// Once it and all other join edges into its target have had their source run.
    Join,
    /// If a command of its source names its target.
    Command,
    /// Once for each task its source sends.
    Send,
}

impl Drawing {
    /// The graph as a Mermaid flowchart, top down, with nested graphs as `subgraph` blocks.
    #[must_use]
    pub fn mermaid(&self) -> String {
        mermaid::write(self)
    }

    /// The graph as a picture of box-drawing characters, every line ended by a newline.
    ///
    /// Edges of one kind that share a source or a target may share a line that branches or
    /// merges; where lines of different edges cross, the one across is interrupted. A legend
    /// below explains lines that are not plain.
    ///
    /// A picture wider than `width` columns (or too large to be of use) is replaced by a list
    /// of the same nodes and edges, broken to fit; a width of zero counts as one.
    #[must_use]
    pub fn text(&self, width: Option<usize>) -> String {
        text::write(self, width).unwrap_or_else(|| listing::write(self, width))
    }

    /// The graph as a standalone SVG image that follows the reader's light or dark theme.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// The edges whose ends both exist.
    fn sound_edges(&self) -> impl Iterator<Item = &DrawnEdge> {
        let count = self.nodes.len();
        self.edges
            .iter()
            .filter(move |edge| edge.from < count && edge.to < count)
    }
}

impl DrawnNode {
    fn title(&self) -> String {
        match self.kind {
            NodeKind::Start => "START".to_owned(),
            NodeKind::End => "END".to_owned(),
            NodeKind::Plain => words::printable(&self.name),
        }
    }

    /// The drawing inside, if it has something to show and `depth` allows it.
    fn content(&self, depth: usize) -> Option<&Drawing> {
        let inside = self.inside.as_deref()?;
        (depth < DEEPEST && !inside.nodes.is_empty()).then_some(inside)
    }
}

impl DrawnEdge {
    fn words(&self) -> Option<String> {
        self.label
            .as_deref()
            .filter(|label| !label.is_empty())
            .map(words::printable)
    }
}

impl EdgeKind {
    /// Every kind that a legend explains, with the word for it.
    const NAMED: [(EdgeKind, &str); 4] = [
        (EdgeKind::Conditional, "conditional"),
        (EdgeKind::Join, "join"),
        (EdgeKind::Command, "command"),
        (EdgeKind::Send, "send"),
    ];
}
