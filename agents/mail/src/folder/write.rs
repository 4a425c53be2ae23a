//! Atomic file writes, readable by their owner only.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::MailError;

/// Makes a folder, if it is not there.
pub(super) fn make_dir(path: &Path, place: &str) -> Result<(), MailError> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.recursive(true).create(path);
    made.map_err(|error| failed(place, path, &error))
}

/// Writes a file under its name at once; one that is there already stays.
pub(super) fn write_new(path: &Path, bytes: &[u8], place: &str) -> Result<(), MailError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    if path.is_file() {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let name = path.file_name().map(|name| name.to_string_lossy());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!(
        ".{}.{}.{count}",
        name.unwrap_or_default(),
        std::process::id()
    );
    let draft = folder.join(name);
    let written = || -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&draft)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        // A link fails where a rename would replace: of two writers the first one wins.
        match fs::hard_link(&draft, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) => fs::rename(&draft, path)?,
            Ok(()) => {}
        }
        let _gone = fs::remove_file(&draft);
        File::open(folder)?.sync_all()
    };
    written().map_err(|error| {
        let _gone = fs::remove_file(&draft);
        failed(place, path, &error)
    })
}

/// What a disk said.
pub(super) fn failed(place: &str, path: &Path, error: &io::Error) -> MailError {
    MailError::Refused {
        place: place.to_owned(),
        why: format!("{}: {error}", path.display()),
    }
}
