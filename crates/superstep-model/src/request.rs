//! Requests to a model.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use superstep_schema::Schema;

use crate::{message::Message, tool::ToolSpec};

/// A question to a model: the conversation, and what the answer may be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The conversation. Put what does not change from call to call first: providers and the local
    /// model reuse a common beginning.
    pub messages: Vec<Message>,
    /// The tools it may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Whether it must call one.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// The shape of the answer, if it is data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSchema>,
    /// How many tokens the answer may have. Where reasoning counts against the limit of a provider, room for it is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How freely it chooses words; the model's own way if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// Makes choices repeatable, where the model can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Words at which it stops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// How much it should think first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// What the provider should keep for the next call, where it needs an instruction.
    #[serde(default, skip_serializing_if = "Cached::is_default")]
    pub cached: Cached,
}

impl Request {
    /// A conversation.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            ..Self::default()
        }
    }
}

/// What a provider that needs an instruction should keep for the next call. Keeping costs a little more
/// than reading, and reading what was kept costs much less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cached {
    /// Tools and instructions, which most calls share.
    #[default]
    Instructions,
    /// All messages but the last: instructions and worked examples, which are the same in every call. The
    /// embedded model keeps what it made of them in a file for the next process.
    Examples,
    /// The conversation too: the next call continues with it.
    Conversation,
}

impl Cached {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a model must call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// Not at all.
    None,
    /// Some tool.
    Required,
    /// This tool.
    Tool(String),
}

/// The shape of an answer that is data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputSchema {
    /// A name for it: letters, digits, `_` and `-`.
    pub name: String,
    /// Its JSON schema: an object.
    pub schema: Json,
}

impl OutputSchema {
    /// A schema, with a name that every provider takes.
    pub fn of(schema: &Schema) -> Self {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let plain = |c: char| if allowed(c) { c } else { '_' };
        let name: String = schema.name().chars().map(plain).take(64).collect();
        Self {
            name: if name.is_empty() {
                "answer".into()
            } else {
                name
            },
            schema: schema.json().clone(),
        }
    }
}

/// How much a model should think before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Effort {
    /// Hardly.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}
