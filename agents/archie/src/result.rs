//! Result files: replaced atomically, with the previous one kept beside them.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use superstep::fs::{Rights, Staged, second_name};

use crate::error::Error;

/// The file an analysis ends in, in the folder of its documents.
pub const ANALYSIS: &str = "analysis_result.md";

/// How the file of a context document ends.
const CONTEXT: &str = "_context.md";

/// How much of a name becomes part of a file name.
const LONGEST: usize = 80;

/// What writing a result did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Written {
    /// There is a new file.
    New,
    /// The file that was there has another name now.
    Replaced {
        /// The name.
        older: PathBuf,
    },
    /// The file has this content already.
    Same,
}

/// Writes a result: whole or not at all, with the file before it kept as `NAME.1`. A file that has
/// this content already is left alone, so writing twice keeps what was there before the first time.
pub fn write(path: &Path, text: &str) -> Result<Written, Error> {
    replace(path, content(text).as_bytes()).map_err(|error| Error::result(path, &error))
}

/// Whether there is something at the path that is not this text.
pub fn is_other(path: &Path, text: &str) -> bool {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_file() => {
            fs::read(path).map_or(true, |there| there != content(text).as_bytes())
        }
        // Reading a pipe would wait for a writer.
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

fn content(text: &str) -> String {
    match text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}\n"),
    }
}

/// The name of the file before the newest one.
pub fn older(path: &Path) -> PathBuf {
    let mut name = path.file_name().map(OsString::from).unwrap_or_default();
    name.push(".1");
    path.with_file_name(name)
}

/// The name of a context document's file: letters, digits, `-`, `_` and `.` of the name stay.
pub fn context_file(name: &str) -> String {
    let kept = name.trim().chars().take(LONGEST);
    let kept: String = kept
        .map(|c| match c {
            c if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') => c,
            _ => '_',
        })
        .collect();
    // Neither hidden nor a way out of the folder.
    let kept = kept.trim_start_matches('.');
    let kept = if kept.is_empty() { "system" } else { kept };
    format!("{kept}{CONTEXT}")
}

/// Whether a file is called like a result, or like the one before it.
pub(crate) fn is_own_name(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let name = name.strip_suffix(".1").unwrap_or(name);
    name == ANALYSIS || name.ends_with(CONTEXT)
}

fn replace(path: &Path, content: &[u8]) -> io::Result<Written> {
    let there = match fs::symlink_metadata(path) {
        Ok(facts) => Some(facts),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let Some(facts) = there else {
        Staged::new(path, content, Rights::Umask)?.replace()?;
        return Ok(Written::New);
    };
    if !facts.is_file() && !facts.is_symlink() {
        return Err(io::Error::other("it is there and is no file"));
    }
    let length = u64::try_from(content.len()).unwrap_or(u64::MAX);
    if facts.is_file() && facts.len() == length && fs::read(path)? == content {
        return Ok(Written::Same);
    }
    let staged = Staged::new(path, content, Rights::Umask)?;
    let older = older(path);
    match fs::remove_file(&older) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // The newest result has a name at every moment.
    second_name(path, &older)?;
    staged.replace()?;
    Ok(Written::Replaced { older })
}
