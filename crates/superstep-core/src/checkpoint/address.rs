//! Which checkpoint of which graph of a thread a caller means.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Parents;
use crate::id::{CheckpointId, GraphPath};

/// A checkpoint of a graph in a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckpointRef {
    /// The graph.
    pub namespace: GraphPath,
    /// The checkpoint; the newest by default.
    pub id: Option<CheckpointId>,
    /// Checkpoints of the graphs above, as a snapshot gives them.
    pub parents: Parents,
}

impl CheckpointRef {
    /// A checkpoint of the thread's own graph.
    pub fn root(id: CheckpointId) -> Self {
        Self {
            id: Some(id),
            ..Self::default()
        }
    }

    /// The checkpoints that it names, by the namespace of their graph.
    pub fn addresses(&self) -> BTreeMap<GraphPath, CheckpointId> {
        let mut all = match self.id {
            Some(_) => (*self.parents).clone(),
            None => BTreeMap::new(),
        };
        all.extend(self.id.map(|id| (self.namespace.clone(), id)));
        all
    }
}
