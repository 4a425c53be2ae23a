//! Agents that give answers of the inbox in the background.

use std::sync::Arc;

use superstep::model::Budget;
use superstep_agent::{Desk, OpenAgent};

use crate::units;

/// An agent with its model and account, opened for the inbox.
pub(crate) struct OpenedDesk {
    /// Presents its questions.
    pub(crate) agent: Box<dyn OpenAgent>,
    pub(crate) desk: Arc<dyn Desk>,
    pub(crate) budget: Budget,
}

impl OpenedDesk {
    /// What all calls of this command cost, in a line.
    pub(crate) fn cost(&self) -> String {
        units::spent(&self.budget)
    }
}
