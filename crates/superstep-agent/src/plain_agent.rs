//! Any graph as an agent.

use std::sync::Arc;

use superstep::{
    Graph, Nodes, RunOptions, Schemas, State,
    dynamic::{DynEvent, DynGraph},
    future::BoxFuture,
};

use crate::{
    context::Context,
    defaults,
    failure::AgentError,
    inbox::Desk,
    notice::{Notice, Report},
    open::OpenAgent,
};

/// Any graph as an agent.
pub struct PlainAgent {
    graph: DynGraph,
    schemas: Schemas,
    options: RunOptions,
    /// The words of the model that were shown as they arrived.
    streamed: String,
    desk: Option<Arc<dyn Desk>>,
}

impl PlainAgent {
    /// The same agent, whose questions an inbox shows and answers as a desk does.
    #[must_use]
    pub fn with_desk(mut self, desk: impl Desk + 'static) -> Self {
        self.desk = Some(Arc::new(desk));
        self
    }
}

impl From<DynGraph> for PlainAgent {
    fn from(graph: DynGraph) -> Self {
        Self {
            graph,
            schemas: Schemas::default(),
            options: defaults::options(RunOptions::default()),
            streamed: String::new(),
            desk: None,
        }
    }
}

impl<S: State, N: Nodes> From<Graph<S, N>> for PlainAgent {
    fn from(graph: Graph<S, N>) -> Self {
        Self {
            schemas: graph.schemas(),
            options: defaults::options(graph.options().clone()),
            graph: graph.dynamic().clone(),
            streamed: String::new(),
            desk: None,
        }
    }
}

impl OpenAgent for PlainAgent {
    fn graph(&self) -> &DynGraph {
        &self.graph
    }

    fn schemas(&self) -> Schemas {
        self.schemas.clone()
    }

    fn options(&self) -> RunOptions {
        self.options.clone()
    }

    fn progress(&mut self, event: &DynEvent) -> Vec<Notice> {
        let text = defaults::streamed(event);
        self.streamed.push_str(&text);
        defaults::token(text)
    }

    fn desk(&self) -> Option<Arc<dyn Desk>> {
        self.desk.clone()
    }

    fn report<'a>(&'a mut self, with: &'a Context) -> BoxFuture<'a, Result<Report, AgentError>> {
        let shown = std::mem::take(&mut self.streamed);
        defaults::report(self.graph.clone(), with, shown)
    }
}
