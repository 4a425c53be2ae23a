//! Checkpoints as clients name them: by id, by address, or by a configuration that has the address.

use serde_json::Value as Json;
use superstep::{CheckpointId, CheckpointRef, dynamic::GraphPath};

use crate::refusal::Refusal;

/// The checkpoint that a client means; the newest of the thread if it names none.
pub(crate) fn named(given: Option<&Json>) -> Result<CheckpointRef, Refusal> {
    let Some(given) = given else {
        return Ok(CheckpointRef::default());
    };
    let address = given.get("configurable").unwrap_or(given);
    let text = |name: &str| address.get(name).and_then(Json::as_str);
    let id = given.as_str().or_else(|| text("checkpoint_id"));
    Ok(CheckpointRef {
        namespace: GraphPath::from(text("checkpoint_ns").unwrap_or_default()),
        id: id.map(read).transpose()?,
        ..CheckpointRef::default()
    })
}

/// The id of a checkpoint.
pub(crate) fn read(id: &str) -> Result<CheckpointId, Refusal> {
    let wrong = |_| Refusal::invalid("Invalid checkpoint ID: must be a UUID");
    id.parse().map_err(wrong)
}
