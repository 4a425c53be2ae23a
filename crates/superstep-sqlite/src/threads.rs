//! Operations on whole threads: list, delete, copy, prune, retention, archives.
//!
//! Each runs on the writer in one transaction, and only on threads that nobody has leased; `rewind` only
//! on those that its caller has.

mod archive;
mod copy;
mod delete;
mod lost_pages;
mod prune;
mod rewind;

use rusqlite::Connection;
use superstep_core::{error::SaverError, id::ThreadId};

use crate::{
    clock::wall_millis,
    error::sql,
    graphs::{self, GraphRow, ThreadRow},
    index_backlog, lease,
    row::{Row, Rows},
    writer::Writer,
};

pub(crate) use archive::{export, import};
pub(crate) use copy::copy;
pub(crate) use delete::delete;
pub(crate) use prune::{RetentionOutcome, prune, retain};
pub(crate) use rewind::rewind;

/// The names of all threads that have a record, in order. None at all is believed only if nothing is
/// left of any. A name that is damaged is listed as it reads: the thread is there, it can be deleted, and
/// whatever else is done to it by that name says that it is damaged or not found.
pub(crate) fn list(db: &Connection) -> Result<Vec<ThreadId>, SaverError> {
    let all: Vec<ThreadId> = db
        .prepare_cached(
            "SELECT name FROM threads
             WHERE EXISTS (SELECT 1 FROM graphs WHERE graphs.thread = threads.thread)
             ORDER BY name",
        )
        .and_then(|mut select| {
            let rows = select.query_map([], |row| graphs::name_in(row, 0).map(ThreadId::from))?;
            rows.collect()
        })
        .map_err(sql)?;
    if all.is_empty() {
        lost_pages::refuse(db)?;
    }
    Ok(all)
}

/// Refuses a file that shows no thread, unless nothing is left of any.
pub(crate) fn refuse_emptied(db: &Connection) -> Result<(), SaverError> {
    let has_any = "SELECT EXISTS (SELECT 1 FROM threads
         WHERE EXISTS (SELECT 1 FROM graphs WHERE graphs.thread = threads.thread))";
    let has_any = db.query_row(has_any, [], |row| row.get(0)).map_err(sql)?;
    match has_any {
        true => Ok(()),
        false => lost_pages::refuse(db),
    }
}

/// A thread that has records and no lease.
fn find_free(
    writer: &Writer,
    name: &ThreadId,
    worker: i64,
) -> Result<(ThreadRow, Vec<GraphRow>), SaverError> {
    let missing = || SaverError::NoThread {
        thread: name.clone(),
    };
    let row = graphs::thread(writer.db()?, name)?.ok_or_else(missing)?;
    let graphs = graphs::all(writer.db()?, row.thread)?;
    if graphs.is_empty() {
        return Err(missing());
    }
    lease::refuse_if_leased(writer, name, &row, worker)?;
    Ok((row, graphs))
}

/// Creates a thread, or reuses one that has no records and no lease.
fn create(writer: &mut Writer, name: &ThreadId, worker: i64) -> Result<i64, SaverError> {
    let now = wall_millis();
    let Some(row) = graphs::thread(writer.db()?, name)? else {
        let thread = graphs::add(writer.change()?, name, 0, None, now)?;
        index_backlog::note(writer.change()?, thread)?;
        return Ok(thread);
    };
    if graphs::has_records(writer.db()?, row.thread)? {
        return Err(SaverError::Exists {
            thread: name.clone(),
        });
    }
    lease::refuse_if_leased(writer, name, &row, worker)?;
    index_backlog::note(writer.change()?, row.thread)?;
    Ok(row.thread)
}

/// All rows of a graph, oldest first.
fn rows(db: &Connection, graph: &GraphRow) -> Result<Vec<Row>, SaverError> {
    let mut rows = Vec::new();
    let mut log = Rows::new(db)?;
    let mut at = Some(log.get(graph.last)?);
    while let Some(row) = at.take() {
        if let Some(prev) = row.prev {
            at = Some(log.follow(&row, prev)?);
        }
        rows.push(row);
    }
    rows.reverse();
    Ok(rows)
}
