//! A model that has tools called: two at once that a person approves one by one, on services that
//! know keys and that do not, then one more.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use superstep_core::{plan::BuildErrors, saver::BoxFuture};
use superstep_engine::{Backends, Graph};
use superstep_model::{
    Caps, Delta, Deltas, Finish, Message, Model, ModelError, ModelId, Request, Structured, ToolSpec,
};
use superstep_tools::{Access, Agent, Can, Tool, ToolCtx, ToolError, ToolOutput, Tools};

use super::receipt;
use crate::world::{Target, World};

pub(super) fn graph(world: &World, backends: Backends) -> Result<Graph, BuildErrors> {
    let pay = |name, target| Pay {
        spec: ToolSpec {
            name: String::from(name),
            description: "Pays.".to_owned(),
            parameters: json!({"type": "object"}),
        },
        target,
        world: world.clone(),
    };
    let tools = Tools::builder()
        .tool(pay("pay_keyed", Target::HonoursKeys))
        .tool(pay("pay_blind", Target::Blind));
    // Two tools with names of their own and no services cannot be refused.
    let tools = tools.build().unwrap_or_default();
    let model = Arc::new(Payer(ModelId::new("crash", "payer")));
    let agent = Agent::new(model).tools(tools).graph();
    Ok(agent.backends(backends).build()?.dynamic().clone())
}

/// Wants three payments made, and says so again after every restart.
struct Payer(ModelId);

impl Model for Payer {
    fn id(&self) -> &ModelId {
        &self.0
    }

    fn caps(&self) -> Caps {
        Caps {
            tools: true,
            structured: Structured::Asked,
            images: false,
            context: None,
            local: true,
        }
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        let said = request.messages.iter().filter_map(Message::reply).count();
        let calls: &[(&str, &str)] = match said {
            0 => &[("pay_keyed", "ann"), ("pay_blind", "bob")],
            1 => &[("pay_blind", "cyd")],
            _ => &[],
        };
        let mut pieces = Vec::new();
        for (index, (tool, who)) in (0..).zip(calls) {
            pieces.push(Delta::Call {
                index,
                id: Some(format!("call {said} {index}")),
                name: String::from(*tool),
            });
            let json = json!({ "who": who }).to_string();
            pieces.push(Delta::Args { index, json });
        }
        if pieces.is_empty() {
            pieces.push(Delta::Text("all paid".to_owned()));
        }
        pieces.push(Delta::Finish(Finish::Stop));
        Box::pin(async move { Ok(Deltas::ready(pieces.into_iter().map(Ok))) })
    }
}

/// Makes an entry in the ledger, under the key of its call.
struct Pay {
    spec: ToolSpec,
    target: Target,
    world: World,
}

impl Tool for Pay {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> Access {
        Access {
            can: Can::SEND,
            honours_key: self.target == Target::HonoursKeys,
            vouches: true,
        }
    }

    fn check(&self, _: &Map<String, Json>) -> Result<(), Vec<String>> {
        Ok(())
    }

    fn call(
        &self,
        ctx: ToolCtx,
        args: Map<String, Json>,
    ) -> BoxFuture<'static, Result<ToolOutput, ToolError>> {
        let (world, target) = (self.world.clone(), self.target);
        Box::pin(async move {
            let entered = world.enter(ctx.key(), target);
            entered.map_err(|error| ToolError::Unknown(error.to_string()))?;
            let who = args.get("who").and_then(Json::as_str).unwrap_or_default();
            Ok(receipt(who).into())
        })
    }
}
