//! Paths that somebody else names, kept below folders that they may see.

use std::path::{Path, PathBuf};

/// A path as it really is, if it is below one of the folders; a relative one is below the first. Nothing is told
/// about others, not even whether they are there.
pub fn below(roots: &[PathBuf], path: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(roots.first()?.join(path)).ok()?;
    let is_in = |root: &PathBuf| {
        // A folder that is not there yet has nothing below it.
        std::fs::canonicalize(root).is_ok_and(|root| real.starts_with(root))
    };
    roots.iter().any(is_in).then_some(real)
}

/// The folders in words, for who named another one.
pub fn named(roots: &[PathBuf]) -> String {
    let names = roots.iter().map(|root| root.display().to_string());
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn a_path_that_leaves_the_folders_is_nothing() {
        let [home, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let inside = home.path().join("inside");
        std::fs::create_dir(&inside).unwrap();
        let real = std::fs::canonicalize(&inside).unwrap();
        let roots = [home.path().to_owned(), home.path().join("missing")];
        assert_eq!(below(&roots, "inside".as_ref()), Some(real.clone()));
        assert_eq!(below(&roots, &inside), Some(real.clone()));
        assert_eq!(below(&roots, "inside/../inside".as_ref()), Some(real));
        assert_eq!(below(&roots, "..".as_ref()), None);
        assert_eq!(below(&roots, "nothing".as_ref()), None);
        assert_eq!(below(&roots, other.path()), None);
        assert_eq!(below(&[], &inside), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(other.path(), home.path().join("link")).unwrap();
            assert_eq!(below(&roots, "link".as_ref()), None);
        }
    }
}
