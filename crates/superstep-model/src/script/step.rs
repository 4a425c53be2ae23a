//! One step of a script: when it applies and what is said.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::{
    failure::{Failure, FailureKind},
    when::When,
};
use crate::usage::{Finish, Usage};

/// A reply, or the failure that stands in for it, and when it is given.
///
/// Reasoning comes first, then text, then calls. Texts may have placeholders such as `{last}`; see
/// `docs/scripts.md`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// The calls it fits.
    #[serde(skip_serializing_if = "When::is_any")]
    pub when: When,
    /// How often it is given before it is used up.
    pub repeat: Repeat,
    /// Text, in one piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Text, in these pieces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<String>,
    /// What the model thinks aloud.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Tool calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// An answer that is data: JSON text, or the arguments of the one tool that must be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
    /// Why the model stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// What the call costs.
    pub usage: Tokens,
    /// How long the first piece takes, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// How long each further piece takes, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace_ms: Option<u64>,
    /// The call fails with this error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// The reply breaks.
    #[serde(rename = "break", skip_serializing_if = "Option::is_none")]
    pub breaks: Option<Break>,
    /// How many pieces come before the error or the break. All of the reply but its end for
    /// [`Break::Cut`], none for the others, unless it is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
}

/// A tool call of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// Its arguments.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub args: Map<String, Json>,
    /// Its arguments as text that need not be JSON, in place of `args`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Its identity; made from the call's number in the conversation if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// How often a step is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// Whenever it fits.
    Always,
    /// So many times in a conversation.
    #[serde(untagged)]
    Times(NonZeroU32),
}

/// How a reply breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Break {
    /// Nothing more comes, ever.
    Hang,
    /// The stream ends without an end of the reply.
    Cut,
    /// The connection is lost.
    Disconnect,
}

/// What a call costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tokens {
    /// A token for every four bytes that are read or said, and one more.
    #[default]
    Counted,
    /// The model does not say.
    Absent,
    /// This.
    #[serde(untagged)]
    Given(Usage),
}

impl Default for Repeat {
    fn default() -> Self {
        Self::Times(NonZeroU32::MIN)
    }
}

impl Step {
    /// A reply of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::default()
        }
    }

    /// A reply of text in pieces.
    pub fn chunks<T: Into<String>>(chunks: impl IntoIterator<Item = T>) -> Self {
        Self {
            chunks: chunks.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// A reply that is data.
    pub fn data(data: impl Into<Json>) -> Self {
        Self {
            data: Some(data.into()),
            ..Self::default()
        }
    }

    /// A reply that calls a tool. Arguments that are no object are sent as they are, as a model
    /// would by mistake.
    pub fn call(name: impl Into<String>, args: impl Into<Json>) -> Self {
        Self::default().and_call(name, args)
    }

    /// A call that fails.
    pub fn error(kind: FailureKind) -> Self {
        Self {
            error: Some(Failure {
                kind,
                ..Failure::default()
            }),
            ..Self::default()
        }
    }

    /// A call that never gets an answer.
    pub fn hang() -> Self {
        Self {
            breaks: Some(Break::Hang),
            ..Self::default()
        }
    }

    /// The same reply with one more tool call.
    #[must_use]
    pub fn and_call(mut self, name: impl Into<String>, args: impl Into<Json>) -> Self {
        let name = name.into();
        self.calls.push(match args.into() {
            Json::Object(args) => Call {
                name,
                args,
                ..Call::default()
            },
            other => Call {
                name,
                raw: Some(other.to_string()),
                ..Call::default()
            },
        });
        self
    }

    /// The same step for these calls only.
    #[must_use]
    pub fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    /// The same step, so many times. Zero counts as one.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.repeat = Repeat::Times(NonZeroU32::new(times).unwrap_or(NonZeroU32::MIN));
        self
    }

    /// The same step, whenever it fits.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.repeat = Repeat::Always;
        self
    }

    /// Whether a call that gets this step has no reply, and so leaves no message.
    pub(super) fn fails(&self) -> bool {
        self.error.is_some() || self.breaks.is_some()
    }
}
