//! Answers of an inbox.

use serde_json::{Map, Value as Json, json};
use superstep::tools::Verdict;

/// Kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Do it as it is.
    Accept,
    /// Do it with other arguments.
    Edit,
    /// Words: the answer itself, or what the agent reads instead of a call.
    Respond,
    /// It was read, and nothing is to be done.
    Read,
    /// Do not do it.
    Ignore,
}

impl Verb {
    /// The name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Edit => "edit",
            Self::Respond => "respond",
            Self::Read => "read",
            Self::Ignore => "ignore",
        }
    }
}

/// An answer of a person.
#[derive(Clone, Debug, PartialEq)]
pub enum InboxAnswer {
    /// Do it as it is.
    Accept,
    /// Do it with these arguments.
    Edit(Map<String, Json>),
    /// Words.
    Respond(String),
    /// It was read.
    Read,
    /// Do not do it.
    Ignore,
}

impl InboxAnswer {
    /// The kind.
    pub fn verb(&self) -> Verb {
        match self {
            Self::Accept => Verb::Accept,
            Self::Edit(_) => Verb::Edit,
            Self::Respond(_) => Verb::Respond,
            Self::Read => Verb::Read,
            Self::Ignore => Verb::Ignore,
        }
    }

    /// The verdict on a call; nothing for answers that no call takes in a conversation.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Accept => Some(Verdict::Accept),
            Self::Respond(words) => Some(Verdict::Response(words.clone())),
            Self::Ignore => Some(Verdict::Ignore),
            Self::Edit(_) | Self::Read => None,
        }
    }

    /// The answer in the form of Agent Inbox. An edit names the tool.
    pub fn wire(&self, tool: &str) -> Json {
        match self {
            Self::Accept => json!({"type": "accept", "args": null}),
            Self::Edit(args) => json!({"type": "edit", "args": {"action": tool, "args": args}}),
            Self::Respond(words) => json!({"type": "response", "args": words}),
            Self::Read => json!({"type": "read", "args": null}),
            Self::Ignore => json!({"type": "ignore", "args": null}),
        }
    }
}
