//! The embedded language model, through its public API.

#![cfg(feature = "chat")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod files;
mod gguf;
#[cfg(feature = "weights-tests")]
mod needs_weights;
