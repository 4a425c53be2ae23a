//! Traces of real runs: the tree, its text and JSON, what a collector gets, and what nobody may see.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

#[cfg(feature = "otlp")]
mod collector;
mod graphs;
mod logs;
mod otlp;
mod privacy;
mod proto;
mod trees;
