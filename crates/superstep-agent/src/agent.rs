//! The contract: an agent as front ends know it.

use superstep::Backends;

use crate::{card::Card, failure::AgentError, open::OpenAgent};

/// An agent as front ends know it.
pub trait Agent: Send + Sync + 'static {
    /// Facts about it.
    fn card(&self) -> &Card;

    /// The agent without a model and without accounts, for reading and drawing threads. Its runs are refused.
    fn reader(&self, backends: Backends) -> Result<Box<dyn OpenAgent>, AgentError>;
}

/// Reason of a reader for refusing a call.
pub const READ_ONLY: &str = "the thread was opened read-only";
