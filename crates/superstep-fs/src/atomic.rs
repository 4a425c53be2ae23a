//! Atomic file writes: a temporary file beside the target, fsync, rename.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::NamedTempFile;

use crate::{
    dirs::{parent, sync_parent},
    read::no_file,
};

/// How the name of a file begins until it is complete.
pub const TEMPORARY: &str = ".superstep-part-";

/// A process that writes a file does not pause for so long.
const STALE: Duration = Duration::from_secs(60 * 60);

/// Removes temporary files that killed processes left in a folder an hour ago or earlier.
pub fn remove_stale(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .is_some_and(|name| name.starts_with(TEMPORARY));
        // Not what a link leads to.
        let about = entry
            .metadata()
            .ok()
            .filter(|about| is_ours && about.is_file());
        let age = about.and_then(|about| about.modified().ok()?.elapsed().ok());
        if age.is_some_and(|age| age >= STALE) {
            // What cannot be removed is left: it is no reason not to write.
            let _left = fs::remove_file(entry.path());
        }
    }
}

/// Who may read a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Whoever the umask permits.
    Umask,
    /// Whoever the umask permits, to read it; its owner alone, to write it.
    Readable,
    /// Its owner alone, whatever the umask.
    Private,
    /// A file that is replaced keeps its rights; a new one is for its owner alone.
    Kept,
}

/// A new file beside its final place, fsync'd already. Dropping it removes it.
#[derive(Debug)]
pub struct Staged {
    file: NamedTempFile,
    target: PathBuf,
}

impl Staged {
    /// Writes the content beside the target.
    pub fn new(target: &Path, content: &[u8], rights: Rights) -> io::Result<Self> {
        remove_stale(parent(target));
        let mut file = builder(rights.mode(target)).tempfile_in(parent(target))?;
        rights.enforce(target, file.as_file())?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        Ok(Self {
            file,
            target: target.to_owned(),
        })
    }

    /// Puts it in its place. A file that was there is gone, a link as such; anything else, such as a device, stays and is
    /// an error.
    pub fn replace(self) -> io::Result<()> {
        refuse_others(&self.target)?;
        let persisted = self.file.persist(&self.target);
        persisted.map_err(|error| error.error)?;
        sync_parent(&self.target)
    }

    /// Puts it in its place unless a file is there, which then stays: of two writers the first one
    /// wins.
    pub fn create(self) -> io::Result<()> {
        match self.file.persist_noclobber(&self.target) {
            Ok(_) => {}
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            // The file system has no second names.
            Err(error) => {
                let persisted = error.file.persist(&self.target);
                persisted.map_err(|error| error.error)?;
            }
        }
        sync_parent(&self.target)
    }
}

/// Refuses a path where something is that is neither a file nor a link: a rename would remove it.
fn refuse_others(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() && !there.is_symlink() => Err(no_file(&there)),
        _ => Ok(()),
    }
}

impl Rights {
    /// The mode that a file at this path gets.
    pub fn mode(self, path: &Path) -> u32 {
        match self {
            Self::Umask => 0o666,
            Self::Readable => 0o644,
            Self::Private => 0o600,
            Self::Kept => current(path) & 0o666 | 0o600,
        }
    }

    /// Gives a new file its mode where the umask has no say.
    #[cfg(unix)]
    fn enforce(self, path: &Path, file: &fs::File) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        match self {
            Self::Umask | Self::Readable => Ok(()),
            Self::Private | Self::Kept => {
                file.set_permissions(fs::Permissions::from_mode(self.mode(path)))
            }
        }
    }

    #[cfg(not(unix))]
    fn enforce(self, _: &Path, _: &fs::File) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
fn current(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).map_or(0, |about| about.permissions().mode())
}

#[cfg(not(unix))]
fn current(_: &Path) -> u32 {
    0
}

