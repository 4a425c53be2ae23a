//! Composition of a mail: recipients, headers, attached files, bytes.
//!
//! Answers go where the sender wants them (`Reply-To` before `From`); the others of the mail get a
//! copy. Everything that comes from a mail, a model or a person is checked or encoded before it
//! is in a header, and every header is checked again where it is written (`header`), so that no text can add one.
//! The bytes follow from the arguments alone:
//! composing twice gives the same mail.

mod file;
mod header;

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    Outgoing, ThreadKey,
    address::Address,
    error::MailError,
    parse::{AttachedFile, Mail, is_email},
};
use header::{HeaderBlock, address_list, base64_lines, text_header};

/// How many older mails a reply refers to: the first and the newest.
const MAX_REFERENCES: usize = 20;

/// Who gets a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipients {
    /// For whom it is.
    pub to: Vec<Address>,
    /// Who gets a copy.
    pub cc: Vec<Address>,
}

impl Recipients {
    /// Who gets a reply to a mail, besides whoever was added.
    pub fn of(mail: &Mail, owner: &Address, added: &[Address]) -> Self {
        let is_owner = |address: &Address| address.is_same(owner);
        let answered: Vec<Address> = match mail.reply_to.as_slice() {
            [] => mail.from.iter().cloned().collect(),
            wanted => wanted.to_vec(),
        };
        // To a mail of one's own one adds something for those who got it.
        let to = match answered.iter().all(is_owner) {
            true => mail.to.clone(),
            false => answered,
        };
        let mut recipients = Self::default();
        for address in to {
            if !is_owner(&address) {
                recipients.add_to(address);
            }
        }
        for address in mail.to.iter().chain(&mail.cc).chain(added) {
            if !is_owner(address) {
                recipients.add_cc(address.clone());
            }
        }
        recipients
    }

    /// Who gets a reply to the sender alone.
    pub fn of_sender(mail: &Mail, owner: &Address, added: &[Address]) -> Self {
        let alone = Mail {
            cc: Vec::new(),
            to: match mail.from.as_ref().is_some_and(|from| from.is_same(owner)) {
                true => mail.to.clone(),
                false => Vec::new(),
            },
            ..mail.clone()
        };
        Self::of(&alone, owner, added)
    }

    /// The recipients of a mail that answers nothing.
    pub fn named(to: &[Address], cc: &[Address]) -> Self {
        let mut recipients = Self::default();
        to.iter().cloned().for_each(|one| recipients.add_to(one));
        cc.iter().cloned().for_each(|one| recipients.add_cc(one));
        recipients
    }

    /// All of them but some. If nobody is left whom it is for, those who get a copy are.
    #[must_use]
    pub fn without(mut self, dropped: &[Address]) -> Self {
        let is_kept = |one: &Address| !dropped.iter().any(|it| it.is_same(one));
        self.to.retain(is_kept);
        self.cc.retain(is_kept);
        if self.to.is_empty() {
            self.to = std::mem::take(&mut self.cc);
        }
        self
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Address> {
        self.to.iter().chain(&self.cc)
    }

    /// Those who are not among these.
    pub fn outside<'a>(&'a self, known: &'a [Address]) -> impl Iterator<Item = &'a Address> {
        self.all()
            .filter(|one| !known.iter().any(|other| other.is_same(one)))
    }

    fn has(&self, address: &Address) -> bool {
        self.all().any(|other| other.is_same(address))
    }

    fn add_to(&mut self, address: Address) {
        if !self.has(&address) {
            self.to.push(address);
        }
    }

    fn add_cc(&mut self, address: Address) {
        if !self.has(&address) {
            self.cc.push(address);
        }
    }
}

/// What a mail is made of.
#[derive(Clone, Copy, Debug)]
pub struct NewMail<'a> {
    /// Who writes.
    pub from: &'a Address,
    /// Who gets it.
    pub recipients: &'a Recipients,
    /// The subject.
    pub subject: &'a str,
    /// What it says.
    pub text: &'a str,
    /// The mail that it answers.
    pub answers: Option<&'a Mail>,
    /// What comes with it.
    pub files: &'a [AttachedFile],
    /// Equal on every attempt to send it.
    pub key: &'a str,
    /// When it was written.
    pub date: Timestamp,
    /// The zone of the date.
    pub zone: &'a TimeZone,
    /// What it belongs to, as the mailbox calls it.
    pub thread: Option<&'a ThreadKey>,
}

