//! The calls of the API as tools, so that they are checked, decided on, journaled and traced as every
//! tool call is.
//!
//! | tool | operations | policy |
//! |---|---|---|
//! | [`READ`] | what anybody may read | made at once |
//! | [`READ_PRIVATE`] | what is for one person alone | a person is asked; needs a token |
//! | [`WRITE`] | what changes something | a person is asked; off unless the settings allow it |

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use superstep::{
    future::BoxFuture,
    model::ToolSpec,
    tools::{
        Access, Capabilities, ParsedCall, Policy, Tool, ToolCtx, ToolError, ToolOutput, Tools,
        ToolsError,
    },
};

use crate::{
    catalogue::{Catalogue, Operation, Parameters},
    client::Audius,
    error::Error,
    reply,
};

/// Reads what anybody may read.
pub const READ: &str = "audius_read";
/// Reads what is for one person alone.
pub const READ_PRIVATE: &str = "audius_read_private";
/// Changes something.
pub const WRITE: &str = "audius_write";

/// What a call gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The records.
    pub data: Vec<Json>,
    /// What was missing or wrong in the reply.
    pub notes: Vec<String>,
    /// Where it comes from.
    pub source: Source,
}

/// Where records come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The operation.
    pub operation: String,
    /// The address that was asked, without keys.
    pub url: String,
    /// The host that answered.
    pub host: String,
    /// The status of the reply.
    pub status: u16,
}

/// The tool that an operation belongs to.
pub fn tool_of(operation: &Operation) -> &'static str {
    match (operation.is_read(), operation.is_public()) {
        (false, _) => WRITE,
        (true, false) => READ_PRIVATE,
        (true, true) => READ,
    }
}

/// The tools over a client.
pub(crate) fn tools(client: &Arc<Audius>) -> Result<Tools, ToolsError> {
    let net = Capabilities::READ.and(Capabilities::NET);
    let table = [
        (READ, net, "Reads public data of Audius"),
        (READ_PRIVATE, net, "Reads data of one person at Audius"),
        (WRITE, Capabilities::SEND, "Changes something at Audius"),
    ];
    let mut builder = Tools::builder().redactor(client.redactor().clone());
    for (name, capabilities, description) in table {
        builder = builder.tool(Operations {
            client: client.clone(),
            spec: spec(name, description),
            access: Access {
                capabilities,
                idempotent: false,
                trusted_output: false,
            },
        });
    }
    builder.build()
}

/// What is asked about: private data every time, writes by what they can do.
///
/// Whether writes are made at all is decided when one is about to begin ([`WRITES_OFF`]), not here: of one
/// that has begun it must be said whether it happened, also where writes are switched off now.
pub(crate) fn policy() -> Policy {
    Policy::default().ask(READ_PRIVATE)
}

/// Why a write does not begin where writes are switched off.
pub(crate) const WRITES_OFF: &str = "it changes something, and that is switched off";

fn spec(name: &str, description: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: description.into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "operation": {"type": "string"},
                "parameters": {"type": "object"},
                "host": {"type": ["string", "null"]},
                "about": {"type": "string"},
                "earlier": {"type": "string"},
            },
            "required": ["operation", "parameters"],
        }),
    }
}

struct Operations {
    client: Arc<Audius>,
    spec: ToolSpec,
    access: Access,
}

/// The arguments of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Arguments {
    pub(crate) operation: String,
    pub(crate) parameters: Parameters,
    /// The host that answered before; of a call that a person approves, the one that it goes to.
    #[serde(default)]
    pub(crate) host: Option<String>,
    /// What the ids are, for the person who approves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) about: Option<String>,
    /// An earlier call of which nobody knows whether it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) earlier: Option<String>,
}

impl Tool for Operations {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> Access {
        self.access
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        let arguments: Arguments = serde_json::from_value(Json::Object(args.clone()))
            .map_err(|error| vec![error.to_string()])?;
        let catalogue = Catalogue::get().map_err(|error| vec![error.to_string()])?;
        let operation = catalogue
            .require(&arguments.operation)
            .map_err(|error| vec![error.to_string()])?;
        let own = tool_of(operation);
        if own != self.spec.name {
            return Err(vec![format!(
                "{} belongs to the tool `{own}`",
                operation.id
            )]);
        }
        let parameters = operation
            .check(&arguments.parameters)
            .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        Ok(Box::new(Call {
            client: self.client.clone(),
            operation,
            parameters,
            host: arguments.host,
            remarks: [arguments.about, arguments.earlier],
        }))
    }
}

struct Call {
    client: Arc<Audius>,
    operation: &'static Operation,
    parameters: Parameters,
    host: Option<String>,
    remarks: [Option<String>; 2],
}

impl Call {
    /// The one host that a call goes to which a person approves.
    fn bound(&self) -> String {
        self.host.clone().unwrap_or_else(|| self.client.bind(None))
    }
}

impl ParsedCall for Call {
    fn describe(&self) -> Option<String> {
        let Operation {
            id, path, method, ..
        } = self.operation;
        let parameters = Json::Object(self.parameters.clone());
        let mut what = format!("{id}: {} /v1{path}", method.name());
        if !self.operation.is_public() {
            what.push_str(&format!("\nat {}", reply::clean(&self.bound())));
        }
        for remark in self.remarks.iter().flatten() {
            what.push('\n');
            what.push_str(&reply::clean(remark));
        }
        Some(format!("{what}\n{parameters:#}"))
    }

    fn can_be_made(&self) -> Result<(), String> {
        match self.operation.is_public() {
            true => Ok(()),
            false => self.client.bound(&self.bound()).map(drop),
        }
        .map_err(|error| format!("{error} [{}]", error.code()))
    }

    fn run(&self, _: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let failed = |error: Error| {
                let as_json = serde_json::to_string(&error).unwrap_or_else(|_| error.to_string());
                match (&error, self.operation.is_read()) {
                    // The request may have been made before the connection broke.
                    (Error::Unreachable { .. } | Error::Malformed { .. }, false) => {
                        ToolError::Unknown(error.to_string())
                    }
                    _ => ToolError::Failed(as_json),
                }
            };
            let host = self.host.as_deref();
            let fetched = self
                .client
                .call(self.operation, &self.parameters, host)
                .await;
            let fetched = fetched.map_err(failed)?;
            let source = Source {
                operation: self.operation.id.clone(),
                url: fetched.url,
                host: fetched.host,
                status: fetched.status,
            };
            if !self.operation.is_read() {
                return ToolOutput::json(&Response {
                    source,
                    ..Response::default()
                });
            }
            let models = Catalogue::get().map_err(failed)?.models();
            let records = reply::read(self.operation, models, &fetched.body).map_err(failed)?;
            ToolOutput::json(&fit(Response {
                data: records.data,
                notes: records.notes,
                source,
            }))
        })
    }
}

/// A response that fits into the output of a tool.
fn fit(mut response: Response) -> Response {
    const MAX: usize = 200 << 10;
    let size = |record: &Json| record.to_string().len() + 1;
    let mut left = MAX;
    let kept = response.data.iter().take_while(|record| {
        left = left.saturating_sub(size(record));
        left > 0
    });
    let kept = kept.count();
    if kept < response.data.len() {
        let dropped = response.data.len() - kept;
        response.data.truncate(kept);
        response.notes.push(format!(
            "{dropped} records were left out: the reply is too large"
        ));
    }
    response
}
