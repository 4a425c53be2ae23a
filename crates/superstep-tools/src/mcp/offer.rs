//! A tool of a server, as a tool of an agent.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use superstep_core::saver::BoxFuture;
use superstep_model::{ToolSpec, schema::Schema};

use super::{client::Inner, listing::Offered, pin::Print};
use crate::{
    access::Access,
    tool::{Tool, ToolCtx, ToolError, ToolOutput},
};

/// A tool as it was when the client's tools were taken.
pub(super) struct Offer {
    client: Arc<Inner>,
    /// The server's name for it.
    name: String,
    print: Print,
    spec: ToolSpec,
    schema: Schema,
    access: Access,
}

impl Offer {
    pub(super) fn new(client: Arc<Inner>, name: String, tool: Offered, schema: Schema) -> Self {
        Self {
            access: Access {
                capabilities: client.server.capabilities_of(&tool.name),
                ..Access::default()
            },
            print: tool.print(),
            spec: ToolSpec {
                name,
                description: tool.description,
                parameters: tool.schema,
            },
            name: tool.name,
            client,
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

    fn check(&self, args: &Map<String, Json>) -> Result<(), Vec<String>> {
        let problems = self.schema.check(&Json::Object(args.clone()));
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems.iter().map(ToString::to_string).collect()),
        }
    }

    fn call(
        &self,
        _: ToolCtx,
        args: Map<String, Json>,
    ) -> BoxFuture<'static, Result<ToolOutput, ToolError>> {
        let (client, name, print) = (self.client.clone(), self.name.clone(), self.print.clone());
        Box::pin(async move { client.call(&name, &print, args).await })
    }
}
