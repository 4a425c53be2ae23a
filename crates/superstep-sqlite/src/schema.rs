//! Schema and migrations.
//!
//! `user_version` of a file is the number of [`MIGRATIONS`] applied to it, and `application_id` marks
//! it as a superstep database. Opening it applies the missing migrations in one transaction; a
//! released migration is never edited, a new one is added. A new file gets them before it has a WAL,
//! so that the tables are never in the WAL alone.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, config::DbConfig};
use superstep_core::error::SaverError;

use crate::{
    error::sql,
    file,
    seal::Seal,
    wal::{self, WalStart},
};

mod store;

pub(crate) use store::STORE;

/// `application_id` of a superstep database: "SSTP".
const APPLICATION: i64 = 0x5353_5450;

/// Each migration raises the version by one; the first creates version 1.
const MIGRATIONS: &[&str] = &[
    THREADS, EVENTS, STORE, PARTS, RUNS, QUEUE, SCHEDULES, FINDING, CLAIMS, RECORDS, PAGES, READY,
    CONTENT,
];

/// Threads, their graphs and the log.
///
/// The log holds rows in order of arrival. A row points to the row of its graph before it (`prev`)
/// and to the record it follows or belongs to (`parent`); a graph points to its newest record
/// (`head`) and row (`last`). So nothing needs an index over all rows: `marks` has every 64th
/// record of a graph, to find an old one without a full scan, and `asides` has the rows
/// whose parent is not the newest record before them (forks, late notes).
///
/// A thread and a graph are found by name and, if that finds nothing, once more by digest: a
/// damaged index must not look like a thread that never existed.
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
CREATE TABLE logs (
    thread INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    n INTEGER NOT NULL,
    sum INTEGER NOT NULL
);
";

/// From here on entries of event logs refer to `blobs`: no new table, but an older program would
/// delete blobs that are in use.
const PARTS: &str = "";

/// The runs of threads, in the order they were recorded; see `runs`.
const RUNS: &str = "
CREATE TABLE runs (
    seq INTEGER PRIMARY KEY,
    run BLOB NOT NULL UNIQUE,
    thread INTEGER NOT NULL,
    state INTEGER NOT NULL,
    body BLOB NOT NULL
);
CREATE INDEX runs_by_thread ON runs (thread);
CREATE INDEX runs_by_state ON runs (state, thread);
";

/// When runs are due that wait for a worker.
const QUEUE: &str = "
ALTER TABLE runs ADD COLUMN due INTEGER;
CREATE INDEX runs_by_due ON runs (due) WHERE state = 0;
";

