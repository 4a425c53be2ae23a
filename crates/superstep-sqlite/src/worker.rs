//! Whether a process that holds threads is still there.
//!
//! Each process that opens a database keeps a small file beside it locked. The system frees the lock
//! when the process ends, however it ends, so its threads can be taken over at once; a process that
//! merely stands still keeps the lock, and loses its threads only when its lease runs out.
//!
//! A file that nobody has locked was left by a process that was killed. Whoever opens the database
//! removes it, holding its lock meanwhile; so a process that finds its own file locked or gone
//! before it could lock it makes another one.

use std::{
    fs::{self, File, TryLockError},
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    process, time,
};

use superstep_core::error::SaverError;

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
        for _ in 0..ATTEMPTS {
            let now = time::SystemTime::now();
            let id = RandomState::new().hash_one((process::id(), now)) as i64 & i64::MAX;
            let path = sign(database, id);
            let file = shown(database, &path)
                .map_err(|error| file::named(&path, file::refused(&error)))?;
            if let Some(_file) = file {
                return Ok(Self { id, path, _file });
            }
        }
        let why = "the file that shows that this process is there was removed again and again";
        Err(SaverError::Io(why.to_owned()))
    }

    /// Whether the process that calls itself so is there. One that cannot be asked counts as there,
    /// until its lease runs out.
    pub(crate) fn is_there(database: &Path, id: i64) -> bool {
        match File::open(sign(database, id)) {
            Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Removes the files of processes that are not there any more, also of those that ended before
    /// they held a thread. Says whether this process is the only one that is left.
    pub(crate) fn sweep(&self, database: &Path) -> bool {
        let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else {
            return false;
        };
        let mut alone = true;
        let mut prefix = name.to_os_string();
        prefix.push(SIGN);
        let Ok(entries) = fs::read_dir(folder) else {
            return false;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            let id = name.strip_prefix(prefix.as_encoded_bytes());
            let is_sign =
                id.is_some_and(|id| id.len() == 16 && id.iter().all(u8::is_ascii_hexdigit));
            // Not followed: a link of that name is somebody else's.
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if !is_sign || !is_file || entry.path() == self.path {
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

/// So often a file is made anew because somebody has removed it.
const ATTEMPTS: u32 = 32;

/// Makes a file and locks it; nothing if somebody has swept it away in between.
fn shown(database: &Path, path: &Path) -> io::Result<Option<File>> {
    let file = private::create_beside(database, path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) => {
            let _absent = fs::remove_file(path);
            return Ok(None);
        }
    }
    // Whoever would remove it from now on finds it locked.
    Ok(path.exists().then_some(file))
}

/// What the names of such files have between the name of the database and a number.
const SIGN: &str = "-worker-";

fn sign(database: &Path, id: i64) -> PathBuf {
    file::beside(database, &format!("{SIGN}{id:016x}"))
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _absent = fs::remove_file(&self.path);
    }
}
