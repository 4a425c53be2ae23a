//! Plain text in and out of an agent: a message of the user, and the reply.

use superstep_core::{error::Error, id::ThreadId};
use superstep_engine::typed::{Graph, Outcome};
use superstep_model::Message;

use super::{
    conversation::{Conversation, Progress},
    state::AgentNode,
};
use crate::error::ToolsError;

/// Messages in plain text, for the graph of an [`Agent`](super::Agent) or a [`Team`](super::Team).
///
#[doc = include_str!("../docs/prompt.md")]
pub trait Prompt {
    /// The state of the agent.
    type State: Conversation;

    /// Sends a message of the user on a thread, and runs the agent until it replies or waits for an answer.
    /// [`ReplyText::text`] is the reply; [`Outcome::asks`] are the questions that it waits for.
    ///
    /// It is [`Graph::run`]: a new message drops open questions, unless `RunOptions::keep_asks` is set.
    fn prompt(
        &self,
        thread: impl Into<ThreadId> + Send,
        text: impl Into<String> + Send,
    ) -> impl Future<Output = Result<Outcome<Self::State>, Error>> + Send;
}

impl<S: Conversation> Prompt for Graph<S, AgentNode> {
    type State = S;

    fn prompt(
        &self,
        thread: impl Into<ThreadId> + Send,
        text: impl Into<String> + Send,
    ) -> impl Future<Output = Result<Outcome<S>, Error>> + Send {
        let said = S::said(vec![Message::user(text.into())]);
        let thread: ThreadId = thread.into();
        self.run(thread, S::noted(said, Progress::default()))
    }
}

/// The reply of an agent in plain text.
pub trait ReplyText {
    /// The text of the last reply. Fails with SS5109 as long as the agent waits for an answer or is paused.
    fn text(&self) -> Result<String, ToolsError>;
}

impl<S: Conversation> ReplyText for Outcome<S> {
    fn text(&self) -> Result<String, ToolsError> {
        let state = match self {
            Self::Done(state) => state,
            Self::Waiting { asks, .. } => {
                let kinds: Vec<String> = asks.iter().map(|ask| format!("`{}`", ask.kind)).collect();
                let why = format!("it waits for an answer to {}", kinds.join(", "));
                return Err(ToolsError::no_reply(&why));
            }
            _ => return Err(ToolsError::no_reply("the run is paused")),
        };
        let mut messages = state.messages().iter();
        let reply = messages.rfind(|message| message.reply().is_some());
        let reply = reply.ok_or_else(|| ToolsError::no_reply("the conversation has no reply"))?;
        Ok(reply.text())
    }
}
