//! Free disk space: steps, copies and imports are refused while there is still space left to delete threads.
//!
//! A deletion appends to the write-ahead log (WAL), and emptying the WAL may make the file longer by as much as the WAL
//! holds. Without room for both, a full disk could not be made emptier with the database itself.

use std::path::Path;

use superstep_core::error::SaverError;

use crate::file;

/// The bytes that stay free by default, besides those for the WAL.
pub(crate) const LEAST: u64 = 4 << 20;

/// The bytes that a new database needs at least.
const NEW: u64 = 1 << 20;

/// A smaller disk keeps a quarter of its size.
const SMALL_DISK: u64 = 64 << 20;

/// How many additions rely on what was found once.
const TRUSTED: u32 = 16;

/// The disk space that a database keeps free.
pub(crate) struct Headroom {
    least: u64,
    /// So many additions need not look.
    trusted: u32,
}

impl Headroom {
    pub(crate) fn new(least: u64) -> Self {
        Self { least, trusted: 0 }
    }

    /// Refuses an addition with [`SaverError::Full`] if it would use the last room of the disk.
    pub(crate) fn require(&mut self, path: &Path) -> Result<(), SaverError> {
        if let Some(left) = self.trusted.checked_sub(1) {
            self.trusted = left;
            return Ok(());
        }
        if let Some((free, least)) = self.scarce(path) {
            let (free, least) = (free >> 10, least >> 10);
            return Err(SaverError::Full(format!(
                "{free} KiB are free on its disk, of which {least} KiB are kept for deleting threads"
            )));
        }
        self.trusted = TRUSTED;
        Ok(())
    }

    /// The bytes that are free and those that should be, if they are more.
    pub(crate) fn scarce(&self, path: &Path) -> Option<(u64, u64)> {
        let (free, all) = room(path)?;
        let least = match all < SMALL_DISK {
            true => self.least.min(all / 4),
            false => self.least,
        };
        let log = file::length(&file::beside(path, "-wal"));
        let least = least.saturating_add(log);
        (free < least).then_some((free, least))
    }
}

/// Refuses to create a database where it does not fit.
pub(crate) fn require_for_new(path: &Path) -> Result<(), SaverError> {
    match room(path) {
        Some((free, _)) if free < NEW => {
            let (free, new) = (free >> 10, NEW >> 10);
            let why = format!("a new database needs {new} KiB, and {free} KiB are free");
            Err(SaverError::Full(why))
        }
        _ => Ok(()),
    }
}

/// The free bytes and all bytes of the disk of a file; nothing if the system does not say, as some file systems do not.
#[cfg(unix)]
fn room(path: &Path) -> Option<(u64, u64)> {
    let disk = rustix::fs::statvfs(path.parent()?).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    (disk.f_blocks > 0).then(|| (bytes(disk.f_bavail), bytes(disk.f_blocks)))
}

#[cfg(not(unix))]
fn room(_: &Path) -> Option<(u64, u64)> {
    None
}
