//! Event logs of threads.
//!
//! Each entry has the cursor of the one before it, and `logs` has the newest, so a missing entry is
//! detected. Content that entries repeat is stored once (`parts`).

use std::{collections::BTreeSet, io};

use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;
use superstep_core::{
    codec::{BlobId, envelope::Address, parts::split},
    error::SaverError,
    event::{Cursor, Entry, Logged},
    id::{CheckpointId, ThreadId},
    saver::Events,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    error::{self, sql},
    graphs,
    parts::{self, PartReader},
    seal::Seal,
    watch::Topic,
    writer::Writer,
};

/// Entries per page where a whole log is read.
const PAGE: usize = 256;

/// Appends to the log of a thread that is leased under this epoch.
pub(crate) fn log(writer: &mut Writer, events: &Events) -> Result<(), SaverError> {
    let Events {
        thread,
        epoch,
        events,
    } = events;
    let conflict = || SaverError::Conflict {
        thread: thread.clone(),
    };
    let leased = writer.leased.get(thread).ok_or_else(conflict)?;
    let own = leased.epoch;
    let row = graphs::thread(writer.db()?, thread)?.ok_or_else(conflict)?;
    if i64::try_from(*epoch) != Ok(own) || row.epoch != own {
        return Err(conflict());
    }
    validate(writer, thread, events)?;
    append(writer, thread, events)
}

/// Checks that these entries continue the log of a leased thread.
pub(crate) fn validate(
    writer: &Writer,
    name: &ThreadId,
    entries: &[Logged],
) -> Result<(), SaverError> {
    if entries.is_empty() {
        return Ok(());
    }
    let Some(leased) = writer.leased.get(name) else {
        return Ok(());
    };
    let mut newest = newest(writer.log_db()?, leased.thread)?;
    for entry in entries {
        let cursor = entry.cursor;
        if i64::try_from(cursor.epoch) != Ok(leased.epoch) || newest >= Some(cursor) {
            let why = format!("entry {cursor} of the log does not follow what is there");
            return Err(SaverError::Corrupt(why));
        }
        newest = Some(cursor);
    }
    Ok(())
}

/// Appends entries that were validated.
pub(crate) fn append(
    writer: &mut Writer,
    name: &ThreadId,
    entries: &[Logged],
) -> Result<(), SaverError> {
    let Some(last) = entries.last() else {
        return Ok(());
    };
    let Some(leased) = writer.leased.get(name) else {
        return Ok(());
    };
    let thread = leased.thread;
    let mut prev = newest(writer.log_db()?, thread)?;
    for entry in entries {
        put(writer, thread, prev, entry)?;
        prev = Some(entry.cursor);
    }
    set_end(writer.change_log()?, thread, last.cursor)?;
    writer.changes.add(Topic::Log(name.clone()));
    Ok(())
}

