//! What an agent is made of.

use std::sync::Arc;

use superstep_engine::typed::NodeError;
use superstep_model::Model;
use superstep_schema::{JsonSchema, Schema};

use super::{
    conversation::Conversation,
    hook::{Hook, HookCtx},
    state::AgentState,
    summary::Summaries,
};
use crate::{policy::Policy, toolbox::Tools};

/// The instructions of an agent, made anew for every call of its model.
type Instructions<S> = Arc<dyn Fn(&HookCtx<'_, S>) -> Result<String, NodeError> + Send + Sync>;

/// A model with tools, over a conversation in a state.
///
#[doc = include_str!("../docs/agent.md")]
pub struct Agent<S: Conversation = AgentState> {
    pub(super) model: Arc<dyn Model>,
    pub(super) tools: Tools,
    pub(super) policy: Policy,
    pub(super) instructions: Option<Instructions<S>>,
    pub(super) hooks: Vec<Arc<dyn Hook<S>>>,
    pub(super) max_turns: u32,
    pub(super) max_tokens: Option<u32>,
    pub(super) trim: Option<u64>,
    pub(super) summaries: Option<Summaries>,
    pub(super) answer: Option<Schema>,
}

impl Agent {
    /// A model without tools, over an [`AgentState`].
    pub fn new(model: impl Model + 'static) -> Self {
        Self::over(model)
    }
}

impl<S: Conversation> Agent<S> {
    /// A model without tools, over a state of one's own: `Agent::<Desk>::over(model)`.
    pub fn over(model: impl Model + 'static) -> Self {
        Self {
            model: Arc::new(model),
            tools: Tools::default(),
            policy: Policy::default(),
            instructions: None,
            hooks: Vec::new(),
            max_turns: 25,
            max_tokens: None,
            trim: None,
            summaries: None,
            answer: None,
        }
    }

    /// Gives it tools.
    #[must_use]
    pub fn tools(mut self, tools: Tools) -> Self {
        self.tools = tools;
        self
    }

    /// Says which calls need a person.
    ///
    #[doc = include_str!("../docs/policy.md")]
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Instructs it.
    #[must_use]
    pub fn system(self, instructions: impl Into<String>) -> Self {
        let instructions = instructions.into();
        self.system_with(move |_| Ok(instructions.clone()))
    }

    /// Instructs it by a function of the state and of the task: `at.state`, `at.ctx.context::<User>()?`.
    /// What stays the same from call to call belongs to the beginning of the text: providers reuse it.
    ///
    #[doc = include_str!("../docs/system_with.md")]
    #[must_use]
    pub fn system_with(
        mut self,
        instructions: impl Fn(&HookCtx<'_, S>) -> Result<String, NodeError> + Send + Sync + 'static,
    ) -> Self {
        self.instructions = Some(Arc::new(instructions));
        self
    }

    /// Adds a hook around calls of the model and of tools. Hooks run in the order they were added.
    #[must_use]
    pub fn hook(mut self, hook: impl Hook<S> + 'static) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// How often the model may speak between two messages of the user. The run then stops, and can
    /// continue with a higher limit.
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

    /// Shows the model about this many tokens of the conversation at most, the latest ones; see
    /// [`superstep_model::history::trim`]. The state keeps all of it.
    ///
    #[doc = include_str!("../docs/trim.md")]
    #[must_use]
    pub fn trim(mut self, tokens: u64) -> Self {
        self.trim = Some(tokens);
        self
    }

    /// Summarizes the older part of long conversations.
    ///
    #[doc = include_str!("../docs/summarize.md")]
    #[must_use]
    pub fn summarize(mut self, summaries: Summaries) -> Self {
        self.summaries = Some(summaries);
        self
    }

    /// Makes its answer data: a `T`, which [`Conversation::answer`] reads. When the model has nothing
    /// more to call, it is asked for the answer in that form; what does not fit is repaired.
    ///
    #[doc = include_str!("../docs/answer_as.md")]
    #[must_use]
    pub fn answer_as<T: JsonSchema>(mut self) -> Self {
        self.answer = Some(Schema::of::<T>());
        self
    }

    /// The same by a schema that is data.
    #[must_use]
    pub fn answer_by(mut self, schema: Schema) -> Self {
        self.answer = Some(schema);
        self
    }
}
