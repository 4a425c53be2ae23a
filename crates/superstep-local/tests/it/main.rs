//! What the weights and the embedder promise, through their public API.

#![cfg(feature = "weights")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod fixture;
mod hub;
#[cfg(all(feature = "vectors", feature = "weights-tests"))]
mod needs_weights;
mod own;
mod recorded;
mod server;
mod together;
#[cfg(unix)]
mod wheels;
