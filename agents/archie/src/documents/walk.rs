//! Directory walk: finds the files of a folder and decides for each whether to open it.
//!
//! Hidden files, and what `.gitignore` and `.ignore` files in the folder name, are not looked at.
//! Links are not followed: what they lead to inside the folder is found anyway, and nothing outside
//! of it is read.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::{DirEntry, WalkBuilder};

use super::{Limits, Order, Packed, halt};
use crate::{entry::Why, error::Error, result};
use superstep::{
    fs::{Private, bad_ignore_file, is_secret_name},
    sync::lock,
};

/// The source of the bytes of a document.
#[derive(Debug)]
pub(super) enum FileSource {
    Path(PathBuf),
    /// The name of an upload, and its bytes.
    Upload(String, Arc<[u8]>),
}

/// A file of a folder.
#[derive(Debug)]
pub(super) struct FolderFile {
    pub(super) source: FileSource,
    /// The path below the folder.
    pub(super) name: String,
    pub(super) bytes: u64,
    /// Why it is not opened.
    pub(super) why: Option<Why>,
}

/// All files of a folder, in order.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) files: Vec<FolderFile>,
    /// There are more than are looked at.
    pub(super) stopped: bool,
}

/// What is looked for.
pub(super) struct Find {
    root: PathBuf,
    globs: GlobSet,
    skip: Vec<PathBuf>,
    private: Option<Private>,
    limits: Limits,
}

impl Find {
    pub(super) fn new(folder: &Path, order: &Order) -> Result<Self, Error> {
        let unreadable = |error| Error::folder(folder, error);
        // Whoever names the folder may name a link to it.
        let root = fs::canonicalize(folder).map_err(unreadable)?;
        let facts = fs::metadata(&root).map_err(unreadable)?;
        if !facts.is_dir() && !facts.is_file() {
            return Err(Error::folder(folder, "it is neither a folder nor a file"));
        }
        if facts.is_dir() {
            fs::read_dir(&root).map_err(unreadable)?;
        }
        Ok(Self {
            root,
            globs: globs(&order.globs)?,
            skip: order.skip.iter().map(|path| real(path)).collect(),
            private: order.private.clone(),
            limits: order.limits,
        })
    }

    pub(super) fn all(&self, stop: &AtomicBool) -> Result<Files, Error> {
        let mut found = Files::default();
        if let Some(why) = bad_ignore_file(&self.root) {
            return Err(Error::folder(&self.root, why));
        }
        let odd = Arc::new(Mutex::new(Vec::new()));
        let walk = WalkBuilder::new(&self.root)
            .filter_entry({
                let (odd, private) = (odd.clone(), self.private.clone());
                move |entry| {
                    if private.as_ref().is_some_and(|it| it.hides(entry.path())) {
                        return false;
                    }
                    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                    let why = is_folder.then(|| bad_ignore_file(entry.path())).flatten();
                    let is_fine = why.is_none();
                    let mut odd = lock(&odd);
                    odd.extend(why.map(|why| (entry.path().to_owned(), why)));
                    is_fine
                }
            })
            .parents(false)
            .git_global(false)
            .git_exclude(false)
            .require_git(false)
            .follow_links(false)
            .max_depth(Some(self.limits.depth))
            .sort_by_file_name(Ord::cmp)
            .build();
        for entry in walk {
            halt(&self.root, stop)?;
            let file = match entry {
                Ok(entry) => self.judge(&entry),
                Err(error) => Some(self.unreadable(&error)),
            };
            let Some(file) = file else {
                continue;
            };
            if found.files.len() >= self.limits.files {
                found.stopped = true;
                break;
            }
            found.files.push(file);
        }
        let odd = std::mem::take(&mut *lock(&odd));
        found
            .files
            .extend(odd.into_iter().map(|(path, message)| FolderFile {
                name: self.name(&path),
                source: FileSource::Path(path),
                bytes: 0,
                why: Some(Why::Unreadable { message }),
            }));
        // The walk goes folder by folder; a list reads better, and chooses the same everywhere, by
        // path.
        found.files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// What a file is; nothing for a folder.
    fn judge(&self, entry: &DirEntry) -> Option<FolderFile> {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            return None;
        }
        let path = entry.path();
        let name = self.name(path);
        let bytes = match entry.metadata() {
            Ok(facts) if kind.is_file() => facts.len(),
            _ => 0,
        };
        let why = if kind.is_symlink() {
            Some(Why::Link)
        } else if !kind.is_file() {
            Some(Why::NotAFile)
        } else if self.is_own(path) {
            Some(Why::OwnOutput)
        } else if !self.is_wanted(path, &name) || self.is_secret(&name) {
            Some(Why::OtherKind)
        } else {
            let limit = self.limits.of(Packed::of(path));
            (bytes > limit).then_some(Why::TooLarge { limit })
        };
        Some(FolderFile {
            source: FileSource::Path(path.to_owned()),
            name,
            bytes,
            why,
        })
    }

    fn unreadable(&self, error: &ignore::Error) -> FolderFile {
        let path = path_of(error).unwrap_or(&self.root).to_owned();
        let message = error
            .io_error()
            .map_or_else(|| error.to_string(), ToString::to_string);
        FolderFile {
            name: self.name(&path),
            source: FileSource::Path(path),
            bytes: 0,
            why: Some(Why::Unreadable { message }),
        }
    }

    fn name(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let below = if below.as_os_str().is_empty() {
            Path::new(path.file_name().unwrap_or(path.as_os_str()))
        } else {
            below
        };
        below.to_string_lossy().into_owned()
    }

    fn is_own(&self, path: &Path) -> bool {
        // Whoever names one file means that one.
        if path == self.root {
            return false;
        }
        result::is_own_name(path) || self.skip.iter().any(|skip| is_it_or_kept(path, skip))
    }

    /// Whether it holds secrets by its name, which somebody else has no business to read.
    fn is_secret(&self, name: &str) -> bool {
        self.private.is_some() && is_secret_name(name)
    }

    fn is_wanted(&self, path: &Path, name: &str) -> bool {
        let is_text = path.extension().is_some_and(|ending| {
            ending.eq_ignore_ascii_case("txt") || ending.eq_ignore_ascii_case("md")
        });
        is_text || Packed::of(path).is_some() || path == self.root || self.globs.is_match(name)
    }
}

/// Refuses a pattern that is no glob.
pub fn check_globs(patterns: &[String]) -> Result<(), Error> {
    globs(patterns).map(|_| ())
}

fn globs(patterns: &[String]) -> Result<GlobSet, Error> {
    let wrong = |error: globset::Error| Error::settings(format!("invalid glob pattern: {error}"));
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(wrong)?);
    }
    set.build().map_err(wrong)
}

/// Where a file is or will be, without links on the way.
fn real(path: &Path) -> PathBuf {
    let folder = path
        .parent()
        .and_then(|folder| fs::canonicalize(folder).ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn is_it_or_kept(path: &Path, output: &Path) -> bool {
    path == output || path == result::older(output)
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}
