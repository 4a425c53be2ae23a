//! Models that run inside the process, without a key.
#![cfg_attr(
    feature = "chat",
    doc = "- [`chat`]: a language model in a file, which is a `Model` like any other."
)]
#![cfg_attr(
    feature = "weights",
    doc = "- [`weights`]: which models there are, where their files come from, and how they are checked."
)]
#![cfg_attr(
    feature = "vectors",
    doc = "- [`vectors`]: texts to vectors, for the search of the long-term store."
)]
//!
//! Each is a feature of its own, and none is on by default: see the manifest for what they cost.

#[cfg(feature = "chat")]
pub mod chat;
#[cfg(all(feature = "chat", feature = "weights"))]
mod provider;
#[cfg(feature = "vectors")]
pub mod vectors;
#[cfg(feature = "weights")]
pub mod weights;

#[cfg(all(feature = "chat", feature = "weights"))]
pub use provider::register;
