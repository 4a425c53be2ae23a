//! File identity: hard links, and files that are removed or replaced while they are open.
//!
//! SQLite derives the name of the WAL from the name the database was opened by. Two names of one file
//! would have two WALs, and each would overwrite what the other holds.

use std::path::{Path, PathBuf};

use superstep_core::error::SaverError;
use superstep_fs::parent;

/// Device and inode of a file. Systems where an open file cannot be removed need none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity(#[cfg(unix)] (u64, u64));

#[cfg(unix)]
impl FileIdentity {
    /// The file at a path.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let file = std::fs::metadata(path).ok()?;
        Some(Self((file.dev(), file.ino())))
    }

    /// Fails with [`SaverError::Moved`] unless it is still the file at a path.
    pub(crate) fn verify(self, path: &Path) -> Result<(), SaverError> {
        match Self::of(path) {
            Some(found) if found == self => Ok(()),
            Some(_) => Err(SaverError::Moved(format!(
                "{} is another file now",
                path.display()
            ))),
            None => Err(SaverError::Moved(format!(
                "{} is not there any more",
                path.display()
            ))),
        }
    }
}

#[cfg(not(unix))]
impl FileIdentity {
    pub(crate) fn of(_: &Path) -> Option<Self> {
        Some(Self())
    }

    pub(crate) fn verify(self, _: &Path) -> Result<(), SaverError> {
        Ok(())
    }
}

/// Of the hard links to a file, the one that has a WAL, or else the first by name. Links in other
/// folders cannot be found, so a file that has some is refused.
#[cfg(unix)]
pub(super) fn resolve(path: PathBuf) -> Result<PathBuf, SaverError> {
    use std::os::unix::fs::MetadataExt;

    let count = match std::fs::metadata(&path) {
        Ok(file) if file.is_file() => file.nlink(),
        _ => return Ok(path),
    };
    if count < 2 {
        return Ok(path);
    }
    let mut names = same_folder(&path);
    if (names.len() as u64) < count {
        let why = "a hard link to it is in another folder";
        return Err(SaverError::Linked(why.to_owned()));
    }
    names.sort();
    let mut logged = names.iter().filter(|name| {
        let beside = |suffix| super::beside(name, suffix).exists();
        beside("-wal") || beside("-shm")
    });
    match (logged.next(), logged.next()) {
        (Some(one), None) => Ok(one.clone()),
        (Some(_), Some(_)) => {
            let why = "more than one of its hard links has a write-ahead log beside it";
            Err(SaverError::Linked(why.to_owned()))
        }
        (None, _) => Ok(names.into_iter().next().unwrap_or(path)),
    }
}

#[cfg(not(unix))]
pub(super) fn resolve(path: PathBuf) -> Result<PathBuf, SaverError> {
    Ok(path)
}

/// The hard links to a file in its own folder.
#[cfg(unix)]
fn same_folder(path: &Path) -> Vec<PathBuf> {
    let (Some(identity), Ok(entries)) = (FileIdentity::of(path), std::fs::read_dir(parent(path)))
    else {
        return Vec::new();
    };
    let files = entries.flatten().filter(|entry| {
        // A symbolic link is not a hard link.
        entry.file_type().is_ok_and(|kind| kind.is_file())
    });
    let paths = files.map(|entry| entry.path());
    paths
        .filter(|path| FileIdentity::of(path) == Some(identity))
        .collect()
}
