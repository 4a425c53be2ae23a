//! The kinds of tools: their names, what they can do, and how they are described to a model.

use serde_json::{Map, Value as Json, json};
use superstep::{
    model::ToolSpec,
    tools::{Access, Capabilities},
};

use super::context::CallContext;

/// Proposes a reply.
pub const SEND: &str = "send_email_tool";
/// Proposes to pass the mail on.
pub const FORWARD: &str = "forward";
/// Proposes a mail that answers nothing.
pub const NEW_MAIL: &str = "new_mail";
/// Proposes a meeting.
pub const SCHEDULE: &str = "schedule_meeting_tool";
/// Proposes another time for a meeting.
pub const MOVE: &str = "move_meeting";
/// Proposes to cancel a meeting.
pub const CANCEL: &str = "cancel_meeting";
/// Looks into the calendar.
pub const CHECK: &str = "check_calendar_tool";
/// Looks for mail in the inbox.
pub const SEARCH: &str = "search_mail";
/// Reads a file that came with the mail.
pub const ATTACHMENT: &str = "read_attachment";
/// Asks the owner.
pub const QUESTION: &str = "Question";
/// Says that the mail is handled.
pub const DONE: &str = "Done";

const MAX_DAYS: usize = 14;

/// What a call does to the world, by the name of its tool or of a question about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// A mail is sent.
    Mail,
    /// The calendar is changed.
    Calendar,
}

impl EffectKind {
    /// The tools that have an effect.
    pub const TOOLS: [&str; 6] = [SEND, FORWARD, NEW_MAIL, SCHEDULE, MOVE, CANCEL];

    /// The effect of the tool that an action names, also in a question that is asked again.
    pub fn of(action: &str) -> Option<Self> {
        match action.split(':').next().unwrap_or_default() {
            SEND | FORWARD | NEW_MAIL => Some(Self::Mail),
            SCHEDULE | MOVE | CANCEL => Some(Self::Calendar),
            _ => None,
        }
    }
}

/// A kind of tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolKind {
    Check,
    Search,
    Attachment,
    Send,
    Forward,
    NewMail,
    Schedule,
    Move,
    Cancel,
    Question,
    Done,
}

