//! Atomic file writes, readable by their owner only.

use std::{io, path::Path};

use superstep::fs::{Rights, Staged, private_dir};

use crate::MailError;

/// Makes a folder, if it is not there.
pub(super) fn make_dir(path: &Path, place: &str) -> Result<(), MailError> {
    private_dir(path).map_err(|error| failed(place, path, &error))
}

/// Writes a file atomically; one that is there already stays.
pub(super) fn write_new(path: &Path, bytes: &[u8], place: &str) -> Result<(), MailError> {
    if path.is_file() {
        return Ok(());
    }
    let staged = Staged::new(path, bytes, Rights::Private);
    let written = staged.and_then(Staged::create);
    written.map_err(|error| failed(place, path, &error))
}

/// What a disk said.
pub(super) fn failed(place: &str, path: &Path, error: &io::Error) -> MailError {
    MailError::Refused {
        place: place.to_owned(),
        why: format!("{}: {error}", path.display()),
    }
}
