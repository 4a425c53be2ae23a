//! A call on its way through the queue.

use superstep_model::{Delta, ModelError, Request};

use super::channel;

/// Where the pieces of a reply go.
pub(super) type Pieces = channel::Sender<Result<Delta, ModelError>>;

/// A call that waits or runs.
pub(super) struct Job {
    pub(super) request: Request,
    pub(super) pieces: Pieces,
    /// What the model calls itself, and the hash of its weights.
    pub(super) from: Delta,
}
