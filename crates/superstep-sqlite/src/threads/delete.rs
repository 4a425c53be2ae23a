//! Deleting a thread: its rows are overwritten, in the WAL too. A damaged one is deleted as well, by a
//! search of the whole log, because its rows cannot be followed.

use rusqlite::{Connection, params};
use superstep_core::{error::SaverError, id::ThreadId};

use super::rows;
use crate::{
    error::sql,
    events,
    graphs::{self, GraphRow},
    index_backlog, lease, records, row, runs,
    writer::Writer,
};

/// Deletes a thread, if it exists.
pub(crate) fn delete(writer: &mut Writer, name: &ThreadId, worker: i64) -> Result<(), SaverError> {
    let found = match graphs::thread(writer.db()?, name) {
        // Its name may be what is damaged.
        Ok(None) | Err(SaverError::Corrupt(_)) => graphs::misnamed(writer.db()?, name)?,
        found => found?,
    };
    let Some(thread) = found else {
        return Ok(());
    };
    lease::refuse_if_leased(writer, name, &thread, worker)?;
    let thread = thread.thread;
    let tombstone = writer.next_seq()?;
    match graphs::all(writer.db()?, thread) {
        Ok(all) => {
            for graph in all {
                match empty(writer, &graph) {
                    Err(SaverError::Corrupt(_)) => empty_damaged(writer, graph.graph)?,
                    emptied => emptied?,
                }
            }
        }
        Err(SaverError::Corrupt(_)) => {
            for graph in graphs::numbers(writer.db()?, thread)? {
                empty_damaged(writer, graph)?;
            }
        }
        Err(error) => return Err(error),
    }
    row::leave_tombstone(writer.change()?, tombstone)?;
    events::remove(writer.change()?, thread)?;
    runs::remove(writer.change()?, thread)?;
    index_backlog::remove(writer.change()?, thread)?;
    records::remove(writer.change()?, thread)?;
    forget_uses(writer.change()?, thread)?;
    writer
        .change()?
        .prepare_cached("DELETE FROM threads WHERE thread = ?1")
        .and_then(|mut delete| delete.execute([thread]))
        .map_err(sql)?;
    writer.cache.remove(name);
    writer.scrub_wal = true;
    Ok(())
}

/// Removes a graph with all its rows.
pub(super) fn empty(writer: &mut Writer, graph: &GraphRow) -> Result<(), SaverError> {
    let rows = rows(writer.db()?, graph)?;
    let db = writer.change()?;
    for row in rows {
        row::remove(db, row.seq)?;
    }
    forget_graph(db, graph.graph)
}

/// Removes a graph and every row that says it belongs to it.
fn empty_damaged(writer: &mut Writer, graph: i64) -> Result<(), SaverError> {
    let db = writer.change()?;
    db.prepare_cached("DELETE FROM log WHERE graph = ?1")
        .and_then(|mut delete| delete.execute([graph]))
        .map_err(sql)?;
    forget_graph(db, graph)
}

fn forget_graph(db: &Connection, graph: i64) -> Result<(), SaverError> {
    db.prepare_cached("DELETE FROM graphs WHERE graph = ?1")
        .and_then(|mut delete| delete.execute([graph]))
        .map(drop)
        .map_err(sql)
}

/// Deletes the blob references of a thread, and blobs without references.
pub(super) fn forget_uses(db: &Connection, thread: i64) -> Result<(), SaverError> {
    let used: Vec<i64> = db
        .prepare_cached("DELETE FROM uses WHERE thread = ?1 RETURNING blob")
        .and_then(|mut delete| delete.query_map([thread], |row| row.get(0))?.collect())
        .map_err(sql)?;
    for blob in used {
        db.prepare_cached(
            "DELETE FROM blobs WHERE blob = ?1
             AND NOT EXISTS (SELECT 1 FROM uses WHERE uses.blob = ?1)",
        )
        .and_then(|mut delete| delete.execute(params![blob]))
        .map_err(sql)?;
    }
    Ok(())
}
