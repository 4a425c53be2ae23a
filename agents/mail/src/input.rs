//! Input of the graph: a mail, and what its mailbox knows about it.
//!
//! Callers over HTTP give it in one of three forms (`given`): this one, the flat form of a Gmail message, or the form with
//! `author` and `email_thread`. Whoever gives it, stored threads and archives included, it is checked when it is read: what
//! could not have come from a mailbox is refused before a model or a person sees any of it.

mod forms;

use serde::{Deserialize, Serialize};

use self::forms::MailForm;
use crate::{Address, MailId, ThreadKey, parse::Mail};

/// A mail, and what its mailbox says about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "MailForm")]
pub struct EmailInput {
    /// The mail, as its mailbox calls it.
    pub id: MailId,
    /// What it belongs to.
    pub thread: ThreadKey,
    /// What it says.
    pub mail: Mail,
    /// Everybody who wrote or got an older mail of its thread, and who wrote this one.
    #[serde(default)]
    pub participants: Vec<Address>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(form: serde_json::Value) -> EmailInput {
        serde_json::from_value(form).expect("a form of a mail")
    }

    #[test]
    fn the_form_with_an_author_is_a_mail() {
        let input = read(json!({
            "author": "Ann Lee <ann@example.com>",
            "to": "Max <max@example.com>, bo@example.com",
            "subject": "Meeting\nnext week?",
            "email_thread": "Hello Max,\n\ncan we meet?\n\nAnn",
        }));
        let from = input.mail.from.clone().expect("a sender");
        assert_eq!(
            (from.name.as_deref(), &*from.email),
            (Some("Ann Lee"), "ann@example.com")
        );
        let to: Vec<&str> = input.mail.to.iter().map(|it| &*it.email).collect();
        assert_eq!(to, ["max@example.com", "bo@example.com"]);
        assert_eq!(input.mail.subject, "Meeting next week?");
        assert_eq!(input.mail.text, "Hello Max,\n\ncan we meet?\n\nAnn");
        assert_eq!(input.participants, [from]);
    }

    #[test]
    fn the_flat_form_of_gmail_is_a_mail() {
        let input = read(json!({
            "from": "ann@example.com", "to": "max@example.com", "subject": "Hi",
            "body": "text", "id": "18c", "thread_id": "18b",
        }));
        assert_eq!((&*input.id.0, &*input.thread.0), ("18c", "18b"));
        assert_eq!(input.mail.text, "text");
        let alone = read(json!({"from": "a@example.com", "body": "x", "id": "18c"}));
        assert_eq!(alone.thread.0, "18c");
    }

    #[test]
    fn a_mail_without_an_id_has_one_that_follows_from_it() {
        let form = json!({"author": "a@example.com", "to": "b@example.com", "subject": "s", "email_thread": "t"});
        let (one, again) = (read(form.clone()), read(form));
        assert_eq!(one, again);
        let other = json!({"author": "a@example.com", "to": "b@example.com", "subject": "s", "email_thread": "u"});
        assert_ne!(one.id, read(other).id);
    }

    #[test]
    fn its_own_form_reads_as_it_is_written() {
        let mut input = read(json!({"from": "a@example.com", "body": "x", "id": "1"}));
        input.participants.push(Address::new("c@example.com"));
        let written = serde_json::to_value(&input).expect("JSON");
        assert_eq!(read(written), input);
    }

    #[test]
    fn what_no_mailbox_would_give_is_refused_or_put_on_one_line() {
        let with = |field: &str, value: serde_json::Value| {
            let mut mail = json!({"from": {"email": "a@example.com"}, "text": "x"});
            mail[field] = value;
            let form = json!({"id": "1", "thread": "1", "mail": mail});
            serde_json::from_value::<EmailInput>(form).map_err(|error| error.to_string())
        };
        let bad = "x>\r\nBcc: eve@evil.example";
        for (field, value) in [
            ("message_id", json!(bad)),
            ("references", json!(["1@x", bad])),
            ("in_reply_to", json!([bad])),
            ("from", json!({"email": format!("a@example.com{bad}")})),
            (
                "reply_to",
                json!([{"email": "a@example.com, b@example.com"}]),
            ),
            ("to", json!([{"email": bad}])),
            ("cc", json!([{"email": ""}])),
        ] {
            let why = with(field, value).unwrap_err();
            assert!(why.contains(&format!("`{field}` of the mail")), "{why}");
            assert!(!why.contains(['\r', '\n']), "{why}");
        }
        let id = with("message_id", json!("<1@x>")).unwrap();
        assert_eq!(id.mail.message_id.as_deref(), Some("1@x"));
        let subject = with("subject", json!("S\r\n\r\nTo: somebody else")).unwrap();
        assert_eq!(subject.mail.subject, "S To: somebody else");
        let named = json!({"email": "a@example.com", "name": "A\nCc: b"});
        let from = with("from", named).unwrap().mail.from.unwrap();
        assert_eq!(from.name.as_deref(), Some("A Cc: b"));
        let form = json!({"id": "1", "thread": "1", "mail": {}, "participants": [{"email": bad}]});
        assert!(serde_json::from_value::<EmailInput>(form).is_err());
    }

    #[test]
    fn what_is_no_mail_is_refused() {
        for form in [
            json!({}),
            json!({"subject": "x"}),
            json!("text"),
            json!({"id": 5}),
        ] {
            assert!(
                serde_json::from_value::<EmailInput>(form.clone()).is_err(),
                "{form}"
            );
        }
    }
}
