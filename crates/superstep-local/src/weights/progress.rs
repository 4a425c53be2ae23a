//! Progress and result of a pull.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// It is in the cache, or another process is just filling it.
    Cache,
    /// A file of the user's own.
    File,
    /// The model hub.
    Hub,
    /// The Python package index.
    Index,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cache => "cache",
            Self::File => "file",
            Self::Hub => "model hub",
            Self::Index => "package index",
        })
    }
}

/// How far a pull is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many bytes of the file are written.
    pub done: u64,
    /// How many it will have, once that is known.
    pub total: Option<u64>,
    /// Where they come from.
    pub source: Source,
}

/// Observes progress; called from any thread, and not seldom.
pub type Watch = Arc<dyn Fn(Progress) + Send + Sync>;

/// For those who do not want to know.
pub fn silent() -> Watch {
    Arc::new(|_| {})
}

/// Weights that are on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightsFile {
    /// The file.
    pub path: PathBuf,
    /// Its SHA-256 where it is known; of a file of the user's own it is not.
    pub sha256: Option<String>,
    /// How many bytes it has.
    pub size: u64,
    /// Where it came from just now.
    pub source: Source,
}
