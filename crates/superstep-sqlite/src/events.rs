//! The event log of a thread.

use rusqlite::{Connection, OptionalExtension, params};
use superstep_core::{
    codec::envelope::Place,
    event::{Cursor, Entry, Logged},
    id::{CheckpointId, ThreadId},
    saver::{Events, SaverError},
};

use crate::{error::sql, graphs, seal::Seal, writer::Writer};

/// Appends to the log of a thread whose holder has this epoch.
pub(crate) fn log(writer: &mut Writer, events: &Events) -> Result<(), SaverError> {
    let Events {
        thread,
        epoch,
        events,
    } = events;
    let conflict = || SaverError::Conflict {
        thread: thread.clone(),
    };
    let held = writer.held.get(thread).ok_or_else(conflict)?;
    let own = held.epoch;
    let row = graphs::thread(writer.db()?, thread)?.ok_or_else(conflict)?;
    if i64::try_from(*epoch) != Ok(own) || row.epoch != own {
        return Err(conflict());
    }
    append(writer, thread, events)
}

/// Appends to the log of a thread that is held.
pub(crate) fn append(
    writer: &mut Writer,
    name: &ThreadId,
    entries: &[Logged],
) -> Result<(), SaverError> {
    let (Some(held), false) = (writer.held.get(name), entries.is_empty()) else {
        return Ok(());
    };
    let (thread, epoch) = (held.thread, held.epoch);
    let mut newest = newest(writer.db()?, thread)?;
    for entry in entries {
        let cursor = entry.cursor;
        if i64::try_from(cursor.epoch) != Ok(epoch) || newest >= Some(cursor) {
            let why = format!("entry {cursor} of the log does not follow what is there");
            return Err(SaverError::Corrupt(why));
        }
        newest = Some(cursor);
    }
    for entry in entries {
        let bytes = rmp_serde::to_vec_named(&entry.entry)
            .map_err(|error| SaverError::Unstorable(error.to_string()))?;
        let place = place(thread, entry.cursor, entry.checkpoint);
        let body = writer.seal.seal(&bytes, place)?;
        let (epoch, n) = numbers(entry.cursor);
        let checkpoint = entry.checkpoint.map(|id| id.0.to_be_bytes());
        writer
            .change()?
            .prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5)")
            .and_then(|mut insert| insert.execute(params![thread, epoch, n, checkpoint, body]))
            .map_err(sql)?;
    }
    writer.rings = true;
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
    let Some(row) = graphs::thread(db, name)? else {
        return Ok(Vec::new());
    };
    let (epoch, n) = after.map_or((0, 0), numbers);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut select = db
        .prepare_cached(
            "SELECT epoch, n, checkpoint, body FROM events
             WHERE thread = ?1 AND (epoch, n) > (?2, ?3) ORDER BY epoch, n LIMIT ?4",
        )
        .map_err(sql)?;
    let from = if after.is_some() { n } else { -1 };
    let mut rows = select
        .query(params![row.thread, epoch, from, limit])
        .map_err(sql)?;
    let mut entries = Vec::new();
    while let Some(found) = rows.next().map_err(sql)? {
        let number = |column| found.get::<_, i64>(column).map_err(sql);
        let cursor = Cursor {
            epoch: number(0)? as u64,
            n: number(1)? as u64,
        };
        let checkpoint: Option<[u8; 16]> = found.get(2).map_err(sql)?;
        let checkpoint = checkpoint.map(|id| CheckpointId(u128::from_be_bytes(id)));
        let body: Vec<u8> = found.get(3).map_err(sql)?;
        let what = format!("entry {cursor} of the log of thread `{name}`");
        let bytes = seal.open(&body, place(row.thread, cursor, checkpoint), &what)?;
        let entry: Entry = rmp_serde::from_slice(&bytes)
            .map_err(|error| SaverError::Corrupt(format!("{what}: {error}")))?;
        entries.push(Logged {
            cursor,
            checkpoint,
            entry,
        });
    }
    Ok(entries)
}

/// The newest entry of a thread's log.
pub(crate) fn newest(db: &Connection, thread: i64) -> Result<Option<Cursor>, SaverError> {
    db.prepare_cached(
        "SELECT epoch, n FROM events WHERE thread = ?1 ORDER BY epoch DESC, n DESC LIMIT 1",
    )
    .and_then(|mut select| {
        let read = |row: &rusqlite::Row<'_>| {
            let (epoch, n): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok(Cursor {
                epoch: epoch as u64,
                n: n as u64,
            })
        };
        select.query_row([thread], read).optional()
    })
    .map_err(sql)
}

/// The newest entry of the log of a thread by name.
pub(crate) fn newest_of(db: &Connection, name: &ThreadId) -> Result<Option<Cursor>, SaverError> {
    match graphs::thread(db, name)? {
        Some(row) => newest(db, row.thread),
        None => Ok(None),
    }
}

/// Removes the log of a thread.
pub(crate) fn remove(db: &Connection, thread: i64) -> Result<(), SaverError> {
    db.prepare_cached("DELETE FROM events WHERE thread = ?1")
        .and_then(|mut delete| delete.execute([thread]))
        .map(drop)
        .map_err(sql)
}

/// Removes what belongs to checkpoints before the oldest that is left.
pub(crate) fn prune(db: &Connection, thread: i64, oldest: CheckpointId) -> Result<(), SaverError> {
    db.prepare_cached(
        "DELETE FROM events WHERE thread = ?1 AND (checkpoint IS NULL OR checkpoint < ?2)",
    )
    .and_then(|mut delete| delete.execute(params![thread, oldest.0.to_be_bytes()]))
    .map(drop)
    .map_err(sql)
}

/// Copies the log of a thread.
pub(crate) fn copy(writer: &mut Writer, from: i64, to: i64) -> Result<(), SaverError> {
    type Stored = (i64, i64, Option<[u8; 16]>, Vec<u8>);
    let rows: Vec<Stored> = writer
        .db()?
        .prepare_cached("SELECT epoch, n, checkpoint, body FROM events WHERE thread = ?1")
        .and_then(|mut select| {
            let rows = select.query_map([from], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
            rows.collect()
        })
        .map_err(sql)?;
    for (epoch, n, checkpoint, body) in rows {
        let cursor = Cursor {
            epoch: epoch as u64,
            n: n as u64,
        };
        let id = checkpoint.map(|id| CheckpointId(u128::from_be_bytes(id)));
        let what = format!("entry {cursor} of a log");
        let bytes = writer.seal.open(&body, place(from, cursor, id), &what)?;
        let body = writer.seal.seal(&bytes, place(to, cursor, id))?;
        writer
            .change()?
            .prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5)")
            .and_then(|mut insert| insert.execute(params![to, epoch, n, checkpoint, body]))
            .map_err(sql)?;
    }
    Ok(())
}

fn numbers(cursor: Cursor) -> (i64, i64) {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    (number(cursor.epoch), number(cursor.n))
}

fn place(thread: i64, cursor: Cursor, checkpoint: Option<CheckpointId>) -> Place {
    let id = checkpoint.map_or(0, |id| id.0);
    let beside = [
        thread as u64,
        cursor.epoch,
        cursor.n,
        u64::from(checkpoint.is_some()),
        (id >> 64) as u64,
        id as u64,
    ];
    Place::of(beside.map(u64::to_be_bytes).as_flattened())
}
