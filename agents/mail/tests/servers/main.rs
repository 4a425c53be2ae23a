//! IMAP and SMTP against real servers: Dovecot and Exim, which `servers.sh` downloads from the
//! packages of Debian. Where they cannot be had these tests fail; the feature `servers-tests` keeps
//! them apart from the others.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

#[path = "../shared/assistant.rs"]
mod assistant;
#[path = "../shared/child.rs"]
mod child;
#[path = "../shared/mails.rs"]
mod mails;
mod needs_servers;
mod pair;
mod proxy;
#[path = "../shared/stranger.rs"]
mod stranger;

use superstep_mail::{Mailbox, Outgoing};

/// The test whose process is the child of a [`child::Sender`].
const SENDER_TEST: &str = "needs_servers::killed::killed_before_the_send_it_is_sent_by_the_next";

/// The mailbox of a child.
fn open_mailbox(given: &str) -> (Box<dyn Mailbox>, Outgoing) {
    needs_servers::killed::open(given)
}
