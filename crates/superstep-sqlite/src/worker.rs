//! Whether a process that holds threads is still there.
//!
//! Each process that opens a database keeps a small file beside it locked. The system frees the lock
//! when the process ends, however it ends, so its threads can be taken over at once; a process that
//! merely stands still keeps the lock, and loses its threads only when its lease runs out.

use std::{
    fs::{self, File, TryLockError},
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    process, time,
};

use superstep_core::saver::SaverError;

use crate::{file, private};

/// This process, as other processes see it.
pub(crate) struct Worker {
    pub(crate) id: i64,
    path: PathBuf,
    /// Locked for as long as it is open.
    _file: File,
}

impl Worker {
    /// Shows other processes that this one is there.
    pub(crate) fn start(database: &Path) -> Result<Self, SaverError> {
        let now = time::SystemTime::now();
        let id = RandomState::new().hash_one((process::id(), now)) as i64 & i64::MAX;
        let path = sign(database, id);
        let file =
            shown(database, &path).map_err(|error| file::named(&path, file::refused(&error)))?;
        let _file = file;
        Ok(Self { id, path, _file })
    }

    /// Whether the process that calls itself so is there. One that cannot be asked counts as there,
    /// until its lease runs out.
    pub(crate) fn is_there(database: &Path, id: i64) -> bool {
        match File::open(sign(database, id)) {
            Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Removes what a process that is not there left behind.
    pub(crate) fn forget(database: &Path, id: i64) {
        let _absent = fs::remove_file(sign(database, id));
    }
}

fn shown(database: &Path, path: &Path) -> io::Result<File> {
    let file = private::create_beside(database, path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::Error(error)) => Err(error),
        Err(TryLockError::WouldBlock) => Err(io::Error::other("somebody else holds it")),
    }
}

fn sign(database: &Path, id: i64) -> PathBuf {
    file::beside(database, &format!("-worker-{id:016x}"))
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _absent = fs::remove_file(&self.path);
    }
}
