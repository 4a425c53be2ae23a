//! Threads and the long-term store in an SQLite file.
//!
//! Read next: [`SqliteStore`] for the long-term store.

mod stand_in;
mod store;

pub use stand_in::Database;
pub use store::SqliteStore;
