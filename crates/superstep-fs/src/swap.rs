//! A folder that is replaced whole: written beside its place, then put there in one step.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::{
    TEMPORARY,
    dirs::{parent, sync_parent},
};

/// A new folder beside its final place. Dropping it removes it.
#[derive(Debug)]
pub struct StagedDir {
    folder: TempDir,
    target: PathBuf,
}

impl StagedDir {
    /// An empty folder beside the target, whose parent must be there.
    pub fn new(target: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(TEMPORARY);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As a folder that is made the usual way: the umask takes what it takes.
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        Ok(Self {
            folder: builder.tempdir_in(parent(target))?,
            target: target.to_owned(),
        })
    }

    /// Where to write until it is put in its place.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts it in its place. A folder that was there is exchanged in one step where the system can do that, and
    /// then removed; a reader sees the old one or the new one, never half of it. What is not a folder there stays,
    /// and that is an error.
    pub fn replace(self) -> io::Result<()> {
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
            fs::rename(self.folder.keep(), &self.target)?;
            return sync_parent(&self.target);
        }
        if !exchange(self.path(), &self.target)? {
            let aside = tempfile::Builder::new()
                .prefix(TEMPORARY)
                .tempdir_in(parent(&self.target))?;
            let old = aside.path().join("old");
            fs::rename(&self.target, &old)?;
            if let Err(error) = fs::rename(self.folder.path(), &self.target) {
                fs::rename(&old, &self.target)?;
                return Err(error);
            }
        }
        sync_parent(&self.target)
        // What was there is dropped with the folder that was staged.
    }
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

    #[test]
    fn a_folder_is_replaced_whole_and_nothing_is_left_beside_it() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("docs");
        for text in ["one", "two"] {
            let staged = StagedDir::new(&target).unwrap();
            fs::write(staged.path().join(text), text).unwrap();
            staged.replace().unwrap();
            let names = fs::read_dir(&target)
                .unwrap()
                .map(|it| it.unwrap().file_name());
            assert_eq!(names.collect::<Vec<_>>(), [text]);
        }
        drop(StagedDir::new(&target).unwrap());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
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
}
