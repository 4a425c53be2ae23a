//! The kinds of tools: their names, what they can do, and how they are described to a model.

use serde_json::{Value as Json, json};
use superstep::{
    model::ToolSpec,
    tools::{Access, Capabilities},
};

use super::context::CallContext;

/// Proposes a reply.
pub const SEND: &str = "send_email_tool";
/// Proposes a meeting.
pub const SCHEDULE: &str = "schedule_meeting_tool";
/// Looks into the calendar.
pub const CHECK: &str = "check_calendar_tool";
/// Asks the owner.
pub const QUESTION: &str = "Question";
/// Says that the mail is handled.
pub const DONE: &str = "Done";

const MAX_DAYS: usize = 14;

/// A kind of tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolKind {
    Check,
    Send,
    Schedule,
    Question,
    Done,
}

impl ToolKind {
    /// All of them, in the order in which a model reads them.
    pub(super) const ALL: [Self; 5] = [
        Self::Check,
        Self::Send,
        Self::Schedule,
        Self::Question,
        Self::Done,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Check => CHECK,
            Self::Send => SEND,
            Self::Schedule => SCHEDULE,
            Self::Question => QUESTION,
            Self::Done => DONE,
        }
    }

    pub(super) fn access(self) -> Access {
        Access {
            capabilities: match self {
                Self::Send => Capabilities::SEND,
                Self::Schedule => Capabilities::WRITE.and(Capabilities::SEND),
                Self::Check => Capabilities::NET,
                Self::Question | Self::Done => Capabilities::NONE,
            },
            idempotent: false,
            // Other people's words are in the calendar.
            trusted_output: self != Self::Check,
        }
    }

    /// How it is described to a model.
    pub(super) fn spec(self, context: &CallContext) -> ToolSpec {
        let owner = json!({"type": "string", "enum": [context.services.mailbox.owner().email]});
        let (description, properties, required) = match self {
            Self::Check => (
                "Shows what is in the calendar on days, and what is free.",
                json!({"dates": {
                    "type": "array", "items": {"type": "string", "maxLength": 10}, "minItems": 1,
                    "maxItems": MAX_DAYS,
                    "description": "The days, each as DD-MM-YYYY.",
                }}),
                json!(["dates"]),
            ),
            Self::Send => (
                "Proposes a reply to the mail. It is sent when the owner agrees.",
                json!({
                    "response_text": {"type": "string", "minLength": 1, "maxLength": 8_000,
                        "description": "The whole text of the reply."},
                    "email_address": owner,
                    "additional_recipients": {"type": "array",
                        "items": {"type": "string", "maxLength": 320}, "maxItems": 20,
                        "description": "Only if the owner asked for more recipients."},
                }),
                json!(["response_text", "email_address"]),
            ),
            Self::Schedule => (
                "Proposes a meeting. It is made when the owner agrees.",
                schedule(context, &owner),
                json!([
                    "attendees", "title", "start_time", "end_time", "organizer_email"
                ]),
            ),
            Self::Question => (
                "Asks the owner something.",
                json!({"content": {"type": "string", "minLength": 1, "maxLength": 1_000}}),
                json!(["content"]),
            ),
            Self::Done => (
                "Says that the mail is handled.",
                json!({"done": {"type": "boolean"}}),
                json!(["done"]),
            ),
        };
        ToolSpec {
            name: self.name().into(),
            description: description.into(),
            parameters: json!({
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            }),
        }
    }
}

fn schedule(context: &CallContext, owner: &Json) -> Json {
    let zone = &context.services.zone.name;
    json!({
        "attendees": {"type": "array", "items": {"type": "string", "maxLength": 320}, "minItems": 1,
            "maxItems": 50, "description": "Their addresses."},
        "title": {"type": "string", "minLength": 1, "maxLength": 200},
        "start_time": {"type": "string", "maxLength": 40,
            "description": "Such as 2026-11-16T10:00:00, in the time zone."},
        "end_time": {"type": "string", "maxLength": 40},
        "organizer_email": owner,
        "timezone": {"type": "string", "maxLength": 60,
            "description": format!("Such as {zone}, which is what counts if it is left out.")},
    })
}
