//! Threads and long-term memory in a SQLite file, as a user of the library sees them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod bad_files;
mod conformance;
mod copying;
mod env;
mod full_disk;
mod killed_runs;
mod long_threads;
mod maintenance;
mod migration;
mod parts;
mod permissions;
mod queue;
mod rivals;
mod sealed;
mod store;
mod surroundings;
mod write_behind;
