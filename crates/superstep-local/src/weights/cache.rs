//! Cache folder of weights: content-addressed, one file per hash.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::catalogue::Entry;
use super::error::WeightsError;

/// Where weights are kept.
///
/// A file that is there under its final name has been verified. Beside them lie `.part` files of pulls
/// that were cut, `.lock` files, and records of what was pulled from the hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    /// The folder; made when something is put into it.
    pub folder: PathBuf,
}

impl Cache {
    /// `superstep/models` in `XDG_CACHE_HOME`, or in `.cache` of the home folder.
    pub fn from_env() -> Result<Self, WeightsError> {
        Self::of(env::var_os("XDG_CACHE_HOME"), env::home_dir())
    }

    fn of(xdg: Option<OsString>, home: Option<PathBuf>) -> Result<Self, WeightsError> {
        // By its standard, a relative folder counts as not set.
        let xdg = xdg.map(PathBuf::from).filter(|path| path.is_absolute());
        let home = home.filter(|path| path.is_absolute());
        let base = xdg.or_else(|| home.map(|home| home.join(".cache")));
        let base = base.ok_or(WeightsError::NoCache)?;
        Ok(Self {
            folder: base.join("superstep").join("models"),
        })
    }

    /// Where the file of an entry is, or will be.
    pub fn path(&self, entry: &Entry) -> PathBuf {
        self.folder.join(entry.file_name())
    }

    /// Where the embedded model keeps what it made of fixed instructions; see `Options::prefix_folder`.
    pub fn prefixes(&self) -> PathBuf {
        self.folder.with_file_name("prefixes")
    }

    /// The file of this name, if it is there and as long as it must be.
    ///
    /// Its hash was checked when it came; its length is checked here because a disk that was full or
    /// lost power shows that way.
    pub(super) fn get(&self, name: &str, size: u64) -> Option<PathBuf> {
        let path = self.folder.join(name);
        let found = fs::metadata(&path).ok()?;
        (found.is_file() && found.len() == size).then_some(path)
    }

    pub(super) fn make(&self) -> Result<(), WeightsError> {
        make_folder(&self.folder)
    }
}

/// Makes a folder for its owner alone, if it is not there. Weights are no secret, but what others
/// could change would be used unseen. To share a cache, make its folder beforehand.
pub(super) fn make_folder(path: &Path) -> Result<(), WeightsError> {
    superstep_fs::private_dir(path).map_err(|source| WeightsError::file(path, source))
}

/// How files of the cache are made: others may read them if the umask lets them, and never write.
pub(super) fn new_file() -> fs::OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no rights to set"))]
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(xdg: Option<&str>, home: Option<&str>) -> Option<PathBuf> {
        let cache = Cache::of(xdg.map(OsString::from), home.map(PathBuf::from));
        cache.ok().map(|cache| cache.folder)
    }

    #[test]
    #[cfg(unix)]
    fn the_folder_is_that_of_the_desktop_standard() {
        let models = |base: &str| Some(Path::new(base).join("superstep/models"));
        assert_eq!(folder(Some("/c"), Some("/h")), models("/c"));
        assert_eq!(folder(None, Some("/h")), models("/h/.cache"));
        assert_eq!(folder(Some(""), Some("/h")), models("/h/.cache"));
        assert_eq!(folder(Some("rel"), Some("/h")), models("/h/.cache"));
        assert_eq!(folder(None, None), None);
    }

    #[test]
    fn a_file_of_another_length_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache {
            folder: folder.path().to_owned(),
        };
        fs::write(folder.path().join("a"), "abc").unwrap();
        assert_eq!(cache.get("a", 3), Some(folder.path().join("a")));
        assert_eq!(cache.get("a", 4), None);
        assert_eq!(cache.get("b", 3), None);
    }
}
