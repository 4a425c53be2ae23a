//! A checkpoint as a saver returns it: its records, what its tasks did, and what the next record
//! should hold.

mod address;
mod chain;

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    id::{CheckpointId, GraphPath},
    record::{Record, TaskNote},
};

pub use address::CheckpointRef;
pub(crate) use chain::State as RebuiltState;
pub use chain::{Chain, Rebuilt};

/// A checkpoint with all that is needed to continue from it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Records from the last snapshot (or the first record) up to the checkpoint, oldest first.
    pub chain: Chain,
    /// What tasks of the checkpoint have done so far.
    pub notes: Vec<TaskNote>,
    /// Whether a newer checkpoint exists in the namespace.
    pub superseded: bool,
    /// What a record that follows the checkpoint should hold.
    pub next: NextRecord,
}

impl Loaded {
    /// The checkpoint itself.
    pub fn head(&self) -> Option<&Arc<Record>> {
        self.chain.last()
    }
}

/// What the next record of a namespace should hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextRecord {
    /// What changed.
    #[default]
    Changes,
    /// Every channel, so that reading does not walk back further.
    Everything,
}

/// Checkpoints of enclosing graphs, by namespace.
pub type Parents = Arc<BTreeMap<GraphPath, CheckpointId>>;
