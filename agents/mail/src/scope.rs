//! The scope of an approval: one thread, as it was when the person was asked.
//!
//! A copy is another thread, under its own name. A foreign thread has the random id of its mark, which changes with
//! every edit over HTTP: a decision that an archive or a caller wrote into the state cannot name it. Every decision and
//! every approved call carries its scope, and so does the digest of every question. An approval of another scope
//! allows nothing: the person is asked again.

use serde::{Deserialize, Serialize};
use superstep::{
    Ask, Ctx, NodeError, Origin, Provenance, ThreadId, model::ToolCall, text::single_line,
    tools::Digest,
};

use crate::input::EmailInput;

/// A thread as approvals know it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ApprovalScope {
    thread: ThreadId,
    /// The mark of a foreign thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    import: Option<String>,
    /// Whether answers may have come with an archive; known only of the thread that runs.
    #[serde(skip)]
    is_imported: bool,
}

impl PartialEq for ApprovalScope {
    fn eq(&self, other: &Self) -> bool {
        (&self.thread, &self.import) == (&other.thread, &other.import)
    }
}

impl ApprovalScope {
    /// The scope of a task; nothing if it runs on no thread.
    pub(crate) async fn of(ctx: &Ctx, provenance: &Provenance) -> Result<Option<Self>, NodeError> {
        let Some(thread) = ctx.thread().cloned() else {
            return Ok(None);
        };
        let mark = provenance.find(&thread).await?;
        Ok(Some(Self {
            thread,
            is_imported: mark
                .as_ref()
                .is_some_and(|mark| mark.origin == Origin::Import),
            import: mark.map(|mark| mark.id),
        }))
    }

    /// Whether an answer must name its question: one that names none may have come with an archive.
    pub(crate) fn must_name_digest(&self) -> bool {
        self.is_imported
    }

    /// The mail as questions show it. A foreign thread may claim any participants, so none counts as known and every
    /// recipient is flagged.
    pub(crate) fn input(scope: Option<&Self>, input: &EmailInput) -> EmailInput {
        let mut input = input.clone();
        if scope.is_some_and(|scope| scope.import.is_some()) {
            input.participants.clear();
        }
        input
    }

    /// Its thread, for people. What an archive says is anybody's text.
    pub(crate) fn name(&self) -> String {
        single_line(self.thread.as_str()).chars().take(80).collect()
    }

    /// What an answer to a question of the kind `Q` about a call may name, after so many attempts.
    pub(crate) fn digest<Q: Ask>(
        scope: Option<&Self>,
        ctx: &Ctx,
        call: &ToolCall,
        attempt: u32,
    ) -> Digest {
        let thread = scope.map(|scope| match &scope.import {
            Some(import) => ThreadId::from(format!("{} {import}", scope.thread)),
            None => scope.thread.clone(),
        });
        Digest::of::<Q>(call, thread.as_ref(), ctx.task_id(), attempt)
    }
}
