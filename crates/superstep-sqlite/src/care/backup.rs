//! A copy of a database, made while it is in use.

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
    file::{self, refused},
    private,
};

/// Copies a database to a path where there is nothing.
pub(super) fn copy(from: &Inner, to: &Path) -> Result<(), SaverError> {
    refuse_if_taken(to)?;
    let part = Part::new(file::beside(
        to,
        &format!("-part-{:016x}", from.worker_id()),
    ))?;
    let text = part.0.to_str().ok_or_else(|| {
        SaverError::Io("the path of a copy must be text that is valid Unicode".to_owned())
    })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    connect(&from.path, flags, from.options.patience)?
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

/// A file of that name is not overwritten, and a log of that name would be taken for the copy's.
fn refuse_if_taken(to: &Path) -> Result<(), SaverError> {
    for suffix in ["", "-wal", "-journal"] {
        let path = file::beside(to, suffix);
        if fs::symlink_metadata(&path).is_ok() {
            return Err(taken(&path));
        }
    }
    Ok(())
}

fn taken(path: &Path) -> SaverError {
    let path = path.display();
    SaverError::Io(format!("{path} exists already; give another path"))
}

/// Opens the copy as anybody would.
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
        .map_err(|error| refused(&error))
}

/// Gives the copy its name, unless something has taken it meanwhile.
fn place(part: &Path, to: &Path) -> Result<(), SaverError> {
    match fs::hard_link(part, to) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(taken(to)),
        // Not every file system has links.
        Err(_) => {
            refuse_if_taken(to)?;
            fs::rename(part, to).map_err(|error| refused(&error))
        }
    }
}

/// An unfinished copy, which goes if it is not finished.
struct Part(PathBuf);

impl Part {
    /// An empty file for its owner alone, which SQLite fills.
    fn new(path: PathBuf) -> Result<Self, SaverError> {
        private::create_new(&path).map_err(|error| refused(&error))?;
        Ok(Self(path))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let _absent = fs::remove_file(file::beside(&self.0, suffix));
        }
    }
}
