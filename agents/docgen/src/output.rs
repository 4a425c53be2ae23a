//! Writing a documentation: all of it or nothing, and nothing of others is lost.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use superstep::fs::StagedDir;

use crate::{error::Error, metadata::Metadata};

/// Writes files into a folder that is replaced whole. Files of the last documentation are replaced, those of others are
/// kept; a file of others in the way is an error.
pub(crate) fn write(folder: &Path, files: &BTreeMap<String, String>) -> Result<(), Error> {
    let failed = |why: String| Error::Output {
        path: folder.display().to_string(),
        why,
    };
    let io = |error: io::Error| failed(error.to_string());
    let old = Metadata::read(folder).ok().flatten();
    let own: BTreeSet<String> = old.into_iter().flat_map(|it| it.files).collect();
    if is_same(folder, files, &own) {
        return Ok(());
    }
    let staged = StagedDir::new(folder).map_err(io)?;
    for (name, text) in files {
        // Names are of agents or our own: one path part, checked when agents are read.
        if name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(failed(format!("`{name}` is no name of a page")));
        }
        fs::write(staged.path().join(name), text).map_err(io)?;
    }
    if fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir()) {
        for entry in fs::read_dir(folder).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if own.contains(&name) {
                continue;
            }
            if files.contains_key(&name) {
                return Err(failed(format!(
                    "it has a file `{name}` that is not of a documentation"
                )));
            }
            carry(&entry.path(), &staged.path().join(entry.file_name())).map_err(io)?;
        }
    }
    staged.replace().map_err(io)
}

/// Whether the folder has these files already, and no old ones of ours.
fn is_same(folder: &Path, files: &BTreeMap<String, String>, own: &BTreeSet<String>) -> bool {
    let same = |(name, text): (&String, &String)| {
        let most = u64::try_from(text.len()).unwrap_or(u64::MAX);
        superstep::fs::read_text(&folder.join(name), most).is_ok_and(|there| there == *text)
    };
    own.iter().all(|name| files.contains_key(name)) && files.iter().all(same)
}

/// Brings a file or a folder of others along.
fn carry(from: &Path, to: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(from)?;
    if about.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            carry(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    match about.is_file() {
        true => fs::copy(from, to).map(|_| ()),
        false => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("{} cannot be kept", from.display()),
        )),
    }
}