/// The first entries of a thread's log after a cursor.
pub(crate) fn after(
    db: &Connection,
    seal: &Seal,
    name: &ThreadId,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Vec<Logged>, SaverError> {
    match graphs::thread(db, name)? {
        Some(row) => read_linked(db, seal, row.thread, after, limit),
        None => Ok(Vec::new()),
    }
}

/// Reads all of a log, and returns how many entries it has.
pub(crate) fn check(db: &Connection, seal: &Seal, thread: i64) -> Result<usize, SaverError> {
    let (mut count, mut at) = (0, None);
    loop {
        let page = read_linked(db, seal, thread, at, PAGE)?;
        let Some(last) = page.last() else {
            return Ok(count);
        };
        at = Some(last.cursor);
        count += page.len();
    }
}

/// Adds the blobs that a log refers to.
pub(crate) fn blobs(
    db: &Connection,
    seal: &Seal,
    thread: i64,
    found: &mut BTreeSet<BlobId>,
) -> Result<(), SaverError> {
    let (mut at, mut parts) = (None, PartReader::new(db, seal));
    loop {
        let page = read(db, seal, thread, at, PAGE)?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        at = Some(last.cursor);
        for stored in page {
            let reached = parts.reach(&stored.bytes, found);
            reached.map_err(|error| error::decode(&stored.name(), &error))?;
        }
    }
}

fn read_linked(
    db: &Connection,
    seal: &Seal,
    thread: i64,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Vec<Logged>, SaverError> {
    let lost = || SaverError::Corrupt("an event log lacks entries".to_owned());
    let (mut entries, mut at) = (Vec::new(), after);
    let mut parts = PartReader::new(db, seal);
    for stored in read(db, seal, thread, after, limit)? {
        let (prev, entry) = stored.decode(&mut parts)?;
        // The first entry after a cursor follows it, or an entry that was pruned.
        let linked = match entries.is_empty() {
            true => prev <= after,
            false => prev == at,
        };
        if !linked {
            return Err(lost());
        }
        at = Some(entry.cursor);
        entries.push(entry);
    }
    if entries.len() < limit && at < newest(db, thread)? {
        return Err(lost());
    }
    Ok(entries)
}

/// What is stored per entry: the cursor of the one before it, the entry, its time. Files of earlier
/// versions have no time.
#[derive(Deserialize)]
struct Body(Option<Cursor>, Entry, #[serde(default)] Option<u64>);

/// An entry as stored: parts are references.
struct StoredEntry {
    cursor: Cursor,
    checkpoint: Option<CheckpointId>,
    bytes: Vec<u8>,
}

impl StoredEntry {
    fn name(&self) -> String {
        format!("entry {} of a log", self.cursor)
    }

    fn corrupt(&self, why: &dyn std::fmt::Display) -> SaverError {
        SaverError::Corrupt(format!("{}: {why}", self.name()))
    }

    /// The entry, and the cursor of the one before it.
    fn decode(&self, parts: &mut PartReader<'_>) -> Result<(Option<Cursor>, Logged), SaverError> {
        let joined = parts.join(&self.bytes);
        let bytes = joined.map_err(|error| error::decode(&self.name(), &error))?;
        let body = rmp_serde::from_slice(&bytes);
        let Body(prev, entry, at) = body.map_err(|error| self.corrupt(&error))?;
        let logged = Logged {
            cursor: self.cursor,
            checkpoint: self.checkpoint,
            at,
            entry,
        };
        Ok((prev, logged))
    }

    /// The same entry with another predecessor; its parts stay references.
    fn relinked(&self, prev: Option<Cursor>) -> Result<Vec<u8>, SaverError> {
        let short = || self.corrupt(&"it ends too early");
        // An array of two or three: the cursor of the entry before it, the entry, its time.
        let (head, rest) = self.bytes.split_first().ok_or_else(short)?;
        let mut from = rmp_serde::Deserializer::new(io::Cursor::new(rest));
        let before: Result<Option<Cursor>, _> = Deserialize::deserialize(&mut from);
        before.map_err(|error| self.corrupt(&error))?;
        let read = usize::try_from(from.position()).unwrap_or(usize::MAX);
        let mut bytes = vec![*head];
        bytes.extend(encode(&prev)?);
        bytes.extend(rest.get(read..).ok_or_else(short)?);
        Ok(bytes)
    }
}

fn encode<T: serde::Serialize>(thing: &T) -> Result<Vec<u8>, SaverError> {
    rmp_serde::to_vec_named(thing).map_err(|error| SaverError::Unstorable(error.to_string()))
}

fn read(
    db: &Connection,
    seal: &Seal,
    thread: i64,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Vec<StoredEntry>, SaverError> {
    let (epoch, n) = after.map_or((0, -1), numbers);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut select = db
        .prepare_cached(
            "SELECT epoch, n, checkpoint, body FROM events
             WHERE thread = ?1 AND (epoch, n) > (?2, ?3) ORDER BY epoch, n LIMIT ?4",
        )
        .map_err(sql)?;
    let mut rows = select
        .query(params![thread, epoch, n, limit])
        .map_err(sql)?;
    let mut entries = Vec::new();
    while let Some(found) = rows.next().map_err(sql)? {
        let number = |column| found.get::<_, i64>(column).map_err(sql);
        let cursor = cursor(number(0)?, number(1)?);
        let checkpoint: Option<[u8; 16]> = found.get(2).map_err(sql)?;
        let checkpoint = checkpoint.map(|id| CheckpointId(u128::from_be_bytes(id)));
        let body: Vec<u8> = found.get(3).map_err(sql)?;
        let what = format!("entry {cursor} of a log");
        let bytes = seal.open(&body, place(thread, cursor, checkpoint), &what)?;
        entries.push(StoredEntry {
            cursor,
            checkpoint,
            bytes: bytes.into_owned(),
        });
    }
    Ok(entries)
}

/// The newest entry of a thread's log.
fn newest(db: &Connection, thread: i64) -> Result<Option<Cursor>, SaverError> {
    let found: Option<(i64, i64, i64)> = db
        .prepare_cached("SELECT epoch, n, sum FROM logs WHERE thread = ?1")
        .and_then(|mut select| {
            let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            select.query_row([thread], read).optional()
        })
        .map_err(sql)?;
    let Some((epoch, n, stored)) = found else {
        return absent(db, thread);
    };
    let newest = cursor(epoch, n);
    if sum(thread, newest) != stored {
        let why = "the end of a log is damaged".to_owned();
        return Err(SaverError::Corrupt(why));
    }
    Ok(Some(newest))
}

/// A log without a row in `logs` must have no entries.
fn absent(db: &Connection, thread: i64) -> Result<Option<Cursor>, SaverError> {
    let entries: bool = db
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM events WHERE thread = ?1)")
        .and_then(|mut select| select.query_row([thread], |row| row.get(0)))
        .map_err(sql)?;
    if entries {
        return Err(SaverError::Corrupt("a log has lost its end".to_owned()));
    }
    Ok(None)
}

/// Removes the log of a thread.
pub(crate) fn remove(db: &Connection, thread: i64) -> Result<(), SaverError> {
    for statement in [
        "DELETE FROM events WHERE thread = ?1",
        "DELETE FROM logs WHERE thread = ?1",
    ] {
        db.prepare_cached(statement)
            .and_then(|mut delete| delete.execute([thread]))
            .map_err(sql)?;
    }
    Ok(())
}

/// Removes entries of checkpoints before the oldest that is left.
pub(crate) fn prune(
    writer: &mut Writer,
    thread: i64,
    oldest: CheckpointId,
) -> Result<(), SaverError> {
    let all = read(writer.db()?, &writer.seal, thread, None, usize::MAX)?;
    rewrite(
        writer,
        thread,
        thread,
        |entry| entry.checkpoint >= Some(oldest),
        all,
    )
}

/// Copies the log of a thread.
pub(crate) fn copy(writer: &mut Writer, from: i64, to: i64) -> Result<(), SaverError> {
    let all = read(writer.db()?, &writer.seal, from, None, usize::MAX)?;
    rewrite(writer, from, to, |_| true, all)
}

/// Copies the log of a thread into another database, under the same number; returns how many entries
/// it has.
pub(crate) fn copy_all(
    db: &Connection,
    seal: &Seal,
    thread: i64,
    to: &mut Writer,
) -> Result<usize, SaverError> {
    let (mut count, mut at) = (0, None);
    loop {
        let page = read(db, seal, thread, at, PAGE)?;
        let Some(last) = page.last() else {
            break;
        };
        at = Some(last.cursor);
        let mut parts = PartReader::new(db, seal);
        for stored in &page {
            let (prev, entry) = stored.decode(&mut parts)?;
            put(to, thread, prev, &entry)?;
        }
        count += page.len();
    }
    // A log that was pruned has an end too.
    if let Some(newest) = newest(db, thread)? {
        set_end(to.change()?, thread, newest)?;
    }
    Ok(count)
}

/// Rewrites the entries of a log that pass a filter, linked to each other. The caller updates which
/// blobs are used.
fn rewrite(
    writer: &mut Writer,
    from: i64,
    to: i64,
    wants: impl Fn(&StoredEntry) -> bool,
    entries: Vec<StoredEntry>,
) -> Result<(), SaverError> {
    if from == to {
        remove(writer.change()?, to)?;
    }
    let mut prev = None;
    for entry in entries.iter().filter(|entry| wants(entry)) {
        let bytes = entry.relinked(prev)?;
        insert(writer, to, entry.cursor, entry.checkpoint, &bytes)?;
        prev = Some(entry.cursor);
    }
    match prev {
        Some(last) => set_end(writer.change()?, to, last),
        None => Ok(()),
    }
}

fn put(
    writer: &mut Writer,
    thread: i64,
    prev: Option<Cursor>,
    entry: &Logged,
) -> Result<(), SaverError> {
    let bytes = encode(&(prev, &entry.entry, entry.at))?;
    let split = split(&bytes, &writer.seal).map_err(|error| error::encode(&error))?;
    parts::put(writer, thread, &split)?;
    insert(writer, thread, entry.cursor, entry.checkpoint, &split.bytes)
}

fn insert(
    writer: &mut Writer,
    thread: i64,
    cursor: Cursor,
    checkpoint: Option<CheckpointId>,
    bytes: &[u8],
) -> Result<(), SaverError> {
    let body = writer.seal.seal(bytes, place(thread, cursor, checkpoint))?;
    let (epoch, n) = numbers(cursor);
    let checkpoint = checkpoint.map(|id| id.0.to_be_bytes());
    writer
        .change_log()?
        .prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5)")
        .and_then(|mut insert| insert.execute(params![thread, epoch, n, checkpoint, body]))
        .map(drop)
        .map_err(sql)
}

fn set_end(db: &Connection, thread: i64, newest: Cursor) -> Result<(), SaverError> {
    let (epoch, n) = numbers(newest);
    db.prepare_cached("REPLACE INTO logs VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut replace| replace.execute([thread, epoch, n, sum(thread, newest)]))
        .map(drop)
        .map_err(sql)
}

fn cursor(epoch: i64, n: i64) -> Cursor {
    Cursor {
        epoch: epoch as u64,
        n: n as u64,
    }
}

fn numbers(cursor: Cursor) -> (i64, i64) {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    (number(cursor.epoch), number(cursor.n))
}

/// Checksum of a row in `logs`.
fn sum(thread: i64, newest: Cursor) -> i64 {
    let numbers = [thread as u64, newest.epoch, newest.n];
    xxh3_64(numbers.map(u64::to_be_bytes).as_flattened()) as i64
}

fn place(thread: i64, cursor: Cursor, checkpoint: Option<CheckpointId>) -> Address {
    let id = checkpoint.map_or(0, |id| id.0);
    let beside = [
        thread as u64,
        cursor.epoch,
        cursor.n,
        u64::from(checkpoint.is_some()),
        (id >> 64) as u64,
        id as u64,
    ];
    Address::of(beside.map(u64::to_be_bytes).as_flattened())
}

#[cfg(test)]
mod tests {
    use superstep_core::event::Ending;

    use super::*;

    #[test]
    fn an_entry_of_a_file_without_parts_is_read() -> Result<(), Box<dyn std::error::Error>> {
        let message = "as it was stored then ".repeat(2000);
        let entry = Entry::Ended(Ending::Failed {
            code: "SS1001".into(),
            message,
        });
        let cursor = Cursor { epoch: 1, n: 2 };
        let stored = StoredEntry {
            cursor,
            checkpoint: None,
            bytes: rmp_serde::to_vec_named(&(Some(cursor.before()), &entry, Some(7_u64)))?,
        };
        let (db, seal) = (Connection::open_in_memory()?, Seal::default());
        let (prev, read) = stored.decode(&mut PartReader::new(&db, &seal))?;
        assert_eq!((prev, read.entry), (Some(cursor.before()), entry));
        Ok(())
    }

    #[test]
    fn an_entry_of_a_file_without_times_is_read() -> Result<(), Box<dyn std::error::Error>> {
        let prev = Some(Cursor { epoch: 1, n: 2 });
        let old = rmp_serde::to_vec_named(&(prev, Entry::Ended(Ending::Done)))?;
        let Body(read, entry, at) = rmp_serde::from_slice(&old)?;
        assert_eq!((read, entry, at), (prev, Entry::Ended(Ending::Done), None));
        Ok(())
    }
}
