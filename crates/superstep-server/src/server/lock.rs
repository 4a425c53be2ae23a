//! The lock that lets one `superstep serve` at a time use a database file.
//!
//! Servers keep who reads along and which webhooks are called in memory. A second one on the same storage would remove threads
//! whose end a client of the first still waits for, and call webhooks twice. The lock is the system's: it ends with its process.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read as _, Write as _},
    path::Path,
};

use crate::error::ServerError;

/// The most that is read of who has the lock.
const LONGEST: u64 = 32;

/// The right to serve a database file, until it is dropped or the process ends.
#[must_use]
#[derive(Debug)]
pub struct ServeLock {
    _file: File,
}

impl ServeLock {
    /// Takes the right to serve a database file, which must exist. Another process that has it is SS9009. Only servers
    /// take it: other programs use the file beside them.
    pub fn take(database: &Path) -> Result<Self, ServerError> {
        let failed = |error| ServerError::Lock {
            database: database.display().to_string(),
            error,
        };
        let database_file = database.canonicalize().map_err(failed)?;
        let mut place = database_file.into_os_string();
        place.push("-serve");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(place).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut process = String::new();
                // One that has just taken it may not have written its number yet.
                let _unread = file.take(LONGEST).read_to_string(&mut process);
                let process = process.trim().to_owned();
                let database = database.display().to_string();
                return Err(ServerError::Served { database, process });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).map_err(failed)?;
        write!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_has_a_file_and_the_next_gets_it_when_the_first_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.db");
        let missing = ServeLock::take(&database).unwrap_err();
        assert_eq!(missing.code(), "SS9010", "{missing}");
        std::fs::write(&database, "").unwrap();
        let first = ServeLock::take(&database).unwrap();
        let refused = ServeLock::take(&database).unwrap_err();
        assert_eq!(refused.code(), "SS9009");
        let process = std::process::id().to_string();
        assert!(refused.to_string().contains(&process), "{refused}");
        drop(first);
        ServeLock::take(&database).map(drop).unwrap();
    }
}
