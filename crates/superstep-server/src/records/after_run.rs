//! What is to be done when a run has ended, as it is recorded.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::time::{self, Micros};

/// After this time nobody accepts a run any more: if there is none, it is gone, or was never accepted.
const LONGEST: Micros = 120_000_000;

/// A run that something is to be done after; what it is, its record says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AfterRun {
    pub(crate) thread: String,
    /// When the run was about to be accepted.
    #[serde(default)]
    pub(crate) made: Micros,
    /// Whether the thread goes with the run.
    #[serde(default)]
    pub(crate) temporary: bool,
    /// What its webhook is told, once that is known; the thread may be gone by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<Call>,
}

impl AfterRun {
    pub(crate) fn new(thread: &str, temporary: bool) -> Self {
        Self {
            thread: thread.to_owned(),
            made: time::now(),
            temporary,
            call: None,
        }
    }

    /// Whether a run that is not there may be accepted yet.
    pub(crate) fn is_new(&self) -> bool {
        time::now().saturating_sub(self.made) < LONGEST
    }
}

/// A call of a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) address: String,
    pub(crate) body: Json,
}
