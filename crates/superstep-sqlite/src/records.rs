//! Records of threads: the rows of `thread_records`.
//!
//! A row has the whole record sealed in its body. What a record means is in `superstep_core::thread_record`. A thread whose name
//! is no UUID in its usual form has its UUID beside the name, so that it is found by either.

use rusqlite::{Connection, OptionalExtension, params};
use superstep_core::{
    codec::envelope::Address,
    error::SaverError,
    id::ThreadId,
    thread_record::{StampThread, ThreadRecord},
};

use crate::{clock::wall_millis, error::sql, graphs, index_backlog, seal::Seal, writer::Writer};

fn place(thread: i64) -> Address {
    Address::of([b"record".as_slice(), &thread.to_be_bytes()].concat())
}

fn open(seal: &Seal, thread: i64, body: &[u8]) -> Result<ThreadRecord, SaverError> {
    let what = format_args!("the record of thread {thread}");
    let bytes = seal.open(body, place(thread), &what)?;
    let read = rmp_serde::from_slice(&bytes);
    read.map_err(|error| SaverError::Corrupt(format!("{what}: {error}")))
}

/// Stores the record of a thread.
pub(crate) fn put(
    db: &Connection,
    seal: &Seal,
    thread: i64,
    record: &ThreadRecord,
) -> Result<(), SaverError> {
    let unstorable = |error: rmp_serde::encode::Error| SaverError::Unstorable(error.to_string());
    let bytes = rmp_serde::to_vec_named(record).map_err(unstorable)?;
    let body = seal.seal(&bytes, place(thread))?;
    index_backlog::note(db, thread)?;
    db.prepare_cached("REPLACE INTO thread_records VALUES (?1, ?2)")
        .and_then(|mut replace| replace.execute(params![thread, body]))
        .map(drop)
        .map_err(sql)
}

/// The record of a thread.
pub(crate) fn find(
    db: &Connection,
    seal: &Seal,
    thread: i64,
) -> Result<Option<ThreadRecord>, SaverError> {
    let found: Option<Vec<u8>> = db
        .prepare_cached("SELECT body FROM thread_records WHERE thread = ?1")
        .and_then(|mut select| select.query_row([thread], |row| row.get(0)).optional())
        .map_err(sql)?;
    found.map(|body| open(seal, thread, &body)).transpose()
}

/// Whether a thread has a record.
pub(crate) fn exists(db: &Connection, thread: i64) -> Result<bool, SaverError> {
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM thread_records WHERE thread = ?1)")
        .and_then(|mut select| select.query_row([thread], |row| row.get(0)))
        .map_err(sql)
}

/// The record of a thread, by name.
pub(crate) fn of_name(
    db: &Connection,
    seal: &Seal,
    name: &ThreadId,
) -> Result<Option<ThreadRecord>, SaverError> {
    match graphs::thread(db, name)? {
        Some(row) => find(db, seal, row.thread),
        None => Ok(None),
    }
}

/// The thread that has a UUID.
pub(crate) fn of_uuid(db: &Connection, uuid: u128) -> Result<Option<ThreadId>, SaverError> {
    let called = ThreadId::of_uuid(uuid);
    if graphs::thread(db, &called)?.is_some() {
        return Ok(Some(called));
    }
    let named: Option<String> = db
        .prepare_cached("SELECT name FROM threads WHERE uuid = ?1 ORDER BY thread LIMIT 1")
        .and_then(|mut select| {
            let named = select.query_row([uuid.to_be_bytes()], |row| graphs::name_in(row, 0));
            named.optional()
        })
        .map_err(sql)?;
    Ok(named.map(ThreadId::from))
}

/// Makes or changes the record of a thread; returns the thread's number too.
pub(crate) fn stamp(
    writer: &mut Writer,
    name: &ThreadId,
    stamp: StampThread,
) -> Result<(i64, ThreadRecord), SaverError> {
    let found = graphs::thread(writer.db()?, name)?;
    let (known, has_content) = match &found {
        None => (None, false),
        Some(row) => (
            find(writer.db()?, &writer.seal, row.thread)?,
            graphs::has_content(writer.db()?, row.thread)?,
        ),
    };
    let changed = stamp.apply(name, known.as_ref(), has_content)?;
    let thread = match found {
        Some(row) => row.thread,
        None => graphs::add(writer.change()?, name, 0, None, wall_millis())?,
    };
    match (changed, known) {
        (Some(record), _) => {
            writer.change()?;
            put(writer.db()?, &writer.seal, thread, &record)?;
            Ok((thread, record))
        }
        (None, Some(record)) => Ok((thread, record)),
        (None, None) => Err(SaverError::NoThread {
            thread: name.clone(),
        }),
    }
}

/// Removes the record of a thread.
pub(crate) fn remove(db: &Connection, thread: i64) -> Result<(), SaverError> {
    db.prepare_cached("DELETE FROM thread_records WHERE thread = ?1")
        .and_then(|mut delete| delete.execute([thread]))
        .map(drop)
        .map_err(sql)
}

/// Copies all records into another database, whose threads have the same numbers.
pub(crate) fn copy_all(db: &Connection, seal: &Seal, to: &mut Writer) -> Result<(), SaverError> {
    let mut select = db
        .prepare("SELECT thread, body FROM thread_records")
        .map_err(sql)?;
    let mut rows = select.query([]).map_err(sql)?;
    while let Some(row) = rows.next().map_err(sql)? {
        let (thread, body): (i64, Vec<u8>) = (row.get(0).map_err(sql)?, row.get(1).map_err(sql)?);
        let record = open(seal, thread, &body)?;
        to.change()?;
        put(to.db()?, &to.seal, thread, &record)?;
    }
    Ok(())
}
