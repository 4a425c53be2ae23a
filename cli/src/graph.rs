//! `superstep graph`: the graph of an agent as text, Mermaid or SVG.

use std::sync::Arc;

use superstep::{Backends, MemorySaver, MemoryStore};

use crate::{
    agents::Agent,
    error::Error,
    output::{Output, plain},
};

/// Output format of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphFormat {
    Text,
    Mermaid,
    Svg,
}

pub(crate) fn run(agent: Agent, format: GraphFormat, output: &Output) -> Result<(), Error> {
    let backends = Backends {
        saver: Some(Arc::new(MemorySaver::default())),
        store: Some(Arc::new(MemoryStore::default())),
        ..Backends::default()
    };
    let drawing = agent.graph(backends)?.drawing();
    let text = match format {
        GraphFormat::Text => drawing.text(None),
        GraphFormat::Mermaid => drawing.mermaid(),
        GraphFormat::Svg => drawing.svg(),
    };
    text.lines()
        .try_for_each(|line| output.data(&[plain(line)]))
}
