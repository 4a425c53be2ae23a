//! An e-mail assistant that asks before it acts.
//!
//! [`Mailbox`] and [`Calendar`] are what it works on; a back end implements them. Everything a
//! mailbox gives is the mail as it came, so that one parser reads all of them.

mod address;
mod calendar;
mod error;
#[cfg(feature = "fake")]
pub mod fake;
#[cfg(feature = "google")]
pub mod google;
#[cfg(any(feature = "google", feature = "imap", feature = "fake"))]
mod header;
#[cfg(feature = "imap")]
pub mod imap;
mod mailbox;

pub use address::Address;
pub use calendar::{Busy, Calendar, Event, EventId, NewEvent, Span, When};
pub use error::MailError;
pub use mailbox::Outgoing;
pub use mailbox::{
    Arrival, Later, Lookup, MailId, Mailbox, Page, PageToken, Query, RawMail, SendError, Sent,
    ThreadKey,
};
