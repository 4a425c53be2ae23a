//! Checks of SQLite write-ahead logs (WAL) before SQLite reads them.
//!
//! SQLite treats a WAL whose header or first frame is invalid as empty, and overwrites it. That is
//! right for what a crash leaves, and loses committed data otherwise. [`WalStart`] tells the two
//! apart; the format is in [`layout`].

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::OnceLock,
};

use superstep_core::error::SaverError;

use crate::file::{beside, io_error};

mod layout;

pub(crate) use layout::WalStart;
use layout::{FRAME, HEADER, WalFile};

/// Inspects the beginning of the WAL of a database with this page size.
pub(crate) fn start(database: &Path, page: usize) -> Result<WalStart, SaverError> {
    let mut first = Vec::new();
    let log = match fs::File::open(beside(database, "-wal")) {
        Ok(log) => log,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(WalStart::Empty),
        Err(error) => return Err(io_error(&error)),
    };
    log.take((HEADER + FRAME + page) as u64)
        .read_to_end(&mut first)
        .map_err(|error| io_error(&error))?;
    Ok(WalFile::new(&first, page).start())
}

/// Whether the database, given as bytes, has all that a damaged WAL commits. If that is unknown,
/// it has not.
pub(crate) fn is_in_database(
    database: &Path,
    page: usize,
    bytes: &[u8],
) -> Result<bool, SaverError> {
    let log = fs::read(beside(database, "-wal")).map_err(|error| io_error(&error))?;
    Ok(WalFile::new(&log, page).is_in(bytes))
}

/// Whether a database that nobody has open has a WAL that is refused, as far as that can be told without SQLite,
/// which would leave its index (`-shm`) beside both. `mark` is the `application_id` of databases that are looked at.
pub(crate) fn is_damaged_unopened(database: &Path, mark: i64) -> Result<bool, SaverError> {
    // Who has it open made one; then SQLite's locks are needed.
    let is_open = || beside(database, "-shm").exists();
    let mut header = [0; 100];
    let read = fs::File::open(database).and_then(|mut file| file.read_exact(&mut header));
    if is_open() || read.is_err() || field(&header, 68, 4) != u64::try_from(mark).unwrap_or(0) {
        return Ok(false);
    }
    let page = match field(&header, 16, 2) {
        1 => 1 << 16,
        size => usize::try_from(size).unwrap_or_default().max(1),
    };
    if start(database, page)? != WalStart::Damaged {
        return Ok(false);
    }
    let bytes = fs::read(database).map_err(|error| io_error(&error))?;
    Ok(!is_in_database(database, page, &bytes)? && !is_open())
}

/// A number in the header of a database.
fn field(header: &[u8], at: usize, bytes: usize) -> u64 {
    let bytes = header.get(at..at + bytes).unwrap_or_default();
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Rewrites the WAL of a database byte by byte, and fsyncs it.
///
/// After a failed fsync Linux marks the pages clean: programs still read them, but they never reach
/// the disk, and the next fsync succeeds. Writing them again makes them dirty again.
pub(crate) fn rewrite(database: &Path) -> Result<(), SaverError> {
    let path = beside(database, "-wal");
    let copied = (|| {
        let mut log = fs::File::options().read(true).write(true).open(&path)?;
        let (mut piece, mut at) = (vec![0; 1 << 20], 0);
        loop {
            let read = log.read(&mut piece)?;
            let Some(bytes @ [_, ..]) = piece.get(..read) else {
                return log.sync_data();
            };
            log.seek(SeekFrom::Start(at))?;
            log.write_all(bytes)?;
            at += read as u64;
        }
    })();
    match copied {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error(&error)),
        _ => {
            if let Some(watch) = REWRITTEN.get() {
                watch(&path);
            }
            Ok(())
        }
    }
}

static REWRITTEN: OnceLock<fn(&Path)> = OnceLock::new();

/// Calls a function with the path of each WAL that was rewritten: a VFS that models a disk does not
/// see it otherwise. Only the first call has an effect.
#[doc(hidden)]
pub fn watch_rewritten_logs(watch: fn(&Path)) {
    let _first_counts = REWRITTEN.set(watch);
}