impl ToolKind {
    /// All of them, in the order in which a model reads them.
    pub(super) const ALL: [Self; 11] = [
        Self::Check,
        Self::Search,
        Self::Attachment,
        Self::Send,
        Self::Forward,
        Self::NewMail,
        Self::Schedule,
        Self::Move,
        Self::Cancel,
        Self::Question,
        Self::Done,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Check => CHECK,
            Self::Search => SEARCH,
            Self::Attachment => ATTACHMENT,
            Self::Send => SEND,
            Self::Forward => FORWARD,
            Self::NewMail => NEW_MAIL,
            Self::Schedule => SCHEDULE,
            Self::Move => MOVE,
            Self::Cancel => CANCEL,
            Self::Question => QUESTION,
            Self::Done => DONE,
        }
    }

    pub(super) fn access(self) -> Access {
        Access {
            capabilities: match EffectKind::of(self.name()) {
                Some(EffectKind::Mail) => Capabilities::SEND,
                Some(EffectKind::Calendar) => Capabilities::WRITE.and(Capabilities::SEND),
                None if self.is_read() => Capabilities::NET,
                None => Capabilities::NONE,
            },
            idempotent: false,
            // Other people's words are in calendars, mails and files.
            trusted_output: !self.is_read(),
        }
    }

    fn is_read(self) -> bool {
        matches!(self, Self::Check | Self::Search | Self::Attachment)
    }

    /// How it is described to a model.
    pub(super) fn spec(self, context: &CallContext) -> ToolSpec {
        let (description, properties, required) = self.described(context);
        ToolSpec {
            name: self.name().into(),
            description: description.into(),
            parameters: object(&properties, required),
        }
    }

    /// What a call is checked against: what a model is told of, and what the program and the owner add to it.
    pub(super) fn checked(self, context: &CallContext) -> Json {
        let (_, mut properties, required) = self.described(context);
        let owner = json!({"type": "string", "enum": [context.services.mailbox.owner().email]});
        let mut add = |name: &str, schema: Json| {
            if let Json::Object(properties) = &mut properties {
                properties.insert(name.into(), schema);
            }
        };
        let subject = || json!({"type": "string", "minLength": 1, "maxLength": 500});
        match self {
            Self::Send => {
                add("email_id", json!({"enum": [context.input.id.0]}));
                add("email_address", owner);
                add("subject", subject());
            }
            Self::Forward => add("subject", subject()),
            Self::Schedule => add("organizer_email", owner),
            Self::Move | Self::Cancel => add("was", json!({"type": ["object", "string"]})),
            Self::Question => {
                let texts = json!({"type": "array", "items": {"type": "string"}, "maxItems": 8});
                add("answers", texts);
                add("understood", json!({"type": "object"}));
            }
            _ => {}
        }
        object(&properties, required)
    }

    fn described(self, context: &CallContext) -> (&'static str, Json, Json) {
        let zone = &context.services.zone.name;
        let invites = context.services.calendar.invites();
        match self {
            Self::Check => (
                "Shows the meetings of some days, with their ids, and the free time in working hours.",
                json!({"dates": {
                    "type": "array", "items": {"type": "string", "maxLength": 10}, "minItems": 1,
                    "maxItems": MAX_DAYS,
                    "description": "The days, each as DD-MM-YYYY.",
                }}),
                json!(["dates"]),
            ),
            Self::Search => (
                "Finds earlier mail in the user's inbox, the newest first, with the beginning of each text.",
                json!({
                    "words": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 100},
                        "minItems": 1, "maxItems": 5,
                        "description": "Words that all have to be in the mail: names, numbers, parts of the subject."},
                    "from": {"type": "string", "maxLength": 320,
                        "description": "Only mail from senders whose address contains this."},
                }),
                json!(["words"]),
            ),
            Self::Attachment => (
                "Reads a file that came with the mail as text.",
                json!({"name": {"type": "string", "maxLength": 255,
                    "description": "Its name, as it stands behind `Attachment:`."}}),
                json!(["name"]),
            ),
            Self::Send => (
                "Proposes a reply to the mail. The user sees it and may change it before it is sent.",
                json!({
                    "response_text": {"type": "string", "minLength": 1, "maxLength": 8_000,
                        "description": "The whole text, with greeting and signature."},
                    "to": {"type": "string", "enum": ["all", "sender"],
                        "description": "`all`: the sender and the others of the mail, which is what counts if it is left out. `sender`: the sender alone."},
                    "drop": addresses("Recipients of the mail who should not get the reply.", 0),
                    "additional_recipients": addresses("Only if the user asked for more recipients.", 0),
                }),
                json!(["response_text"]),
            ),
            Self::Forward => (
                "Proposes to pass the mail on, with its attachments. The user sees it before it is sent.",
                json!({
                    "to": addresses("Their addresses.", 1),
                    "text": {"type": "string", "maxLength": 8_000,
                        "description": "What stands above the mail: why they get it."},
                }),
                json!(["to", "text"]),
            ),
            Self::NewMail => (
                "Proposes a mail to somebody else, apart from this conversation. The user sees it before it is sent.",
                json!({
                    "to": addresses("Their addresses.", 1),
                    "cc": addresses("Who gets a copy.", 0),
                    "subject": {"type": "string", "minLength": 1, "maxLength": 500},
                    "text": {"type": "string", "minLength": 1, "maxLength": 8_000,
                        "description": "The whole text, with greeting and signature."},
                }),
                json!(["to", "subject", "text"]),
            ),
            Self::Schedule => (
                match invites {
                    true => {
                        "Proposes a new meeting in the user's calendar. The calendar invites the attendees. The user sees it before it is made."
                    }
                    false => {
                        "Proposes a new meeting in the user's calendar. The calendar invites nobody: promise no invitation, and let the reply say when and where. The user sees it before it is made."
                    }
                },
                json!({
                    "attendees": addresses("Their addresses, without the user's.", 1),
                    "title": {"type": "string", "minLength": 1, "maxLength": 200},
                    "start_time": time("Such as 2026-11-16T10:00:00, in the time zone."),
                    "end_time": time("In the same form."),
                    "timezone": time_zone(zone),
                    "place": {"type": "string", "maxLength": 300,
                        "description": "A room, an address or a link, if one was named."},
                    "note": {"type": "string", "maxLength": 2_000,
                        "description": "What attendees should know: agenda, what to bring."},
                }),
                json!(["attendees", "title", "start_time", "end_time"]),
            ),
            Self::Move => (
                match invites {
                    true => {
                        "Proposes another time for a meeting that is in the calendar. The calendar tells its attendees."
                    }
                    false => {
                        "Proposes another time for a meeting that is in the calendar. The calendar tells nobody: write to its attendees as well."
                    }
                },
                json!({
                    "meeting": meeting_id(),
                    "start_time": time("The new time, such as 2026-11-16T10:00:00, in the time zone."),
                    "end_time": time("In the same form."),
                    "timezone": time_zone(zone),
                }),
                json!(["meeting", "start_time", "end_time"]),
            ),
            Self::Cancel => (
                match invites {
                    true => {
                        "Proposes to cancel a meeting that is in the calendar. The calendar tells its attendees."
                    }
                    false => {
                        "Proposes to cancel a meeting that is in the calendar. The calendar tells nobody: write to its attendees as well."
                    }
                },
                json!({"meeting": meeting_id()}),
                json!(["meeting"]),
            ),
            Self::Question => (
                "Asks the user something that you must know and cannot find out.",
                json!({"content": {"type": "string", "minLength": 1, "maxLength": 1_000}}),
                json!(["content"]),
            ),
            Self::Done => (
                "Ends the mail when nothing is to be proposed.",
                json!({"done": {"type": "boolean"}}),
                json!(["done"]),
            ),
        }
    }
}

fn object(properties: &Json, required: Json) -> Json {
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.clone());
    schema.insert("required".into(), required);
    schema.insert("additionalProperties".into(), false.into());
    Json::Object(schema)
}

fn addresses(description: &str, least: u32) -> Json {
    json!({"type": "array", "items": {"type": "string", "maxLength": 320}, "minItems": least,
        "maxItems": 50, "description": description})
}

fn time(description: &str) -> Json {
    json!({"type": "string", "maxLength": 40, "description": description})
}

fn time_zone(zone: &str) -> Json {
    json!({"type": "string", "maxLength": 60,
        "description": format!("Such as {zone}, which is what counts if it is left out.")})
}

fn meeting_id() -> Json {
    json!({"type": "string", "minLength": 1, "maxLength": 1_024,
        "description": "Its id, as check_calendar_tool shows it."})
}
