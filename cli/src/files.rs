//! Files that are named on the command line.

use std::path::{Path, PathBuf};

use crate::{
    args::Global,
    database,
    error::{Error, FileError},
};

/// No text that a person wrote is larger.
const MOST: u64 = 16 << 20;

/// The text of a file. A pipe or a device is refused: it may never end.
pub(crate) fn text(path: &Path) -> Result<String, FileError> {
    text_up_to(path, MOST)
}

/// The same of a file of at most so many bytes.
pub(crate) fn text_up_to(path: &Path, most: u64) -> Result<String, FileError> {
    superstep::fs::read_text(path, most).map_err(|error| FileError::not_read(path, error))
}

/// A folder by its absolute path, which must be there.
pub(crate) fn folder(path: &Path) -> Result<PathBuf, FileError> {
    let refused = |error| FileError::not_read(path, error);
    let folder = path.canonicalize().map_err(refused)?;
    match folder.is_dir() {
        true => Ok(folder),
        false => Err(refused(std::io::ErrorKind::NotADirectory.into())),
    }
}

/// Refuses to write a result where the database, or a file that belongs to it, is or will be.
pub(crate) fn refuse_database(path: &Path, global: &Global) -> Result<(), Error> {
    let database = database::path(global)?.value;
    let places = ["", "-wal", "-shm", "-journal"].map(|suffix| {
        let mut place = database.clone().into_os_string();
        place.push(suffix);
        place.into()
    });
    match places
        .iter()
        .any(|place: &std::path::PathBuf| is_same(place, path))
    {
        true => Err(FileError::Database {
            path: path.display().to_string(),
        }
        .into()),
        false => Ok(()),
    }
}

/// Refuses a file that cannot be written because its folder is not there, or because it is a folder itself.
pub(crate) fn require_folder_of(path: &Path) -> Result<(), FileError> {
    let refused = |why: &str| FileError::NoPlace {
        path: path.display().to_string(),
        why: why.to_owned(),
    };
    if path.is_dir() {
        return Err(refused("it is a folder"));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match folder.is_dir() {
        true => Ok(()),
        false => Err(refused("its folder does not exist")),
    }
}

/// Whether two paths lead to one file, whether it exists or not.
fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (std::fs::metadata(one), std::fs::metadata(other)) {
        use std::os::unix::fs::MetadataExt;
        return (one.dev(), one.ino()) == (other.dev(), other.ino());
    }
    let whole = |path: &Path| {
        let path = std::path::absolute(path).ok()?;
        let folder = path.parent()?.canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    whole(one).is_some_and(|one| whole(other) == Some(one))
}
