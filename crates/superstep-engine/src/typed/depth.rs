//! Events at every depth: of the graph itself and of graphs below it, with their path.

use superstep_core::{event::EventKind, value::Value};

use super::{event::Event, nodes::Nodes, state::State};

impl<S: State, N: Nodes> Event<S, N> {
    /// The names of the nodes that lead from this graph down to the one where it happened; empty for this
    /// graph itself. The second graph and later ones that one task runs add their number.
    ///
    #[doc = include_str!("docs/event_path.md")]
    pub fn path(&self) -> Vec<String> {
        match self {
            Self::Below(event) => event.namespace.path(),
            _ => Vec::new(),
        }
    }

    /// The message, or piece of one, and the name of its node, at whatever depth.
    pub fn message(&self) -> Option<(&str, &Value)> {
        match self {
            Self::Message { node, message } => Some((node.name(), message)),
            Self::Below(event) => match &event.kind {
                EventKind::Message { node, message } => Some((node, message)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text of a message, or of a piece of one, at whatever depth.
    pub fn token(&self) -> Option<String> {
        let (_, message) = self.message()?;
        let message = message.to_json();
        let text = message
            .as_str()
            .or_else(|| message.get("content")?.as_str());
        text.map(str::to_owned)
    }

    /// What a node emitted, at whatever depth.
    pub fn custom(&self) -> Option<&Value> {
        match self {
            Self::Custom(data) => Some(data),
            Self::Below(event) => match &event.kind {
                EventKind::Custom(data) => Some(data),
                _ => None,
            },
            _ => None,
        }
    }

    /// An event of the graph that runs below at this path, with the types of that graph; nothing if it happened
    /// elsewhere.
    pub fn inside<C: State, M: Nodes>(&self, path: &[&str]) -> Option<Event<C, M>> {
        let Self::Below(event) = self else {
            return None;
        };
        if event.namespace.path() != path {
            return None;
        }
        Event::of(event)
    }
}
