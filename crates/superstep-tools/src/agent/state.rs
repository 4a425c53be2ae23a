//! The state of an agent without fields of its own, its nodes and its input.

use serde::{Deserialize, Serialize};
use superstep_derive::{Nodes, State};
use superstep_model::{Finish, Message};

use super::conversation::{Conversation, Progress};
use crate::chat::Chat;

/// The state of an agent that has no fields of its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct AgentState {
    /// The conversation.
    #[reduce(Chat)]
    pub messages: Vec<Message>,
    /// How many turns the model took since the user spoke.
    pub turns: u32,
    /// How many replies in a row were invalid.
    pub repairs: u32,
    /// Why the model stopped, once it has.
    pub finish: Option<Finish>,
}

impl Conversation for AgentState {
    fn messages(&self) -> &[Message] {
        &self.messages
    }

    fn said(messages: Vec<Message>) -> AgentStateUpdate {
        Self::update().messages(messages)
    }

    fn noted(update: AgentStateUpdate, progress: Progress) -> AgentStateUpdate {
        let update = update.turns(progress.turns).repairs(progress.repairs);
        update.finish(progress.finish)
    }
}

/// The nodes of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum AgentNode {
    /// Calls the model.
    Model,
    /// Makes one tool call.
    Tool,
}

/// What somebody says to an agent over an [`AgentState`].
pub fn say(message: Message) -> AgentStateUpdate {
    let fresh = Progress::default();
    AgentState::noted(AgentState::said(vec![message]), fresh)
}
