//! The tables, and how an older file gets them.
//!
//! A file says which step of [`STEPS`] it has reached in `user_version`, and that it is ours in
//! `application_id`. Opening it applies the steps it lacks, all in one transaction; a step is never
//! edited once released, a new one is added.

use rusqlite::{Connection, TransactionBehavior};
use superstep_core::saver::SaverError;

use crate::{error::sql, store};

/// Marks a file as ours: "SSTP".
const APPLICATION: i64 = 0x5353_5450;

/// Each step brings a file from the version before to its own; the first makes version 1.
const STEPS: &[&str] = &[THREADS, EVENTS, store::SCHEMA];

/// Threads, their graphs and the log.
///
/// The log holds rows in order of arrival. A row points to the row of its graph before it (`prev`)
/// and to the record it follows or belongs to (`parent`); a graph points to its newest record
/// (`head`) and row (`last`). So nothing needs an index over all rows: `marks` has every 64th
/// record of a graph, to find an old one without walking all the way, and `asides` has the rows
/// whose parent is not the newest record before them (forks, late notes).
///
/// A thread and a graph are found by name and, if that finds nothing, once more by digest: a
/// damaged index must not look like a thread that never was.
const THREADS: &str = "
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES ('epoch', 0);
CREATE TABLE workers (worker INTEGER PRIMARY KEY, expires INTEGER NOT NULL);
CREATE TABLE threads (
    thread INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    digest INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    worker INTEGER,
    used INTEGER NOT NULL
);
CREATE INDEX threads_by_digest ON threads (digest);
CREATE TABLE graphs (
    graph INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    name TEXT NOT NULL,
    digest INTEGER NOT NULL,
    head INTEGER NOT NULL,
    last INTEGER NOT NULL,
    records INTEGER NOT NULL,
    tail INTEGER NOT NULL,
    state INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    UNIQUE (thread, name)
);
CREATE INDEX graphs_by_digest ON graphs (digest);
CREATE TABLE layouts (layout INTEGER PRIMARY KEY, digest INTEGER NOT NULL UNIQUE, body BLOB NOT NULL);
CREATE TABLE log (
    seq INTEGER PRIMARY KEY,
    graph INTEGER NOT NULL,
    prev INTEGER,
    parent INTEGER,
    kind INTEGER NOT NULL,
    step INTEGER,
    layout INTEGER,
    mark INTEGER,
    aside INTEGER,
    id BLOB,
    state INTEGER,
    body BLOB NOT NULL
);
CREATE INDEX marks ON log (graph, id) WHERE mark = 1;
CREATE INDEX asides ON log (parent) WHERE aside = 1;
CREATE TABLE blobs (blob INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, body BLOB NOT NULL);
CREATE TABLE uses (thread INTEGER NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (thread, blob)) WITHOUT ROWID;
CREATE INDEX uses_by_blob ON uses (blob);
";

/// The event logs of threads.
const EVENTS: &str = "
CREATE TABLE events (
    thread INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    n INTEGER NOT NULL,
    checkpoint BLOB,
    body BLOB NOT NULL,
    PRIMARY KEY (thread, epoch, n)
) WITHOUT ROWID;
";

/// Since when a file is ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// It was made just now.
    Now,
    /// It was there, with whatever a power cut left of it.
    Before,
}

/// Makes the file ours, or brings it up to date, or says why not.
pub(crate) fn prepare(connection: &mut Connection) -> Result<Since, SaverError> {
    let (application, version) = identity(connection)?;
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    match (application, version) {
        (APPLICATION, found) if found == known => return Ok(Since::Before),
        (APPLICATION, found) if found > known => return Err(SaverError::Newer { found, known }),
        (APPLICATION, 1..) => {}
        (0, 0) if is_empty(connection)? => {}
        _ => {
            let why = "the file is a database of another program";
            return Err(SaverError::Foreign(why.to_owned()));
        }
    }
    migrate(connection)
}

fn migrate(connection: &mut Connection) -> Result<Since, SaverError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(sql)?;
    // Another process may have done it while this one waited.
    let (_, version) = identity(&transaction)?;
    for step in STEPS.iter().skip(usize::try_from(version).unwrap_or(0)) {
        transaction.execute_batch(step).map_err(sql)?;
    }
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    transaction
        .pragma_update(None, "application_id", APPLICATION)
        .map_err(sql)?;
    transaction
        .pragma_update(None, "user_version", known)
        .map_err(sql)?;
    transaction.commit().map_err(sql)?;
    Ok(match version {
        0 => Since::Now,
        _ => Since::Before,
    })
}

fn identity(connection: &Connection) -> Result<(i64, i64), SaverError> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get(0));
    Ok((
        number("application_id").map_err(sql)?,
        number("user_version").map_err(sql)?,
    ))
}

fn is_empty(connection: &Connection) -> Result<bool, SaverError> {
    let count = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| {
        row.get::<_, i64>(0)
    });
    Ok(count.map_err(sql)? == 0)
}
