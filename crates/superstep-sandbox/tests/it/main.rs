//! The embedded sandbox through the public API: programs, errors, limits and attempts to escape.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../kit/mod.rs"]
#[allow(dead_code, reason = "the tests of CPython write what these read")]
mod kit;

mod calculations;
#[cfg(target_os = "linux")]
mod descriptors;
mod escapes;
mod faults;
mod language;
mod programs;
