//! Agents that hand a conversation over to each other.
//!
//! A member has a tool for each other member, `transfer_to_NAME`. Who is at work is read off the
//! conversation: whoever it was handed to last. So it is stored, shown and travels with it, and the user's
//! next message goes to the member that spoke last.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value as Json, json};
use superstep_core::future::BoxFuture;
use superstep_model::{Body, Message, ToolSpec, message::ToolStatus};

use super::{config::Agent, conversation::Conversation};
use crate::{
    access::Access,
    error::ToolsError,
    tool::{ParsedCall, Tool, ToolCtx, ToolError, ToolOutput},
};

/// What the names of tools that hand over begin with.
const TRANSFER: &str = "transfer_to_";

/// Agents over one conversation, of which one is at work at a time.
pub struct Team<S: Conversation> {
    pub(super) name: &'static str,
    pub(super) members: Vec<Member<S>>,
}

pub(super) struct Member<S: Conversation> {
    pub(super) name: String,
    about: String,
    pub(super) agent: Agent<S>,
}

impl<S: Conversation> Team<S> {
    /// A team whose first member speaks first. `about` tells the others when to hand over to it.
    pub fn new(name: impl Into<String>, about: impl Into<String>, agent: Agent<S>) -> Self {
        let team = Self {
            name: "team",
            members: Vec::new(),
        };
        team.member(name, about, agent)
    }

    /// An agent that works alone.
    pub(super) fn of(agent: Agent<S>) -> Self {
        let team = Self::new("agent", "", agent);
        Self {
            name: "agent",
            ..team
        }
    }

    /// Adds a member.
    #[must_use]
    pub fn member(
        mut self,
        name: impl Into<String>,
        about: impl Into<String>,
        agent: Agent<S>,
    ) -> Self {
        self.members.push(Member {
            name: name.into(),
            about: about.into(),
            agent,
        });
        self
    }

    /// The team with a tool for each way to hand over; or what is wrong with names and tools.
    pub(super) fn with_offers(mut self) -> Result<Self, ToolsError> {
        let mut names = BTreeSet::new();
        if let Some(twice) = self
            .members
            .iter()
            .find(|member| !names.insert(&member.name))
        {
            let problem = format!("two members of the team are named `{}`", twice.name);
            return Err(ToolsError::bad_tools(&[problem]));
        }
        let offers: Vec<(String, Arc<dyn Tool>)> = self.members.iter().map(Member::offer).collect();
        for member in &mut self.members {
            for (name, tool) in &offers {
                if *name != member.name {
                    member.agent.tools = member.agent.tools.with(tool.clone())?;
                }
            }
        }
        Ok(self)
    }

    /// Who is at work; the first member if the conversation was handed to nobody.
    pub(super) fn active(&self, messages: &[Message]) -> Option<&Member<S>> {
        let handed = messages
            .iter()
            .rev()
            .find_map(|message| match &message.body {
                Body::Tool(reply) if reply.status == ToolStatus::Success => {
                    let name = reply.name.strip_prefix(TRANSFER)?;
                    self.members.iter().find(|member| member.name == name)
                }
                _ => None,
            });
        handed.or(self.members.first())
    }
}

impl<S: Conversation> Member<S> {
    /// The tool that hands over to this member.
    fn offer(&self) -> (String, Arc<dyn Tool>) {
        let Self { name, about, .. } = self;
        let spec = ToolSpec {
            name: format!("{TRANSFER}{name}"),
            description: format!("Hands the conversation over to `{name}`: {about}"),
            parameters: json!({"type": "object", "properties": {}}),
        };
        let output = format!("`{name}` has the conversation now");
        (name.clone(), Arc::new(HandOver { spec, output }))
    }
}

/// The tool that hands over to a member.
struct HandOver {
    spec: ToolSpec,
    output: String,
}

impl Tool for HandOver {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> Access {
        Access {
            trusted_output: true,
            ..Access::default()
        }
    }

    fn parse(&self, _: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        Ok(Box::new(HandingOver(self.output.clone())))
    }
}

struct HandingOver(String);

impl ParsedCall for HandingOver {
    fn run(&self, _: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async { Ok(self.0.clone().into()) })
    }
}
