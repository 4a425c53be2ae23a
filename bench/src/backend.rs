//! Backends of a workload: no saver, memory, or a database file.

use std::{path::PathBuf, sync::Arc};

use superstep_core::{id::ThreadId, policy::Durability, saver::Saver};
use superstep_engine::{Backends, RunOptions, memory::saver::MemorySaver};
use superstep_sqlite::Database;

use crate::error::BenchError;

/// Where threads are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// Nowhere.
    None,
    /// In memory, with full history.
    Memory,
    /// In a file, `synchronous=FULL`: each step fsync'd.
    Sqlite,
    /// In a file, `synchronous=NORMAL`.
    SqliteNormal,
    /// In a file, write-behind.
    SqliteAsync,
}

impl Store {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Memory => "memory",
            Self::Sqlite => "sqlite",
            Self::SqliteNormal => "sqlite_normal",
            Self::SqliteAsync => "sqlite_async",
        }
    }

    /// How durable runs on it are.
    pub(crate) fn durability(self) -> Durability {
        match self {
            Self::None | Self::Memory | Self::Sqlite => Durability::Sync,
            Self::SqliteNormal => Durability::Normal,
            Self::SqliteAsync => Durability::Async,
        }
    }

    /// Opens a new, empty one.
    pub(crate) fn open(self) -> Result<Opened, BenchError> {
        let (saver, file): (Option<Arc<dyn Saver>>, _) = match self {
            Self::None => (None, None),
            Self::Memory => (Some(Arc::new(MemorySaver::new())), None),
            Self::Sqlite | Self::SqliteNormal | Self::SqliteAsync => {
                let file = TempDatabase::new()?;
                (Some(Arc::new(file.database.saver())), Some(file))
            }
        };
        Ok(Opened {
            backends: Backends {
                saver,
                ..Backends::default()
            },
            durability: self.durability(),
            file,
        })
    }
}

/// Opened backends.
pub(crate) struct Opened {
    /// What a graph runs on.
    pub(crate) backends: Backends,
    durability: Durability,
    file: Option<TempDatabase>,
}

impl Opened {
    /// Options of a run without a step limit, on this thread.
    pub(crate) fn on(&self, thread: impl Into<ThreadId>) -> RunOptions {
        RunOptions {
            limit: 10_000_000,
            durability: self.durability,
            ..RunOptions::on(thread)
        }
    }

    /// How many bytes are stored.
    pub(crate) fn bytes(&self) -> Result<Option<u64>, BenchError> {
        let size = self.file.as_ref().map(|file| file.database.size());
        Ok(size.transpose()?)
    }
}

/// A database in a folder of its own, which is removed with it.
struct TempDatabase {
    database: Database,
    folder: PathBuf,
}

impl TempDatabase {
    fn new() -> Result<Self, BenchError> {
        let work = std::env::var_os("BENCH_WORK").map_or_else(std::env::temp_dir, PathBuf::from);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let mark = now.unwrap_or_default().as_nanos();
        let folder = work.join(format!("superstep-bench-{}-{mark}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let database = Database::open(folder.join("bench.db"))?;
        Ok(Self { database, folder })
    }
}

impl Drop for TempDatabase {
    fn drop(&mut self) {
        // Failing to remove it changes no result.
        let _left = std::fs::remove_dir_all(&self.folder);
    }
}
