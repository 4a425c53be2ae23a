//! Opening a file that may be anything by now: never waits for a pipe, never follows a link.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use super::manifest::Why;

/// The bytes of a file, if they are not too many.
pub(super) fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, Why> {
    let unreadable = |error: io::Error| Why::Unreadable {
        message: error.to_string(),
    };
    let file = open(path).map_err(unreadable)?;
    // What the name stood for a moment ago may be something else now.
    let facts = file.metadata().map_err(unreadable)?;
    if !facts.is_file() {
        return Err(Why::NotAFile);
    }
    if facts.len() > most {
        return Err(Why::TooLarge { limit: most });
    }
    let mut bytes = Vec::new();
    let mut limited = file.take(most.saturating_add(1));
    limited.read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > most) {
        return Err(Why::TooLarge { limit: most });
    }
    Ok(bytes)
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    let how =
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    Ok(rustix::fs::open(path, how, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let path = folder.path().join("a");
        std::fs::write(&path, b"12345").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(bytes(&path, 5), Ok(b"12345".to_vec()));
        assert_eq!(bytes(&path, 4), Err(Why::TooLarge { limit: 4 }));
    }

    #[test]
    fn what_is_gone_and_what_is_a_folder_is_told() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let gone = bytes(&folder.path().join("gone"), 9);
        assert!(matches!(gone, Err(Why::Unreadable { .. })), "{gone:?}");
        assert_eq!(bytes(folder.path(), 9), Err(Why::NotAFile));
    }
}