/// Schedules, and when they are due; see `schedules`.
const SCHEDULES: &str = "
CREATE TABLE schedules (id TEXT PRIMARY KEY, next INTEGER, body BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX schedules_by_next ON schedules (next) WHERE next IS NOT NULL;
";

/// What threads are found by, and which of them changed since that was noted; see `finding`.
const FINDING: &str = "
CREATE TABLE found (
    thread INTEGER PRIMARY KEY,
    state INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    created INTEGER,
    updated INTEGER
);
CREATE INDEX found_by_state ON found (state);
CREATE INDEX found_by_graph ON found (graph);
CREATE TABLE found_pairs (
    pair INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    PRIMARY KEY (pair, thread)
) WITHOUT ROWID;
CREATE INDEX found_pairs_by_thread ON found_pairs (thread);
CREATE TABLE unfound (thread INTEGER PRIMARY KEY);
INSERT INTO unfound SELECT thread FROM threads;
";

/// Whose run waits for which graph, and whose runs are under way, as digests; runs of earlier versions have
/// none (0), and are told by their bodies.
const CLAIMS: &str = "
ALTER TABLE runs ADD COLUMN owner INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN graph INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_waiting ON runs (owner, graph, due) WHERE state = 0;
CREATE INDEX runs_running ON runs (owner) WHERE state = 1;
";

/// Records of threads, UUIDs of those that have other names, and what is to be done after runs. What servers kept of
/// that in the store is moved when the file is opened; see `handover`.
const RECORDS: &str = "
CREATE TABLE thread_records (thread INTEGER PRIMARY KEY, body BLOB NOT NULL);
ALTER TABLE threads ADD COLUMN uuid BLOB;
CREATE INDEX threads_by_uuid ON threads (uuid) WHERE uuid IS NOT NULL;
ALTER TABLE runs ADD COLUMN after INTEGER;
CREATE INDEX runs_by_after ON runs (after) WHERE after IS NOT NULL;
INSERT INTO counters SELECT 'handover', 1
WHERE EXISTS (SELECT 1 FROM threads) OR EXISTS (SELECT 1 FROM store_items);
";

/// What threads are found by, in the order of each page; see `finding`. Every thread is put in when somebody looks for
/// threads.
const PAGES: &str = "
DROP TABLE found;
DROP TABLE found_pairs;
CREATE TABLE found_pairs (
    thread INTEGER NOT NULL,
    pair INTEGER NOT NULL,
    state INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (thread, pair)
) WITHOUT ROWID;
CREATE INDEX found_by_created ON found_pairs (pair, state, created, thread);
CREATE INDEX found_by_updated ON found_pairs (pair, state, updated, thread);
CREATE INDEX found_by_changed ON found_pairs (pair, state, changed, thread);
CREATE INDEX found_by_used ON found_pairs (pair, state, used, thread);
INSERT OR IGNORE INTO unfound SELECT thread FROM threads;
";

/// Which waiting runs are due: those are in an index of their own, so that a claim does not look at those that are not. A
/// claim marks those whose time has come; see `waiting`.
const READY: &str = "
ALTER TABLE runs ADD COLUMN ready INTEGER NOT NULL DEFAULT 0;
DROP INDEX runs_waiting;
DROP INDEX runs_by_due;
CREATE INDEX runs_ready ON runs (graph, owner, due) WHERE state = 0 AND ready = 1;
CREATE INDEX runs_by_due ON runs (due) WHERE state = 0 AND ready = 0;
";

/// Bytes by content; see `store/blobs`.
const CONTENT: &str = "
CREATE TABLE store_blobs (
    id INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    name BLOB NOT NULL,
    hash BLOB NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (space, name)
) STRICT;
";

/// The version of a file: 0 if it is empty and can become a superstep database. Changes nothing.
pub(crate) fn recognize(connection: &mut Connection, path: &Path) -> Result<usize, SaverError> {
    // Before the first read, which leaves a file beside it.
    if wal::is_damaged_unopened(path, APPLICATION)? {
        return Err(damaged_log());
    }
    // The WAL of another program's database must not be checkpointed, and a damaged one must not be
    // removed.
    let keep_wal = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(keep_wal, true).map_err(sql)?;
    let reading = connection.transaction().map_err(sql)?;
    let version = version(&reading, MIGRATIONS)?;
    let log = wal::start(path, page_size(&reading)?)?;
    if version > 0 {
        file::inspect_length(path, &reading)?;
    } else if log != WalStart::Empty {
        let why = "the database is not in the file, and its write-ahead log does not hold it";
        return Err(SaverError::Corrupt(why.to_owned()));
    }
    reading.commit().map_err(sql)?;
    if log == WalStart::Damaged {
        inspect_log(connection, path)?;
    }
    connection.set_db_config(keep_wal, false).map_err(sql)?;
    Ok(version)
}

/// Refuses a WAL that SQLite ignores, unless all that it commits is in the file.
fn inspect_log(connection: &mut Connection, path: &Path) -> Result<(), SaverError> {
    // Keeps other processes from writing, which may change the beginning of the WAL between two
    // reads. A file that cannot be written has no writers.
    let begin = match connection.is_readonly("main").map_err(sql)? {
        true => "BEGIN",
        false => "BEGIN IMMEDIATE",
    };
    connection.execute_batch(begin).map_err(sql)?;
    let is_fine = (|| {
        let page = page_size(connection)?;
        if wal::start(path, page)? != WalStart::Damaged {
            return Ok(true);
        }
        let bytes = connection.serialize("main").map_err(sql)?;
        wal::is_in_database(path, page, &bytes)
    })();
    connection.execute_batch("ROLLBACK").map_err(sql)?;
    match is_fine? {
        true => Ok(()),
        false => Err(damaged_log()),
    }
}

fn damaged_log() -> SaverError {
    let why = "the beginning of the write-ahead log is damaged, and it may hold what the file does not; \
               restore both from a backup, or move the log (-wal) away to continue with what the file \
               has";
    SaverError::Corrupt(why.to_owned())
}

fn page_size(connection: &Connection) -> Result<usize, SaverError> {
    let size: i64 = connection
        .pragma_query_value(None, "page_size", |row| row.get(0))
        .map_err(sql)?;
    Ok(usize::try_from(size).unwrap_or_default().max(1))
}

/// Whether opening a file created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileOrigin {
    /// It was created just now.
    Created,
    /// It existed, in whatever state a power cut left it.
    Existing,
}

