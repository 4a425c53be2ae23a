//! File lock: one pull per file at a time, across processes.
//!
//! The lock is of the operating system, so that of a process that died is gone. Its file stays: to
//! remove it would let a third process lock a new one while a second still waits for the old.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use super::cache::new_file;
use super::error::WeightsError;

/// How often a lock that another process holds is tried again.
const AGAIN: Duration = Duration::from_millis(200);

/// Held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until the lock is ours; `waiting` is called before each wait.
    pub(super) async fn take(path: &Path, waiting: impl Fn()) -> Result<Self, WeightsError> {
        loop {
            if let Some(lock) = Self::try_take(path)? {
                return Ok(lock);
            }
            waiting();
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// The lock, unless somebody else has it.
    pub(super) fn try_take(path: &Path) -> Result<Option<Self>, WeightsError> {
        let file = new_file()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(|source| WeightsError::file(path, source))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(WeightsError::file(path, source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_free_again_when_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let first = Lock::try_take(&path).unwrap();
        assert!(first.is_some());
        assert!(Lock::try_take(&path).unwrap().is_none());
        drop(first);
        assert!(Lock::try_take(&path).unwrap().is_some());
    }
}
