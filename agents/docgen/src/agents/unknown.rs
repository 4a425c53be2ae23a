//! An agent that this run does not know: its page stays, and it does not work.

use crate::{
    agent::{AgentContext, DocAgent},
    result::AgentResult,
};

/// One whose result is there.
pub(crate) struct UnknownAgent {
    name: String,
    title: String,
}

impl UnknownAgent {
    pub(crate) fn of(result: &AgentResult) -> Self {
        Self {
            name: result.agent_name.clone(),
            title: superstep::text::single_line(&result.metadata.title),
        }
    }
}

impl DocAgent for UnknownAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn system_prompt(&self, _: &AgentContext) -> String {
        String::new()
    }

    fn human_prompt(&self, _: &AgentContext) -> String {
        String::new()
    }

    fn title(&self) -> String {
        match self.title.is_empty() {
            true => self.name.replace('-', " "),
            false => self.title.clone(),
        }
    }
}
