//! How a mail was sent, as its headers say: by a person, by a program, to many.

use mail_parser::{HeaderName, HeaderValue, Message, MessageParser};
use serde::{Deserialize, Serialize};

use crate::address::Address;

const AUTO_SUBMITTED: &str = "Auto-Submitted";
const PRECEDENCE: &str = "Precedence";
const SUPPRESS: &str = "X-Auto-Response-Suppress";

/// Addresses that nobody reads, without the marks between their words.
const NOBODY: [&str; 4] = ["noreply", "donotreply", "mailerdaemon", "postmaster"];

/// How a mail was sent, as its headers say. Programs that send honestly set them; a mail without them proves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sending {
    /// A program sent it (`Auto-Submitted`, `Precedence: bulk`), or nobody reads answers to it (`noreply@`).
    pub by_program: bool,
    /// It came through a mailing list (`List-Id`, `List-Post`).
    pub through_list: bool,
    /// One can unsubscribe from it (`List-Unsubscribe`).
    pub has_unsubscribe: bool,
}

/// The same parser, which keeps these headers too.
pub(super) fn kept(parser: MessageParser) -> MessageParser {
    let lists = [
        HeaderName::ListId,
        HeaderName::ListPost,
        HeaderName::ListUnsubscribe,
    ];
    let parser = lists.into_iter().fold(parser, MessageParser::header_raw);
    let others = [AUTO_SUBMITTED, PRECEDENCE, SUPPRESS];
    others.into_iter().fold(parser, MessageParser::header_raw)
}

impl Sending {
    pub(super) fn of(message: &Message<'_>, from: Option<&Address>) -> Self {
        let value = |name: &'static str| {
            let value = message.header(name).and_then(HeaderValue::as_text);
            value.map(|it| it.trim().to_ascii_lowercase())
        };
        // `no` is how a person's program says that a person wrote it; behind a semicolon are its parameters.
        let is_automatic = value(AUTO_SUBMITTED)
            .is_some_and(|it| it.split(';').next().is_some_and(|it| it.trim() != "no"));
        let precedence = value(PRECEDENCE).unwrap_or_default();
        let is_bulk = ["bulk", "junk", "auto_reply"].contains(&precedence.as_str());
        let has = |name: HeaderName<'static>| message.header(name).is_some();
        Self {
            by_program: is_automatic
                || is_bulk
                || value(SUPPRESS).is_some()
                || from.is_some_and(is_nobody),
            through_list: has(HeaderName::ListId)
                || has(HeaderName::ListPost)
                || precedence == "list",
            has_unsubscribe: has(HeaderName::ListUnsubscribe),
        }
    }
}

/// Whether it is an address that nobody reads.
pub(crate) fn is_nobody(address: &Address) -> bool {
    let local = address.email.split('@').next().unwrap_or_default();
    let bare: String = local.chars().filter(char::is_ascii_alphabetic).collect();
    let bare = bare.to_ascii_lowercase();
    NOBODY.iter().any(|name| bare.starts_with(name))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot continue fails")]
mod tests {
    use super::*;
    use crate::parse::parse;

    fn sending(from: &str, headers: &str) -> Sending {
        let mail = format!("From: {from}\r\nSubject: x\r\n{headers}\r\n\r\nText\r\n");
        parse(mail.as_bytes()).unwrap().sending
    }

    #[test]
    fn headers_say_whether_a_program_or_a_list_sent_it() {
        let ann = "Ann <ann@example.org>";
        for by_program in [
            "Auto-Submitted: auto-generated",
            "auto-submitted: Auto-Replied; owner-email=\"x@example.org\"",
            "Precedence: bulk",
            "X-Auto-Response-Suppress: All",
        ] {
            let found = sending(ann, by_program);
            assert!(found.by_program && !found.through_list, "{by_program}");
        }
        let list = sending(ann, "List-Id: Dev <dev.lists.example.org>");
        assert!(list.through_list && !list.by_program && !list.has_unsubscribe);
        let offer = sending(
            ann,
            "List-Unsubscribe: <https://shop.example/u/1>,\r\n <mailto:u@shop.example>",
        );
        assert!(offer.has_unsubscribe && !offer.through_list);
    }

    #[test]
    fn a_person_sends_none_of_these() {
        for person in ["Ann <ann@example.org>", "reply.nora@example.org"] {
            assert_eq!(
                sending(person, "Auto-Submitted: no"),
                Sending::default(),
                "{person}"
            );
        }
        for nobody in ["Shop <no-reply@shop.example>", "DoNot_Reply@shop.example"] {
            assert!(sending(nobody, "X-Mailer: x").by_program, "{nobody}");
        }
    }
}
