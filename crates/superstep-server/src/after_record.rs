//! What is to be done when a run has ended, as it is recorded.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// A run that something is to be done after; what it is, its record says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AfterRun {
    pub(crate) thread: String,
    /// What its webhook is told, once that is known; the thread may be gone by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<Call>,
}

/// A call of a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) address: String,
    pub(crate) body: Json,
}
