//! The mailbox trait: what a back end for mail implements.

use std::{future::Future, pin::Pin};

use serde::{Deserialize, Serialize};

use crate::{
    address::Address,
    error::MailError,
    parse::{MAX_HEAD, header_block},
};

/// A boxed future.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A mail, as its mailbox calls it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MailId(pub String);

/// The mails that belong together, as their mailbox calls them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadKey(pub String);

/// Where the next page begins, as the mailbox calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken(pub String);

/// Which mails are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Only what arrived at or after this second of the epoch.
    pub since: Option<i64>,
    /// Also what was read before.
    pub include_read: bool,
    /// Only from senders whose address contains one of these.
    pub from: Vec<String>,
    /// Only with one of these in the subject.
    pub subject: Vec<String>,
    /// Only with all of these somewhere in it: its people, its subject, its text.
    pub words: Vec<String>,
    /// At most this many on a page.
    pub page_size: Option<usize>,
}

/// A mail that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The mail.
    pub id: MailId,
    /// What it belongs to.
    pub thread: ThreadKey,
}

/// Some of what is there, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The mails.
    pub arrivals: Vec<Arrival>,
    /// Where to continue; nothing at the end.
    pub next: Option<PageToken>,
}

/// A mail as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMail {
    /// The mail.
    pub id: MailId,
    /// What it belongs to.
    pub thread: ThreadKey,
    /// When the mailbox got it, in seconds of the epoch.
    pub arrived: i64,
    /// Whether somebody has read it.
    pub is_read: bool,
    /// The bytes of RFC 5322.
    pub bytes: Vec<u8>,
}

/// A mail on its way out, complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outgoing {
    /// Its own `Message-ID`, without angle brackets: equal on every attempt to send it.
    pub message_id: String,
    /// From whom.
    pub from: Address,
    /// For whom, copies included.
    pub recipients: Vec<Address>,
    /// What it belongs to, if it answers something.
    pub thread: Option<ThreadKey>,
    /// The bytes of RFC 5322, which have all headers.
    pub bytes: Vec<u8>,
}

/// A mail that went out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// How the mailbox calls it, if it says so.
    pub id: Option<MailId>,
}

/// Why a mail did not go out, or nobody knows whether it did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// It did not go out.
    #[error("not sent: {0}")]
    NotSent(MailError),
    /// It may have gone out: the answer did not come.
    #[error("nobody knows whether it was sent: {0}")]
    Unknown(MailError),
}

/// Whether a mail went out before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// It did.
    Sent(Sent),
    /// It did not, for certain: sending it now sends it once. That it was not found is not enough,
    /// unless it would have been found had it gone out.
    NotSent,
    /// The mailbox cannot tell; a person has to look.
    Unsure {
        /// Why it cannot.
        why: String,
    },
}

/// A place where mail arrives and from which it is sent.
pub trait Mailbox: Send + Sync + 'static {
    /// Whose it is.
    fn owner(&self) -> &Address;

    /// What threads are bound to: a thread of one account takes no answer with another one open. Nothing where there is no
    /// account.
    fn account(&self) -> Option<String> {
        Some(self.owner().email.to_lowercase())
    }

    /// What it is called in errors, such as `folder ~/mail` or `imap.example.org`.
    fn place(&self) -> String;

    /// What is there, a page at a time.
    fn list<'a>(
        &'a self,
        query: &'a Query,
        page: Option<&'a PageToken>,
    ) -> Later<'a, Result<Page, MailError>>;

    /// A mail.
    fn fetch<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<RawMail, MailError>>;

    /// All mails that belong together, the oldest first, sent ones included.
    fn thread<'a>(&'a self, thread: &'a ThreadKey) -> Later<'a, Result<Vec<RawMail>, MailError>>;

    /// The same mails with their headers alone: the bytes of each end where its headers do, and
    /// are 64 KiB at most. Threads are long and mails are large, so a back end should not fetch
    /// bodies for this; the default does.
    fn thread_headers<'a>(
        &'a self,
        thread: &'a ThreadKey,
    ) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        Box::pin(async move {
            let mut mails = self.thread(thread).await?;
            for mail in &mut mails {
                let head = header_block(&mail.bytes).len();
                mail.bytes.truncate(head.min(MAX_HEAD));
                mail.bytes.shrink_to_fit();
            }
            Ok(mails)
        })
    }

    /// Notes that a mail was read; one that was is fine.
    fn mark_read<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<(), MailError>>;

    /// Sends a mail, and keeps a copy among the sent ones.
    fn send<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Sent, SendError>>;

    /// Whether a mail went out, for an attempt that broke off.
    fn look_up<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Lookup, MailError>>;
}
