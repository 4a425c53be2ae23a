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
    /// Whether the caller knows that what happened since the checkpoint may be done a second time. Without
    /// it, going back behind an effect is refused (SS1205).
    #[serde(skip_serializing_if = "is_not")]
    pub repeats: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_not(given: &bool) -> bool {
    !given
}

impl CheckpointRef {
    /// A checkpoint of the thread's own graph.
    pub fn root(id: CheckpointId) -> Self {
        Self {
            id: Some(id),
            ..Self::default()
        }
    }

    /// The same checkpoint for a caller who knows that effects which happened since may be repeated.
    #[must_use]
    pub fn repeating(self) -> Self {
        Self {
            repeats: true,
            ..self
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
