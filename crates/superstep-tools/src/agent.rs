//! The tool-calling agent: a model and its tools in a loop, as a graph.
//!
//! ```text
//! start ──► model ──► (one task for each call) tool ──► model ──► ... ──► end
//! ```
//!
//! Each call is a task of its own, so all calls of a turn that need a person are asked for together
//! and decided one by one, and those that are made are made once. What is wrong with a reply goes
//! back to the model at most [`REPAIRS`] times in a row. The module `turn` classifies
//! replies.

mod turn;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superstep_derive::{Nodes, State};
use superstep_engine::typed::{
    Command, Ctx, Graph, GraphBuilder, Input, NodeError, Res, Snap, Store,
};
use superstep_model::{Finish, Message, Model, Request, ToolCall};

use crate::{
    chat::Chat, error::ToolsError, execute::execute, policy::Policy, stream_reply::stream_reply,
    toolbox::Tools,
};
pub use turn::Turn;
use turn::{detect_loop, since_user};

/// How often in a row a model may repair a reply.
pub const REPAIRS: u32 = 2;

/// How often a model may make the same calls in a row.
pub const MAX_SAME_CALLS: usize = 4;

/// The state of an agent.
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

/// The nodes of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum AgentNode {
    /// Calls the model.
    Model,
    /// Makes one tool call.
    Tool,
}

/// A model with tools.
pub struct Agent {
    model: Arc<dyn Model>,
    tools: Tools,
    policy: Policy,
    system: Option<String>,
    max_turns: u32,
    max_tokens: Option<u32>,
}

impl Agent {
    /// A model without tools.
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self {
            model,
            tools: Tools::default(),
            policy: Policy::default(),
            system: None,
            max_turns: 25,
            max_tokens: None,
        }
    }

    /// Gives it tools.
    #[must_use]
    pub fn tools(mut self, tools: Tools) -> Self {
        self.tools = tools;
        self
    }

    /// Says which calls need a person.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Instructs it.
    #[must_use]
    pub fn system(mut self, instructions: impl Into<String>) -> Self {
        self.system = Some(instructions.into());
        self
    }

    /// How often the model may speak between two messages of the user. The run then stops, and can
    /// go on with a higher limit.
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.max_turns = turns;
        self
    }

    /// How many tokens a reply may have.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// The graph, to be given a saver and built. Its input is [`say`], or messages as data.
    pub fn graph(self) -> GraphBuilder<AgentState, AgentNode> {
        let takes_store = self.tools.takes_store();
        let graph = Graph::builder()
            .name("agent")
            .resource(self)
            .node(AgentNode::Model, call_model);
        // A graph without the store that a tool takes is refused when it is built.
        let graph = match takes_store {
            true => graph.node(AgentNode::Tool, call_tool_with_store),
            false => graph.node(AgentNode::Tool, call_tool),
        };
        graph
            .start(AgentNode::Model)
            .may_goto(AgentNode::Model, &[AgentNode::Model])
            .may_send(AgentNode::Model, &[AgentNode::Tool])
            .edge(AgentNode::Tool, AgentNode::Model)
    }

    fn request(&self, messages: &[Message]) -> Request {
        let system = self.system.as_deref().map(Message::system);
        Request {
            tools: self.tools.specs(),
            max_tokens: self.max_tokens,
            ..Request::new(system.into_iter().chain(messages.iter().cloned()))
        }
    }
}

/// What somebody says to an agent.
pub fn say(message: Message) -> AgentStateUpdate {
    AgentState::update()
        .messages(vec![message])
        .turns(0)
        .repairs(0)
        .finish(None)
}

async fn call_model(
    state: Snap<AgentState>,
    agent: Res<Agent>,
    ctx: Ctx,
) -> Result<Command<AgentState, AgentNode>, NodeError> {
    // Counted in the conversation: whoever speaks, through whichever door, begins anew.
    let said = since_user(&state.messages);
    let replies = said.iter().filter(|message| message.reply().is_some());
    let turns = u32::try_from(replies.count()).unwrap_or(u32::MAX);
    let repairs = if said.is_empty() { 0 } else { state.repairs };
    if turns >= agent.max_turns {
        return Err(ToolsError::turn_limit(turns).into());
    }
    if let Some((tool, times)) = detect_loop(&state.messages, MAX_SAME_CALLS) {
        return Err(ToolsError::repeated_calls(tool, times).into());
    }
    let request = agent.request(&state.messages);
    let message = stream_reply(&ctx, &agent.model, &request).await?;
    let turn = Turn::classify(&message, &agent.tools);
    let update = AgentState::update().turns(turns.saturating_add(1));
    match turn {
        Turn::Say(finish) => Ok(update
            .messages(vec![message])
            .repairs(0)
            .finish(Some(finish))
            .end()),
        Turn::Call { calls, refused } => {
            let mut messages = vec![message];
            messages.extend(refused);
            let command = update.messages(messages).repairs(0).end();
            Ok(calls.iter().fold(command, |command, call| {
                command.and_send(AgentNode::Tool, call)
            }))
        }
        Turn::Repair { why, .. } if repairs >= REPAIRS => {
            Err(ToolsError::unusable(repairs, &why).into())
        }
        Turn::Repair { messages: told, .. } => {
            let mut messages = vec![message];
            messages.extend(told);
            Ok(update
                .messages(messages)
                .repairs(repairs + 1)
                .goto(AgentNode::Model))
        }
    }
}

async fn call_tool(
    Input(call): Input<ToolCall>,
    state: Snap<AgentState>,
    agent: Res<Agent>,
    ctx: Ctx,
) -> Result<AgentStateUpdate, NodeError> {
    let result = execute(&ctx, &agent.tools, &agent.policy, &call, &state.messages).await?;
    let result = result.with_id(ctx.idempotency_key("result"));
    Ok(AgentState::update().messages(vec![result]))
}

async fn call_tool_with_store(
    call: Input<ToolCall>,
    state: Snap<AgentState>,
    agent: Res<Agent>,
    ctx: Ctx,
    _store: Store,
) -> Result<AgentStateUpdate, NodeError> {
    call_tool(call, state, agent, ctx).await
}
