//! An agent as a tool of another one: a supervisor gives it a task and reads its answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use superstep_core::{future::BoxFuture, plan::BuildErrors};
use superstep_engine::typed::Graph;
use superstep_model::{Message, ToolSpec};
use superstep_schema::{JsonSchema, json_of, schemars};

use super::{config::Agent, conversation::Conversation, state::AgentNode};
use crate::{
    access::Access,
    tool::{ParsedCall, Tool, ToolCtx, ToolError, ToolOutput},
};

/// An agent that is a tool. Each call is a conversation of its own, inside the task of the call: its
/// questions are the run's, and what it has done is not done again after a restart.
pub struct SubAgent<S: Conversation> {
    spec: ToolSpec,
    graph: Graph<S, AgentNode>,
}

/// What the other agent gives.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(crate = "schemars")]
struct Order {
    /// What is to be done, with everything that has to be known for it: nothing else of the
    /// conversation is seen.
    task: String,
}

impl<S: Conversation> Agent<S> {
    /// The agent as a tool. `about` tells models when to call it. Its tools keep their policy.
    pub fn into_tool(
        self,
        name: impl Into<String>,
        about: impl Into<String>,
    ) -> Result<SubAgent<S>, BuildErrors> {
        let mut parameters = json_of::<Order>();
        if let Json::Object(keywords) = &mut parameters {
            keywords.remove("title");
            keywords.remove("description");
        }
        let spec = ToolSpec {
            name: name.into(),
            description: about.into(),
            parameters,
        };
        let graph = self.graph().nested().build()?;
        Ok(SubAgent { spec, graph })
    }
}

impl<S: Conversation> Tool for SubAgent<S> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Its tools are decided on one by one, so it can do nothing itself. What it says may repeat what
    /// anybody wrote.
    fn access(&self) -> Access {
        Access::default()
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        let order: Order = serde_json::from_value(Json::Object(args.clone()))
            .map_err(|error| vec![error.to_string()])?;
        Ok(Box::new(SubCall {
            graph: self.graph.clone(),
            order,
        }))
    }
}

struct SubCall<S: Conversation> {
    graph: Graph<S, AgentNode>,
    order: Order,
}

impl<S: Conversation> ParsedCall for SubCall<S> {
    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let task = Message::user(self.order.task.as_str());
            let ended = ctx.run(&self.graph, S::said(vec![task])).await?;
            let last = ended.messages().last().map(Message::text);
            Ok(last.unwrap_or_default().into())
        })
    }
}
