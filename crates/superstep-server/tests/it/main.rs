//! The server over real HTTP on the loopback.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod assistants;
mod auth_matrix;
mod client;
mod crons;
mod files;
mod graphs;
mod guard;
mod history;
#[cfg(feature = "browser-tests")]
mod needs_browser;
mod killed;
mod mcp;
mod protocol;
mod queue;
mod run_records;
mod runs;
mod sse;
mod state;
mod stateless;
mod store;
mod system;
mod threads;
mod ui;
