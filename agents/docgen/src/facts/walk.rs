//! Directory walk: the files of a code base, in order.
//!
//! What `.gitignore` and `.ignore` name is not looked at, nor are hidden files, folders of other repositories
//! (submodules), and the folder the documentation is written to. Links are never followed.

use std::{
    collections::BTreeSet,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use ignore::WalkBuilder;
use superstep::{fs::bad_ignore_file, sync::lock};

use super::{Skipped, order::Order};
use crate::{
    error::Error,
    signature::{FORMAT, METADATA},
};

/// So much of a file says whether it is the metadata of a documentation.
const BEGINNING: u64 = 100;

/// A file that was found.
#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) path: PathBuf,
    /// Below the root, with `/`.
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// All files of a folder in the order of their paths.
pub(super) fn walk(
    root: &Path,
    order: &Order,
    skipped: &mut Skipped,
) -> Result<Vec<SourceFile>, Error> {
    let unreadable = |error: std::io::Error| Error::Root {
        path: root.display().to_string(),
        why: error.to_string(),
    };
    if !fs::metadata(root).map_err(unreadable)?.is_dir() {
        return Err(Error::Root {
            path: root.display().to_string(),
            why: "it is not a folder".into(),
        });
    }
    fs::read_dir(root).map_err(unreadable)?;
    if let Some(why) = bad_ignore_file(root) {
        return Err(Error::Root {
            path: root.display().to_string(),
            why,
        });
    }
    let left: Arc<Mutex<BTreeSet<(String, &'static str)>>> = Arc::default();
    let (base, own, noted) = (root.to_owned(), order.skip.clone(), left.clone());
    let private = order.private.clone();
    let entries = WalkBuilder::new(root)
        .filter_entry(move |entry| {
            if private.hides(entry.path()) {
                return false;
            }
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if !is_folder || entry.depth() == 0 {
                return true;
            }
            let path = entry.path();
            // Documentation of ours is no part of what it documents: it leaves no trace in the facts.
            if own.iter().any(|own| own == path) {
                return false;
            }
            let why = if fs::symlink_metadata(path.join(".git")).is_ok() {
                Some("another repository")
            } else if bad_ignore_file(path).is_some() {
                Some("its ignore file is no file")
            } else if is_documentation(path) {
                Some("a documentation by superstep")
            } else {
                None
            };
            let is_entered = why.is_none();
            if let Some(why) = why {
                let mut noted = lock(&noted);
                noted.insert((below(&base, path), why));
            }
            is_entered
        })
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .follow_links(false)
        .max_depth(Some(order.limits.depth))
        .sort_by_file_name(Ord::cmp)
        .build();
    let mut found = Vec::new();
    for entry in entries {
        let Ok(entry) = entry else {
            skipped.add("?".into(), "unreadable");
            continue;
        };
        let Some(kind) = entry.file_type() else {
            continue;
        };
        let name = below(root, entry.path());
        if kind.is_dir() {
            if entry.depth() >= order.limits.depth {
                skipped.add(name, "a folder nested too deep");
            }
            continue;
        }
        if entry.path().to_str().is_none() {
            skipped.add(name, "its name is no text");
        } else if !crate::inert::is_clear(&name) {
            // Such a name is written for whoever reads it, not for who works with the file.
            skipped.add(name, "its name has hidden characters");
        } else if kind.is_symlink() {
            skipped.add(name, "a link");
        } else if !kind.is_file() {
            skipped.add(name, "no regular file");
        } else if found.len() >= order.limits.files {
            skipped.add(name, "more files than are looked at");
        } else {
            let bytes = entry.metadata().map_or(0, |about| about.len());
            found.push(SourceFile {
                path: entry.path().to_owned(),
                name,
                bytes,
            });
        }
    }
    let left = std::mem::take(&mut *lock(&left));
    for (path, why) in left {
        skipped.add(path, why);
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Whether a folder has pages that were made here, by how their metadata begins.
fn is_documentation(folder: &Path) -> bool {
    let Ok(file) = superstep::fs::open_regular(&folder.join(METADATA)) else {
        return false;
    };
    let mut start = Vec::new();
    let is_read = file.take(BEGINNING).read_to_end(&mut start).is_ok();
    let start: String = String::from_utf8_lossy(&start).split_whitespace().collect();
    is_read && start.starts_with(&format!("{{\"format\":\"{FORMAT}\""))
}

fn below(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    let parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