/// The same file under a second name, which must be free. Where the file system has no second
/// names it is moved.
pub fn second_name(path: &Path, second: &Path) -> io::Result<()> {
    match fs::hard_link(path, second) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => fs::rename(path, second),
    }
}

#[cfg_attr(
    not(unix),
    expect(unused_variables, reason = "rights are those of the folder")
)]
fn builder(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    builder
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for text in ["one", "two"] {
            let staged = Staged::new(&path, text.as_bytes(), Rights::Umask).unwrap();
            staged.replace().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        drop(Staged::new(&path, b"three", Rights::Umask).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_or_a_folder_in_the_place_of_a_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        for path in [&pipe, &below] {
            let staged = Staged::new(path, b"x", Rights::Umask).unwrap();
            let refused = staged.replace().unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        }
        assert!(below.is_dir() && !pipe.is_file() && pipe.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_after_an_hour_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let old = std::time::SystemTime::now() - STALE;
        let names = [
            ".superstep-part-aaaaaa", ".superstep-part-bbbbbb", ".superstep-backup",
        ];
        for name in names {
            let file = fs::File::create(at(name)).unwrap();
            if name != ".superstep-part-bbbbbb" {
                file.set_modified(old).unwrap();
            }
        }
        let staged = Staged::new(&at("file"), b"x", Rights::Umask).unwrap();
        staged.replace().unwrap();
        let there = |name: &&str| at(name).exists();
        let left: Vec<&str> = names.into_iter().filter(there).collect();
        assert_eq!(left, [".superstep-part-bbbbbb", ".superstep-backup"]);
    }

    #[test]
    fn of_two_that_create_a_file_the_first_one_wins() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let one = Staged::new(&path, b"one", Rights::Private).unwrap();
        let two = Staged::new(&path, b"two", Rights::Private).unwrap();
        one.create().unwrap();
        two.create().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn rights_are_those_that_were_asked_for() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let write = |rights| Staged::new(&path, b"x", rights).unwrap().replace().unwrap();
        write(Rights::Kept);
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(Rights::Kept);
        assert_eq!(mode(), 0o640);
        write(Rights::Private);
        assert_eq!(mode(), 0o600);
    }

    /// Set in a process whose umask takes all rights: the folder to write into.
    #[cfg(unix)]
    const STRICT: &str = "SUPERSTEP_TEST_STRICT_UMASK";

    /// The child of the test below, which has a umask of its own.
    #[cfg(unix)]
    fn write_under_a_strict_umask(folder: &Path) {
        let inner = folder.join("outer/inner");
        crate::private_dir(&inner).unwrap();
        for (name, rights) in [("private", Rights::Private), ("kept", Rights::Kept)] {
            let staged = Staged::new(&inner.join(name), b"x", rights).unwrap();
            staged.create().unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn owners_have_their_rights_whatever_the_umask_takes() {
        use std::os::unix::fs::PermissionsExt as _;
        if let Some(folder) = std::env::var_os(STRICT) {
            return write_under_a_strict_umask(Path::new(&folder));
        }
        let own_name = "atomic::tests::owners_have_their_rights_whatever_the_umask_takes";
        for umask in ["0777", "0277", "0022"] {
            let folder = tempfile::tempdir().unwrap();
            let run = std::process::Command::new("sh")
                .args(["-c", "umask $1; exec \"$0\" --exact \"$2\""])
                .arg(std::env::current_exe().unwrap())
                .args([umask, own_name])
                .env(STRICT, folder.path())
                .output()
                .unwrap();
            assert!(run.status.success(), "{run:?}");
            let mode = |path: &str| {
                let about = fs::metadata(folder.path().join(path)).unwrap();
                about.permissions().mode() & 0o777
            };
            for path in ["outer", "outer/inner"] {
                assert_eq!(mode(path), 0o700, "{path} with umask {umask}");
            }
            for path in ["outer/inner/private", "outer/inner/kept"] {
                assert_eq!(mode(path), 0o600, "{path} with umask {umask}");
            }
        }
    }
}