/// Creates or migrates the tables, and checks that the key fits the file.
pub(crate) fn prepare(connection: &mut Connection, seal: &Seal) -> Result<FileOrigin, SaverError> {
    let origin = migrate(connection, MIGRATIONS, seal)?;
    check_key(connection, seal)?;
    Ok(origin)
}

/// Checks that the file can be read without a migration, and that the key fits it.
pub(crate) fn check_readable(
    connection: &Connection,
    version: usize,
    seal: &Seal,
) -> Result<(), SaverError> {
    match version {
        0 => Err(SaverError::Missing(
            "the file is empty, nothing was stored yet".to_owned(),
        )),
        found if found < MIGRATIONS.len() => Err(SaverError::Older {
            storage: "the file".to_owned(),
            found: i64::try_from(found).unwrap_or(i64::MAX),
            known: known(MIGRATIONS),
        }),
        _ => check_key(connection, seal),
    }
}

fn check_key(connection: &Connection, seal: &Seal) -> Result<(), SaverError> {
    let mark: Option<Vec<u8>> = connection
        .query_row(
            "SELECT value FROM counters WHERE name = 'sealed'",
            [],
            |row| row.get(0),
        )
        .optional()
        .map_err(sql)?;
    seal.is_of(mark.as_deref())
}

/// Checks that the file still has the version it was opened with. Inside a transaction that costs no
/// I/O: the version is on the first page, which every transaction reads.
pub(crate) fn check_version(connection: &Connection) -> Result<(), SaverError> {
    let found: i64 = connection
        .prepare_cached("PRAGMA user_version")
        .and_then(|mut pragma| pragma.query_row([], |row| row.get(0)))
        .map_err(sql)?;
    let known = known(MIGRATIONS);
    match found {
        found if found == known => Ok(()),
        found if found > known => Err(SaverError::Newer {
            storage: "the file".to_owned(),
            found,
            known,
        }),
        found => Err(SaverError::Corrupt(format!(
            "the format of the file was set from {known} to {found} while it was open"
        ))),
    }
}

/// Whether nothing was stored yet.
pub(crate) fn is_unused(connection: &Connection) -> Result<bool, SaverError> {
    connection
        .query_row(
            "SELECT NOT EXISTS (SELECT 1 FROM log) AND NOT EXISTS (SELECT 1 FROM events)
             AND NOT EXISTS (SELECT 1 FROM store_items) AND NOT EXISTS (SELECT 1 FROM runs)
             AND NOT EXISTS (SELECT 1 FROM schedules) AND NOT EXISTS (SELECT 1 FROM thread_records)
             AND NOT EXISTS (SELECT 1 FROM store_blobs)",
            [],
            |row| row.get(0),
        )
        .map_err(sql)
}

/// Whether a step of a thread was stored.
pub(crate) fn has_steps(connection: &Connection) -> Result<bool, SaverError> {
    connection
        .query_row("SELECT EXISTS (SELECT 1 FROM log)", [], |row| row.get(0))
        .map_err(sql)
}

fn known(steps: &[&str]) -> i64 {
    i64::try_from(steps.len()).unwrap_or(i64::MAX)
}

/// The version of a file; 0 if it is new.
fn version(connection: &Connection, steps: &[&str]) -> Result<usize, SaverError> {
    let (application, found) = identity(connection)?;
    let known = known(steps);
    match (application, usize::try_from(found)) {
        (APPLICATION, Ok(version @ 1..)) if version <= steps.len() => Ok(version),
        (APPLICATION, Ok(1..)) => Err(SaverError::Newer {
            storage: "the file".to_owned(),
            found,
            known,
        }),
        (0, Ok(0)) if is_empty(connection)? => Ok(0),
        _ => {
            let why = "the file is a database of another program";
            Err(SaverError::Foreign(why.to_owned()))
        }
    }
}

