//! What was written into the folder of a documentation while another was put in its place.
//!
//! The old folder is taken apart file by file: pages of ours go, and so does what is in the new folder too; everything else is
//! moved there. A folder that is not empty in the end stays: nothing is removed that nobody looked at.

use std::{collections::BTreeSet, fs, io, path::Path};

use super::{
    free,
    whose::{Whose, whose},
};
use crate::metadata::Metadata;

/// How often it is looked for files that came meanwhile.
const ROUNDS: u32 = 3;

/// Takes an old folder apart. Gives the names of what has another name in the new one.
pub(super) fn rescue(old: &Path, new: &Path) -> io::Result<Vec<String>> {
    let metadata = Metadata::read(old).ok().flatten();
    let known = Known {
        pages: metadata.as_ref(),
        // A page that somebody changed has another name there.
        files: identities(new)?,
    };
    let mut renamed = Vec::new();
    let mut round = 0;
    loop {
        round += 1;
        settle(old, new, Some(&known), &mut renamed)?;
        match fs::remove_dir(old) {
            Ok(()) => return Ok(renamed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(renamed),
            // Somebody works in it.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && round < ROUNDS => {}
            Err(error) => return Err(error),
        }
    }
}

/// What is known of a folder with pages.
struct Known<'a> {
    /// Which pages there were.
    pages: Option<&'a Metadata>,
    /// The files of the new folder, whatever they are called.
    files: BTreeSet<Identity>,
}

/// Empties a folder; `known` says what may be in it if it is the one with the pages.
fn settle(
    old: &Path,
    new: &Path,
    known: Option<&Known<'_>>,
    renamed: &mut Vec<String>,
) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(old)?.collect::<Result<_, _>>()?;
    // `metadata.json` says whose the others are, so it goes last: a process may be killed in between.
    entries.sort_by_key(|entry| entry.file_name() == crate::metadata::METADATA);
    for entry in entries {
        let (from, name) = (entry.path(), entry.file_name());
        let about = fs::symlink_metadata(&from)?;
        let to = new.join(&name);
        if about.is_dir() {
            let is_folder = fs::symlink_metadata(&to).is_ok_and(|it| it.is_dir());
            if is_folder {
                settle(&from, &to, None, renamed)?;
                // It is not empty if somebody wrote just now; the next round sees it.
                match fs::remove_dir(&from) {
                    Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => {
                        return Err(error);
                    }
                    _ => continue,
                }
            }
        } else if known.is_some_and(|it| it.is_ours(old, &name.to_string_lossy(), &about))
            || is_carried(&from, &to)?
        {
            fs::remove_file(&from)?;
            continue;
        }
        let name = name.to_string_lossy().into_owned();
        let to = match fs::symlink_metadata(&to).is_ok() {
            true => {
                let is_taken = |name: &str| fs::symlink_metadata(new.join(name)).is_ok();
                let free = free(&name, is_taken);
                renamed.push(free.clone());
                new.join(free)
            }
            false => to,
        };
        fs::rename(&from, &to)?;
    }
    Ok(())
}

impl Known<'_> {
    /// Whether a file is a page, or has another name in the new folder.
    fn is_ours(&self, folder: &Path, name: &str, about: &fs::Metadata) -> bool {
        identity(about).is_some_and(|it| self.files.contains(&it))
            || self.pages.is_some() && whose(folder, name, self.pages) == Whose::Ours
    }
}

/// Whether the new folder has a file already: as the same one or as a copy.
fn is_carried(from: &Path, to: &Path) -> io::Result<bool> {
    let (Ok(one), Ok(other)) = (fs::symlink_metadata(from), fs::symlink_metadata(to)) else {
        return Ok(false);
    };
    if identity(&one).is_some() && identity(&one) == identity(&other) {
        return Ok(true);
    }
    if !one.is_file() || !other.is_file() || one.len() != other.len() {
        return Ok(false);
    }
    is_same(from, to)
}

/// What a file is, whatever it is called: its device and its number there.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(about: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<Identity> {
    None
}

fn identities(folder: &Path) -> io::Result<BTreeSet<Identity>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        // It does not follow links; one that is gone meanwhile is none.
        found.extend(entry?.metadata().ok().as_ref().and_then(identity));
    }
    Ok(found)
}

/// Whether two files have the same bytes, a piece at a time.
fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    use io::BufRead;
    let open = |path: &Path| superstep::fs::open_regular(path).map(io::BufReader::new);
    let (mut one, mut other) = (open(one)?, open(other)?);
    loop {
        let (here, there) = (one.fill_buf()?, other.fill_buf()?);
        let length = here.len().min(there.len());
        if length == 0 {
            return Ok(here.is_empty() && there.is_empty());
        }
        if here.get(..length) != there.get(..length) {
            return Ok(false);
        }
        one.consume(length);
        other.consume(length);
    }
}
