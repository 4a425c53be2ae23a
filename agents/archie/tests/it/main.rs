//! What the agent promises, through its public API.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod conversation;
mod failures;
mod flows;
mod looking_up;
mod prompting;
mod ranking;
mod reading;
mod recorded;
mod remembering;
mod results;
mod resuming;
mod small;
mod support;