fn migrate(
    connection: &mut Connection,
    steps: &[&str],
    seal: &Seal,
) -> Result<FileOrigin, SaverError> {
    // In one transaction: another process may create the tables between two reads.
    let looking = connection.transaction().map_err(sql)?;
    let found = version(&looking, steps)?;
    looking.commit().map_err(sql)?;
    if found == steps.len() {
        return Ok(FileOrigin::Existing);
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(sql)?;
    // Another process may have migrated it while this one waited.
    let version = version(&transaction, steps)?;
    for step in steps.iter().skip(version) {
        transaction.execute_batch(step).map_err(sql)?;
    }
    if let (0, Some(mark)) = (version, seal.mark()?) {
        transaction
            .execute("INSERT INTO counters VALUES ('sealed', ?1)", [mark])
            .map_err(sql)?;
    }
    transaction
        .pragma_update(None, "application_id", APPLICATION)
        .map_err(sql)?;
    transaction
        .pragma_update(None, "user_version", known(steps))
        .map_err(sql)?;
    transaction.commit().map_err(sql)?;
    Ok(match version {
        0 => FileOrigin::Created,
        _ => FileOrigin::Existing,
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

/// All tables, for tests of statements.
#[cfg(test)]
pub(crate) fn create_for_tests(connection: &Connection) {
    for step in MIGRATIONS {
        connection.execute_batch(step).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file has: its version and its tables.
    fn shape(connection: &Connection) -> (i64, Vec<String>) {
        let (_, version) = identity(connection).unwrap();
        let mut select = connection
            .prepare("SELECT name FROM sqlite_schema ORDER BY name")
            .unwrap();
        let names = select.query_map([], |row| row.get(0)).unwrap();
        (version, names.collect::<Result<_, _>>().unwrap())
    }

    const FIRST: &str = "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL)";

    #[test]
    fn an_interrupted_migration_leaves_the_old_version() {
        let mut connection = Connection::open_in_memory().unwrap();
        let seal = Seal::default();
        migrate(&mut connection, &[FIRST], &seal).unwrap();
        let before = shape(&connection);
        let failure = [
            FIRST,
            "CREATE TABLE a (x); CREATE TABLE b (y)",
            "CREATE nonsense",
        ];
        assert!(migrate(&mut connection, &failure, &seal).is_err());
        assert_eq!(shape(&connection), before);
        assert!(connection.is_autocommit());
        let whole = [
            FIRST,
            "CREATE TABLE a (x); CREATE TABLE b (y)",
            "DROP TABLE b",
        ];
        migrate(&mut connection, &whole, &seal).unwrap();
        let (version, tables) = shape(&connection);
        assert_eq!(version, 3);
        assert!(tables.contains(&"a".to_owned()) && !tables.contains(&"b".to_owned()));
    }

    #[test]
    fn an_interrupted_creation_leaves_an_empty_file() {
        let mut connection = Connection::open_in_memory().unwrap();
        let seal = Seal::default();
        assert!(migrate(&mut connection, &[FIRST, "CREATE nonsense"], &seal).is_err());
        assert_eq!(shape(&connection), (0, Vec::new()));
        assert_eq!(version(&connection, MIGRATIONS).unwrap(), 0);
    }

    #[test]
    fn each_step_is_applied_once_and_to_what_the_one_before_left() {
        let mut stepwise = Connection::open_in_memory().unwrap();
        for count in 1..=MIGRATIONS.len() {
            migrate(&mut stepwise, &MIGRATIONS[..count], &Seal::default()).unwrap();
            migrate(&mut stepwise, &MIGRATIONS[..count], &Seal::default()).unwrap();
        }
        let mut at_once = Connection::open_in_memory().unwrap();
        migrate(&mut at_once, MIGRATIONS, &Seal::default()).unwrap();
        assert_eq!(shape(&stepwise), shape(&at_once));
    }

    #[test]
    fn a_newer_file_is_told_from_a_foreign_one() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &[FIRST, ""], &Seal::default()).unwrap();
        let newer = version(&connection, &[FIRST]);
        assert!(matches!(
            newer,
            Err(SaverError::Newer {
                found: 2,
                known: 1,
                ..
            })
        ));
        connection.pragma_update(None, "application_id", 1).unwrap();
        let foreign = version(&connection, &[FIRST]);
        assert!(matches!(foreign, Err(SaverError::Foreign(_))));
    }
}
