//! The back ends over the network: Google's against a server of this machine that fails as told,
//! IMAP against servers that are none. Real mail servers have tests of their own (`servers`).

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod agent;
#[path = "../shared/assistant.rs"]
mod assistant;
mod calendar;
#[path = "../shared/child.rs"]
mod child;
mod fake;
mod golden;
mod google;
mod google_faults;
mod google_killed;
mod killed_anywhere;
mod login;
#[path = "../shared/mails.rs"]
mod mails;
mod setup;
#[path = "../shared/stranger.rs"]
mod stranger;
mod strangers;

use superstep_mail::{Mailbox, Outgoing};

/// The test whose process is the child of a [`child::Sender`].
const SENDER_TEST: &str = "google_killed::killed_before_the_send_a_person_has_to_look";

/// The mailbox of a child.
fn open_mailbox(given: &str) -> (Box<dyn Mailbox>, Outgoing) {
    google_killed::open(given)
}
