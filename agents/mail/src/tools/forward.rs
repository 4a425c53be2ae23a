//! The mail below a text that passes it on, and the files that go with it.

use super::context::CallContext;
use crate::{
    Mail, MailError,
    parse::{self, AttachedFile},
    prompt::{day_and_time, person},
    settings::Zone,
};

/// The most bytes of all files of a mail that is passed on: more is refused by many servers.
const MOST: usize = 18 << 20;

/// What a person reads of the mail that goes along.
pub(super) fn below(mail: &Mail) -> String {
    let names = mail.attachments.iter();
    let names: Vec<&str> = names
        .map(|it| it.name.as_deref().unwrap_or("(no name)"))
        .collect();
    match names.is_empty() {
        true => "Below it: the mail.".to_owned(),
        false => format!("Below it: the mail. Attached: {}", names.join(", ")),
    }
}

/// The whole text.
pub(super) fn text(text: &str, mail: &Mail, zone: &Zone) -> String {
    let people = |all: &[crate::Address]| all.iter().map(person).collect::<Vec<_>>().join(", ");
    let mut whole = format!(
        "{}\n\n---------- Forwarded message ----------\n",
        text.trim_end()
    );
    for (name, value) in [
        ("From", mail.from.as_ref().map(person).unwrap_or_default()),
        (
            "Date",
            mail.date
                .map(|at| day_and_time(at, zone))
                .unwrap_or_default(),
        ),
        ("Subject", mail.subject.clone()),
        ("To", people(&mail.to)),
        ("Cc", people(&mail.cc)),
    ] {
        if !value.is_empty() {
            whole.push_str(&format!("{name}: {value}\n"));
        }
    }
    whole.push_str(&format!("\n{}\n", mail.text));
    if let Some(quoted) = &mail.quoted {
        whole.push_str(&format!("\n{quoted}\n"));
    }
    whole
}

/// The files of the mail, as its mailbox has them.
pub(super) async fn files(context: &CallContext) -> Result<Vec<AttachedFile>, MailError> {
    if context.input.mail.attachments.is_empty() {
        return Ok(Vec::new());
    }
    let files = context.attached().await?;
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    match bytes <= MOST {
        true => Ok(files),
        false => Err(MailError::Refused {
            place: context.services.mailbox.place(),
            why: format!("the attachments have {bytes} bytes, more than {MOST}"),
        }),
    }
}

impl CallContext {
    /// The files of the mail. Input over HTTP may name any mail: another one has no files for it.
    pub(super) async fn attached(&self) -> Result<Vec<AttachedFile>, MailError> {
        let raw = self.services.in_mailbox(&self.input).await?;
        let raw = raw.ok_or_else(|| MailError::Missing {
            place: self.services.mailbox.place(),
            what: "this mail, so its attachments cannot be read".into(),
        })?;
        let read = tokio::task::spawn_blocking(move || parse::attached_files(&raw.bytes));
        read.await.unwrap_or_else(|error| {
            Err(MailError::Malformed {
                what: "the mail".into(),
                why: error.to_string(),
            })
        })
    }
}
