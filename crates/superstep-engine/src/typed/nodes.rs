//! The nodes of a graph: a closed set with names that last.

use std::fmt::Debug;

/// The nodes of a graph: the variants of an enum. Made by `#[derive(Nodes)]`.
///
/// Names are stored with threads, so a variant may be renamed in code as long as its name stays.
///
/// ```
/// use superstep::Nodes;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// enum Node {
///     Draft,
///     #[node(name = "send_mail")] // the name that is stored
///     Send,
/// }
///
/// assert_eq!(Node::Draft.name(), "draft");
/// assert_eq!(Node::parse("send_mail"), Some(Node::Send));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name the nodes of a graph",
    note = "add `#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]` to an enum without fields"
)]
pub trait Nodes: Copy + Eq + Debug + Send + Sync + 'static {
    /// All nodes in order of definition.
    const ALL: &'static [Self];

    /// The name that is stored and shown.
    fn name(self) -> &'static str;

    /// Its place in [`Nodes::ALL`].
    fn index(self) -> usize {
        Self::ALL
            .iter()
            .position(|node| *node == self)
            .unwrap_or(usize::MAX)
    }

    /// The node of that name.
    fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|node| node.name() == name)
    }
}
