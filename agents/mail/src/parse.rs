//! A mail, read from the bytes of RFC 5322.
//!
//! Whatever the bytes are, the result is a [`Mail`] that can be shown and stored, or an error that
//! says why not. Headers have no line ends and no controls. Attachments are named and measured, not
//! kept. What the sender quotes of older mails stands apart (`quote`).

mod address;
mod quote;

use std::panic::{AssertUnwindSafe, catch_unwind};

use jiff::Timestamp;
use mail_parser::{HeaderValue, Message, MessageParser, MimeHeaders, PartType};
use serde::{Deserialize, Serialize};
use superstep::show;

use crate::{address::Address, error::MailError};
use address::addresses;
pub(crate) use address::{email, is_email};
pub(crate) use quote::split;

/// The largest mail that is read.
pub(crate) const MAX_BYTES: usize = 128 << 20;

/// How much text of a mail is kept.
pub(crate) const MAX_TEXT: usize = 256 << 10;

const MAX_QUOTED: usize = 64 << 10;
const MAX_SUBJECT: usize = 998;
const MAX_ID: usize = 998;
const MAX_IDS: usize = 100;
const MAX_ATTACHMENTS: usize = 100;
const MAX_PARTS: usize = 2_000;

/// A mail, as it is shown to people and models. All of it was written by somebody else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mail {
    /// Who says to have written it; nobody has to be right about that.
    pub from: Option<Address>,
    /// Where answers are wanted.
    pub reply_to: Vec<Address>,
    /// For whom it is.
    pub to: Vec<Address>,
    /// Who gets a copy.
    pub cc: Vec<Address>,
    /// The subject, on one line.
    pub subject: String,
    /// When it was written, as it says.
    pub date: Option<Timestamp>,
    /// Its own id, without angle brackets.
    pub message_id: Option<String>,
    /// What it answers.
    pub in_reply_to: Vec<String>,
    /// What it belongs to, the oldest first.
    pub references: Vec<String>,
    /// What it says, without what it quotes of older mails.
    pub text: String,
    /// What it quotes of older mails.
    pub quoted: Option<String>,
    /// What comes with it.
    pub attachments: Vec<Attachment>,
    /// What could not be read or was left out.
    pub problems: Vec<String>,
}

/// A file that comes with a mail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its name, on one line.
    pub name: Option<String>,
    /// Its media type, such as `application/pdf`.
    pub media_type: String,
    /// How large it is.
    pub bytes: u64,
    /// Whether it is a meeting (`text/calendar`).
    pub is_meeting: bool,
}

/// Reads a mail.
pub fn parse(bytes: &[u8]) -> Result<Mail, MailError> {
    if bytes.len() > MAX_BYTES {
        return Err(malformed(format!(
            "it has {} bytes, more than {MAX_BYTES}",
            bytes.len()
        )));
    }
    guarded(|| {
        let message = MessageParser::default().parse(bytes);
        message.map(|message| read(&message)).unwrap_or_default()
    })
}

/// Reads the headers of a mail, of which the bytes need be only the beginning.
pub(crate) fn headers(bytes: &[u8]) -> Result<Mail, MailError> {
    guarded(|| {
        let message = MessageParser::default().parse_headers(bytes);
        message.map(|message| head(&message)).unwrap_or_default()
    })
}

/// The parser is not ours, and its input is hostile.
fn guarded(read: impl FnOnce() -> Mail) -> Result<Mail, MailError> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| malformed("its parts make no sense".into()))
}

fn malformed(why: String) -> MailError {
    MailError::Malformed {
        what: "the mail".into(),
        why,
    }
}

/// A text on one line, of at most so many bytes, without what nobody sees.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().map(plain).collect();
    clipped(&show::line(&text), most).to_owned()
}

