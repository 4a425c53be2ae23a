//! What is at a path, found out before anything is written to it.
//!
//! The file itself is never opened here, only SQLite does that: when a process closes a file, the
//! system takes away all locks the process has on it, also those of its other connections.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use superstep_core::error::SaverError;

use crate::error::sql;

mod links;

pub(crate) use links::Identity;

/// The smallest page there is.
const SHORTEST: u64 = 512;

/// The path of a file beside the database.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(suffix);
    name.into()
}

/// How long a file is; 0 if it is not there.
pub(crate) fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// The one path under which a database is worked on, whatever name it was opened by: links are
/// followed, as SQLite does, so that all processes mean the same files beside it.
pub(crate) fn resolve(path: &Path) -> Result<PathBuf, SaverError> {
    if let Ok(whole) = fs::canonicalize(path) {
        return links::resolve(whole);
    }
    // It may be a link to a file that is not there yet.
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = folder(&path).join(target);
    }
    let name = path.file_name().map(ToOwned::to_owned);
    match (fs::canonicalize(folder(&path)), name) {
        (Ok(folder), Some(name)) => Ok(folder.join(name)),
        // What is wrong with it shows when it is inspected.
        _ => Ok(path),
    }
}

/// So many links are followed.
const LINKS: usize = 40;

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Says why there cannot be a database at a path, if that shows without opening it. There may be
/// none at all, or an empty file.
pub(crate) fn inspect(path: &Path) -> Result<(), SaverError> {
    let file = match fs::metadata(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            inspect_folder(path)?;
            return refuse_log_alone(path, "the file is not there");
        }
        Err(error) => return Err(refused(&error)),
    };
    if !file.is_file() {
        let what = if file.is_dir() { "a folder" } else { "no file" };
        let why = format!("the path leads to {what}; give the path of a file");
        return Err(SaverError::Io(why));
    }
    // SQLite takes a single byte for nothing, and writes over it.
    if (1..SHORTEST).contains(&file.len()) {
        let why = "the file is not a database, it is too short";
        return Err(SaverError::Foreign(why.to_owned()));
    }
    match file.len() {
        0 => refuse_log_alone(path, "the file is empty"),
        _ => Ok(()),
    }
}

/// Whoever moved the file away or cut it to nothing may still want what is in its log, which SQLite
/// would remove.
fn refuse_log_alone(path: &Path, what: &str) -> Result<(), SaverError> {
    if length(&beside(path, "-wal")) == 0 {
        return Ok(());
    }
    let why = format!(
        "{what}, but the write-ahead log beside it has content; put the file back where its log is"
    );
    Err(SaverError::Corrupt(why))
}

/// Whether the file is as long as it should be; SQLite takes what is missing of the last page for
/// zeros. Called inside a transaction, so that nobody makes it shorter meanwhile.
pub(crate) fn inspect_length(path: &Path, connection: &Connection) -> Result<(), SaverError> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let whole = number("page_count").map_err(sql)? * number("page_size").map_err(sql)?;
    let found = length(path);
    // The log may hold the end of a file that is about to grow.
    if length(&beside(path, "-wal")) > 0 || u64::try_from(whole).is_ok_and(|whole| found >= whole) {
        return Ok(());
    }
    let why = format!("the file ends after {found} of {whole} bytes");
    Err(SaverError::Corrupt(why))
}

fn inspect_folder(path: &Path) -> Result<(), SaverError> {
    if folder(path).is_dir() {
        return Ok(());
    }
    Err(SaverError::Io(
        "the folder of the file does not exist; make it first".to_owned(),
    ))
}

/// What a refusal of the file system means.
pub(crate) fn refused(error: &io::Error) -> SaverError {
    let text = error.to_string();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            SaverError::ReadOnly(text)
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => SaverError::Full(text),
        _ => SaverError::Io(text),
    }
}

/// An error that says which file it is about.
pub(crate) fn named(path: &Path, error: SaverError) -> SaverError {
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
