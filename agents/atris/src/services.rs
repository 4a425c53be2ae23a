//! Services that nodes use besides the state: the model, the tools, the settings. They are never stored.

use std::sync::Arc;

use serde_json::Value as Json;
use superstep::{
    Ctx, NodeError,
    model::{Message, Model, NodeModels, ToolCall, message::ToolStatus},
    tools::{CallEnd, Gate, OutcomeReviewer, Policy, Tools, decide, make},
};

use crate::{
    catalogue::{Operation, Parameters},
    client::Audius,
    error::Error,
    problem::Problem,
    settings::Settings,
    state::{AtrisState, Entity},
    tools::{Arguments, Response, Source, WRITES_OFF, tool_of},
};

/// The node in which a strong model speaks.
pub(crate) const MODEL_TURN: &str = "model_turn";

/// Services of one agent.
pub(crate) struct Services {
    pub(crate) models: Option<NodeModels>,
    pub(crate) client: Arc<Audius>,
    pub(crate) tools: Tools,
    pub(crate) policy: Policy,
    pub(crate) settings: Settings,
}

impl Services {
    /// The model that answers with tools, if there is one that can: a small one invents what it is left to weigh.
    pub(crate) fn strong_model(&self) -> Option<&dyn Model> {
        let model = &**self.models.as_ref()?.of(MODEL_TURN);
        let caps = model.caps();
        (caps.tools && !caps.small).then_some(model)
    }

    /// The host that a call goes to, if a person approves it: part of the state before it is asked about.
    pub(crate) fn bound(&self, operation: &Operation, sticky: Option<&str>) -> Option<String> {
        (!operation.is_public()).then(|| self.client.bind(sticky))
    }

    /// The host that a call goes to which a person approves: the one that the state names.
    fn bound_host(&self, state: &AtrisState) -> String {
        let bound = state.bound_host.clone();
        bound.unwrap_or_else(|| self.client.bind(state.selected_host.as_deref()))
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
        let refused = |why: &str| Error::Refused {
            operation: operation.id.clone(),
            why: crate::reply::clean(why),
        };
        let is_write = !operation.is_read();
        let arguments = Arguments {
            operation: operation.id.clone(),
            parameters: parameters.clone(),
            host: match operation.is_public() {
                true => state.selected_host.clone(),
                false => Some(self.bound_host(state)),
            },
            about: state.entity.as_ref().filter(|_| is_write).map(about),
            earlier: doubt(state, operation).filter(|_| is_write),
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
        let checked = match self.tools.parse(&call) {
            Ok(checked) => checked,
            Err(why) => return Ok(Err(refused(&why))),
        };
        let decided = decide(ctx, &self.tools, &self.policy, checked, &read).await?;
        if let Some(why) = decided.decision.refusal() {
            return Ok(Err(refused(&why)));
        }
        let gate = match is_write && !self.settings.writes {
            true => Gate::End(CallEnd::NotMade(WRITES_OFF.into())),
            false => Gate::Open,
        };
        let mut reviewer = OutcomeReviewer::new(&decided, gate);
        let message = make(ctx, &self.tools, &decided.checked, &mut reviewer).await?;
        let text = message.text();
        let is_error = match &message.body {
            superstep::model::Body::Tool(reply) => reply.status == ToolStatus::Error,
            _ => false,
        };
        Ok(match is_error {
            false => match serde_json::from_str(&text) {
                Ok(response) => Ok(response),
                // Nothing came back; a person said what became of it.
                Err(_) if is_write => Ok(told(operation, &text)),
                Err(error) => Err(Error::Malformed {
                    operation: operation.id.clone(),
                    why: error.to_string(),
                }),
            },
            true => Err(failure_in(&text).unwrap_or_else(|| {
                let is_unknown = is_write && text != WRITES_OFF && !text.starts_with(FAILED);
                match is_unknown {
                    true => Error::UnknownOutcome {
                        operation: operation.id.clone(),
                        why: crate::reply::clean(&text),
                    },
                    false => refused(&text),
                }
            })),
        })
    }
}

/// What tools put in front of a failure that is certain.
const FAILED: &str = "the call failed: ";

/// The response of a write that a person says happened.
fn told(operation: &Operation, said: &str) -> Response {
    Response {
        notes: vec![format!("no reply came; {}", crate::reply::clean(said))],
        source: Source {
            operation: operation.id.clone(),
            ..Source::default()
        },
        ..Response::default()
    }
}

/// What an id stands for.
fn about(entity: &Entity) -> String {
    let Entity { id, name, .. } = entity;
    match &entity.handle {
        Some(handle) => format!("{id} is {name} (@{handle})"),
        None => format!("{id} is {name}"),
    }
}

/// That nobody knows whether the same operation happened before in this thread.
fn doubt(state: &AtrisState, operation: &Operation) -> Option<String> {
    let mut answers = state.message_history.iter().rev();
    let earlier = answers.find(|answer| {
        let problem = answer.error.as_ref();
        answer.operation.as_deref() == Some(&*operation.id)
            && problem.is_some_and(|problem| problem.code == UNKNOWN)
    })?;
    Some(format!(
        "WARNING: it is unknown whether {} happened for \"{}\"; this may do it a second time",
        operation.id, earlier.question
    ))
}

/// The code of [`Error::UnknownOutcome`].
const UNKNOWN: &str = "SS8014";

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