/// The beginning of a text.
pub(crate) fn clipped(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

fn head(message: &Message<'_>) -> Mail {
    let from = addresses(message.from()).into_iter().next();
    let sender = || addresses(message.sender()).into_iter().next();
    let mut mail = Mail {
        from: from.or_else(sender),
        reply_to: addresses(message.reply_to()),
        to: addresses(message.to()),
        cc: addresses(message.cc()),
        subject: one_line(message.subject().unwrap_or_default(), MAX_SUBJECT),
        date: message
            .date()
            .filter(|date| date.is_valid())
            .and_then(|date| Timestamp::from_second(date.to_timestamp()).ok()),
        message_id: message.message_id().and_then(message_id),
        in_reply_to: ids(message.in_reply_to()),
        references: ids(message.references()),
        ..Mail::default()
    };
    if mail.from.is_none() {
        mail.problems.push("it does not say who wrote it".into());
    }
    mail
}

fn read(message: &Message<'_>) -> Mail {
    let mut mail = head(message);
    if message.parts.len() > MAX_PARTS {
        let parts = message.parts.len();
        mail.problems
            .push(format!("it has {parts} parts; only some are listed"));
    }
    let (text, cut) = body(message);
    if cut {
        mail.problems
            .push(format!("its text is cut at {MAX_TEXT} bytes"));
    }
    let (text, quoted) = split(&text);
    mail.text = text;
    mail.quoted = quoted.map(|quoted| clipped(&quoted, MAX_QUOTED).to_owned());
    let all = message.attachments().take(MAX_PARTS);
    let listed: Vec<Attachment> = all.map(|part| attachment(part)).collect();
    let left = listed.len().saturating_sub(MAX_ATTACHMENTS);
    if left > 0 {
        mail.problems
            .push(format!("{left} more attachments are not listed"));
    }
    mail.attachments = listed.into_iter().take(MAX_ATTACHMENTS).collect();
    if message
        .parts
        .iter()
        .take(MAX_PARTS)
        .any(|part| part.is_encoding_problem)
    {
        mail.problems
            .push("some of it is encoded in a way that makes no sense".into());
    }
    mail
}

/// All text of a mail, and whether there was more.
fn body(message: &Message<'_>) -> (String, bool) {
    let mut text = String::new();
    for at in 0..message.text_body_count().min(50) {
        let Some(part) = message.body_text(at) else {
            continue;
        };
        if part.trim().is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(clipped(&part, MAX_TEXT + 1));
        if text.len() > MAX_TEXT {
            break;
        }
    }
    let cut = text.len() > MAX_TEXT;
    let text = clipped(&text, MAX_TEXT)
        .replace("\r\n", "\n")
        .replace(['\r', '\0'], "\n");
    (text.trim_end().to_owned(), cut)
}

fn attachment(part: &mail_parser::MessagePart<'_>) -> Attachment {
    let media_type = match part.content_type() {
        Some(kind) => match kind.subtype() {
            Some(sub) => format!("{}/{sub}", kind.ctype()),
            None => kind.ctype().to_owned(),
        },
        None => match &part.body {
            PartType::Message(_) => "message/rfc822".into(),
            PartType::Html(_) => "text/html".into(),
            PartType::Text(_) => "text/plain".into(),
            _ => "application/octet-stream".into(),
        },
    };
    let media_type = one_line(&media_type, 100).to_ascii_lowercase();
    let name = part.attachment_name().map(|name| one_line(name, 255));
    let is_ics = name.as_deref().is_some_and(|name| {
        let dot = name.rfind('.').and_then(|dot| name.get(dot..));
        dot.is_some_and(|end| end.eq_ignore_ascii_case(".ics"))
    });
    Attachment {
        is_meeting: is_ics || matches!(&*media_type, "text/calendar" | "application/ics"),
        bytes: part.len() as u64,
        name,
        media_type,
    }
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    let all: Vec<&str> = match value {
        HeaderValue::Text(text) => vec![text],
        HeaderValue::TextList(list) => list.iter().map(AsRef::as_ref).collect(),
        _ => Vec::new(),
    };
    let ids = all.into_iter().flat_map(str::split_whitespace);
    ids.filter_map(message_id).take(MAX_IDS).collect()
}

/// An id that can stand in a header.
fn message_id(text: &str) -> Option<String> {
    let id = text.trim().trim_start_matches('<').trim_end_matches('>');
    let fits = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>');
    let is_id = !id.is_empty() && id.len() <= MAX_ID && id.bytes().all(fits);
    is_id.then(|| id.to_owned())
}
