//! The file of a recording on disk: read, repaired, appended to.
//!
//! A line counts once it ends and is fsync'd. A process that died while it wrote leaves a line without
//! an end: replaying reports it, recording cuts it off. A file is parsed before anything in it is
//! changed, and one that is not a recording is never changed: the path may be a mistake, or chosen by
//! somebody else.

use std::{
    fs::{File, Metadata, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::Path,
};

use super::{
    file::{Interaction, parse},
    unrecorded,
};
use crate::error::{ErrorKind, ModelError};

/// How every line that was written by a program begins, so that the rest of a torn one is known.
const BEGINS: &[u8] = b"{\"v\":";

/// All lines of a file that is to be replayed.
pub(super) fn read(path: &Path) -> Result<Vec<Interaction>, ModelError> {
    let failed = |error: io::Error| unrecorded(format!("{}: {error}", path.display()));
    regular(&std::fs::metadata(path).map_err(failed)?).map_err(failed)?;
    let text = std::fs::read_to_string(path).map_err(failed)?;
    parse(path, &text)
}

/// All lines of a file that is to be written to, without what a dying process left behind.
pub(super) fn repair(path: &Path) -> Result<Vec<Interaction>, ModelError> {
    let failed = |error: io::Error| unrecorded(format!("{}: {error}", path.display()));
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => regular(&found.map_err(failed)?).map_err(failed)?,
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let text = std::str::from_utf8(&bytes).map_err(io::Error::other);
    let error = match text.map_err(failed).and_then(|text| parse(path, text)) {
        Ok(all) if !all.is_empty() => return Ok(all),
        Ok(_) => return Err(foreign(path, "it has no recorded reply")),
        Err(error) => error,
    };
    let whole = bytes.iter().rposition(|byte| *byte == b'\n');
    let (lines, rest) = bytes
        .split_at_checked(whole.map_or(0, |end| end + 1))
        .unwrap_or((&bytes, &[]));
    let lines = std::str::from_utf8(lines).map_err(|_| foreign(path, "it is not text"))?;
    if !first_line(lines) {
        return Err(foreign(path, "its first line is not a recorded reply"));
    }
    if !is_torn(rest) {
        return Err(error);
    }
    let all = parse(path, lines)?;
    cut(path, bytes.len(), lines.len()).map_err(failed)?;
    Ok(all)
}

/// Appends a line, which is durable when this returns. The file is made for its owner alone; one that
/// is there must be a recording, and becomes so.
pub(super) fn append(path: &Path, line: &Interaction) -> Result<(), ModelError> {
    let failed = |error: io::Error| unrecorded(format!("{}: not written: {error}", path.display()));
    let (mut file, is_new) = open(path).map_err(failed)?;
    // Lines of several processes do not mix, and nobody repairs the file meanwhile.
    file.lock().map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    regular(&about).map_err(failed)?;
    if about.len() > 0 && !begins_as_recording(&mut file).map_err(failed)? {
        return Err(foreign(path, "its first line is not a recorded reply"));
    }
    let mut write = || -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        if about.len() > 0 && !ends_line(&mut file)? {
            text.insert(0, '\n');
        }
        if let Err(error) = file.write_all(text.as_bytes()) {
            // A part of a line in the middle of the file would damage it.
            file.set_len(about.len())?;
            return Err(error);
        }
        file.sync_data()?;
        if let (true, Some(folder)) = (is_new, path.parent()) {
            let here = folder.as_os_str().is_empty();
            File::open(if here { Path::new(".") } else { folder })?.sync_all()?;
        }
        Ok(())
    };
    write().map_err(failed)
}

/// The file to append to, and whether it was made now. A link that leads nowhere makes no file.
fn open(path: &Path) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    let mut new = options.clone();
    new.create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
    match new.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            regular(&std::fs::metadata(path)?)?;
            let file = options.open(path)?;
            close_to_others(&file)?;
            Ok((file, false))
        }
        opened => Ok((opened?, true)),
    }
}

/// Prompts and replies are added to it: it is for its owner alone from now on.
#[cfg(unix)]
fn close_to_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata()?.permissions().mode();
    match mode & 0o077 {
        0 => Ok(()),
        _ => file.set_permissions(std::fs::Permissions::from_mode(mode & 0o700)),
    }
}

#[cfg(not(unix))]
fn close_to_others(_: &File) -> io::Result<()> {
    Ok(())
}

/// Cuts the last line off, if the file is still as long as it was when it was read.
fn cut(path: &Path, was: usize, length: usize) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    file.lock()?;
    if file.metadata()?.len() != as_u64(was) {
        return Err(io::Error::other("another process writes to it"));
    }
    file.set_len(as_u64(length))?;
    file.sync_all()
}

fn as_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// A pipe or a device would block, or do something else than to keep a line.
fn regular(about: &Metadata) -> io::Result<()> {
    match about.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// Whether a line can be what is left of one that a program wrote.
fn is_torn(rest: &[u8]) -> bool {
    !rest.is_empty() && (rest.starts_with(BEGINS) || BEGINS.starts_with(rest))
}

/// Whether the first line of a text that is not blank is an interaction.
fn first_line(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.find(|line| !line.trim().is_empty());
    first.is_some_and(|line| serde_json::from_str::<Interaction>(line).is_ok())
}

fn begins_as_recording(file: &mut File) -> io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(false);
        }
        if !line.trim_ascii().is_empty() {
            return Ok(serde_json::from_slice::<Interaction>(&line).is_ok());
        }
    }
}

fn ends_line(file: &mut File) -> io::Result<bool> {
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0_u8];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn foreign(path: &Path, why: &str) -> ModelError {
    ErrorKind::NotARecording {
        file: path.display().to_string(),
        why: why.to_owned(),
    }
    .into()
}
