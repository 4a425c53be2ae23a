//! Services that the nodes of the assistant work with.

use std::sync::Arc;

use superstep::{Imports, NodeError, model::NodeModels, tools::guided::Profile};

use crate::{
    Calendar, MailError, Mailbox, Memory,
    input::EmailInput,
    prompt::person,
    queue::Queue,
    settings::{Settings, Zone},
};

/// The node that words what was learned.
pub(crate) const MEMORY: &str = "update_memory";

/// The node in which the model speaks.
pub(crate) const LLM_CALL: &str = "llm_call";

/// The node that sorts mail.
pub(crate) const TRIAGE: &str = "triage_router";

/// Services of one assistant; never stored.
pub(crate) struct Services {
    pub(crate) models: NodeModels,
    pub(crate) mailbox: Arc<dyn Mailbox>,
    pub(crate) calendar: Arc<dyn Calendar>,
    pub(crate) settings: Settings,
    pub(crate) zone: Zone,
    pub(crate) memory: Memory,
    pub(crate) queue: Queue,
    pub(crate) imports: Imports,
}

impl Services {
    pub(crate) fn owner(&self) -> String {
        person(self.mailbox.owner())
    }

    /// How the model of a node is asked.
    pub(crate) fn profile(&self, node: &str) -> Profile {
        let by_model = || Profile::of(self.models.of(node).caps());
        self.settings.profile.unwrap_or_else(by_model)
    }

    pub(crate) async fn mark_read(&self, input: Option<&EmailInput>) -> Result<(), NodeError> {
        let Some(input) = input.filter(|_| !self.settings.dry_run) else {
            return Ok(());
        };
        match self.mailbox.mark_read(&input.id).await {
            // Somebody moved or deleted it: then it was seen.
            Ok(()) | Err(MailError::Missing { .. }) => Ok(()),
            Err(error) => Err(NodeError::failed(error.failure())),
        }
    }
}
