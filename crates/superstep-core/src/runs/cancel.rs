//! Requests to cancel a run, from whatever process.

use serde::{Deserialize, Serialize};

use crate::{clock::UnixMillis, id::RunId};

/// How a run is cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Cancel {
    /// At once: its tasks are notified, then dropped. Finished steps stay.
    #[default]
    Now,
    /// After the step that runs.
    Drain,
    /// At once, and what it stored is undone: the thread is as before the run, but for answers that it brought,
    /// which stay with their questions. A run whose tasks made
    /// effects, or may have, keeps what it stored, since its thread would forget them and make them again.
    Rollback,
    /// The same, also if that repeats effects.
    #[serde(rename = "rollback_repeating")]
    RollbackRepeating,
}

impl Cancel {
    /// Whether what the run stored is to be undone.
    pub fn undoes(self) -> bool {
        matches!(self, Self::Rollback | Self::RollbackRepeating)
    }
}

/// A request to cancel a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelRequest {
    /// How.
    pub how: Cancel,
    /// Why, for people.
    pub reason: String,
    /// When it was made.
    pub at: UnixMillis,
}

impl CancelRequest {
    /// The request of a run that comes in place of others of its thread.
    pub fn by_run(run: RunId, how: Cancel, at: UnixMillis) -> Self {
        let reason = format!("run {run} comes in its place");
        Self { how, reason, at }
    }
}
