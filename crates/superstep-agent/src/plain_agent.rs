//! Any graph as an agent.

use superstep::{Graph, Nodes, Schemas, State, dynamic::DynGraph};

use crate::open::OpenAgent;

/// Any graph as an agent.
pub struct PlainAgent {
    graph: DynGraph,
    schemas: Schemas,
}

impl From<DynGraph> for PlainAgent {
    fn from(graph: DynGraph) -> Self {
        let schemas = Schemas::default();
        Self { graph, schemas }
    }
}

impl<S: State, N: Nodes> From<Graph<S, N>> for PlainAgent {
    fn from(graph: Graph<S, N>) -> Self {
        Self {
            schemas: graph.schemas(),
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
}
