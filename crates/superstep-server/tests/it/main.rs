//! The server over real HTTP on the loopback.
#![allow(
    clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing
)]

mod a2a;
mod answer_rule;
mod answers;
mod assistants;
mod auth_matrix;
mod callers;
mod client;
mod crons;
mod drained;
mod embedded;
mod files;
mod forks;
mod graphs;
mod growth;
mod guard;
mod held;
mod history;
mod inbox_form;
mod kill_matrix;
mod killed;
mod login;
mod mcp;
mod named_threads;
#[cfg(feature = "browser-tests")]
mod needs_browser;
#[cfg(all(target_os = "linux", feature = "root-tests"))]
mod needs_root;
mod owner_races;
mod owners;
mod presented;
mod protocol;
mod queue;
mod rollback;
mod run_records;
mod runs;
mod server_events;
mod settings;
mod socket;
mod sse;
mod state;
mod stateless;
mod store;
mod system;
mod thread_search;
mod threads;
mod traces;
mod two_servers;
mod typed_input;
mod ui;
mod victim;
