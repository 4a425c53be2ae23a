//! An e-mail assistant that asks before it acts.
//!
//! [`Mailbox`] and [`Calendar`] are what it works on; a back end implements them. Everything a
//! mailbox gives is the mail as it came, so that one parser reads all of them. [`FolderMailbox`] and
//! [`FolderCalendar`] are back ends that need no account.
//!
//! [`MailAgent`] is the assistant: [`MailAgent::ingest`] puts mail before it, [`MailAgent::open`] gives
//! the questions it has for a person, [`MailAgent::answer`] takes the answers, [`MailAgent::memory`]
//! shows what it learnt of them. How it works is in [`graph`].

mod address;
mod agent;
mod calendar;
mod compose;
mod error;
#[cfg(feature = "fake")]
pub mod fake;
mod folder;
#[cfg(feature = "google")]
pub mod google;
pub mod graph;
#[cfg(any(feature = "google", feature = "imap", feature = "fake"))]
mod header;
#[cfg(feature = "imap")]
pub mod imap;
mod inbox;
mod ingest;
mod key;
mod mailbox;
mod memory;
mod parse;
mod prompt;
mod queue;
mod settings;
mod slots;
pub mod tools;

pub use address::Address;
pub use agent::{AgentError, MailAgent};
pub use calendar::{Busy, Calendar, Event, EventId, NewEvent, Span, When};
pub use compose::{Recipients, Reply, reply_subject};
pub use error::MailError;
pub use folder::{FolderCalendar, FolderMailbox};
pub use graph::{Class, EmailInput, MailState};
pub use inbox::{Action, Allowed, Answer, AnswerKind, Asked, InboxItem, Item};
pub use ingest::{IngestOptions, Ingested, Intake};
pub use key::thread_name;
pub use mailbox::{
    Arrival, Later, Lookup, MailId, Mailbox, Outgoing, Page, PageToken, Query, RawMail, SendError,
    Sent, ThreadKey,
};
pub use memory::{Change, Memory, MemoryError, Topic, Version};
pub use parse::{Attachment, Mail, parse};
pub use settings::{Settings, WorkingHours};
pub use slots::Day;