impl NewMail<'_> {
    /// The mail, ready to be sent.
    pub fn compose(&self) -> Result<Outgoing, MailError> {
        if self.recipients.to.is_empty() {
            return Err(refused(match self.answers {
                Some(_) => "the mail does not say where an answer should go".into(),
                None => "it has no recipient".into(),
            }));
        }
        let everybody = || self.recipients.all().chain([self.from]);
        if let Some(strange) = everybody().find(|it| !is_email(&it.email)) {
            return Err(refused(format!("`{}` is no address", strange.email)));
        }
        let message_id = self.message_id();
        let mail = self.write(&message_id).map_err(refused)?;
        Ok(Outgoing {
            bytes: mail.into_bytes(),
            message_id,
            from: self.from.clone(),
            recipients: self.recipients.all().cloned().collect(),
            thread: self.thread.cloned(),
        })
    }

    fn message_id(&self) -> String {
        let domain = self.from.email.rsplit_once('@').map(|(_, domain)| domain);
        format!("{}@{}", self.key, domain.unwrap_or("localhost"))
    }

    fn write(&self, message_id: &str) -> Result<String, String> {
        let date = self.date.to_zoned(self.zone.clone());
        let date = date.strftime("%a, %d %b %Y %H:%M:%S %z").to_string();
        let mut head = HeaderBlock::default();
        head.add_line("Date", &date)?;
        head.add("From", &address_list([self.from]))?;
        head.add("To", &address_list(&self.recipients.to))?;
        head.add("Cc", &address_list(&self.recipients.cc))?;
        head.add("Subject", &text_header(self.subject))?;
        head.add_line("Message-ID", &format!("<{message_id}>"))?;
        if let Some(answered) = self.answers {
            let ids = answered.message_id.iter();
            let ids: Vec<String> = ids.map(|id| format!("<{id}>")).collect();
            head.add("In-Reply-To", &ids)?;
            head.add("References", &references(answered))?;
        }
        head.add_line("MIME-Version", "1.0")?;
        if self.files.is_empty() {
            return text_part(head, self.text);
        }
        // The key is a hash that no text can know.
        let boundary = format!("=_{}", self.key);
        let kind = format!("multipart/mixed; boundary=\"{boundary}\"");
        head.add_line("Content-Type", &kind)?;
        let mut mail = head.ended();
        let mut parts = vec![text_part(HeaderBlock::default(), self.text)?];
        for attached in self.files {
            parts.push(file::part(attached)?);
        }
        for part in parts {
            mail.push_str(&format!("--{boundary}\r\n{part}\r\n"));
        }
        mail.push_str(&format!("--{boundary}--\r\n"));
        Ok(mail)
    }
}

/// A text behind its headers.
fn text_part(mut head: HeaderBlock, text: &str) -> Result<String, String> {
    head.add_line("Content-Type", "text/plain; charset=utf-8")?;
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let fits = |line: &str| line.len() < 990 && line.is_ascii() && !line.contains('\0');
    if text.lines().all(fits) {
        head.add_line("Content-Transfer-Encoding", "7bit")?;
        let lines = text.lines().map(|line| format!("{line}\r\n"));
        Ok(head.ended() + &lines.collect::<String>())
    } else {
        head.add_line("Content-Transfer-Encoding", "base64")?;
        let text = text.replace('\n', "\r\n");
        Ok(head.ended() + &base64_lines(text.as_bytes()))
    }
}

/// The subject of an answer: marked as one, once.
pub fn reply_subject(subject: &str) -> String {
    marked("Re:", subject)
}

/// The subject of a mail that is passed on: marked as one, once.
pub fn forward_subject(subject: &str) -> String {
    marked("Fwd:", subject)
}

fn marked(mark: &str, subject: &str) -> String {
    let subject = subject.trim();
    let start = subject.get(..mark.len());
    match start.is_some_and(|start| start.eq_ignore_ascii_case(mark)) {
        true => subject.to_owned(),
        false => format!("{mark} {subject}").trim_end().to_owned(),
    }
}

