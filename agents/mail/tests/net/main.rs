//! The back ends over the network: Google's against a server of this machine that fails as told,
//! IMAP and SMTP against real servers.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod agent;
mod calendar;
mod child;
mod fake;
mod golden;
mod google;
mod google_faults;
mod google_killed;
mod imap;
mod imap_killed;
mod killed_anywhere;
mod login;
mod proxy;
mod servers;
mod setup;
mod strangers;
