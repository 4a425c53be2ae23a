//! An MCP tool as a tool of an agent.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use superstep_core::future::BoxFuture;
use superstep_model::{ToolSpec, schema::Schema};

use super::{listing::Offered, pin::Print, reached::Reached};
use crate::{
    access::Access,
    tool::{ParsedCall, Tool, ToolCtx, ToolError, ToolOutput},
};

/// A tool as it was when the client's tools were taken.
pub(super) struct Offer {
    reached: Arc<Reached>,
    /// The server's name for it.
    name: String,
    print: Print,
    spec: ToolSpec,
    schema: Schema,
    access: Access,
}

impl Offer {
    pub(super) fn new(reached: Arc<Reached>, name: String, tool: Offered, schema: Schema) -> Self {
        Self {
            access: Access {
                capabilities: reached.server.capabilities_of(&tool.name),
                ..Access::default()
            },
            print: tool.print(),
            spec: ToolSpec {
                name,
                description: tool.description,
                parameters: tool.schema,
            },
            name: tool.name,
            reached,
            schema,
        }
    }
}

impl Tool for Offer {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> Access {
        self.access
    }

    fn foreign(&self) -> bool {
        true
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        let problems = self.schema.check(&Json::Object(args.clone()));
        if !problems.is_empty() {
            return Err(problems.iter().map(ToString::to_string).collect());
        }
        Ok(Box::new(OfferCall {
            reached: self.reached.clone(),
            name: self.name.clone(),
            print: self.print.clone(),
            args: args.clone(),
        }))
    }
}

/// A call of an offered tool.
struct OfferCall {
    reached: Arc<Reached>,
    name: String,
    print: Print,
    args: Map<String, Json>,
}

impl ParsedCall for OfferCall {
    fn run(&self, _: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(self.reached.call(&self.name, &self.print, &self.args))
    }
}
