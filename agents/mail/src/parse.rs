//! Mail parser (RFC 5322 and MIME).
//!
//! Whatever the bytes are, the result is a [`Mail`] that can be shown and stored, or an error that
//! says why not. Headers have no line ends and no controls. Attachments are named and measured, not
//! kept. What the sender quotes of older mails is apart (`quote`).
//!
//! The bytes are hostile. `scan` finds the parts in one pass without recursion and refuses what
//! exceeds a limit, before a parser that is not ours gets any of it; that parser then sees headers
//! (`mime`) and single bodies (`decode`) of bounded size, never a tree. All of it runs on a thread
//! with a stack of known size.

mod address;
mod attached;
mod checked;
mod decode;
mod frame;
mod html;
mod mime;
mod quote;
mod scan;
mod sending;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use jiff::Timestamp;
use mail_parser::{HeaderName, HeaderValue, Message, MessageParser};
use serde::{Deserialize, Serialize};
use superstep::text::single_line;

use crate::{address::Address, error::MailError};
use address::addresses;
pub(crate) use address::{email, is_email, named_email};
pub use attached::{AttachedFile, attached_files};
pub(crate) use checked::check_address;
pub use html::DisguisedLink;
pub(crate) use quote::split;
pub use sending::Sending;
pub(crate) use sending::is_nobody;

/// The largest mail that is read.
pub(crate) const MAX_BYTES: usize = 128 << 20;

/// How much is read of the headers of a mail where its body is not wanted.
pub(crate) const MAX_HEAD: usize = 64 << 10;

/// How much text of a mail is kept.
pub(crate) const MAX_TEXT: usize = 256 << 10;

const MAX_QUOTED: usize = 64 << 10;
const MAX_SUBJECT: usize = 998;
const MAX_ID: usize = 998;
const MAX_IDS: usize = 100;
const MAX_ATTACHMENTS: usize = 100;
const MAX_TEXT_PARTS: usize = 50;
const MAX_LINKS: usize = 20;

/// The stack that a mail is parsed on. Nothing there recurses with the mail; this is room to spare.
const STACK: usize = 4 << 20;

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
    /// Links that lead elsewhere than they show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disguised_links: Vec<DisguisedLink>,
    /// What could not be read or was left out.
    pub problems: Vec<String>,
    /// How it was sent, as its headers say.
    pub sending: Sending,
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

impl Mail {
    /// Whether anything says that it is one: a file of noise has none of these.
    pub(crate) fn is_mail(&self) -> bool {
        let has_people = self.from.is_some() || !self.to.is_empty() || !self.cc.is_empty();
        has_people || !self.subject.is_empty() || self.date.is_some() || self.message_id.is_some()
    }
}

/// Reads a mail. What nests too deep, has too many parts or headers, or is too large is refused.
pub fn parse(bytes: &[u8]) -> Result<Mail, MailError> {
    if bytes.len() > MAX_BYTES {
        return Err(refused(format!(
            "it has {} bytes, more than {MAX_BYTES}",
            bytes.len()
        )));
    }
    on_own_stack(|| {
        let parts = scan::scan(bytes)?;
        Ok(read(bytes, &parts))
    })?
}

/// Reads the headers of a mail, of which the bytes need be only the beginning.
pub(crate) fn headers(bytes: &[u8]) -> Result<Mail, MailError> {
    let read = || {
        envelope()
            .parse_headers(bytes)
            .map(|message| head(&message))
    };
    // The parser is not ours, and its input is hostile.
    let read = catch_unwind(AssertUnwindSafe(read));
    let read = read.map_err(|_| malformed("its headers make no sense".into()))?;
    Ok(read.unwrap_or_default())
}

/// Reads the headers of several mails; nothing in place of those that cannot be read.
pub(crate) fn all_headers(mails: &[&[u8]]) -> Result<Vec<Option<Mail>>, MailError> {
    on_own_stack(|| mails.iter().map(|mail| headers(mail).ok()).collect())
}

/// A parser of the headers that are kept, and of no others.
fn envelope() -> MessageParser {
    let parser = MessageParser::new()
        .with_address_headers()
        .with_date_headers()
        .with_message_ids()
        .header_text(HeaderName::Subject)
        .default_header_ignore();
    sending::kept(parser)
}

