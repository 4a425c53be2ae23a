//! Liveness of worker processes, by lock files.
//!
//! Each process that opens a database keeps a small file beside it locked. The system releases the
//! lock when the process ends, however it ends, so its threads can be taken over at once; a process
//! that merely hangs keeps the lock, and loses its threads only when its lease expires.
//!
//! An unlocked file was left by a process that was killed. The next process that opens the database
//! removes it while holding its lock; so a process whose own file is locked or gone before it could
//! lock it creates another one.

use std::{
    fs::{self, File, TryLockError},
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    process, time,
};

use rusqlite::{Connection, OptionalExtension};
use superstep_core::error::SaverError;

use crate::{clock::Moment, error::sql, file, permissions};

/// This process, as other processes see it.
pub(crate) struct Worker {
    pub(crate) id: i64,
    path: PathBuf,
    /// Locked while it is open.
    _file: File,
}

impl Worker {
    /// Creates and locks the file that shows other processes that this one is alive.
    pub(crate) fn register(database: &Path) -> Result<Self, SaverError> {
        for _ in 0..ATTEMPTS {
            let now = time::SystemTime::now();
            let id = RandomState::new().hash_one((process::id(), now)) as i64 & i64::MAX;
            let path = lock_file(database, id);
            let file = create_locked(database, &path)
                .map_err(|error| file::with_path(&path, file::io_error(&error)))?;
            if let Some(_file) = file {
                return Ok(Self { id, path, _file });
            }
        }
        let why = "the file that shows that this process is there was removed again and again";
        Err(SaverError::Io(why.to_owned()))
    }

    /// Whether the process with this id is alive. If that cannot be determined it counts as alive,
    /// until its lease expires.
    pub(crate) fn is_alive(database: &Path, id: i64) -> bool {
        match File::open(lock_file(database, id)) {
            Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Removes the lock files of processes that are gone, also of those that never leased a thread.
    /// Returns whether this process is the only one left.
    pub(crate) fn remove_stale(&self, database: &Path) -> bool {
        let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else {
            return false;
        };
        let mut alone = true;
        let mut prefix = name.to_os_string();
        prefix.push(LOCK_FILE);
        let Ok(entries) = fs::read_dir(folder) else {
            return false;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            let id = name.strip_prefix(prefix.as_encoded_bytes());
            let is_lock_file =
                id.is_some_and(|id| id.len() == 16 && id.iter().all(u8::is_ascii_hexdigit));
            // Links are not followed: one of that name is not ours, nor is a file that has something in it.
            let is_ours = entry
                .metadata()
                .is_ok_and(|it| it.is_file() && it.len() == 0);
            if !is_lock_file || !is_ours || entry.path() == self.path {
                continue;
            }
            match File::open(entry.path()) {
                Ok(file) if file.try_lock().is_ok() => {
                    let _absent = fs::remove_file(entry.path());
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                _ => alone = false,
            }
        }
        alone
    }
}

/// Whether a worker of another process still has the threads that it leased: it is there, and its lease has not expired.
pub(crate) fn is_alive(db: &Connection, path: &Path, worker: i64) -> Result<bool, SaverError> {
    let expires: Option<i64> = db
        .prepare_cached("SELECT expires FROM workers WHERE worker = ?1")
        .and_then(|mut select| select.query_row([worker], |row| row.get(0)).optional())
        .map_err(sql)?;
    let now = Moment::now();
    let in_time = expires.is_some_and(|expires| now.is_before(expires));
    Ok(in_time && Worker::is_alive(path, worker))
}

/// How often to try again when another process has removed the file.
const ATTEMPTS: u32 = 32;

/// Creates and locks a file; `None` if another process removed it in between.
fn create_locked(database: &Path, path: &Path) -> io::Result<Option<File>> {
    let file = permissions::create_beside(database, path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) => {
            let _absent = fs::remove_file(path);
            return Ok(None);
        }
    }
    // From now on a process that would remove it finds it locked.
    Ok(path.exists().then_some(file))
}

/// What is between the name of the database and the id in the name of a lock file.
const LOCK_FILE: &str = "-worker-";

fn lock_file(database: &Path, id: i64) -> PathBuf {
    file::beside(database, &format!("{LOCK_FILE}{id:016x}"))
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _absent = fs::remove_file(&self.path);
    }
}
