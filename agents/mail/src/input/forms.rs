//! The forms in which callers give a mail.

use serde::Deserialize;

use super::EmailInput;
use crate::{
    Address, MailId, ThreadKey,
    key::key,
    parse::{Mail, check_address, headers, one_line},
};

/// The most characters of a line.
const LINE: usize = 2000;

/// A mail as a caller gives it. A form is known by what only it has.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum MailForm {
    /// As the graph keeps it.
    Own(Box<OwnForm>),
    /// With `email_thread`, as assistants for any mailbox take it.
    Author(AuthorForm),
    /// With `body`, as assistants for Gmail take it.
    Gmail(GmailForm),
}

#[derive(Deserialize)]
pub(super) struct OwnForm {
    id: MailId,
    thread: ThreadKey,
    mail: Mail,
    #[serde(default)]
    participants: Vec<Address>,
}

#[derive(Deserialize)]
pub(super) struct AuthorForm {
    author: String,
    #[serde(default)]
    to: Option<String>,
    #[serde(default)]
    subject: Option<String>,
    email_thread: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default, alias = "threadId")]
    thread_id: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct GmailForm {
    from: String,
    #[serde(default)]
    to: Option<String>,
    #[serde(default)]
    subject: Option<String>,
    body: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default, alias = "threadId")]
    thread_id: Option<String>,
}

impl TryFrom<MailForm> for EmailInput {
    type Error = String;

    fn try_from(given: MailForm) -> Result<Self, String> {
        Ok(match given {
            MailForm::Own(mut own) => {
                for one in &mut own.participants {
                    check_address("participants", one)?;
                }
                Self {
                    id: own.id,
                    thread: own.thread,
                    mail: own.mail.checked()?,
                    participants: own.participants,
                }
            }
            MailForm::Author(it) => Self::of(
                [it.author, text(it.to), text(it.subject), it.email_thread],
                it.id,
                it.thread_id,
            ),
            MailForm::Gmail(it) => Self::of(
                [it.from, text(it.to), text(it.subject), it.body],
                it.id,
                it.thread_id,
            ),
        })
    }
}

fn text(given: Option<String>) -> String {
    given.unwrap_or_default()
}

impl EmailInput {
    /// A mail of its sender, recipients, subject and text. One without an id is known by what it says.
    fn of(
        [from, to, subject, text]: [String; 4],
        id: Option<String>,
        thread: Option<String>,
    ) -> Self {
        let id = id.filter(|id| !id.is_empty());
        let id = id.unwrap_or_else(|| key(&["given", &from, &to, &subject, &text]));
        let thread = thread.filter(|it| !it.is_empty());
        let thread = thread.unwrap_or_else(|| id.clone());
        // Addresses are read as those of any mail are.
        let lines = [&from, &to].map(|line| one_line(line, LINE));
        let [from, to] = &lines;
        let head = format!("From: {from}\r\nTo: {to}\r\n\r\n");
        let head = headers(head.as_bytes()).unwrap_or_default();
        Self {
            id: MailId(id),
            thread: ThreadKey(thread),
            participants: head.from.iter().cloned().collect(),
            mail: Mail {
                from: head.from,
                to: head.to,
                subject: one_line(&subject, LINE),
                text,
                ..Mail::default()
            },
        }
    }
}
