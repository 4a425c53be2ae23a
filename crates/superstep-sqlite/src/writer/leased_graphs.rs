//! The graphs of a leased thread, as the writer knows them.
//!
//! Most threads have one graph, which is their own: it needs no table, of which the smallest has room for four.

use std::collections::HashMap;

use superstep_core::id::{CheckpointId, GraphPath};

use super::ComparedIn;
use crate::graphs::GraphRow;

/// Where the log of a leased thread's graph ends.
#[derive(Clone)]
pub(crate) struct LeasedGraph {
    pub(crate) row: GraphRow,
    /// The id of its newest record.
    pub(crate) head: Option<CheckpointId>,
    /// When its row was last compared with this; see `ends`.
    pub(crate) compared: ComparedIn,
}

/// The graphs of a leased thread that were used under its lease.
#[derive(Default)]
pub(crate) struct LeasedGraphs {
    own: Option<Box<LeasedGraph>>,
    below: HashMap<GraphPath, LeasedGraph>,
}

impl LeasedGraphs {
    pub(crate) fn get(&self, name: &GraphPath) -> Option<&LeasedGraph> {
        match name.is_root() {
            true => self.own.as_deref(),
            false => self.below.get(name),
        }
    }

    pub(crate) fn insert(&mut self, graph: LeasedGraph) {
        match (graph.row.name.is_root(), &mut self.own) {
            (false, _) => drop(self.below.insert(graph.row.name.clone(), graph)),
            (true, Some(own)) => **own = graph,
            (true, none) => *none = Some(Box::new(graph)),
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_none() && self.below.is_empty()
    }
}