/// Does something on a thread of its own, where neither the depth of the caller's stack nor a panic
/// matters.
fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, MailError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("mail-parser".into());
        let thread = thread.stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| MailError::Busy {
            place: "this machine".into(),
            why: format!("a thread to parse a mail on cannot be started: {error}"),
            retry_after: None,
        })?;
        let done = thread.join();
        done.map_err(|_| malformed("its parts make no sense".into()))
    })
}

/// A mail that is not parsed.
fn refused(why: String) -> MailError {
    MailError::TooComplex { why }
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
    clipped(&single_line(&text), most).to_owned()
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
    mail.sending = Sending::of(message, mail.from.as_ref());
    if mail.from.is_none() {
        mail.problems.push("it does not say who wrote it".into());
    }
    mail
}

fn read(bytes: &[u8], parts: &scan::Parts<'_>) -> Mail {
    let Some(message) = envelope().parse_headers(header_block(bytes)) else {
        return Mail::default();
    };
    let mut mail = head(&message);
    let body = body(parts);
    if body.is_cut {
        mail.problems
            .push(format!("its text is cut at {MAX_TEXT} bytes"));
    }
    let (text, quoted) = split(&body.text);
    mail.text = text;
    mail.disguised_links = disguised_links(parts);
    mail.quoted = quoted.map(|quoted| clipped(&quoted, MAX_QUOTED).to_owned());
    let listed = || parts.all.iter().filter(|part| part.is_listed);
    let left = listed().count().saturating_sub(MAX_ATTACHMENTS);
    if left > 0 {
        mail.problems
            .push(format!("{left} more attachments are not listed"));
    }
    mail.attachments = listed().take(MAX_ATTACHMENTS).map(attachment).collect();
    if parts.is_cut {
        mail.problems.push("it ends before its parts do".into());
    }
    if body.is_broken {
        mail.problems
            .push("some of it is encoded in a way that makes no sense".into());
    }
    mail
}

/// The headers of the mail itself.
pub(crate) fn header_block(bytes: &[u8]) -> &[u8] {
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if matches!(line, b"\n" | b"\r\n") {
            break;
        }
        at += line.len();
    }
    bytes.get(..at).unwrap_or(bytes)
}

/// All text of a mail.
fn body(parts: &scan::Parts<'_>) -> decode::Text {
    let mut text = String::new();
    let (mut is_cut, mut is_broken) = (false, false);
    let texts = parts.text.iter().filter_map(|at| parts.all.get(*at));
    for part in texts.take(MAX_TEXT_PARTS) {
        let Some(part) = decode::text(part) else {
            continue;
        };
        is_cut |= part.is_cut;
        is_broken |= part.is_broken;
        if part.text.trim().is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(clipped(&part.text, MAX_TEXT + 1));
        if text.len() > MAX_TEXT {
            break;
        }
    }
    is_cut |= text.len() > MAX_TEXT;
    let text = clipped(&text, MAX_TEXT)
        .replace("\r\n", "\n")
        .replace(['\r', '\0'], "\n");
    decode::Text {
        text: text.trim_end().to_owned(),
        links: Vec::new(),
        is_cut,
        is_broken,
    }
}

/// The links of the HTML of a mail that lead elsewhere than they show, also where its text is not the HTML.
fn disguised_links(parts: &scan::Parts<'_>) -> Vec<DisguisedLink> {
    let is_shown = |part: &&scan::Part<'_>| part.media == mime::Media::Html && !part.is_listed;
    let texts = parts.all.iter().filter(is_shown).take(MAX_TEXT_PARTS);
    let links = texts.filter_map(decode::text).flat_map(|text| text.links);
    links.take(MAX_LINKS).collect()
}

fn attachment(part: &scan::Part<'_>) -> Attachment {
    let media_type = part.head.media_type(part.media);
    let name = part.head.name.clone();
    let is_ics = name.as_deref().is_some_and(|name| {
        let dot = name.rfind('.').and_then(|dot| name.get(dot..));
        dot.is_some_and(|end| end.eq_ignore_ascii_case(".ics"))
    });
    Attachment {
        is_meeting: is_ics || matches!(&*media_type, "text/calendar" | "application/ics"),
        bytes: decode::size(part),
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

#[cfg(test)]
mod tests;
