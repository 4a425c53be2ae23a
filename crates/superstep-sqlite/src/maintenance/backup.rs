//! Online backup.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rusqlite::OpenFlags;
use superstep_core::error::SaverError;

use super::check;
use crate::{
    Database,
    connection::connect,
    database::Inner,
    error::sql,
    file::{self, io_error},
    permissions,
};

/// Copies a database to a path that does not exist yet.
pub(super) fn copy(from: &Inner, to: &Path) -> Result<(), SaverError> {
    refuse_if_exists(to)?;
    let part = PartialCopy::new(file::beside(
        to,
        &format!("-part-{:016x}", from.worker_id()),
    ))?;
    let text = part.0.to_str().ok_or_else(|| {
        SaverError::Io("the path of a copy must be text that is valid Unicode".to_owned())
    })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    connect(&from.path, flags, from.options.busy_timeout)?
        .execute("VACUUM INTO ?1", [text])
        .map_err(sql)?;
    verify(from, &part.0)?;
    sync(&part.0)?;
    place(&part.0, to)?;
    drop(part);
    match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync(folder),
        _ => sync(Path::new(".")),
    }
}

/// An existing file is not overwritten, and an existing WAL would be applied to the copy.
fn refuse_if_exists(to: &Path) -> Result<(), SaverError> {
    for suffix in ["", "-wal", "-journal"] {
        let path = file::beside(to, suffix);
        if fs::symlink_metadata(&path).is_ok() {
            return Err(exists(&path));
        }
    }
    Ok(())
}

fn exists(path: &Path) -> SaverError {
    let path = path.display();
    SaverError::Io(format!("{path} exists already; give another path"))
}

/// Opens the copy and checks it.
fn verify(from: &Inner, copy: &Path) -> Result<(), SaverError> {
    let copy = Database::open_with(copy, from.options.clone())?;
    let report = check::ends(&copy.0)?;
    match report.problems.first() {
        Some(problem) => Err(SaverError::Corrupt(format!("in the copy: {problem}"))),
        None => Ok(()),
    }
}

fn sync(path: &Path) -> Result<(), SaverError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| io_error(&error))
}

/// Gives the copy its name, unless that was taken meanwhile.
fn place(part: &Path, to: &Path) -> Result<(), SaverError> {
    match fs::hard_link(part, to) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists(to)),
        // Not every file system has hard links.
        Err(_) => {
            refuse_if_exists(to)?;
            fs::rename(part, to).map_err(|error| io_error(&error))
        }
    }
}

/// A copy under its temporary name; dropping it removes the file.
struct PartialCopy(PathBuf);

impl PartialCopy {
    /// An empty file for its owner alone, which SQLite fills.
    fn new(path: PathBuf) -> Result<Self, SaverError> {
        permissions::create_new(&path).map_err(|error| io_error(&error))?;
        Ok(Self(path))
    }
}

impl Drop for PartialCopy {
    fn drop(&mut self) {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let _absent = fs::remove_file(file::beside(&self.0, suffix));
        }
    }
}
