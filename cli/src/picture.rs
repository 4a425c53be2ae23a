//! `superstep graph`: an agent's graph, drawn.

use std::sync::Arc;

use superstep::{Backends, MemorySaver, MemoryStore};

use crate::{
    agents::Agent,
    failure::Failure,
    output::{Output, plain},
};

/// In which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    Picture,
    Mermaid,
    Svg,
}

pub(crate) fn run(agent: Agent, form: Drawn, output: &Output) -> Result<(), Failure> {
    let backends = Backends {
        saver: Some(Arc::new(MemorySaver::default())),
        store: Some(Arc::new(MemoryStore::default())),
        ..Backends::default()
    };
    let drawing = agent.graph(backends)?.drawing();
    let text = match form {
        Drawn::Picture => drawing.text(None),
        Drawn::Mermaid => drawing.mermaid(),
        Drawn::Svg => drawing.svg(),
    };
    text.lines()
        .try_for_each(|line| output.data(&[plain(line)]))
}
