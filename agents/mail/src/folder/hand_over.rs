//! Hand-over of a file to whoever watches a folder: written in `.outgoing`, moved in one step.
//!
//! The file is in `.outgoing` from its first byte until it is handed over, under the name it will
//! have. So a file there that is not in the folder was not handed over, for certain. A file in
//! neither place proves nothing: others may have taken it.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use superstep::fs::sync_parent;

use super::write::{failed, make_dir};
use crate::MailError;

const STAGING: &str = ".outgoing";

/// One file on its way into a folder.
pub(super) struct HandOver {
    staged: PathBuf,
    target: PathBuf,
    place: String,
}

/// Why a file was not handed over, or nobody knows whether it was.
pub(super) enum HandOverError {
    NotDone(MailError),
    Unknown(MailError),
}

/// What is known of a hand-over that broke off.
pub(super) enum HandOverState {
    Done,
    NotDone,
    Unsure(String),
}

impl HandOver {
    /// Of a file with this name, into a folder below `root`, or into `root` itself if `folder` is
    /// empty.
    pub(super) fn new(root: &Path, folder: &str, name: String, place: String) -> Self {
        let target = match folder {
            "" => root.to_owned(),
            folder => root.join(folder),
        };
        // A file is moved in one step only within a file system.
        let beside = match is_elsewhere(root, &target) {
            true => &target,
            false => root,
        };
        Self {
            staged: beside.join(STAGING).join(&name),
            target: target.join(name),
            place,
        }
    }

    /// Hands the file over; one that is there already stays.
    pub(super) fn run(&self, bytes: &[u8]) -> Result<(), HandOverError> {
        if self.target.is_file() {
            return Ok(());
        }
        self.stage(bytes).map_err(|error| {
            self.clear();
            HandOverError::NotDone(error)
        })?;
        if let Err(error) = fs::rename(&self.staged, &self.target) {
            let error = failed(&self.place, &self.target, &error);
            return Err(match self.clear() {
                true => HandOverError::NotDone(error),
                false => HandOverError::Unknown(error),
            });
        }
        // It is there, though perhaps not safe from a loss of power.
        let synced = sync_parent(&self.target).and_then(|()| sync_parent(&self.staged));
        synced.map_err(|error| HandOverError::Unknown(failed(&self.place, &self.target, &error)))
    }

    /// What became of an attempt that broke off. What it left in `.outgoing` is removed.
    pub(super) fn look_up(&self) -> HandOverState {
        let is_done = self.target.is_file();
        match (is_done, self.clear()) {
            (true, _) => HandOverState::Done,
            (false, true) => HandOverState::NotDone,
            (false, false) => {
                let folder = self.target.parent().unwrap_or(&self.target);
                HandOverState::Unsure(format!(
                    "{} does not have it; it was not handed over, or it was and a program has \
                     taken it",
                    folder.display()
                ))
            }
        }
    }

    fn stage(&self, bytes: &[u8]) -> Result<(), MailError> {
        for path in [&self.target, &self.staged] {
            make_dir(path.parent().unwrap_or(path), &self.place)?;
        }
        // What an attempt before left, or a link that somebody put there.
        self.clear();
        let written = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&self.staged)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        written().map_err(|error| failed(&self.place, &self.staged, &error))
    }

    /// Removes what is in `.outgoing`; whether anything was.
    fn clear(&self) -> bool {
        let is_there = fs::symlink_metadata(&self.staged).is_ok();
        // What cannot be removed is evidence all the same.
        let _removed = fs::remove_file(&self.staged);
        is_there
    }
}

#[cfg(unix)]
fn is_elsewhere(root: &Path, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (fs::metadata(root), fs::metadata(folder)) {
        (Ok(root), Ok(folder)) => root.dev() != folder.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_elsewhere(_: &Path, _: &Path) -> bool {
    false
}
