//! Reading files that a person or another program has named.

use std::{
    fs::{File, Metadata, OpenOptions},
    io::{self, Read},
    path::Path,
};

/// Opens a regular file to read it. A pipe or a device, which may never end or block, is refused.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Opening a pipe that nobody writes to would wait for a writer.
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = options.open(path)?;
    let about = file.metadata()?;
    if about.is_file() {
        return Ok(file);
    }
    Err(no_file(&about))
}

/// That something else is in the place of a file.
pub(crate) fn no_file(about: &Metadata) -> io::Error {
    let what = match about.is_dir() {
        true => "it is a folder, not a file",
        false => "it is no regular file",
    };
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// The bytes of a regular file of at most so many.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > most) {
        let why = format!("it has more than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// The text of a regular file of at most so many bytes.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read_regular(path, most)?;
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_text(&path, 5).unwrap(), "12345");
        let kind = |read: io::Result<String>| read.unwrap_err().kind();
        assert_eq!(kind(read_text(&path, 4)), io::ErrorKind::FileTooLarge);
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(kind(read_text(&path, 5)), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_text(folder.path(), 9).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_and_nobody_waits() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for path in [pipe.as_path(), Path::new("/dev/zero")] {
            let refused = read_text(path, 9).unwrap_err();
            assert_eq!(refused.to_string(), "it is no regular file");
        }
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("file", &link).unwrap();
        fs::write(folder.path().join("file"), "x").unwrap();
        assert_eq!(read_text(&link, 9).unwrap(), "x");
    }
}
