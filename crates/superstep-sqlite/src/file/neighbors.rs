//! The files that SQLite keeps beside a database: what may be in their places.
//!
//! SQLite takes whatever has one of their names for its own: it overwrites it, plays it back or deletes it.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use superstep_core::error::SaverError;

use super::{beside, io_error, is_absent};

/// What the names of these files end with.
const SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// What a rollback journal begins with.
const JOURNAL: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Refuses what is not SQLite's in the places of these files. Opening a pipe may block, and SQLite would
/// remove it in the end; it follows no links there. Our databases have a rollback journal only while they
/// are made; SQLite deletes a file in its place that is none.
pub(super) fn inspect(database: &Path) -> Result<(), SaverError> {
    for suffix in SUFFIXES {
        let place = beside(database, suffix);
        match fs::symlink_metadata(&place) {
            Ok(found) if !found.is_file() => {
                let why = format!("{} is not a file; move it away", place.display());
                return Err(SaverError::Io(why));
            }
            // The shared memory must not be opened here: closing it would release locks.
            Ok(_) if suffix == "-journal" && !is_journal(&place)? => {
                let why = format!(
                    "{} is not a journal of SQLite, which would delete it; move it away",
                    place.display()
                );
                return Err(SaverError::Io(why));
            }
            Err(error) if !is_absent(&error) => return Err(io_error(&error)),
            _ => {}
        }
    }
    Ok(())
}

/// Whether a file is a rollback journal, or what a crash may leave of one: SQLite writes zeros first and what a
/// journal begins with later, perhaps not all of it; it ends one by zeros again.
fn is_journal(place: &Path) -> Result<bool, SaverError> {
    let mut begins = Vec::new();
    let file = match File::open(place) {
        Ok(file) => file,
        // Its process has just removed it.
        Err(error) if is_absent(&error) => return Ok(true),
        Err(error) => return Err(io_error(&error)),
    };
    let length = JOURNAL.len() as u64;
    let read = file.take(length).read_to_end(&mut begins);
    read.map_err(|error| io_error(&error))?;
    let mut pairs = begins.iter().zip(JOURNAL);
    Ok(pairs.all(|(byte, wanted)| *byte == 0 || *byte == wanted))
}

/// Refuses a database in the place of a file that SQLite keeps beside another one.
pub(super) fn inspect_name(database: &Path) -> Result<(), SaverError> {
    let other = SUFFIXES.iter().find_map(|suffix| file_of(database, suffix));
    let Some(other) = other.filter(|other| other.is_file()) else {
        return Ok(());
    };
    let why = format!(
        "SQLite keeps a file of that name beside {}, and would overwrite or delete it; give another path",
        other.display()
    );
    Err(SaverError::Io(why))
}

/// The database that a file belongs to by its name, which need not be text.
pub(super) fn file_of(file: &Path, suffix: &str) -> Option<PathBuf> {
    let name = file.file_name()?;
    #[cfg(unix)]
    let base = {
        use std::os::unix::ffi::OsStrExt;
        std::ffi::OsStr::from_bytes(name.as_bytes().strip_suffix(suffix.as_bytes())?)
    };
    #[cfg(not(unix))]
    let base = name.to_str()?.strip_suffix(suffix)?;
    (!base.is_empty()).then(|| file.with_file_name(base))
}
