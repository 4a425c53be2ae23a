//! A model that has tools called: two at once that a person approves one by one, on services that
//! know keys and that do not, then one more.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use superstep_core::{future::BoxFuture, plan::BuildErrors};
use superstep_engine::{Backends, DynGraph};
use superstep_model::{
    ToolSpec,
    script::{Script, Step},
};
use superstep_tools::{
    Access, Agent, Capabilities, ParsedCall, Tool, ToolCtx, ToolError, ToolOutput, Tools,
};

use super::receipt;
use crate::work_dir::{Target, WorkDir};

pub(super) fn graph(work_dir: &WorkDir, backends: Backends) -> Result<DynGraph, BuildErrors> {
    let pay = |name, target| Pay {
        spec: ToolSpec {
            name: String::from(name),
            description: "Pays.".to_owned(),
            parameters: json!({"type": "object"}),
        },
        target,
        work_dir: work_dir.clone(),
    };
    let tools = Tools::builder()
        .tool(pay("pay_keyed", Target::Idempotent))
        .tool(pay("pay_blind", Target::Blind));
    // Two tools with names of their own and no services cannot be refused.
    let tools = tools.build().unwrap_or_default();
    let to = |who: &str| json!({ "who": who });
    // What a script says follows from the conversation, so it says the same after a restart.
    let model = Arc::new(Script::new([
        Step::call("pay_keyed", to("ann")).and_call("pay_blind", to("bob")),
        Step::call("pay_blind", to("cyd")),
        Step::text("all paid"),
    ]));
    let agent = Agent::new(model).tools(tools).graph();
    Ok(agent.backends(backends).build()?.dynamic().clone())
}

/// Makes an entry in the ledger, under the key of its call.
struct Pay {
    spec: ToolSpec,
    target: Target,
    work_dir: WorkDir,
}

impl Tool for Pay {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> Access {
        Access {
            capabilities: Capabilities::SEND,
            idempotent: self.target == Target::Idempotent,
            trusted_output: true,
        }
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        let who = args.get("who").and_then(Json::as_str).unwrap_or_default();
        Ok(Box::new(Payment {
            who: who.to_owned(),
            target: self.target,
            work_dir: self.work_dir.clone(),
        }))
    }
}

/// A call of [`Pay`].
struct Payment {
    who: String,
    target: Target,
    work_dir: WorkDir,
}

impl ParsedCall for Payment {
    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let entered = self.work_dir.enter(ctx.key(), self.target);
            entered.map_err(|error| ToolError::Unknown(error.to_string()))?;
            Ok(receipt(&self.who).into())
        })
    }
}
