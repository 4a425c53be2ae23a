//! The binary as users see it: stdout, stderr, exit code, in folders of its own.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod analyze;
mod approval;
#[cfg(unix)]
mod approval_killed;
#[cfg(unix)]
mod approval_screen;
#[cfg(unix)]
mod approval_shown;
mod atris;
mod atris_calls;
mod atris_hosts;
mod atris_writes;
mod chat;
mod choice;
mod choosing;
mod conversation;
mod crash;
mod database;
#[cfg(unix)]
mod docs;
mod edited;
mod env;
mod eval;
mod first_moments;
mod front;
mod help;
#[cfg(unix)]
mod hostile;
mod inbox;
mod inbox_agents;
mod inbox_answers;
mod inbox_many;
mod kept;
mod login;
mod mail;
mod memory;
#[cfg(feature = "browser-tests")]
mod needs_browser;
mod newcomer;
mod own;
mod own_files;
mod packed;
mod pages;
mod picture;
mod post;
mod private;
mod serve;
mod served;
mod served_mail;
mod served_owners;
mod served_settings;
mod served_threads;
mod servers;
mod setup;
mod sheet;
mod shell;
mod storage;
mod terminal;
mod tests;
mod threads;
mod together;
mod told;
mod traces;
mod trust;
mod trust_agents;
