//! Opening a file safely: never blocks on a pipe, never follows a link.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::entry::Why;

/// The bytes of a file, if they are not too many. No folder on its path may be a link either: the
/// path was found without any, so one that is there now was put there since.
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
    #[cfg(target_os = "linux")]
    {
        use rustix::{
            fs::{CWD, ResolveFlags, openat2},
            io::Errno,
        };

        match openat2(CWD, path, how, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Ok(file) => return Ok(file.into()),
            // An old kernel, or one that is not asked.
            Err(Errno::NOSYS | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
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
    use std::{fs, path::PathBuf};

    use super::*;

    fn folder() -> io::Result<(tempfile::TempDir, PathBuf)> {
        let folder = tempfile::tempdir()?;
        let path = fs::canonicalize(folder.path())?;
        Ok((folder, path))
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() -> io::Result<()> {
        let (_folder, path) = folder()?;
        let path = path.join("a");
        fs::write(&path, b"12345")?;
        assert_eq!(bytes(&path, 5), Ok(b"12345".to_vec()));
        assert_eq!(bytes(&path, 4), Err(Why::TooLarge { limit: 4 }));
        Ok(())
    }

    #[test]
    fn what_is_gone_and_what_is_a_folder_is_told() -> io::Result<()> {
        let (_folder, path) = folder()?;
        let gone = bytes(&path.join("gone"), 9);
        assert!(matches!(gone, Err(Why::Unreadable { .. })), "{gone:?}");
        assert_eq!(bytes(&path, 9), Err(Why::NotAFile));
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_on_the_way_is_not_followed() -> io::Result<()> {
        let (_folder, path) = folder()?;
        fs::create_dir(path.join("real"))?;
        fs::write(path.join("real/a"), b"x")?;
        std::os::unix::fs::symlink(path.join("real"), path.join("link"))?;
        std::os::unix::fs::symlink(path.join("real/a"), path.join("b"))?;
        assert_eq!(bytes(&path.join("real/a"), 9), Ok(b"x".to_vec()));
        for name in ["link/a", "b"] {
            let found = bytes(&path.join(name), 9);
            assert!(matches!(found, Err(Why::Unreadable { .. })), "{found:?}");
        }
        Ok(())
    }
}
