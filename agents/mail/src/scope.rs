//! What an approval is for: one thread. A copy of the thread is another one, under its own name, and an
//! imported one is another by the random id of its import, whatever name an archive was written for.
//!
//! Every decision and every approved call carries the scope it was approved in (`graph`), and the digest
//! of every question names it. What a copy brings along from the thread it was made of allows nothing
//! there: the person is asked again.

use serde::{Deserialize, Serialize};
use superstep::{
    Ask, Ctx, Imports, NodeError, ThreadId, model::ToolCall, text::single_line, tools::Digest,
};

use crate::input::EmailInput;

/// A thread as approvals know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ApprovalScope {
    thread: ThreadId,
    /// The import that made the thread, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    import: Option<String>,
}

impl ApprovalScope {
    /// The scope of a task; nothing if it runs on no thread.
    pub(crate) async fn of(ctx: &Ctx, imports: &Imports) -> Result<Option<Self>, NodeError> {
        let Some(thread) = ctx.thread().cloned() else {
            return Ok(None);
        };
        let import = imports.find(&thread).await?.map(|import| import.id);
        Ok(Some(Self { thread, import }))
    }

    /// Whether an answer must name its question: one that names none may have come with an archive.
    pub(crate) fn must_name_digest(&self) -> bool {
        self.import.is_some()
    }

    /// A mail as questions about it read. Whom an archive says to have been in a thread is anybody's word:
    /// in an imported one nobody is known, and every recipient is flagged.
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
