//! The binary as users see it: stdout, stderr, exit code, in folders of its own.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod chat;
mod choice;
mod desk;
mod help;
mod servers;
mod tests;
mod traces;
