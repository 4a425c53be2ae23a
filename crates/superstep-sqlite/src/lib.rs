//! Threads, their event logs and long-term memory in one SQLite file.
//!
//! ```
//! use superstep_sqlite::Database;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("superstep-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let database = Database::open(folder.join("app.db"))?;
//! let (saver, store) = (database.saver(), database.store());
//! # drop((saver, store, database));
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! A step is one transaction with one fsync; several processes can share a file. [`Database`] is the
//! handle, [`SqliteSaver`] stores threads, [`SqliteStore`] is the long-term store, [`SqliteBlobs`] keeps bytes by content. Inside, `writer` and
//! `queue` are the write path (group commit), `commit`, `lease`, `events` and `runs` what a run writes,
//! `read_pool`, `lookup`, `load` and `cache` the read path, `threads` operations on whole threads,
//! `maintenance` integrity check, backup and vacuum, `store` the long-term store, `schema` tables and
//! migrations, `seal` and `cipher` checksums and encryption. `file` and `wal` inspect a path before
//! SQLite opens it.

mod blob;
mod cache;
#[cfg(feature = "encryption")]
pub mod cipher;
mod clock;
mod commit;
mod connection;
mod cost;
mod database;
mod error;
mod events;
mod file;
mod finding;
mod graphs;
mod handover;
mod headroom;
mod index_backlog;
mod item_place;
mod layouts;
mod lease;
mod load;
mod lookup;
mod maintenance;
mod options;
mod parts;
mod permissions;
mod queue;
mod read_pool;
mod records;
mod row;
mod runs;
mod saver;
mod schedules;
mod schema;
mod seal;
mod store;
mod sync_level;
mod threads;
mod waiting;
mod wal;
mod watch;
mod worker;
mod writer;

pub use database::Database;
pub use maintenance::{Copied, Problem, Report};
pub use options::{OpenMode, Options};
pub use saver::SqliteSaver;
pub use store::{SqliteBlobs, SqliteStore};
#[doc(hidden)]
pub use wal::watch_rewritten_logs;
