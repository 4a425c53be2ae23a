//! What a scan is asked for: what it leaves out, and how much it looks at.

use std::path::PathBuf;

use superstep::fs::Private;

/// What is looked at, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many files are listed.
    pub files: usize,
    /// How large a file may be to be read.
    pub file_bytes: u64,
    /// How large a manifest or a lock file may be.
    pub manifest_bytes: u64,
    /// How deep folders may be nested.
    pub depth: usize,
    /// How many files are read at once.
    pub workers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            files: 200_000,
            file_bytes: 1 << 20,
            manifest_bytes: 16 << 20,
            depth: 64,
            workers: cores.min(8),
        }
    }
}

/// What to scan, and what not.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Folders that are not entered: where documentation is written.
    pub skip: Vec<PathBuf>,
    /// What is not looked at, as if it were not there.
    pub private: Private,
    /// Limits.
    pub limits: Limits,
}
