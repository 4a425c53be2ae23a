//! Paths that somebody else names, kept below folders that they may see.

use std::{
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

/// Folders below which others may read, and what lies there and is not for them.
///
/// Hidden files and folders are for nobody, unless one of the folders is itself hidden.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    folders: Vec<PathBuf>,
    private: Vec<PathBuf>,
}

impl Roots {
    /// These folders.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            folders: folders.into_iter().collect(),
            private: Vec::new(),
        }
    }

    /// One more folder.
    #[must_use]
    pub fn and(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Files and folders that are not for others, wherever they lie: nor is what is beside a file under its name with a
    /// `-` and more, as the log of a database. One of the folders may lie in them all the same.
    #[must_use]
    pub fn without(mut self, private: impl IntoIterator<Item = PathBuf>) -> Self {
        self.private.extend(private);
        self
    }

    /// A path as it really is, if it is below one of the folders; a relative one is below the first. Nothing is told
    /// about others, not even whether they are there.
    pub fn below(&self, path: &Path) -> Option<PathBuf> {
        let real = std::fs::canonicalize(self.folders.first()?.join(path)).ok()?;
        let is_open = |root: &PathBuf| {
            // A folder that is not there yet has nothing below it.
            let Ok(root) = std::fs::canonicalize(root) else {
                return false;
            };
            let is_shown = real.strip_prefix(&root).is_ok_and(|rest| !is_hidden(rest));
            is_shown && !self.private_within(&root).hides(&real)
        };
        self.folders.iter().any(is_open).then_some(real)
    }

    /// What nobody may read of a folder that [`Roots::below`] gave.
    pub fn private(&self, folder: &Path) -> Private {
        let roots = self.folders.iter();
        let roots = roots.filter_map(|root| std::fs::canonicalize(root).ok());
        let root = roots.filter(|root| folder.starts_with(root));
        // The nearest one: it may lie in something that is private.
        let nearest = root.max_by_key(|root| root.components().count());
        self.private_within(nearest.as_deref().unwrap_or(folder))
    }

    fn private_within(&self, root: &Path) -> Private {
        let real = self.private.iter().map(|path| real(path));
        Private(real.filter(|path| !root.starts_with(path)).collect())
    }
}

/// Files and folders that are not for others.
#[derive(Clone, Debug, Default)]
pub struct Private(Vec<PathBuf>);

impl Private {
    /// Whether a path, as it really is, is one of them or in one of them.
    pub fn hides(&self, path: &Path) -> bool {
        self.0.iter().any(|private| {
            path.starts_with(private)
                || (path.parent() == private.parent() && begins(path, private))
        })
    }
}

/// Whether the name of a file is that of another with `-` and more.
fn begins(path: &Path, other: &Path) -> bool {
    let (Some(name), Some(of)) = (path.file_name(), other.file_name()) else {
        return false;
    };
    let mut of = OsString::from(of);
    of.push("-");
    name.as_encoded_bytes().starts_with(of.as_encoded_bytes())
}

fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    })
}

/// Where a file is or will be, without links on the way.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    let folder = path
        .parent()
        .and_then(|folder| std::fs::canonicalize(folder).ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
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
        let roots = Roots::new([home.path().to_owned(), home.path().join("missing")]);
        assert_eq!(roots.below("inside".as_ref()), Some(real.clone()));
        assert_eq!(roots.below(&inside), Some(real.clone()));
        assert_eq!(roots.below("inside/../inside".as_ref()), Some(real));
        assert_eq!(roots.below("..".as_ref()), None);
        assert_eq!(roots.below("nothing".as_ref()), None);
        assert_eq!(roots.below(other.path()), None);
        assert_eq!(Roots::default().below(&inside), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(other.path(), home.path().join("link")).unwrap();
            assert_eq!(roots.below("link".as_ref()), None);
        }
    }

    #[test]
    fn what_is_hidden_or_private_is_for_nobody_unless_it_is_one_of_the_folders() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["docs", ".keys", "data/files/of", "data/other"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["s.db", "s.db-wal", "s.dbx", "docs/a.md"] {
            std::fs::write(at(file), "x").unwrap();
        }
        let roots = Roots::new([home.path().to_owned()]).without([at("data"), at("s.db")]);
        let all = |roots: &Roots| {
            let names = [
                ".keys", "data", "data/files/of", "data/other", "s.db", "s.db-wal",
            ];
            names.map(|name| roots.below(name.as_ref()).is_some())
        };
        assert_eq!(all(&roots), [false; 6]);
        assert!(roots.below("docs/a.md".as_ref()).is_some());
        assert!(roots.below("s.dbx".as_ref()).is_some());
        let real = std::fs::canonicalize(home.path()).unwrap();
        let private = roots.private(&real);
        assert!(
            private.hides(&real.join("data/files/of")) && private.hides(&real.join("s.db-wal"))
        );
        assert!(!private.hides(&real.join("docs")));
        // What was uploaded lies among what is private.
        let roots = roots.and(at("data/files"));
        assert_eq!(all(&roots), [false, false, true, false, false, false]);
        assert!(
            !roots
                .private(&real.join("data/files"))
                .hides(&real.join("data/files/of"))
        );
    }
}
