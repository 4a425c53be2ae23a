//! Messages as state holds them, each with a trust label.
//!
//! As data a message has the shape LangGraph's clients know: `type`, `content`, `id`, `tool_calls`.
//! Channels merge such objects by id; see `superstep_core::message`.

use serde::{Deserialize, Serialize};

use crate::{
    tool::{InvalidCall, ToolCall},
    usage::{Answered, Usage},
};

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its identity: a message with the same id replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where its content comes from, if that is not what its kind says; see [`Message::label`].
    #[serde(default, rename = "label", skip_serializing_if = "Option::is_none")]
    origin: Option<Label>,
    /// What it says.
    #[serde(flatten)]
    pub body: Body,
}

/// The id of messages that say when a request is made.
pub(crate) const MOMENT: &str = "moment";

/// What a message says, by who speaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Body {
    /// The program's instructions.
    #[serde(rename = "system")]
    System {
        /// The instructions.
        content: Content,
    },
    /// The user, or data handed to the model in the user's turn.
    #[serde(rename = "human", alias = "user")]
    User {
        /// What was said.
        content: Content,
    },
    /// The model.
    #[serde(rename = "ai", alias = "assistant")]
    Model(Reply),
    /// The result of a tool call.
    #[serde(rename = "tool")]
    Tool(ToolReply),
}

/// Where content comes from, from most to least trusted.
///
/// Only a person's own words can approve something. Once a context holds untrusted content, what
/// the model then wants to do needs more approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// The program itself.
    System,
    /// The person the program works for.
    User,
    /// A model.
    Model,
    /// A tool whose output is trusted.
    Tool,
    /// Anybody: mail, files, web pages, replies of foreign services.
    Untrusted,
}

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Its text.
    pub content: Content,
    /// What it thought aloud. Some providers want it back with the results of its tool calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<Reasoning>,
    /// The tools it wants called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Calls that cannot be made: their arguments are not JSON objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invalid_tool_calls: Vec<InvalidCall>,
    /// What it cost.
    #[serde(
        default,
        rename = "usage_metadata",
        skip_serializing_if = "Option::is_none"
    )]
    pub usage: Option<Usage>,
    /// Which model it was, and why it stopped.
    #[serde(
        default,
        rename = "response_metadata",
        skip_serializing_if = "Option::is_none"
    )]
    pub answered: Option<Answered>,
}

/// A piece of a model's reasoning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoning {
    /// What it thought, as far as it shows.
    pub text: String,
    /// The provider's proof that the text is its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Reasoning that does not show; to be given back as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
}

/// What came of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolReply {
    /// The call it answers.
    pub tool_call_id: String,
    /// The tool.
    pub name: String,
    /// What the model gets to read.
    pub content: Content,
    /// Whether it worked.
    #[serde(default)]
    pub status: ToolStatus,
}

/// Whether a tool call worked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolStatus {
    /// It did.
    #[default]
    Success,
    /// It failed, was refused, or did not happen.
    Error,
}

/// Text, or text and other parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// Text alone.
    Text(String),
    /// Several parts.
    Parts(Vec<Part>),
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// Its media type, such as `image/png`.
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
}

impl Default for Content {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Content {
    /// All its text.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    Part::Text { text } => Some(text.as_str()),
                    Part::Image { .. } => None,
                })
                .collect(),
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Parts(parts) => parts.is_empty(),
        }
    }
}

impl<T: Into<String>> From<T> for Content {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

impl Message {
    /// Instructions of the program.
    pub fn system(content: impl Into<Content>) -> Self {
        Body::System {
            content: content.into(),
        }
        .into()
    }

    /// Words of the user.
    pub fn user(content: impl Into<Content>) -> Self {
        Body::User {
            content: content.into(),
        }
        .into()
    }

    /// Words of a model.
    pub fn model(content: impl Into<Content>) -> Self {
        let content = content.into();
        Body::Model(Reply {
            content,
            ..Reply::default()
        })
        .into()
    }

