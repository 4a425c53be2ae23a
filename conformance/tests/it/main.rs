//! The kits and the recorded cases, through the crate's public interface.

#![allow(
    clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing
)]

mod cases;
mod cli;
mod restart;
mod saver;
mod store;
