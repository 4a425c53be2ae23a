//! Tools and the agent through the public API.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod accounting;
mod approvals;
mod arguments;
mod cancelled;
mod deciding;
mod fixture;
mod growth;
mod injections;
mod looping;
mod macros;
mod malformed;
#[cfg(feature = "mcp")]
mod mcp;
mod payments;
mod prompts;
mod reconcile;
mod refining;
mod secrets;
mod shaping;
mod teams;
