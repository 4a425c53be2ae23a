//! A folder that is replaced whole: written beside its place, then put there in one step.
//!
//! While it is written its name begins with [`TEMPORARY`]; one that a killed process left holds nothing that is
//! anywhere missed. Before the step it gets the name of [`replaced`], and after it what was there before has that
//! name: so whoever finds a folder of that name knows that it is whole, and may hold what somebody wrote meanwhile.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::{
    TEMPORARY,
    dirs::{parent, sync_parent},
};

/// How the name of a folder begins that was replaced and is not cleared away yet.
const REPLACED: &str = ".superstep-old-";

/// How many characters of the name of a new folder are drawn by lot.
const DRAWN: usize = 6;

/// How often a name is tried for a new folder.
const TRIES: u32 = 3;

/// A new folder beside its final place. Dropping it removes it.
#[derive(Debug)]
pub struct StagedDir {
    folder: TempDir,
    target: PathBuf,
    /// Held as long as the process lives: nobody takes it for one that a killed process left.
    _lock: Option<fs::File>,
}

/// What was in the place of a folder that was put there. It stays until somebody clears it away.
#[derive(Debug)]
pub struct ReplacedDir {
    path: PathBuf,
    _lock: Option<fs::File>,
}

impl ReplacedDir {
    /// Where it is now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The one that a killed process left, of this target. One that a living process works on is an error, as is what
    /// is no folder: it is in the way of the next one.
    pub fn left(target: &Path) -> io::Result<Option<Self>> {
        let path = replaced(target);
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_dir() => {}
            Ok(_) => return Err(in_the_way(&path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        let _lock = lock(&path)?;
        Ok(Some(Self { path, _lock }))
    }
}

fn in_the_way(path: &Path) -> io::Error {
    let why = format!("{} is in the way", path.display());
    io::Error::new(io::ErrorKind::AlreadyExists, why)
}

/// Where a folder goes that is replaced by another.
fn replaced(target: &Path) -> PathBuf {
    let mut name = OsString::from(REPLACED);
    name.push(target.file_name().unwrap_or_default());
    parent(target).join(name)
}

impl StagedDir {
    /// An empty folder beside the target, whose parent must be there.
    pub fn new(target: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(TEMPORARY).rand_bytes(DRAWN);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As a folder that is made the usual way: the umask takes what it takes.
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        let mut tries = 0;
        loop {
            let folder = builder.tempdir_in(parent(target))?;
            tries += 1;
            // Somebody who clears up may have taken it for one that was left.
            match lock(folder.path()) {
                Ok(_lock) if folder.path().is_dir() => {
                    return Ok(Self {
                        folder,
                        target: target.to_owned(),
                        _lock,
                    });
                }
                Ok(_) | Err(_) if tries < TRIES => {}
                Ok(_) => return Err(io::ErrorKind::NotFound.into()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Where to write until it is put in its place.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts it in its place. A folder that was there is exchanged in one step where the system can do that, and given
    /// back, beside its place: a reader sees the old one or the new one, never half of it. What is not a folder there
    /// stays, and that is an error, as is a folder that another process is about to replace.
    pub fn replace(self) -> io::Result<Option<ReplacedDir>> {
        sync(self.path())?;
        let was = match fs::symlink_metadata(&self.target) {
            Ok(about) if about.is_dir() => true,
            Ok(_) => {
                let what = "there is something there that is no folder";
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(error),
        };
        if !was {
            fs::rename(self.path(), &self.target)?;
            let _gone = self.folder.keep();
            sync_parent(&self.target)?;
            return Ok(None);
        }
        let _lock = lock(&self.target)?;
        let path = replaced(&self.target);
        if fs::symlink_metadata(&path).is_ok() {
            return Err(in_the_way(&path));
        }
        fs::rename(self.path(), &path)?;
        match exchange(&path, &self.target) {
            Ok(true) => {
                let _gone = self.folder.keep();
            }
            Ok(false) => {
                fs::rename(&path, self.path())?;
                fs::rename(&self.target, &path)?;
                if let Err(error) = fs::rename(self.path(), &self.target) {
                    fs::rename(&path, &self.target)?;
                    return Err(error);
                }
                let _gone = self.folder.keep();
            }
            Err(error) => {
                fs::rename(&path, self.path())?;
                return Err(error);
            }
        }
        sync_parent(&self.target)?;
        Ok(Some(ReplacedDir { path, _lock }))
    }

    /// Clears up what killed processes left beside a target: folders that were never put in their place, and a
    /// folder that was taken out of its place with no other put there, which is put back.
    pub fn sweep(target: &Path) {
        let entries = fs::read_dir(parent(target)).into_iter().flatten().flatten();
        for entry in entries {
            let name = entry.file_name();
            let is_part = name.to_str().is_some_and(is_temporary);
            let is_folder = entry.file_type().is_ok_and(|it| it.is_dir());
            // Where it cannot be known whether its process lives, it stays.
            if is_part && is_folder && matches!(lock(&entry.path()), Ok(Some(_))) {
                // What cannot be removed is left: it is no reason not to write.
                let _left = fs::remove_dir_all(entry.path());
            }
        }
        let is_gone = fs::symlink_metadata(target)
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if is_gone && let Ok(Some(old)) = ReplacedDir::left(target) {
            let _left = fs::rename(old.path(), target);
        }
    }
}

/// Whether a name is one that [`StagedDir::new`] makes: others may like the prefix, too.
fn is_temporary(name: &str) -> bool {
    let drawn = name.strip_prefix(TEMPORARY);
    drawn.is_some_and(|it| it.len() == DRAWN && it.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Locks a folder until the process ends or the file is dropped. Nothing where the system has no such locks.
#[cfg(unix)]
fn lock(folder: &Path) -> io::Result<Option<fs::File>> {
    let file = fs::File::open(folder)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Err(io::Error::new(
            io::ErrorKind::WouldBlock,
            "another process is writing there",
        )),
        Err(fs::TryLockError::Error(_)) => Ok(None),
    }
}

#[cfg(not(unix))]
fn lock(_: &Path) -> io::Result<Option<fs::File>> {
    Ok(None)
}

/// Exchanges two folders; false where the system cannot.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::{
        fs::{CWD, RenameFlags, renameat_with},
        io::Errno,
    };
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Fsyncs all files of a folder.
fn sync(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            sync(&entry.path())?;
        } else if kind.is_file() {
            fs::File::open(entry.path())?.sync_all()?;
        }
    }
    if cfg!(unix) {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        names
    }

    fn staged(target: &Path, text: &str) -> StagedDir {
        let staged = StagedDir::new(target).unwrap();
        fs::write(staged.path().join(text), text).unwrap();
        staged
    }

    #[test]
    fn a_folder_is_replaced_whole_and_what_was_there_is_given_back() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("docs");
        assert!(staged(&target, "one").replace().unwrap().is_none());
        assert_eq!(names(place.path()), ["docs"]);
        let old = staged(&target, "two").replace().unwrap().unwrap();
        assert_eq!(names(&target), ["two"]);
        assert_eq!(names(old.path()), ["one"]);
        assert_eq!(names(place.path()), [".superstep-old-docs", "docs"]);
        drop(StagedDir::new(&target).unwrap());
        assert_eq!(names(place.path()).len(), 2);
        let refused = staged(&target, "three").replace().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(names(&target), ["two"]);
    }

    #[test]
    fn what_is_no_folder_stays() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("docs");
        fs::write(&target, "mine").unwrap();
        assert!(StagedDir::new(&target).unwrap().replace().is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_in_the_way_of_the_old_folder_is_seen_before_anything_is_written() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("docs");
        assert!(ReplacedDir::left(&target).unwrap().is_none());
        fs::write(place.path().join(".superstep-old-docs"), "mine").unwrap();
        let refused = ReplacedDir::left(&target).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
    }

    #[cfg(unix)]
    #[test]
    fn what_killed_processes_left_is_cleared_up_and_nothing_of_living_ones() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("docs");
        let alive = staged(&target, "alive");
        fs::create_dir(place.path().join(".superstep-part-dead01")).unwrap();
        fs::create_dir(place.path().join(".superstep-part-mine")).unwrap();
        fs::write(place.path().join(".superstep-part-file"), "").unwrap();
        fs::create_dir(place.path().join(".superstep-old-docs")).unwrap();
        fs::write(place.path().join(".superstep-old-docs/note"), "").unwrap();
        StagedDir::sweep(&target);
        let alive = alive.path().file_name().unwrap().to_str().unwrap();
        let mut left = vec![
            alive, ".superstep-part-file", ".superstep-part-mine", "docs",
        ];
        left.sort_unstable();
        assert_eq!(names(place.path()), left);
        assert_eq!(names(&target), ["note"]);
    }
}
