//! The embedded sandbox through the public API: programs, errors, limits and attempts to escape.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../kit/mod.rs"]
mod kit;

mod escapes;
mod faults;
mod programs;
