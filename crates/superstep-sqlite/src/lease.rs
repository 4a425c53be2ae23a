//! Who may write a thread.
//!
//! A thread names the process that holds it and the epoch of the newest lease. The holder's sign of
//! life is one row for all its threads. Whoever takes a thread over raises the epoch, and a commit
//! checks the epoch in the statement that makes it count. When a lease ends is a [`Moment`], which no
//! jump of the wall clock moves.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};
use superstep_core::{error::SaverError, id::ThreadId};

use crate::{
    clock::{Moment, wall},
    error::sql,
    graphs::{self, ThreadRow, digest},
    worker::Worker,
    writer::{Held, Writer},
};

/// Claims a thread for the worker and returns the epoch.
pub(crate) fn claim(
    writer: &mut Writer,
    name: &ThreadId,
    worker: i64,
    lease: Duration,
) -> Result<Claimed, SaverError> {
    let (now, used) = (Moment::now(), wall());
    let found = graphs::thread(writer.db()?, name)?;
    if let Some(row) = &found {
        refuse_if_taken(writer, name, row, worker)?;
    }
    let age = writer.renewed.and_then(|renewed| renewed.until(now));
    if age.is_none_or(|age| age >= lease / 4) {
        renew(writer.change()?, worker, now, lease)?;
        writer.renewed = Some(now);
    }
    if !writer.outran {
        outrun(writer)?;
        (writer.outran, writer.outruns) = (true, true);
    }
    let epoch = writer.next_epoch()?;
    let is_new = found.is_none();
    let db = writer.change()?;
    let thread = match found {
        Some(row) => {
            db.prepare_cached(
                "UPDATE threads SET epoch = ?2, worker = ?3, used = ?4 WHERE thread = ?1",
            )
            .and_then(|mut update| update.execute(params![row.thread, epoch, worker, used]))
            .map_err(sql)?;
            row.thread
        }
        None => add(db, name, epoch, Some(worker), used)?,
    };
    let held = Held {
        thread,
        epoch,
        graphs: Default::default(),
        complete: is_new,
    };
    writer.hold(name.clone(), held);
    Ok(Claimed {
        epoch: epoch as u64,
        is_new,
    })
}

/// A thread that was claimed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claimed {
    pub(crate) epoch: u64,
    /// Whether it was made by the claim.
    pub(crate) is_new: bool,
}

/// Passes over the epochs that were given and that a power cut took back, as leases are not synced:
/// they may stand in cursors that readers of an event log have seen.
fn outrun(writer: &mut Writer) -> Result<(), SaverError> {
    // More than were ever given between two syncs of the file.
    const LOST: i64 = 1_000_000;
    writer
        .change()?
        .execute(
            "UPDATE counters SET value = value + ?1 WHERE name = 'epoch'",
            [LOST],
        )
        .map(drop)
        .map_err(sql)
}

/// Adds a thread.
pub(crate) fn add(
    db: &Connection,
    name: &ThreadId,
    epoch: i64,
    worker: Option<i64>,
    now: i64,
) -> Result<i64, SaverError> {
    let text = name.as_str();
    db.prepare_cached(
        "INSERT INTO threads (name, digest, epoch, worker, used) VALUES (?1, ?2, ?3, ?4, ?5)",
    )
    .and_then(|mut insert| insert.execute(params![text, digest(text), epoch, worker, now]))
    .map_err(sql)?;
    Ok(db.last_insert_rowid())
}

/// Gives a thread back, if it is held under this epoch, or under any; `now` is when its holder was
/// done. One that nobody has written goes with its lease.
pub(crate) fn release(
    writer: &mut Writer,
    name: &ThreadId,
    epoch: Option<u64>,
    now: i64,
) -> Result<(), SaverError> {
    let Some(held) = writer.held.get(name) else {
        return Ok(());
    };
    if epoch.is_some_and(|epoch| i64::try_from(epoch) != Ok(held.epoch)) {
        return Ok(());
    }
    let (thread, epoch) = (held.thread, held.epoch);
    let written = !held.graphs.is_empty();
    writer.held.remove(name);
    let used = written || graphs::is_kept(writer.db()?, thread)?;
    let statement = if used {
        "UPDATE threads SET worker = NULL, used = ?3 WHERE thread = ?1 AND epoch = ?2"
    } else {
        "DELETE FROM threads WHERE thread = ?1 AND epoch = ?2 AND ?3 > 0"
    };
    writer
        .change()?
        .prepare_cached(statement)
        .and_then(|mut end| end.execute(params![thread, epoch, now]))
        .map(drop)
        .map_err(sql)
}

/// Says [`SaverError::Busy`] if somebody holds the thread.
pub(crate) fn refuse_if_taken(
    writer: &Writer,
    name: &ThreadId,
    row: &ThreadRow,
    worker: i64,
) -> Result<(), SaverError> {
    let busy = || SaverError::Busy {
        thread: name.clone(),
    };
    let Some(holder) = row.worker else {
        return Ok(());
    };
    // Whether this process uses its own is known before work reaches the writer.
    if holder == worker {
        return Ok(());
    }
    let expires: Option<i64> = writer
        .db()?
        .prepare_cached("SELECT expires FROM workers WHERE worker = ?1")
        .and_then(|mut select| select.query_row([holder], |row| row.get(0)).optional())
        .map_err(sql)?;
    let now = Moment::now();
    let alive = expires.is_some_and(|expires| now.is_before(expires));
    if alive && Worker::is_there(&writer.path, holder) {
        return Err(busy());
    }
    Ok(())
}

/// Shows that a worker is alive.
pub(crate) fn renew(
    db: &Connection,
    worker: i64,
    now: Moment,
    lease: Duration,
) -> Result<(), SaverError> {
    let expires = now.after(lease).stored();
    // While it is young, a sign of life needs no new one.
    let young = now.after(lease / 2).stored();
    db.prepare_cached(
        "INSERT INTO workers VALUES (?1, ?2) ON CONFLICT (worker)
         DO UPDATE SET expires = ?2 WHERE expires < ?3 OR expires > ?2",
    )
    .and_then(|mut upsert| upsert.execute(params![worker, expires, young]))
    .map(drop)
    .map_err(sql)
}

/// Forgets workers that are not there any more.
pub(crate) fn bury(writer: &mut Writer) -> Result<(), SaverError> {
    let all: Vec<i64> = writer
        .db()?
        .prepare_cached("SELECT worker FROM workers")
        .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
        .map_err(sql)?;
    for worker in all {
        if Worker::is_there(&writer.path, worker) {
            continue;
        }
        leave(writer.change()?, worker)?;
    }
    Ok(())
}

/// Takes a worker's sign of life away.
pub(crate) fn leave(db: &Connection, worker: i64) -> Result<(), SaverError> {
    db.prepare_cached("DELETE FROM workers WHERE worker = ?1")
        .and_then(|mut delete| delete.execute([worker]))
        .map(drop)
        .map_err(sql)
}
