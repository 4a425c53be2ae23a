//! What the language model, the weights and the embedder promise, through their public API.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[cfg(feature = "chat")]
mod files;
#[cfg(feature = "chat")]
mod gguf;
#[cfg(feature = "weights")]
mod hub;
#[cfg(feature = "weights-tests")]
mod memory;
#[cfg(feature = "weights")]
mod own;
#[cfg(feature = "weights")]
mod recorded;
#[cfg(feature = "weights-tests")]
mod replies;
#[cfg(feature = "weights")]
mod server;
#[cfg(feature = "weights")]
mod together;
#[cfg(all(unix, feature = "weights"))]
mod wheels;
#[cfg(feature = "weights")]
mod world;
