//! Writing a documentation: all of it or nothing, and nothing of others is lost.

mod whose;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use superstep::fs::StagedDir;

use self::whose::{Whose, whose};
use crate::{error::Error, metadata::Metadata};

pub(crate) use whose::hash;

/// Whether these files can be written to a folder, as far as that can be known beforehand.
pub(crate) fn check<'a>(
    folder: &Path,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<(), Error> {
    let failed = |why: String| failure(folder, why);
    match fs::symlink_metadata(folder) {
        Ok(about) if about.is_dir() => {}
        Ok(_) => return Err(failed("there is something there that is no folder".into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error.to_string())),
    }
    let old = Metadata::read(folder).ok().flatten();
    for name in names {
        let is_there = fs::symlink_metadata(folder.join(name)).is_ok();
        if is_there && whose(folder, name, old.as_ref()) == Whose::Others {
            return Err(failed(in_the_way(name)));
        }
    }
    // Dropping it removes it.
    let staged = StagedDir::new(folder).map_err(|error| failed(error.to_string()))?;
    drop(staged);
    Ok(())
}

/// Writes files into a folder that is replaced whole. Pages of the last documentation are replaced; everything else is
/// kept. A page that somebody changed is kept under another name, which is given; a file of others in the way is an
/// error.
pub(crate) fn write(folder: &Path, files: &BTreeMap<String, String>) -> Result<Vec<String>, Error> {
    let failed = |why: String| failure(folder, why);
    let io = |error: io::Error| failed(error.to_string());
    let old = Metadata::read(folder).ok().flatten();
    if is_same(folder, files, old.as_ref()) {
        return Ok(Vec::new());
    }
    let staged = StagedDir::new(folder).map_err(io)?;
    let was = fs::symlink_metadata(folder)
        .ok()
        .filter(fs::Metadata::is_dir);
    if let Some(was) = &was {
        rights::open(staged.path(), was).map_err(io)?;
    }
    for (name, text) in files {
        // Names are of agents or our own: one path part, checked when agents are read.
        if name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(failed(format!("`{name}` is no name of a page")));
        }
        let page = staged.path().join(name);
        fs::write(&page, text).map_err(io)?;
        if let Ok(before) = fs::symlink_metadata(folder.join(name))
            && before.is_file()
        {
            fs::set_permissions(&page, before.permissions()).map_err(io)?;
        }
    }
    let mut aside = Vec::new();
    if let Some(was) = &was {
        let entries = fs::read_dir(folder).map_err(io)?;
        let entries: Vec<fs::DirEntry> = entries.collect::<Result<_, _>>().map_err(io)?;
        let text_of = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: BTreeSet<String> = entries.iter().map(text_of).collect();
        for entry in &entries {
            let name = text_of(entry);
            let new = files.get(&name);
            let to = match (whose(folder, &name, old.as_ref()), new) {
                (Whose::Ours, _) => continue,
                (Whose::Others, Some(_)) => return Err(failed(in_the_way(&name))),
                (Whose::Changed, Some(new)) if is_text(&entry.path(), new) => continue,
                (Whose::Changed, Some(_)) => {
                    let free = free(&name, &names);
                    names.insert(free.clone());
                    aside.push(free.clone());
                    free.into()
                }
                (_, None) => entry.file_name(),
            };
            carry(&entry.path(), &staged.path().join(to)).map_err(io)?;
        }
        fs::set_permissions(staged.path(), was.permissions()).map_err(io)?;
    }
    staged.replace().map_err(io)?;
    aside.sort_unstable();
    Ok(aside)
}

fn failure(folder: &Path, why: String) -> Error {
    Error::Output {
        path: folder.display().to_string(),
        why,
    }
}

fn in_the_way(name: &str) -> String {
    format!("it has a file `{name}` that is not of a documentation")
}

/// Whether the folder has these files already, and no old ones of ours.
fn is_same(folder: &Path, files: &BTreeMap<String, String>, old: Option<&Metadata>) -> bool {
    let listed = old.into_iter().flat_map(|old| &old.files);
    let mut gone = listed.filter(|name| !files.contains_key(*name));
    files
        .iter()
        .all(|(name, text)| is_text(&folder.join(name), text))
        && !gone.any(|name| whose(folder, name, old) == Whose::Ours)
}

fn is_text(path: &Path, text: &str) -> bool {
    let most = u64::try_from(text.len()).unwrap_or(u64::MAX);
    superstep::fs::read_text(path, most).is_ok_and(|there| there == *text)
}

/// A name for a page that somebody changed.
fn free(name: &str, taken: &BTreeSet<String>) -> String {
    let mut free = format!("{name}.yours");
    let mut number = 1_u32;
    while taken.contains(&free) {
        number = number.saturating_add(1);
        free = format!("{name}.yours-{number}");
    }
    free
}

/// Brings a file or a folder of others along, with its rights.
fn carry(from: &Path, to: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(from)?;
    if about.is_dir() {
        fs::create_dir(to)?;
        rights::open(to, &about)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            carry(&entry.path(), &to.join(entry.file_name()))?;
        }
        return fs::set_permissions(to, about.permissions());
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

/// The rights of a folder while it is filled.
mod rights {
    use std::{fs, io, path::Path};

    /// Those of another one, and to write for its owner: nobody may read in between who could not before.
    #[cfg(unix)]
    pub(super) fn open(folder: &Path, like: &fs::Metadata) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let mode = like.permissions().mode() | 0o700;
        fs::set_permissions(folder, fs::Permissions::from_mode(mode))
    }

    #[cfg(not(unix))]
    pub(super) fn open(_: &Path, _: &fs::Metadata) -> io::Result<()> {
        Ok(())
    }
}
