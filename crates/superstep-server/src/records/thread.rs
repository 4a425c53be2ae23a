//! What a server keeps of a thread beside its checkpoints: when it was made, and its metadata.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use superstep::ThreadId;

use crate::time::{self, Micros};

/// What a server keeps of a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) created: Micros,
    pub(crate) updated: Micros,
    pub(crate) metadata: Map<String, Json>,
    /// What it is called in its storage, if that is not its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Whose it is; everybody's without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
}

impl Record {
    pub(crate) fn new(metadata: Map<String, Json>) -> Self {
        let now = time::now();
        Self {
            created: now,
            updated: now,
            metadata,
            name: None,
            owner: None,
        }
    }

    /// The same, of an owner.
    pub(crate) fn of(self, owner: Option<String>) -> Self {
        Self { owner, ..self }
    }

    /// The thread in its storage, by its id.
    pub(crate) fn thread(&self, id: &str) -> ThreadId {
        ThreadId::from(self.name.as_deref().unwrap_or(id))
    }

    /// The graph it says the thread belongs to.
    pub(crate) fn graph(&self) -> Option<&str> {
        self.metadata.get("graph_id")?.as_str()
    }
}
