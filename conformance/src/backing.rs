//! Backends of a case: where its threads and its long-term memory are stored.

use std::sync::Arc;

use superstep_core::saver::Saver;
use superstep_engine::memory::{MemorySaver, MemoryStore};
use superstep_sqlite::Database;
use superstep_store::Store;

/// Where threads and long-term memory of one case are kept. A case that asks for neither uses
/// neither.
pub struct Backing {
    /// Keeps threads.
    pub saver: Arc<dyn Saver>,
    /// Long-term memory.
    pub store: Arc<dyn Store>,
}

impl Backing {
    /// Everything in this process.
    pub fn memory() -> Self {
        Self {
            saver: Arc::new(MemorySaver::new()),
            store: Arc::new(MemoryStore::new()),
        }
    }

    /// Everything in a database.
    pub fn database(database: &Database) -> Self {
        Self {
            saver: Arc::new(database.saver()),
            store: Arc::new(database.store()),
        }
    }
}
