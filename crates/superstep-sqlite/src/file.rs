//! Checks of a path before SQLite opens it.
//!
//! The file itself is never opened here, only by SQLite: when a process closes a file, POSIX releases
//! all locks the process has on it, including those of its other connections.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use superstep_core::error::SaverError;
use superstep_fs::parent;

use crate::error::sql;

mod links;
mod neighbors;

pub(crate) use links::FileIdentity;

/// The smallest page size of SQLite.
const SHORTEST: u64 = 512;

/// The path of a file beside the database.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(suffix);
    name.into()
}

/// The length of a file; 0 if it is missing.
pub(crate) fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// Whether a file is there and empty. A pipe or a device is no such file, whatever its length.
pub(crate) fn is_empty(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|file| file.is_file() && file.len() == 0)
}

/// The canonical path of a database: links are followed, as SQLite does, so that all processes use
/// the same WAL and lock files.
pub(crate) fn resolve(path: &Path) -> Result<PathBuf, SaverError> {
    if let Ok(whole) = fs::canonicalize(path) {
        return links::resolve(whole);
    }
    // It may be a link to a file that does not exist yet.
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = parent(&path).join(target);
    }
    let name = path.file_name().map(ToOwned::to_owned);
    match (fs::canonicalize(parent(&path)), name) {
        (Ok(folder), Some(name)) => Ok(folder.join(name)),
        // `inspect` reports what is wrong with it.
        _ => Ok(path),
    }
}

/// At most this many links are followed.
const LINKS: usize = 40;

/// Checks whether a path can be a database, without opening it. A missing or empty file can.
pub(crate) fn inspect(path: &Path) -> Result<(), SaverError> {
    neighbors::inspect_name(path)?;
    neighbors::inspect(path)?;
    let file = match fs::metadata(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            inspect_folder(path)?;
            return refuse_log_alone(path, "the file is not there");
        }
        Err(error) => return Err(io_error(&error)),
    };
    if !file.is_file() {
        let what = if file.is_dir() { "a folder" } else { "no file" };
        let why = format!("the path leads to {what}; give the path of a file");
        return Err(SaverError::Io(why));
    }
    // SQLite treats a file of one byte as empty, and overwrites it.
    if (1..SHORTEST).contains(&file.len()) {
        let why = "the file is not a database, it is too short";
        return Err(SaverError::Foreign(why.to_owned()));
    }
    match file.len() {
        0 => refuse_log_alone(path, "the file is empty"),
        _ => Ok(()),
    }
}

/// Whether nothing is at a path; what is wrong with its folder is reported later.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

/// Refuses a WAL without its database: SQLite would delete it, and with it committed data of a file
/// that was moved away or truncated.
fn refuse_log_alone(path: &Path, what: &str) -> Result<(), SaverError> {
    if length(&beside(path, "-wal")) == 0 {
        return Ok(());
    }
    let why = format!(
        "{what}, but the write-ahead log beside it has content; put the file back where its log is"
    );
    Err(SaverError::Corrupt(why))
}

/// How many files of a folder are looked at.
const LOOKED_AT: usize = 10_000;

/// Logs with content in the folder of a database whose own file is not there. A file that was renamed
/// without its log reads as of an older step; SQLite does not say which file a log belongs to.
pub(crate) fn orphaned_logs(path: &Path) -> Vec<PathBuf> {
    // The log of a database is beside the file itself, not beside a link to it.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let Ok(entries) = fs::read_dir(parent(&path)) else {
        return Vec::new();
    };
    let is_orphan = |log: &PathBuf| {
        let Some(file) = neighbors::file_of(log, "-wal") else {
            return false;
        };
        let is_log = fs::symlink_metadata(log).is_ok_and(|it| it.is_file() && it.len() > 0);
        is_log && matches!(fs::symlink_metadata(file), Err(error) if is_absent(&error))
    };
    let found = entries.take(LOOKED_AT).flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = found.filter(is_orphan).collect();
    found.sort();
    found
}

/// Checks the length of the file; SQLite reads what is missing of the last page as zeros. Called
/// inside a transaction, so that it does not shrink meanwhile.
pub(crate) fn inspect_length(path: &Path, connection: &Connection) -> Result<(), SaverError> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let whole = number("page_count").map_err(sql)? * number("page_size").map_err(sql)?;
    let found = length(path);
    // The WAL may hold pages beyond the end of the file.
    if length(&beside(path, "-wal")) > 0 || u64::try_from(whole).is_ok_and(|whole| found >= whole) {
        return Ok(());
    }
    let why = format!("the file ends after {found} of {whole} bytes");
    Err(SaverError::Corrupt(why))
}

fn inspect_folder(path: &Path) -> Result<(), SaverError> {
    if parent(path).is_dir() {
        return Ok(());
    }
    Err(SaverError::Io(
        "the folder of the file does not exist; make it first".to_owned(),
    ))
}

/// Maps an I/O error.
pub(crate) fn io_error(error: &io::Error) -> SaverError {
    let text = error.to_string();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            SaverError::ReadOnly(text)
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => SaverError::Full(text),
        _ => SaverError::Io(text),
    }
}

/// Adds the path to an error.
pub(crate) fn with_path(path: &Path, error: SaverError) -> SaverError {
    let name = path.display().to_string();
    let with = |why: String| match why.contains(&name) {
        true => why,
        false => format!("{name}: {why}"),
    };
    match error {
        SaverError::Corrupt(why) => SaverError::Corrupt(with(why)),
        SaverError::Io(why) => SaverError::Io(with(why)),
        SaverError::ReadOnly(why) => SaverError::ReadOnly(with(why)),
        SaverError::Full(why) => SaverError::Full(with(why)),
        SaverError::Locked(why) => SaverError::Locked(with(why)),
        SaverError::Foreign(why) => SaverError::Foreign(with(why)),
        SaverError::Sealed(why) => SaverError::Sealed(with(why)),
        SaverError::Moved(why) => SaverError::Moved(with(why)),
        SaverError::Missing(why) => SaverError::Missing(with(why)),
        SaverError::Linked(why) => SaverError::Linked(with(why)),
        SaverError::Older { found, known, .. } => SaverError::Older {
            storage: name,
            found,
            known,
        },
        SaverError::Newer { found, known, .. } => SaverError::Newer {
            storage: name,
            found,
            known,
        },
        other => other,
    }
}