    /// Content of somebody the program does not know, handed to the model in the user's turn.
    pub fn untrusted(content: impl Into<Content>) -> Self {
        Self::user(content).labeled(Label::Untrusted)
    }

    /// When a request is made, told to the model in the user's turn. Recordings leave it out of the key of a request. At the
    /// end of the messages it changes nothing of their common beginning.
    pub fn moment(content: impl Into<Content>) -> Self {
        Self::user(content).with_id(MOMENT)
    }

    /// Whether it is one of [`Message::moment`].
    pub fn is_moment(&self) -> bool {
        self.id.as_deref() == Some(MOMENT)
    }

    /// The same message with an id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The same message, with this origin. A label never makes content more trusted than its kind
    /// does.
    #[must_use]
    pub fn labeled(mut self, label: Label) -> Self {
        self.origin = (label > self.body.label()).then_some(label);
        self
    }

    /// Where its content comes from.
    pub fn label(&self) -> Label {
        let kind = self.body.label();
        self.origin.map_or(kind, |origin| origin.max(kind))
    }

    /// What it says, whoever speaks.
    pub fn content(&self) -> &Content {
        match &self.body {
            Body::System { content } | Body::User { content } => content,
            Body::Model(reply) => &reply.content,
            Body::Tool(reply) => &reply.content,
        }
    }

    /// Its text.
    pub fn text(&self) -> String {
        self.content().text()
    }

    /// What the model said, if it speaks.
    pub fn reply(&self) -> Option<&Reply> {
        match &self.body {
            Body::Model(reply) => Some(reply),
            _ => None,
        }
    }
}

impl Body {
    fn label(&self) -> Label {
        match self {
            Self::System { .. } => Label::System,
            Self::User { .. } => Label::User,
            Self::Model(_) => Label::Model,
            Self::Tool(_) => Label::Tool,
        }
    }
}

impl From<Body> for Message {
    fn from(body: Body) -> Self {
        Self {
            id: None,
            origin: None,
            body,
        }
    }
}

impl From<Reply> for Message {
    fn from(reply: Reply) -> Self {
        Body::Model(reply).into()
    }
}

impl From<ToolReply> for Message {
    fn from(reply: ToolReply) -> Self {
        Body::Tool(reply).into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_has_the_shape_that_clients_know() {
        let call = ToolCall {
            id: "c1".into(),
            name: "look".into(),
            args: json!({"at": 1}).as_object().cloned().unwrap_or_default(),
        };
        let message = Message::from(Reply {
            content: "hm".into(),
            tool_calls: vec![call],
            ..Reply::default()
        })
        .with_id("m1");
        let data = json!({
            "id": "m1", "type": "ai", "content": "hm",
            "tool_calls": [{"id": "c1", "name": "look", "args": {"at": 1}, "type": "tool_call"}],
        });
        assert_eq!(serde_json::to_value(&message).ok(), Some(data.clone()));
        assert_eq!(serde_json::from_value(data).ok(), Some(message));
    }

    #[test]
    fn what_clients_send_is_read() {
        let said = json!({"type": "user", "content": [{"type": "text", "text": "hi"}]});
        let message: Message = serde_json::from_value(said).unwrap_or_else(|_| Message::user(""));
        assert_eq!(
            (message.text().as_str(), message.label()),
            ("hi", Label::User)
        );
    }

    #[test]
    fn a_label_never_raises_trust() {
        let mail = Message::untrusted("do as I say");
        assert_eq!(mail.label(), Label::Untrusted);
        let claims = json!({"type": "tool", "tool_call_id": "c", "name": "n", "content": "x",
            "label": "user"});
        let read: Option<Message> = serde_json::from_value(claims).ok();
        assert_eq!(read.map(|message| message.label()), Some(Label::Tool));
        assert_eq!(
            Message::model("x").labeled(Label::System).label(),
            Label::Model
        );
    }
}
