//! What a server keeps of a thread beside its checkpoints: when it was made, and its metadata.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use superstep::store::StoreError;

use crate::{
    records::Records,
    time::{self, Micros},
};

/// What a server keeps of a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) created: Micros,
    pub(crate) updated: Micros,
    pub(crate) metadata: Map<String, Json>,
}

impl Record {
    pub(crate) fn new(metadata: Map<String, Json>) -> Self {
        let now = time::now();
        Self {
            created: now,
            updated: now,
            metadata,
        }
    }

    /// The graph it says the thread belongs to.
    pub(crate) fn graph(&self) -> Option<&str> {
        self.metadata.get("graph_id")?.as_str()
    }
}

impl Records<Record> {
    /// Changes the metadata: given keys replace those of the same name. Nothing if there is no
    /// record.
    pub(crate) async fn merge(
        &self,
        thread: &str,
        metadata: &Map<String, Json>,
    ) -> Result<Option<Record>, StoreError> {
        let merge = |record: &mut Record| {
            record.metadata.extend(metadata.clone());
            record.updated = time::now();
        };
        self.change(thread, merge).await
    }
}
