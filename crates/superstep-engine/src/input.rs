//! Ways to say what a run is fed.

use serde_json::{Value as Json, json};
use superstep_core::{
    ask::Resume,
    error::{Error, ErrorKind},
    id::AskId,
    run::RunInput,
    runs::QueuedInput,
    value::Value,
};

use crate::graph::DynGraph;

/// Answers the one open question.
pub fn resume(answer: impl Into<Value>) -> RunInput {
    RunInput::Command(Box::default(), Some(Resume::Next(answer.into())))
}

/// Answers questions by id, any number at once.
pub fn answers(answers: impl IntoIterator<Item = (AskId, Value)>) -> RunInput {
    RunInput::Command(
        Box::default(),
        Some(Resume::ById(answers.into_iter().collect())),
    )
}

impl DynGraph {
    /// Whether the graph takes an input. Nothing is run and nothing is written; a run that brings an input is held against
    /// the same.
    pub fn check_input(&self, input: &Value) -> Result<(), Error> {
        let Some(check) = self.0.typed.input else {
            return Ok(());
        };
        check(&input.to_json()).map_err(|refused| ErrorKind::Failed(refused).into())
    }
}

/// What a queued run is fed.
pub(crate) fn queued(input: QueuedInput) -> RunInput {
    match input {
        QueuedInput::Value(value) => RunInput::Value(value),
        QueuedInput::Command(command, resume) => RunInput::Command(Box::new(command), resume),
        _ => RunInput::Nothing,
    }
}

/// Resumes without new input.
pub fn go_on() -> RunInput {
    RunInput::Nothing
}

/// Where states keep their messages, as all clients know it.
const KEY: &str = "messages";

/// An input or an update in the forms that clients of the LangGraph API send, as the engine takes it: for routes of a
/// program's own.
///
/// The engine has a message as an object with `type` and `content`. Clients may say `role`, give a pair of role and text,
/// a text alone, or one message where a list belongs.
///
/// ```
/// use serde_json::json;
/// use superstep_engine::input::from_client;
///
/// let sent = json!({ "messages": [{ "role": "user", "content": "hello" }] });
/// let input = json!({ "messages": [{ "type": "human", "content": "hello" }] });
/// assert_eq!(from_client(sent), input);
/// ```
pub fn from_client(mut update: Json) -> Json {
    let Some(messages) = update.get_mut(KEY) else {
        return update;
    };
    let given = match messages.take() {
        Json::Array(many) if is_pair(&many) => vec![Json::Array(many)],
        Json::Array(many) => many,
        Json::Null => Vec::new(),
        one => vec![one],
    };
    *messages = given.into_iter().map(one_taken).collect();
    update
}

/// Whether a list is one message: a role and a text.
fn is_pair(list: &[Json]) -> bool {
    matches!(list, [Json::String(role), Json::String(_)] if kind(role).is_some())
}

fn one_taken(message: Json) -> Json {
    match message {
        Json::String(text) => json!({ "type": "human", "content": text }),
        Json::Array(pair) => match &*pair {
            [Json::String(role), content] => {
                let kind = kind(role).unwrap_or(role);
                json!({ "type": kind, "content": content })
            }
            _ => Json::Array(pair),
        },
        Json::Object(mut fields) => {
            if let Some(Json::String(role)) = fields.remove("role") {
                let kind = kind(&role).unwrap_or(&role).to_owned();
                fields.entry("type").or_insert(kind.into());
            }
            Json::Object(fields)
        }
        other => other,
    }
}

fn kind(role: &str) -> Option<&'static str> {
    Some(match role {
        "user" | "human" => "human",
        "assistant" | "ai" => "ai",
        "system" | "developer" => "system",
        "tool" => "tool",
        _ => return None,
    })
}
