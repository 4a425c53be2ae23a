//! The tools of the assistant: how they are described, and what a call of one means.
//!
//! Arguments are checked before anybody is asked: against the schema, and for what a schema cannot
//! say. Every text has a length: small models like to go on. Which mail is answered and from which address is not the model's choice; the schema allows
//! one value for each.

mod meeting;

use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep::model::{Schema, ToolSpec};

use crate::{
    Address,
    input::EmailInput,
    parse::{email, one_line},
    settings::Zone,
};
pub(crate) use meeting::Meeting;

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

/// What a call wants, once it is known to make sense.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Send(Letter),
    Schedule(Meeting),
    Check(Vec<Date>),
    Question(String),
    Done,
}

/// A reply as a model words it.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    pub(crate) text: String,
    pub(crate) added: Vec<Address>,
}

/// What calls are checked against.
#[derive(Clone, Copy)]
pub(crate) struct Desk<'a> {
    pub(crate) owner: &'a Address,
    pub(crate) zone: &'a Zone,
    pub(crate) input: &'a EmailInput,
}

impl Desk<'_> {
    /// The tools as they are described to a model.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        let spec = |name: &str, description: &str, properties: Json, required: Json| ToolSpec {
            name: name.into(),
            description: description.into(),
            parameters: json!({
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            }),
        };
        let owner = json!({"type": "string", "enum": [self.owner.email]});
        vec![
            spec(
                CHECK,
                "Shows what is in the calendar on days, and what is free.",
                json!({"dates": {
                    "type": "array", "items": {"type": "string", "maxLength": 10}, "minItems": 1,
                    "maxItems": MAX_DAYS,
                    "description": "The days, each as DD-MM-YYYY.",
                }}),
                json!(["dates"]),
            ),
            spec(
                SEND,
                "Proposes a reply to the mail. It is sent when the owner agrees.",
                json!({
                    "email_id": {"type": "string", "enum": [self.input.id.0],
                        "description": "The mail that is answered."},
                    "response_text": {"type": "string", "minLength": 1, "maxLength": 8_000,
                        "description": "The whole text of the reply."},
                    "email_address": owner,
                    "additional_recipients": {"type": "array", "items": {"type": "string", "maxLength": 320},
                        "maxItems": 20,
                        "description": "Only if the owner asked for more recipients."},
                }),
                json!(["email_id", "response_text", "email_address"]),
            ),
            spec(
                SCHEDULE,
                "Proposes a meeting. It is made when the owner agrees.",
                json!({
                    "attendees": {"type": "array", "items": {"type": "string", "maxLength": 320}, "minItems": 1,
                        "maxItems": 50, "description": "Their addresses."},
                    "title": {"type": "string", "minLength": 1, "maxLength": 200},
                    "start_time": {"type": "string", "maxLength": 40,
                        "description": "Such as 2026-11-16T10:00:00, in the time zone."},
                    "end_time": {"type": "string", "maxLength": 40},
                    "organizer_email": owner,
                    "timezone": {"type": "string", "maxLength": 60,
                        "description": format!("Such as {}, which is what counts if it is left out.",
                            self.zone.name)},
                }),
                json!([
                    "attendees",
                    "title",
                    "start_time",
                    "end_time",
                    "organizer_email"
                ]),
            ),
            spec(
                QUESTION,
                "Asks the owner something.",
                json!({"content": {"type": "string", "minLength": 1, "maxLength": 1_000}}),
                json!(["content"]),
            ),
            spec(
                DONE,
                "Says that the mail is handled.",
                json!({"done": {"type": "boolean"}}),
                json!(["done"]),
            ),
        ]
    }

    /// What a call wants, or what is wrong with it, told to the model.
    pub(crate) fn read(&self, name: &str, args: &Map<String, Json>) -> Result<Wanted, String> {
        let specs = self.specs();
        let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
            let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
            let (name, names) = (one_line(name, 64), names.join(", "));
            return Err(format!("there is no tool `{name}`; there are: {names}"));
        };
        let value = Json::Object(args.clone());
        let schema =
            Schema::new(name, spec.parameters.clone()).map_err(|error| error.to_string())?;
        let problems = schema.check(&value);
        if !problems.is_empty() {
            let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
            return Err(format!(
                "the arguments do not fit `{name}`: {}",
                all.join("; ")
            ));
        }
        match name {
            SEND => letter(value).map(Wanted::Send),
            SCHEDULE => Meeting::read(value, self.zone).map(Wanted::Schedule),
            CHECK => days(value).map(Wanted::Check),
            QUESTION => {
                let content = args.get("content").and_then(Json::as_str);
                Ok(Wanted::Question(content.unwrap_or_default().to_owned()))
            }
            _ => Ok(Wanted::Done),
        }
    }
}

#[derive(Deserialize)]
struct SendArgs {
    response_text: String,
    #[serde(default)]
    additional_recipients: Vec<String>,
}

fn letter(args: Json) -> Result<Letter, String> {
    let args: SendArgs = serde_json::from_value(args).map_err(|error| error.to_string())?;
    if args.response_text.trim().is_empty() {
        return Err("`response_text` is empty".into());
    }
    Ok(Letter {
        text: args.response_text,
        added: addresses(&args.additional_recipients)?,
    })
}

pub(crate) fn addresses(texts: &[String]) -> Result<Vec<Address>, String> {
    let read = |text: &String| {
        let address = email(text).map(Address::new);
        address.ok_or_else(|| format!("`{}` is no address", one_line(text, 100)))
    };
    texts.iter().map(read).collect()
}

fn days(args: Json) -> Result<Vec<Date>, String> {
    #[derive(Deserialize)]
    struct Days {
        dates: Vec<String>,
    }
    let args: Days = serde_json::from_value(args).map_err(|error| error.to_string())?;
    let read = |text: &String| {
        let date = Date::strptime("%d-%m-%Y", text.trim());
        date.map_err(|_| format!("`{}` is no day: write DD-MM-YYYY", one_line(text, 40)))
    };
    args.dates.iter().map(read).collect()
}
