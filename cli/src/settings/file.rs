//! The user's file of settings, for one process at a time: what one has read is what it replaces.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use superstep::fs::{open_private, parent, private_dir};

use crate::{
    error::{Error, FileError},
    private,
};

/// How long another process is waited for: it holds the file for one read and one write.
const WAIT_LIMIT: Duration = Duration::from_secs(10);

/// How often it is tried.
const PAUSE: Duration = Duration::from_millis(10);

/// The file, which no other process changes until this is dropped. The lock is on a file of its own, as the settings
/// themselves are replaced; that file stays, or a third process could lock a new one while a second waits for the old.
pub(super) struct UserFile {
    path: PathBuf,
    _lock: File,
}

impl UserFile {
    /// Waits for the file. Its folder is made.
    pub(super) fn hold(path: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| FileError::not_written(path, error);
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let lock = private_dir(parent(path))
            .and_then(|()| open_private(&mut options, &path.with_file_name(name)))
            .map_err(failed)?;
        let until = Instant::now() + WAIT_LIMIT;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => Err(failed(error))?,
                Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                    Err(FileError::Busy {
                        path: path.display().to_string(),
                        seconds: WAIT_LIMIT.as_secs(),
                    })?;
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// What it says now.
    pub(super) fn text(&self) -> Result<Option<String>, Error> {
        read(&self.path)
    }

    /// Replaces it.
    pub(super) fn replace(&self, text: &str) -> Result<(), Error> {
        Ok(write(&self.path, text)?)
    }
}

/// What a file says, if it is there.
pub(super) fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        _ => Ok(Some(crate::files::text(path)?)),
    }
}

fn write(path: &Path, text: &str) -> Result<(), FileError> {
    private::replace(path, text.as_bytes()).map_err(|error| FileError::not_written(path, error))
}

/// A text that could not be stored, in a file of its own beside the settings.
pub(super) struct KeptText {
    settings: PathBuf,
    kept: Option<PathBuf>,
}

impl KeptText {
    pub(super) fn of(settings: &Path) -> Self {
        Self {
            settings: settings.to_owned(),
            kept: None,
        }
    }

    /// Keeps a text in place of the one that was kept before. Drafts of others stay.
    pub(super) fn keep(&mut self, text: &str) -> Result<PathBuf, Error> {
        let path = match self.kept.take() {
            Some(path) => path,
            None => (1..)
                .map(|number| match number {
                    1 => self.settings.with_extension("toml.draft"),
                    _ => self.settings.with_extension(format!("toml.draft{number}")),
                })
                .find(|path| fs::symlink_metadata(path).is_err())
                .unwrap_or_else(|| self.settings.with_extension("toml.draft")),
        };
        write(&path, text)?;
        self.kept = Some(path.clone());
        Ok(path)
    }

    /// Forgets the text, which is stored now.
    pub(super) fn forget(self) {
        if let Some(path) = self.kept {
            let _left = fs::remove_file(path);
        }
    }
}
