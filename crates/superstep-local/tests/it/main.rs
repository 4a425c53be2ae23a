//! The embedded model, from outside.

#![cfg(feature = "chat")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod files;
mod gguf;
#[cfg(feature = "weights-tests")]
mod replies;
