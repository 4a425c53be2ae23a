//! Conditions of a step.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::glob;
use crate::{
    message::{Body, Message},
    request::Request,
};

/// Conditions on a call; all that are given must hold. Without any, every call fits.
///
/// Globs know `*` (any text) and `?` (one character).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// Text in the last user message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// A glob of the whole last user message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Text in any message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anywhere: Option<String>,
    /// Text in a system message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Who said the last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Role>,
    /// A glob of a tool whose result came since the model last spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// A glob of a tool that is offered; the empty text if none must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// A glob of the name of the schema that is asked for; the empty text if none must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// How many times the model has spoken in the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
}

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The program.
    System,
    /// The user.
    User,
    /// A model.
    Model,
    /// A tool.
    Tool,
}

/// A request as the conditions see it: the conversation up to some message.
pub(super) struct Sight<'a> {
    pub(super) messages: &'a [Message],
    pub(super) request: &'a Request,
    pub(super) call: usize,
}

impl When {
    /// Calls whose last user message contains a text.
    pub fn contains(text: impl Into<String>) -> Self {
        Self {
            contains: Some(text.into()),
            ..Self::default()
        }
    }

    /// Calls that come with the result of a tool; `*` for any.
    pub fn result(tool: impl Into<String>) -> Self {
        Self {
            result: Some(tool.into()),
            ..Self::default()
        }
    }

    /// Calls that ask for a schema.
    pub fn schema(name: impl Into<String>) -> Self {
        Self {
            schema: Some(name.into()),
            ..Self::default()
        }
    }

    /// The call before which the model has spoken so many times.
    pub fn call(number: usize) -> Self {
        Self {
            call: Some(number),
            ..Self::default()
        }
    }

    /// Whether every call fits.
    pub fn is_any(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn fits(&self, sight: &Sight<'_>) -> bool {
        let messages = sight.messages;
        let user = last_user(messages).unwrap_or_default();
        let tools = &sight.request.tools;
        let holds = |wanted: &Option<String>, test: &dyn Fn(&str) -> bool| {
            wanted.as_deref().is_none_or(test)
        };
        holds(&self.contains, &|text| user.contains(text))
            && holds(&self.glob, &|pattern| glob::fits(pattern, &user))
            && holds(&self.anywhere, &|text| {
                messages.iter().any(|said| said.text().contains(text))
            })
            && holds(&self.system, &|text| {
                let mut system = messages.iter().filter(|said| role(said) == Role::System);
                system.any(|said| said.text().contains(text))
            })
            && self.last.is_none_or(|wanted| {
                let last = last(messages).map(role);
                last == Some(wanted)
            })
            && holds(&self.result, &|pattern| {
                let mut newest = newest(messages).iter();
                newest.any(|said| match &said.body {
                    Body::Tool(reply) => glob::fits(pattern, &reply.name),
                    _ => false,
                })
            })
            && holds(&self.tool, &|pattern| match pattern {
                "" => tools.is_empty(),
                _ => tools.iter().any(|tool| glob::fits(pattern, &tool.name)),
            })
            && holds(&self.schema, &|pattern| {
                let asked = sight.request.output.as_ref();
                match (pattern, asked) {
                    ("", asked) => asked.is_none(),
                    (_, Some(output)) => glob::fits(pattern, &output.name),
                    (_, None) => false,
                }
            })
            && self.call.is_none_or(|number| number == sight.call)
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

/// The text of the last message of the user.
pub(super) fn last_user(messages: &[Message]) -> Option<String> {
    let mut back = messages.iter().rev();
    back.find(|said| role(said) == Role::User && !said.is_moment())
        .map(Message::text)
}

/// The last message that says more than when the request is made.
pub(super) fn last(messages: &[Message]) -> Option<&Message> {
    messages.iter().rev().find(|said| !said.is_moment())
}

/// What was said since the model last spoke.
pub(super) fn newest(messages: &[Message]) -> &[Message] {
    let spoke = messages.iter().rposition(|said| said.reply().is_some());
    let from = spoke.map_or(0, |at| at + 1);
    messages.get(from..).unwrap_or_default()
}

pub(super) fn role(message: &Message) -> Role {
    match &message.body {
        Body::System { .. } => Role::System,
        Body::User { .. } => Role::User,
        Body::Model(_) => Role::Model,
        Body::Tool(_) => Role::Tool,
    }
}
