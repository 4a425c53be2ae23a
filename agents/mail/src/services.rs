//! Services that the nodes of the assistant work with.

use std::sync::Arc;

use superstep::{
    Ctx, NodeError, Provenance,
    model::NodeModels,
    store::Store,
    tools::{Scope, guided::Profile},
};

use crate::{
    Calendar, MailError, Mailbox, Memory, RawMail,
    input::EmailInput,
    parse,
    past_calls::PastCalls,
    prompt::person,
    proposals::Proposals,
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
///
/// What it remembers is none of them: that is in the store of the run, which may be one for an owner of the thread alone
/// ([`Services::memory`], [`Services::queue`], [`Services::past_calls`]).
pub(crate) struct Services {
    pub(crate) models: NodeModels,
    pub(crate) mailbox: Arc<dyn Mailbox>,
    pub(crate) calendar: Arc<dyn Calendar>,
    pub(crate) settings: Settings,
    pub(crate) zone: Zone,
    /// The notes of whom the assistant itself belongs to; those of a run are [`Services::memory`].
    pub(crate) notes: Memory,
    pub(crate) provenance: Provenance,
}

impl Services {
    /// The notes that a run reads and changes.
    pub(crate) fn memory(&self, ctx: &Ctx) -> Result<Memory, NodeError> {
        Ok(self.notes.on(store(ctx)?))
    }

    /// The mail that waits for the thread of a run.
    pub(crate) fn queue(&self, ctx: &Ctx) -> Result<Queue, NodeError> {
        Ok(Queue::new(store(ctx)?))
    }

    /// What runs on the same store did about mails.
    pub(crate) fn past_calls(&self, ctx: &Ctx) -> Result<PastCalls, NodeError> {
        Ok(PastCalls::new(store(ctx)?))
    }

    /// The meetings that wait for an answer, in the store of a run.
    pub(crate) fn proposals(&self, ctx: &Ctx) -> Result<Proposals, NodeError> {
        Ok(Proposals::new(store(ctx)?))
    }

    /// The scope of approvals in a run. The marks are those of the whole store, also where the run has an owner's.
    pub(crate) async fn scope(&self, ctx: &Ctx) -> Result<Option<Scope>, NodeError> {
        Scope::marked(ctx, Some(&self.provenance)).await
    }

    /// Refuses a thread of another account: what was approved there would leave from here, to people who were not shown. A
    /// thread of an earlier version is bound to none.
    pub(crate) fn check_account(&self, bound: Option<&str>) -> Result<(), MailError> {
        match (bound, self.mailbox.account()) {
            (Some(bound), Some(here)) if bound != here => Err(MailError::OtherAccount {
                bound: bound.to_owned(),
                here,
            }),
            _ => Ok(()),
        }
    }

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
        let marked = match self.in_mailbox(input).await {
            Ok(Some(_)) => self.mailbox.mark_read(&input.id).await,
            Ok(None) => return Ok(()),
            Err(error) => Err(error),
        };
        match marked {
            // Somebody moved or deleted it: then it was seen.
            Ok(()) | Err(MailError::Missing { .. }) => Ok(()),
            Err(error) => Err(NodeError::failed(error.failure())),
        }
    }

    /// What the mailbox has under the id of a mail, if it is that mail: whoever sends input over HTTP may name any.
    pub(crate) async fn in_mailbox(
        &self,
        input: &EmailInput,
    ) -> Result<Option<RawMail>, MailError> {
        let raw = self.mailbox.fetch(&input.id).await?;
        // Of what cannot be read nothing is known, here as in the input.
        let there = parse::headers(&raw.bytes).unwrap_or_default();
        let given = &input.mail;
        let is_it = there.message_id == given.message_id
            && there.subject == given.subject
            && there.date == given.date;
        Ok(is_it.then_some(raw))
    }
}

/// The store of a run. There is no other in its place: that would be somebody else's memory.
fn store(ctx: &Ctx) -> Result<Arc<dyn Store>, NodeError> {
    ctx.store()
        .ok_or_else(|| NodeError::from("the run has no long-term store"))
}
