//! Leases: one writer per thread, fenced by epochs.
//!
//! The row of a thread has its leaseholder (a worker process) and the epoch of the newest lease. A
//! worker's heartbeat is one row for all its threads. Taking a thread over raises the epoch, which is
//! the fencing token: a commit compares it in the statement that makes the commit visible. Expiry is a
//! [`Moment`], which adjustments of the wall clock do not move.

use std::time::Duration;

use rusqlite::{Connection, params};
use superstep_core::{error::SaverError, id::ThreadId};

use crate::{
    clock::{Moment, wall_millis},
    error::sql,
    graphs::{self, ThreadRow},
    index_backlog, records, runs, worker,
    writer::{LeasedThread, Writer},
};

/// Leases a thread to a worker.
pub(crate) fn claim(
    writer: &mut Writer,
    name: &ThreadId,
    worker: i64,
    lease: Duration,
) -> Result<Claim, SaverError> {
    writer.require_room()?;
    let (now, used) = (Moment::now(), wall_millis());
    let found = graphs::thread(writer.db()?, name)?;
    if let Some(row) = &found {
        refuse_if_leased(writer, name, row, worker)?;
    }
    let age = writer.renewed.and_then(|renewed| renewed.until(now));
    if age.is_none_or(|age| age >= lease / 4) {
        renew(writer.change()?, worker, now, lease)?;
        writer.renewed = Some(now);
    }
    if !writer.epochs_skipped {
        skip_lost_epochs(writer)?;
        (writer.epochs_skipped, writer.skips_epochs) = (true, true);
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
        None => graphs::add(db, name, epoch, Some(worker), used)?,
    };
    index_backlog::note(db, thread)?;
    let leased = LeasedThread {
        thread,
        epoch,
        graphs: Default::default(),
        complete: is_new,
        may_have_runs: !is_new,
        run: None,
    };
    writer.add_lease(name.clone(), leased);
    Ok(Claim {
        epoch: epoch as u64,
        is_new,
    })
}

/// A lease as it was granted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) epoch: u64,
    /// Whether the thread did not exist before.
    pub(crate) is_new: bool,
}

/// Skips epochs that were granted and lost in a power cut, since leases are not fsync'd: readers of
/// an event log may have seen cursors with them.
fn skip_lost_epochs(writer: &mut Writer) -> Result<(), SaverError> {
    // More than can be granted between two fsyncs of the file.
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

/// Releases a thread, if it is leased under this epoch, or under any; `now` is when its holder was
/// done. A thread that was never written is deleted.
pub(crate) fn release(
    writer: &mut Writer,
    name: &ThreadId,
    epoch: Option<u64>,
    now: i64,
) -> Result<(), SaverError> {
    let Some(leased) = writer.leased.get(name) else {
        return Ok(());
    };
    if epoch.is_some_and(|epoch| i64::try_from(epoch) != Ok(leased.epoch)) {
        return Ok(());
    }
    let (thread, epoch) = (leased.thread, leased.epoch);
    let (written, may_have_runs) = (!leased.graphs.is_empty(), leased.may_have_runs);
    writer.leased.remove(name);
    if may_have_runs {
        runs::end_left(writer, thread, epoch)?;
    }
    let used = written
        || graphs::has_content(writer.db()?, thread)?
        || records::exists(writer.db()?, thread)?;
    if !used {
        index_backlog::remove(writer.change()?, thread)?;
    }
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

/// Fails with [`SaverError::Busy`] if another worker has leased the thread.
pub(crate) fn refuse_if_leased(
    writer: &Writer,
    name: &ThreadId,
    row: &ThreadRow,
    worker: i64,
) -> Result<(), SaverError> {
    let Some(holder) = row.worker else {
        return Ok(());
    };
    // Whether this process itself uses the thread was checked before the work was submitted.
    if holder != worker && worker::is_alive(writer.db()?, &writer.path, holder)? {
        return Err(SaverError::Busy {
            thread: name.clone(),
        });
    }
    Ok(())
}

/// Writes the heartbeat of a worker.
pub(crate) fn renew(
    db: &Connection,
    worker: i64,
    now: Moment,
    lease: Duration,
) -> Result<(), SaverError> {
    let expires = now.after(lease).stored();
    // A recent heartbeat is not repeated.
    let young = now.after(lease / 2).stored();
    db.prepare_cached(
        "INSERT INTO workers VALUES (?1, ?2) ON CONFLICT (worker)
         DO UPDATE SET expires = ?2 WHERE expires < ?3 OR expires > ?2",
    )
    .and_then(|mut upsert| upsert.execute(params![worker, expires, young]))
    .map(drop)
    .map_err(sql)
}

/// The workers of other processes that are no longer alive.
pub(crate) fn dead_workers(writer: &Writer, own: i64) -> Result<Vec<i64>, SaverError> {
    let db = writer.db()?;
    let all: Vec<i64> = db
        .prepare_cached("SELECT worker FROM workers WHERE worker <> ?1")
        .and_then(|mut select| select.query_map([own], |row| row.get(0))?.collect())
        .map_err(sql)?;
    let mut dead = Vec::new();
    for worker in all {
        if !worker::is_alive(db, &writer.path, worker)? {
            dead.push(worker);
        }
    }
    Ok(dead)
}

/// Removes workers that are no longer alive and have left no run behind: by those that have, processes
/// that claim runs see that there is something to recover.
pub(crate) fn remove_dead_workers(writer: &mut Writer, own: i64) -> Result<(), SaverError> {
    for worker in dead_workers(writer, own)? {
        writer
            .change()?
            .prepare_cached(
                "DELETE FROM workers WHERE worker = ?1 AND NOT EXISTS (
                     SELECT 1 FROM runs JOIN threads USING (thread)
                     WHERE runs.state = 1 AND threads.worker = ?1)",
            )
            .and_then(|mut delete| delete.execute([worker]))
            .map_err(sql)?;
    }
    Ok(())
}

/// Removes a worker's heartbeat.
pub(crate) fn deregister(db: &Connection, worker: i64) -> Result<(), SaverError> {
    db.prepare_cached("DELETE FROM workers WHERE worker = ?1")
        .and_then(|mut delete| delete.execute([worker]))
        .map(drop)
        .map_err(sql)
}
