//! Turns of a conversation, for front ends that show a stored thread.

use serde::{Deserialize as _, Serialize};
use serde_json::Value as Json;
use superstep::model::{Body, Label, Message};

use crate::notice::Notice;

/// What one side said in a thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turn {
    /// Who said it.
    pub role: Speaker,
    /// When, in milliseconds since 1970, if that is known.
    pub at: Option<i64>,
    /// The run that it belongs to, if that is known.
    pub run: Option<String>,
    /// Its words, as Markdown.
    pub text: Option<String>,
    /// What it shows besides.
    pub notices: Vec<Notice>,
}

/// A side of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The person.
    Person,
    /// The agent.
    Agent,
}

impl Turn {
    /// Words of the person.
    pub fn person(text: impl Into<String>) -> Self {
        Self::said(Speaker::Person, text.into())
    }

    /// Words of the agent.
    pub fn agent(text: impl Into<String>) -> Self {
        Self::said(Speaker::Agent, text.into())
    }

    /// Notices of the agent.
    pub fn shown(notices: Vec<Notice>) -> Self {
        Self {
            role: Speaker::Agent,
            at: None,
            run: None,
            text: None,
            notices,
        }
    }

    fn said(role: Speaker, text: String) -> Self {
        Self {
            role,
            at: None,
            run: None,
            text: Some(text),
            notices: Vec::new(),
        }
    }

    /// The turns of a list of messages in JSON: those with words of a person or a model. What a mail or a file says in the
    /// turn of a person is no turn.
    pub fn of_messages(messages: &Json) -> Vec<Self> {
        let messages = messages.as_array().into_iter().flatten();
        let read = messages.filter_map(|message| Message::deserialize(message).ok());
        read.filter_map(|message| {
            let text = message.text();
            let turn: fn(String) -> Self = match &message.body {
                Body::User { .. } if message.label() != Label::Untrusted => Self::person,
                Body::Model(_) => Self::agent,
                _ => return None,
            };
            (!text.trim().is_empty()).then(|| turn(text))
        })
        .collect()
    }
}
