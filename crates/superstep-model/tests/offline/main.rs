//! What models that need no network promise, through the public API.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod cassette;
mod config;
mod script;
mod select;
