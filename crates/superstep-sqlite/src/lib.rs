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
//! A step is one transaction with one sync; several processes can share a file. [`Database`] is the
//! door, [`SqliteSaver`] keeps threads, [`SqliteStore`] what all of them remember. Inside, `writer`
//! and `queue` are how anything is written, `commit` and `lease` what is written during a run,
//! `walk`, `load` and `warm` how it is read back, `life` what happens to whole threads, `care` what
//! keeps the file in order, `store` the long-term memory, `schema` the tables. `file` and `wal` look at
//! what is at a path before anything is written there.

mod care;
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
mod graphs;
mod layouts;
mod lease;
mod life;
mod load;
mod lock;
mod options;
mod parts;
mod private;
mod queue;
mod readers;
mod row;
mod saver;
mod schema;
mod seal;
mod store;
mod sync_level;
mod wal;
mod walk;
mod warm;
mod worker;
mod writer;

pub use care::{Problem, Report};
pub use database::Database;
pub use options::{OpenMode, Options};
pub use saver::SqliteSaver;
pub use store::SqliteStore;
#[doc(hidden)]
pub use wal::watch_rewritten_logs;
