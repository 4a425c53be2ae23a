//! Writing a documentation: all of it or nothing, and nothing of others is lost.

mod rescue;
mod whose;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use superstep::fs::{ReplacedDir, StagedDir};

use self::{
    rescue::rescue,
    whose::{Whose, whose},
};
use crate::{error::Error, metadata::Metadata};

pub(crate) use whose::hash;

/// What becomes of pages of which nobody knows whether they are ours, since there is no `metadata.json` that can be
/// read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// They are in the way.
    Refuse,
    /// They are kept under other names.
    SetAside,
}

/// Whether these files can be written to a folder, as far as that can be known beforehand.
pub(crate) fn check<'a>(
    folder: &Path,
    names: impl IntoIterator<Item = &'a str>,
    doubt: Doubt,
) -> Result<(), Error> {
    let failed = |why: String| failure(folder, why);
    match fs::symlink_metadata(folder) {
        Ok(about) if about.is_dir() => {}
        Ok(about) if about.is_symlink() => {
            return Err(failed("it is a link; name the folder itself".into()));
        }
        Ok(_) => return Err(failed("there is something there that is no folder".into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error.to_string())),
    }
    if let Some(mounted) = mounted(folder) {
        return Err(failed(is_mounted(&mounted)));
    }
    let old = read_old(folder, doubt)?;
    for name in names {
        let is_there = fs::symlink_metadata(folder.join(name)).is_ok();
        if is_there && whose(folder, name, old.as_ref()) == Whose::Others {
            return Err(failed(in_the_way(name)));
        }
    }
    make_parent(folder)?;
    ReplacedDir::left(folder).map_err(|error| failed(error.to_string()))?;
    // Dropping it removes it.
    let staged = StagedDir::new(folder).map_err(|error| failed(error.to_string()))?;
    drop(staged);
    Ok(())
}

/// Writes files into a folder that is replaced whole. Pages of the last documentation are replaced; everything else is
/// kept, also what is written meanwhile. A page that somebody changed is kept under another name, which is given; a
/// file of others in the way is an error.
pub(crate) fn write(
    folder: &Path,
    files: &BTreeMap<String, String>,
    doubt: Doubt,
) -> Result<Vec<String>, Error> {
    let failed = |why: String| failure(folder, why);
    let io = |error: io::Error| failed(error.to_string());
    make_parent(folder)?;
    StagedDir::sweep(folder);
    if let Some(left) = ReplacedDir::left(folder).map_err(io)? {
        clear(folder, &left)?;
    }
    let old = read_old(folder, doubt)?;
    if is_same(folder, files, old.as_ref()) {
        return Ok(Vec::new());
    }
    if let Some(mounted) = mounted(folder) {
        return Err(failed(is_mounted(&mounted)));
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
                    let free = free(&name, |name| names.contains(name));
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
    if let Some(was) = staged.replace().map_err(io)? {
        aside.extend(clear(folder, &was)?);
    }
    aside.sort_unstable();
    Ok(aside)
}

/// Brings what was written into the old folder meanwhile into the new one, and removes the old one. Gives the names of what is
/// called otherwise there.
fn clear(folder: &Path, was: &ReplacedDir) -> Result<Vec<String>, Error> {
    let done = rescue(was.path(), folder);
    done.map_err(|error| {
        let old = was.path().display();
        failure(
            folder,
            format!("what was there before is still in {old}: {error}"),
        )
    })
}

/// Makes the folders above it, if there are none.
fn make_parent(folder: &Path) -> Result<(), Error> {
    let above = superstep::fs::parent(folder);
    fs::create_dir_all(above).map_err(|error| {
        let why = format!("the folder above it, {}: {error}", above.display());
        failure(folder, why)
    })
}

/// What the last documentation was.
fn read_old(folder: &Path, doubt: Doubt) -> Result<Option<Metadata>, Error> {
    let error = match (Metadata::read(folder), doubt) {
        (Ok(Some(old)), _) => return Ok(Some(old)),
        (Ok(None), Doubt::Refuse) => return Ok(None),
        (_, Doubt::SetAside) => {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            // All may be pages, and of none is known how it was written.
            return Ok(Some(Metadata {
                files: names.collect(),
                ..Metadata::default()
            }));
        }
        (Err(error), Doubt::Refuse) => error,
    };
    let why = match error {
        Error::NoDocumentation { why, .. } => why,
        other => other.to_string(),
    };
    Err(failure(
        folder,
        format!(
            "{why}, so nobody knows which pages may be replaced; --force keeps them as NAME.yours"
        ),
    ))
}

/// A folder below this one that is another file system.
#[cfg(unix)]
fn mounted(folder: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let device = fs::symlink_metadata(folder).ok()?.dev();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else {
                continue;
            };
            if about.dev() != device {
                return Some(entry.path());
            }
            if about.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    None
}

#[cfg(not(unix))]
fn mounted(_: &Path) -> Option<PathBuf> {
    None
}

fn is_mounted(path: &Path) -> String {
    format!(
        "{} is another file system, which cannot be moved",
        path.display()
    )
}

fn failure(folder: &Path, why: String) -> Error {
    Error::Output {
        path: folder.display().to_string(),
        why,
    }
}

fn in_the_way(name: &str) -> String {
    format!(
        "it has a file `{name}` that is not of a documentation; --force keeps it as {name}.yours"
    )
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
fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut free = format!("{name}.yours");
    let mut number = 1_u32;
    while is_taken(&free) {
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
