//! Services that nodes use besides the state: the model, the tools, the settings. They are never stored.

use std::sync::Arc;

use serde_json::Value as Json;
use superstep::{
    Ctx, NodeError,
    model::{Message, Model, ToolCall, message::ToolStatus},
    tools::{Policy, Tools, execute},
};

use crate::{
    catalogue::{Operation, Parameters},
    error::Error,
    problem::Problem,
    settings::{ModelRole, Settings},
    state::AtrisState,
    tools::{Arguments, Response, tool_of},
};

/// Services of one agent.
pub(crate) struct Services {
    pub(crate) model: Option<Arc<dyn Model>>,
    pub(crate) tools: Tools,
    pub(crate) policy: Policy,
    pub(crate) settings: Settings,
}

impl Services {
    /// The model that reads what a question names and says, if there is one for that.
    pub(crate) fn reader(&self) -> Option<&dyn Model> {
        match self.settings.role {
            ModelRole::Whole => self.model.as_deref(),
            ModelRole::Choice => None,
        }
    }

    /// Makes a call of the API as a tool call of this task. `number` tells the calls of a task apart.
    pub(crate) async fn call(
        &self,
        ctx: &Ctx,
        state: &AtrisState,
        operation: &Operation,
        parameters: &Parameters,
        number: usize,
    ) -> Result<Result<Response, Error>, NodeError> {
        let arguments = Arguments {
            operation: operation.id.clone(),
            parameters: parameters.clone(),
            host: state.selected_host.clone(),
        };
        let Ok(Json::Object(args)) = serde_json::to_value(arguments) else {
            return Err(NodeError::msg("arguments of a call are an object"));
        };
        let call = ToolCall {
            id: ctx.idempotency_key(&format!("call {number}")),
            name: tool_of(operation).to_owned(),
            args,
        };
        let question = state.query.clone().unwrap_or_default();
        let read = [Message::user(question)];
        let message = execute(ctx, &self.tools, &self.policy, &call, &read).await?;
        let text = message.text();
        let is_error = match &message.body {
            superstep::model::Body::Tool(reply) => reply.status == ToolStatus::Error,
            _ => false,
        };
        Ok(match is_error {
            false => serde_json::from_str(&text).map_err(|error| Error::Malformed {
                operation: operation.id.clone(),
                why: error.to_string(),
            }),
            true => Err(failure_in(&text).unwrap_or(Error::Refused {
                operation: operation.id.clone(),
                why: crate::reply::clean(&text),
            })),
        })
    }
}

/// The error that a tool reported, behind the words that tools put in front of a failure.
fn failure_in(text: &str) -> Option<Error> {
    let at = text.find('{')?;
    serde_json::from_str(text.get(at..)?).ok()
}

/// An error as the state keeps it.
pub(crate) fn problem(error: &Error, node: &str, state: &AtrisState) -> Problem {
    let operation = state.best_api.as_ref().map(|api| api.id.as_str());
    Problem::new(error, node, operation)
}
