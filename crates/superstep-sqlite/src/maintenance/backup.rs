//! Online backup.

use std::{
    fs::{self, File},
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};
use superstep_core::error::SaverError;

use super::check;
use crate::{
    Database,
    connection::{connect_for_any, keep_wal},
    database::Inner,
    error::sql,
    file::{self, io_error},
    options::{OpenMode, Options},
    permissions, schema,
};

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Copies a database to a path that does not exist yet.
pub(super) fn copy(from: &Inner, to: &Path) -> Result<(), SaverError> {
    let connection = connect_for_any(&from.path, FLAGS, from.options.busy_timeout)?;
    keep_wal(&connection);
    copy_through(&connection, to, |part| verify(from, part))
}

/// Copies a file of any format that is known, as it is: neither the file nor the copy is migrated.
pub(super) fn copy_as_is(from: &Path, to: &Path, wait: Duration) -> Result<(), SaverError> {
    let recognized = |path: &Path| {
        let mut connection = connect_for_any(path, FLAGS, wait)?;
        let version = schema::recognize(&mut connection, path)?;
        keep_wal(&connection);
        Ok((connection, version))
    };
    file::inspect(from)?;
    let (connection, version) = recognized(from)?;
    if version == 0 {
        let why = "the file is empty, nothing was stored yet";
        return Err(SaverError::Missing(why.to_owned()));
    }
    copy_through(&connection, to, |part| {
        let (copy, found) = recognized(part)?;
        let problem: String = copy
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(sql)?;
        match problem == "ok" && found == version {
            true => Ok(()),
            false => Err(SaverError::Corrupt(format!("in the copy: {problem}"))),
        }
    })
}

fn copy_through(
    connection: &Connection,
    to: &Path,
    verify: impl FnOnce(&Path) -> Result<(), SaverError>,
) -> Result<(), SaverError> {
    refuse_if_exists(to)?;
    remove_stale(to);
    let part = PartialCopy::new(to)?;
    let text = part.path.to_str().ok_or_else(|| {
        SaverError::Io("the path of a copy must be text that is valid Unicode".to_owned())
    })?;
    connection.execute("VACUUM INTO ?1", [text]).map_err(sql)?;
    verify(&part.path)?;
    sync(&part.path)?;
    place(&part.path, to)?;
    drop(part);
    match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync(folder),
        _ => sync(Path::new(".")),
    }
}

/// An existing file is not overwritten, and an existing WAL would be applied to the copy.
fn refuse_if_exists(to: &Path) -> Result<(), SaverError> {
    for suffix in ["", "-wal", "-journal"] {
        let path = file::beside(to, suffix);
        if fs::symlink_metadata(&path).is_ok() {
            return Err(exists(&path));
        }
    }
    Ok(())
}

fn exists(path: &Path) -> SaverError {
    let path = path.display();
    SaverError::Io(format!("{path} exists already; give another path"))
}

/// Opens the copy and checks it.
fn verify(from: &Inner, copy: &Path) -> Result<(), SaverError> {
    let options = Options {
        mode: OpenMode::Existing,
        ..from.options.clone()
    };
    let copy = Database::open_with(copy, options)?;
    let report = check::ends(&copy.0)?;
    match report.problems.first() {
        Some(problem) => Err(SaverError::Corrupt(format!("in the copy: {problem}"))),
        None => Ok(()),
    }
}

fn sync(path: &Path) -> Result<(), SaverError> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| io_error(&error))
}

/// Gives the copy its name, unless that was taken meanwhile.
fn place(part: &Path, to: &Path) -> Result<(), SaverError> {
    match fs::hard_link(part, to) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists(to)),
        // Not every file system has hard links.
        Err(_) => {
            refuse_if_exists(to)?;
            fs::rename(part, to).map_err(|error| io_error(&error))
        }
    }
}

/// What the name of a copy ends with until it is complete, and 16 digits.
const PART: &str = "-part-";

/// A copy under its temporary name; dropping it removes the file. It is locked meanwhile.
struct PartialCopy {
    path: PathBuf,
    _lock: File,
}

impl PartialCopy {
    /// An empty file for its owner alone, which SQLite fills.
    fn new(to: &Path) -> Result<Self, SaverError> {
        let number = RandomState::new().hash_one(std::process::id());
        let path = file::beside(to, &format!("{PART}{number:016x}"));
        let made = permissions::create_new(&path).and_then(|file| {
            file.lock()?;
            Ok(file)
        });
        let lock = made.map_err(|error| io_error(&error))?;
        Ok(Self { path, _lock: lock })
    }
}

impl Drop for PartialCopy {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

fn remove(part: &Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let _absent = fs::remove_file(file::beside(part, suffix));
    }
}

/// Removes unfinished copies that killed processes left under this name: nobody has them locked.
fn remove_stale(to: &Path) {
    let Some(name) = to.file_name().and_then(|name| name.to_str()) else {
        return;
    };
    let folder = match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let number = found
            .to_str()
            .and_then(|found| found.strip_prefix(name)?.strip_prefix(PART));
        let is_part = number.is_some_and(|number| {
            number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let part = entry.path();
        // The lock is held until the file is removed, so that nobody takes it for a new one.
        if is_part
            && is_file
            && let Ok(file) = File::open(&part)
            && file.try_lock().is_ok()
        {
            remove(&part);
        }
    }
}