fn references(mail: &Mail) -> Vec<String> {
    let older = match mail.references.as_slice() {
        [] => &mail.in_reply_to,
        some => some,
    };
    let mut ids: Vec<&String> = Vec::new();
    for id in older.iter().chain(&mail.message_id) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let newest = ids.len().saturating_sub(MAX_REFERENCES - 1).max(1);
    let first = ids.iter().take(1);
    let kept = first.chain(ids.iter().skip(newest));
    kept.map(|id| format!("<{id}>")).collect()
}

fn refused(why: String) -> MailError {
    MailError::Malformed {
        what: "the mail to send".into(),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(email: &str) -> Address {
        Address::new(email)
    }

    fn mail() -> Mail {
        Mail {
            from: Some(address("ann@example.org")),
            to: vec![address("me@example.org"), address("bob@example.org")],
            cc: vec![address("eve@example.org"), address("ANN@example.org")],
            subject: "Grüße".into(),
            message_id: Some("3@x".into()),
            references: vec!["1@x".into(), "2@x".into()],
            ..Mail::default()
        }
    }

    fn composed(mail: &Mail, text: &str) -> Result<Outgoing, MailError> {
        let owner = address("me@example.org");
        NewMail {
            from: &owner,
            recipients: &Recipients::of(mail, &owner, &[]),
            subject: &reply_subject(&mail.subject),
            text,
            answers: Some(mail),
            files: &[],
            key: "k1",
            date: Timestamp::UNIX_EPOCH,
            zone: &TimeZone::UTC,
            thread: Some(&ThreadKey("t".into())),
        }
        .compose()
    }

    #[test]
    fn answers_go_where_they_are_wanted() {
        let owner = address("me@example.org");
        let emails =
            |all: &[Address]| -> Vec<String> { all.iter().map(|it| it.email.clone()).collect() };
        let found = Recipients::of(&mail(), &owner, &[]);
        assert_eq!(emails(&found.to), ["ann@example.org"]);
        assert_eq!(emails(&found.cc), ["bob@example.org", "eve@example.org"]);
        let elsewhere = Mail {
            reply_to: vec![address("list@example.org")],
            ..mail()
        };
        assert_eq!(
            emails(&Recipients::of(&elsewhere, &owner, &[]).to),
            ["list@example.org"]
        );
        let own = Mail {
            from: Some(owner.clone()),
            ..mail()
        };
        assert_eq!(
            emails(&Recipients::of(&own, &owner, &[]).to),
            ["bob@example.org"]
        );
        let added = [address("new@example.org")];
        let found = Recipients::of(&mail(), &owner, &added);
        let known = [
            address("ann@example.org"),
            address("bob@example.org"),
            address("eve@example.org"),
        ];
        let outside: Vec<_> = found.outside(&known).map(|it| it.email.as_str()).collect();
        assert_eq!(outside, ["new@example.org"]);
    }

    #[test]
    fn a_reply_has_the_headers_that_keep_a_thread_together() {
        let Ok(sent) = composed(&mail(), "Fine.\nSee you") else {
            unreachable!("it can be composed");
        };
        let Ok(back) = crate::parse::parse(&sent.bytes) else {
            unreachable!("it can be read");
        };
        assert_eq!(back.subject, "Re: Grüße");
        assert_eq!(back.in_reply_to, ["3@x"]);
        assert_eq!(back.references, ["1@x", "2@x", "3@x"]);
        assert_eq!(back.message_id.as_deref(), Some("k1@example.org"));
        assert_eq!(back.text, "Fine.\nSee you");
        assert_eq!(back.date, Some(Timestamp::UNIX_EPOCH));
        assert_eq!(composed(&mail(), "Fine.\nSee you").ok(), Some(sent));
    }

    #[test]
    fn text_that_is_not_ascii_survives() {
        let Ok(sent) = composed(&mail(), "Schöne Grüße — 日本語\nbis bald") else {
            unreachable!("it can be composed");
        };
        assert!(sent.bytes.is_ascii());
        let back = crate::parse::parse(&sent.bytes).unwrap_or_default();
        assert_eq!(back.text, "Schöne Grüße — 日本語\nbis bald");
    }

    #[test]
    fn nothing_can_add_a_header() {
        let hostile = Mail {
            subject: "hi\r\nBcc: eve@evil.example".into(),
            from: Some(Address {
                name: Some("Ann\r\nBcc: eve@evil.example".into()),
                email: "ann@example.org".into(),
            }),
            ..mail()
        };
        let Ok(sent) = composed(&hostile, "x") else {
            unreachable!("it can be composed");
        };
        let text = String::from_utf8_lossy(&sent.bytes).to_lowercase();
        assert!(!text.contains("\nbcc"), "{text}");
        let strange = Mail {
            reply_to: vec![address("a@b\r\nBcc: eve@evil.example")],
            ..mail()
        };
        assert!(composed(&strange, "x").is_err());
        assert!(composed(&Mail::default(), "x").is_err());
        let id = "x>\r\nBcc: eve@evil.example\r\n\r\nWhat nobody approved";
        for forged in [
            Mail {
                message_id: Some(id.into()),
                ..mail()
            },
            Mail {
                references: vec![id.into()],
                ..mail()
            },
            Mail {
                references: Vec::new(),
                in_reply_to: vec![id.into()],
                ..mail()
            },
        ] {
            let refused = composed(&forged, "x").unwrap_err().to_string();
            assert!(refused.contains("its header `"), "{refused}");
            assert!(!refused.contains(['\r', '\n']), "{refused}");
        }
    }

    #[test]
    fn recipients_can_be_the_sender_alone_or_all_but_some() {
        let owner = address("me@example.org");
        let emails = |found: &Recipients| -> Vec<String> {
            found.all().map(|it| it.email.clone()).collect()
        };
        let alone = Recipients::of_sender(&mail(), &owner, &[]);
        assert_eq!(emails(&alone), ["ann@example.org"]);
        let all = Recipients::of(&mail(), &owner, &[]);
        let fewer = all.clone().without(&[address("EVE@example.org")]);
        assert_eq!(emails(&fewer), ["ann@example.org", "bob@example.org"]);
        let others = all.without(&[address("ann@example.org")]);
        assert_eq!((others.to.len(), others.cc.len()), (2, 0));
    }

    #[test]
    fn files_come_with_a_mail_as_they_were() {
        let files = [
            AttachedFile {
                name: Some("Übersicht \"1\".csv".into()),
                media_type: "text/csv".into(),
                charset: None,
                bytes: b"a;b\r\n\xff\0".to_vec(),
            },
            AttachedFile {
                name: None,
                media_type: "x\r\nBcc: eve@evil.example".into(),
                charset: None,
                bytes: vec![b'-'; 300],
            },
        ];
        let (owner, to) = (address("me@example.org"), address("bob@example.org"));
        let sent = NewMail {
            from: &owner,
            recipients: &Recipients::named(&[to], &[]),
            subject: "Fwd: Zahlen",
            text: "Grüße",
            answers: None,
            files: &files,
            key: "k1",
            date: Timestamp::UNIX_EPOCH,
            zone: &TimeZone::UTC,
            thread: None,
        };
        let sent = sent.compose().unwrap();
        assert!(sent.bytes.is_ascii());
        let text = String::from_utf8_lossy(&sent.bytes).to_lowercase();
        assert!(!text.contains("\nbcc"), "{text}");
        let back = crate::parse::parse(&sent.bytes).unwrap();
        assert_eq!(back.text, "Grüße");
        let back = crate::parse::attached_files(&sent.bytes).unwrap();
        assert_eq!(back[0].name.as_deref(), Some("Übersicht \"1\".csv"));
        let bytes = |all: &[AttachedFile]| -> Vec<Vec<u8>> {
            all.iter().map(|it| it.bytes.clone()).collect()
        };
        assert_eq!(bytes(&back), bytes(&files));
    }

    #[test]
    fn a_subject_is_marked_once() {
        assert_eq!(reply_subject("Lunch"), "Re: Lunch");
        assert_eq!(forward_subject("fwd: Lunch"), "fwd: Lunch");
        assert_eq!(reply_subject("RE: Lunch"), "RE: Lunch");
        assert_eq!(reply_subject(""), "Re:");
    }
}
