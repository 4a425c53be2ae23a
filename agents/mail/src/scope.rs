//! What an approval is for: one thread. A copy of the thread is another one, under its own name.
//!
//! Every decision and every approved call carries the scope it was approved in (`graph`), and the digest
//! of every question names it. What a copy brings along from the thread it was made of allows nothing
//! there: the person is asked again.

use serde::{Deserialize, Serialize};
use superstep::{
    Ctx, ThreadId,
    model::ToolCall,
    text::single_line,
    tools::Digest,
};

use crate::inbox::Asked;

/// A thread as approvals know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ApprovalScope {
    thread: ThreadId,
}

impl ApprovalScope {
    /// The scope of a task; nothing if it runs on no thread.
    pub(crate) fn of(ctx: &Ctx) -> Option<Self> {
        let thread = ctx.thread()?.clone();
        Some(Self { thread })
    }

    /// Its thread, for people. What an archive says is anybody's text.
    pub(crate) fn name(&self) -> String {
        single_line(self.thread.as_str()).chars().take(80).collect()
    }

    /// What an answer about a call may name, after so many attempts.
    pub(crate) fn digest(scope: Option<&Self>, ctx: &Ctx, call: &ToolCall, attempt: u32) -> Digest {
        let thread = scope.map(|scope| &scope.thread);
        Digest::of::<Asked>(call, thread, ctx.task_id(), attempt)
    }
}
