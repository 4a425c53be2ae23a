//! What the loop promises, driven by hand: no store, no clock, no tasks that run by themselves.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod answers;
mod hand;
mod handlers;
mod rebuilt;
