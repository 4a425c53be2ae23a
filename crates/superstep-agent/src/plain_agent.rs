//! Any graph as an agent.

use superstep::{Graph, Nodes, RunOptions, Schemas, State, dynamic::DynGraph};

use crate::{defaults, open::OpenAgent};

/// Any graph as an agent.
pub struct PlainAgent {
    graph: DynGraph,
    schemas: Schemas,
    options: RunOptions,
}

impl From<DynGraph> for PlainAgent {
    fn from(graph: DynGraph) -> Self {
        Self {
            graph,
            schemas: Schemas::default(),
            options: defaults::options(RunOptions::default()),
        }
    }
}

impl<S: State, N: Nodes> From<Graph<S, N>> for PlainAgent {
    fn from(graph: Graph<S, N>) -> Self {
        Self {
            schemas: graph.schemas(),
            options: defaults::options(graph.options().clone()),
            graph: graph.dynamic().clone(),
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
}
