//! Hooks around the calls of an agent: guardrails, changed requests, answers without a model.

use std::ops::ControlFlow;

use superstep_core::future::BoxFuture;
use superstep_engine::typed::{Ctx, NodeError};
use superstep_model::{Message, Request, ToolCall};

use super::conversation::Conversation;

/// Where an agent is when it calls a hook.
#[non_exhaustive]
pub struct HookCtx<'a, S> {
    /// The state when the step began.
    pub state: &'a S,
    /// The task: its run's context, store, thread, events and effects.
    pub ctx: &'a Ctx,
    /// The name of the member of a [`Team`](super::Team) that is at work.
    pub member: &'a str,
}

/// What a program does before and after an agent calls its model and its tools.
///
/// A hook runs in the task of the call. The task runs again from its top after a failure, a restart
/// or an answer, and the hook with it: what it does to the outside world belongs into
/// [`Ctx::once`](superstep_engine::typed::Ctx::once). An error fails the task.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use superstep::{
///     NodeError,
///     future::BoxFuture,
///     model::{Message, Request},
///     tools::{AgentState, Hook, HookCtx},
/// };
///
/// struct NoPasswords;
///
/// impl Hook<AgentState> for NoPasswords {
///     fn before_model<'a>(
///         &'a self,
///         _at: &'a HookCtx<'a, AgentState>,
///         request: &'a mut Request,
///     ) -> BoxFuture<'a, Result<ControlFlow<Message>, NodeError>> {
///         Box::pin(async move {
///             let asked = request.messages.last().map(Message::text).unwrap_or_default();
///             Ok(match asked.contains("password") {
///                 true => ControlFlow::Break(Message::model("I do not talk about passwords.")),
///                 false => ControlFlow::Continue(()),
///             })
///         })
///     }
/// }
/// # drop(NoPasswords);
/// ```
pub trait Hook<S: Conversation>: Send + Sync {
    /// Before the model is called. The request may be changed; a message that is given back is taken
    /// as the reply, and the model is not called.
    fn before_model<'a>(
        &'a self,
        at: &'a HookCtx<'a, S>,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<ControlFlow<Message>, NodeError>> {
        let _ = (at, request);
        Box::pin(async { Ok(ControlFlow::Continue(())) })
    }

    /// After the model has replied, before anything is done about it. The reply may be changed: calls
    /// taken out, words replaced. Pieces of it were shown to readers of the run already.
    fn after_model<'a>(
        &'a self,
        at: &'a HookCtx<'a, S>,
        reply: &'a mut Message,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        let _ = (at, reply);
        Box::pin(async { Ok(()) })
    }

    /// Before a call is checked, decided on and made. A text that is given back refuses it: the model
    /// reads it.
    fn before_tool<'a>(
        &'a self,
        at: &'a HookCtx<'a, S>,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<ControlFlow<String>, NodeError>> {
        let _ = (at, call);
        Box::pin(async { Ok(ControlFlow::Continue(())) })
    }

    /// After a call, before the model reads its result, which may be changed.
    fn after_tool<'a>(
        &'a self,
        at: &'a HookCtx<'a, S>,
        call: &'a ToolCall,
        result: &'a mut Message,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        let _ = (at, call, result);
        Box::pin(async { Ok(()) })
    }
}
