//! The command line: a workload and `key=value` words.

use std::{collections::BTreeMap, path::PathBuf, str::FromStr, sync::Arc};

use superstep_core::{id::ThreadId, policy::Durability, saver::Saver};
use superstep_engine::{Backends, RunOptions, memory::saver::MemorySaver};
use superstep_sqlite::Database;

use crate::error::BenchError;

/// A workload and its settings.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    /// The workload.
    pub(crate) workload: String,
    settings: BTreeMap<String, String>,
}

/// Where threads are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// Nowhere.
    None,
    /// In memory, with full history.
    Memory,
    /// In a file, each step on the disk.
    Sqlite,
    /// In a file, each step with the operating system.
    SqliteNormal,
    /// In a file, while the run goes on.
    SqliteAsync,
}

impl Words {
    /// Reads the words after the program's name.
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, BenchError> {
        let usage = "usage: superstep-bench WORKLOAD [key=value...]";
        let workload = words
            .next()
            .ok_or_else(|| BenchError::Words(usage.to_owned()))?;
        let settings = words
            .map(|word| match word.split_once('=') {
                Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
                None => Err(BenchError::Words(format!("`{word}` is not key=value"))),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { workload, settings })
    }

    /// The value of a key as text.
    pub(crate) fn text<'a>(&'a self, key: &str, default: &'a str) -> &'a str {
        self.settings.get(key).map_or(default, String::as_str)
    }

    /// The value of a key as a number.
    pub(crate) fn number<T: FromStr>(&self, key: &str, default: T) -> Result<T, BenchError> {
        let Some(text) = self.settings.get(key) else {
            return Ok(default);
        };
        text.parse()
            .map_err(|_| BenchError::Words(format!("`{key}={text}` is not a number")))
    }

    /// Where threads are kept.
    pub(crate) fn store(&self) -> Result<Store, BenchError> {
        match self.text("store", "none") {
            "none" => Ok(Store::None),
            "memory" => Ok(Store::Memory),
            "sqlite" => Ok(Store::Sqlite),
            "sqlite_normal" => Ok(Store::SqliteNormal),
            "sqlite_async" => Ok(Store::SqliteAsync),
            other => Err(BenchError::NoStore(other.to_owned())),
        }
    }
}

impl Store {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
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

    /// A new, empty one.
    pub(crate) fn open(self) -> Result<Opened, BenchError> {
        let (saver, file): (Option<Arc<dyn Saver>>, _) = match self {
            Self::None => (None, None),
            Self::Memory => (Some(Arc::new(MemorySaver::new())), None),
            Self::Sqlite | Self::SqliteNormal | Self::SqliteAsync => {
                let file = File::new()?;
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

/// Backends, and what lies behind them.
pub(crate) struct Opened {
    /// What a graph runs on.
    pub(crate) backends: Backends,
    durability: Durability,
    file: Option<File>,
}

impl Opened {
    /// A run without a limit that matters, on a thread of its own.
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

/// A database in a folder of its own, which goes with it.
struct File {
    database: Database,
    folder: PathBuf,
}

impl File {
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

impl Drop for File {
    fn drop(&mut self) {
        // What is left behind is a matter of tidiness only.
        let _left = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Words, BenchError> {
        Words::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn words_after_the_workload_are_settings() {
        let words = words("chain n=100 store=memory").unwrap();
        assert_eq!(words.workload, "chain");
        assert_eq!(words.number("n", 10).unwrap(), 100);
        assert_eq!(words.store().unwrap(), Store::Memory);
        assert_eq!(words.text("kind", "custom"), "custom");
    }

    #[test]
    fn a_store_this_build_lacks_is_refused_by_name() {
        let error = words("chain store=postgres").unwrap().store().unwrap_err();
        assert!(error.to_string().contains("`postgres`"));
    }

    #[test]
    fn a_word_without_a_value_is_refused() {
        assert!(words("chain n").is_err());
        assert!(words("").is_err());
    }
}
