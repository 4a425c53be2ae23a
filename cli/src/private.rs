//! File permissions: mails, documents, prompts, histories and tokens are readable by their owner only.
//!
//! What the command line makes is private from its first moment. In the folders that are its own it
//! also takes away rights that others have from before; a file that a person named, which may be
//! shared on purpose, keeps its permissions, and `doctor` reports it.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use superstep::fs::{
    Rights, Staged, TEMPORARY, open_private, parent, private_dir, remove_stale, sync_parent,
};

use crate::{
    dirs,
    error::{Error, FileError},
};

/// While it lives, files are made for nobody who cannot read another one: a result is as private as what it
/// was made from.
#[must_use]
pub(crate) struct AsPrivateAs {
    #[cfg(unix)]
    before: rustix::fs::Mode,
}

impl AsPrivateAs {
    /// As private as this file, and for the owner alone if it is gone: nobody knows who could read it. The umask
    /// counts all the same.
    pub(crate) fn new(path: &Path) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;

            use rustix::{fs::Mode, process::umask};
            const OTHERS: [(u32, Mode); 4] = [
                (0o040, Mode::RGRP),
                (0o020, Mode::WGRP),
                (0o004, Mode::ROTH),
                (0o002, Mode::WOTH),
            ];
            let rights = fs::metadata(path).map_or(0o600, |about| about.mode());
            let closed = OTHERS.iter().filter(|(bit, _)| rights & bit == 0);
            let closed = closed.fold(Mode::empty(), |all, (_, mode)| all | *mode);
            // The umask can only be read by setting it.
            let before = umask(Mode::RWXG | Mode::RWXO);
            umask(before | closed);
            Self { before }
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            Self {}
        }
    }
}

impl Drop for AsPrivateAs {
    fn drop(&mut self) {
        #[cfg(unix)]
        rustix::process::umask(self.before);
    }
}

/// Creates an empty file, which must not exist.
pub(crate) fn new_file(path: &Path) -> io::Result<File> {
    open_private(OpenOptions::new().write(true).create_new(true), path)
}

/// Refuses a path where something is, a dangling link among it.
pub(crate) fn refuse_existing(path: &Path) -> Result<(), FileError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(FileError::exists(path)),
        Err(_) => Ok(()),
    }
}

/// Writes a new file for its owner alone. It appears complete or not at all, and replaces nothing.
pub(crate) fn write_new(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), Error>,
) -> Result<(), Error> {
    let failed = |error: &io::Error| FileError::not_written(path, error);
    remove_stale(parent(path));
    let mut builder = tempfile::Builder::new();
    let made = builder.prefix(TEMPORARY).tempfile_in(parent(path));
    let mut made = made.map_err(|error| failed(&error))?;
    write(made.as_file_mut())?;
    made.as_file().sync_all().map_err(|error| failed(&error))?;
    let placed = made.persist_noclobber(path);
    placed.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => FileError::exists(path),
        _ => failed(&error.error),
    })?;
    Ok(sync_parent(path).map_err(|error| failed(&error))?)
}

/// Replaces a file by one for its owner alone, whole or not at all. Its folder is made.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private_dir(parent(path))?;
    Staged::new(path, bytes, Rights::Private)?.replace()
}

/// A folder for its owner alone, under a name that nobody can have taken, gone when it is dropped.
pub(crate) fn scratch(prefix: &str, within: &Path) -> io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder.tempdir_in(within)
}

/// Creates an empty file, unless it exists.
pub(crate) fn make_file(path: &Path) -> io::Result<()> {
    open_private(OpenOptions::new().append(true).create(true), path).map(drop)
}

/// The command line's own folders. A link is left alone: its target was chosen by somebody else.
fn own_folders() -> impl Iterator<Item = PathBuf> {
    let folders = [dirs::data(), dirs::state()];
    let is_own = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
    folders.into_iter().flatten().filter(is_own)
}

/// A file or folder, and what others may do with it.
pub(crate) struct Loose {
    pub(crate) path: PathBuf,
    /// The rights of all, as `chmod` takes them.
    pub(crate) mode: u32,
}

/// Takes away what others may do with our own folders and with what is in them. What cannot be
/// changed is left: it is no reason not to work, and `doctor` reports it.
pub(crate) fn tighten() {
    for folder in own_folders() {
        // The folder first: then nobody else can put a link where a file was.
        loose_at(&folder).iter().for_each(close);
        loose_in(&folder).iter().for_each(close);
    }
}

#[cfg(unix)]
fn close(loose: &Loose) {
    use std::os::unix::fs::PermissionsExt;
    let rights = fs::Permissions::from_mode(loose.mode & 0o700);
    let _left = fs::set_permissions(&loose.path, rights);
}

#[cfg(not(unix))]
fn close(_: &Loose) {}

/// What others can reach of our own folders, and of a database with the files beside it.
pub(crate) fn loose(database: Option<&Path>) -> Vec<Loose> {
    let mut found: Vec<Loose> = own_folders().flat_map(|folder| loose_in(&folder)).collect();
    for path in database.into_iter().flat_map(with_logs) {
        let is_new = !found.iter().any(|it| it.path == path);
        found.extend(loose_at(&path).filter(|_| is_new));
    }
    found
}

/// A folder and what is directly in it: what is deeper cannot be reached once those are closed.
fn loose_in(folder: &Path) -> Vec<Loose> {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = [folder.to_owned()].into_iter();
    let paths = paths.chain(inside.map(|entry| entry.path()));
    paths.filter_map(|path| loose_at(&path)).collect()
}

fn with_logs(database: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        name.into()
    })
}

/// Nothing if others can do nothing with it. A link has no rights of its own.
#[cfg(unix)]
fn loose_at(path: &Path) -> Option<Loose> {
    use std::os::unix::fs::PermissionsExt;
    let about = fs::symlink_metadata(path).ok()?;
    let mode = about.permissions().mode() & 0o777;
    let is_loose = (about.is_file() || about.is_dir()) && mode & 0o077 != 0;
    is_loose.then(|| Loose {
        path: path.to_owned(),
        mode,
    })
}

#[cfg(not(unix))]
fn loose_at(_: &Path) -> Option<Loose> {
    None
}
