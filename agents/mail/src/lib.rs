//! An e-mail assistant that asks before it acts.
//!
//! [`Mailbox`] and [`Calendar`] are what it works on; a back end implements them. Everything a
//! mailbox gives is the mail as it came, so that one parser reads all of them.

mod address;
mod calendar;
mod compose;
mod error;
mod folder;
mod key;
mod mailbox;
mod parse;

pub use address::Address;
pub use calendar::{Busy, Calendar, Event, EventId, NewEvent, Span, When};
pub use compose::{Recipients, Reply, reply_subject};
pub use error::MailError;
pub use folder::{FolderCalendar, FolderMailbox};
pub use key::thread_name;
pub use mailbox::Outgoing;
pub use mailbox::{
    Arrival, Later, Lookup, MailId, Mailbox, Page, PageToken, Query, RawMail, SendError, Sent,
    ThreadKey,
};
pub use parse::{Attachment, Mail, parse};
