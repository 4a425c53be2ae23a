//! Hand-over of what servers of earlier versions kept in the long-term store: records of threads, and work after runs.
//!
//! A migration leaves a counter; whoever opens the file next moves the documents in one transaction and removes it.

use rusqlite::{Connection, params};
use serde_json::Value as Json;
use superstep_core::{
    error::SaverError,
    id::{RunId, ThreadId},
    runs::{AfterRun, PendingAfter},
    thread_record::StampThread,
};
use superstep_store::Namespace;

use crate::{
    clock::wall_millis,
    error::sql,
    graphs,
    item_place::{self, ValueAt},
    records, runs,
    seal::Seal,
    writer::Writer,
};

/// Where the store has records of threads.
const THREADS: [&str; 2] = ["threads", "served"];

/// Where it has what is to be done after runs.
const AFTER_RUNS: [&str; 2] = ["runs", "after"];

/// Moves the documents, if that was not done yet.
pub(crate) fn complete(writer: &mut Writer) -> Result<(), SaverError> {
    let is_due: bool = writer
        .db()?
        .query_row(
            "SELECT EXISTS (SELECT 1 FROM counters WHERE name = 'handover')",
            [],
            |row| row.get(0),
        )
        .map_err(sql)?;
    if !is_due {
        return Ok(());
    }
    writer.change()?;
    let (db, seal) = (writer.db()?, &writer.seal);
    name(db)?;
    move_records(db, seal)?;
    move_after_runs(db, seal)?;
    db.execute("DELETE FROM counters WHERE name = 'handover'", [])
        .map(drop)
        .map_err(sql)
}

/// The documents of a namespace: their numbers, keys and values. Damaged ones stay where they are, for a check of the file
/// to name.
fn documents(
    db: &Connection,
    seal: &Seal,
    place: [&str; 2],
) -> Result<Vec<(i64, String, Json)>, SaverError> {
    type Columns = (i64, String, i64, i64, Option<i64>, Vec<u8>);
    let namespace =
        Namespace::new(place).map_err(|error| SaverError::Corrupt(error.to_string()))?;
    let rows: Vec<Columns> = db
        .prepare(
            "SELECT i.id, i.key, i.created_at, i.updated_at, i.ttl, i.value
             FROM store_namespaces n JOIN store_items i ON i.namespace = n.id
             WHERE n.labels = ?1 ORDER BY i.id",
        )
        .and_then(|mut select| {
            let rows = select.query_map([item_place::written(namespace.labels())], |row| {
                let (id, key, created, updated) =
                    (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                Ok((id, key, created, updated, row.get(4)?, row.get(5)?))
            })?;
            rows.collect()
        })
        .map_err(sql)?;
    let read = |(id, key, created_at, updated_at, ttl, value): Columns| {
        let what = format!("the document of thread or run {key}");
        let place = item_place::value(ValueAt {
            namespace: &namespace,
            key: &key,
            created_at,
            updated_at,
            ttl,
        });
        let text = seal.open(&value, place, &what)?;
        let document = serde_json::from_slice(&text)
            .map_err(|error| SaverError::Corrupt(format!("{what}: {error}")))?;
        Ok((id, key, document))
    };
    rows.into_iter()
        .map(read)
        .filter(|read| !read.as_ref().is_err_and(SaverError::is_damage))
        .collect()
}

fn forget(db: &Connection, item: i64) -> Result<(), SaverError> {
    db.prepare_cached("DELETE FROM store_items WHERE id = ?1")
        .and_then(|mut delete| delete.execute([item]))
        .map(drop)
        .map_err(sql)
}

/// Notes the UUIDs of threads.
fn name(db: &Connection) -> Result<(), SaverError> {
    let threads: Vec<(i64, String)> = db
        .prepare("SELECT thread, name FROM threads")
        .and_then(|mut select| {
            let rows = select.query_map([], |row| Ok((row.get(0)?, graphs::name_in(row, 1)?)))?;
            rows.collect()
        })
        .map_err(sql)?;
    for (thread, name) in threads {
        if let Some(uuid) = graphs::uuid_beside(&ThreadId::from(name)) {
            db.prepare_cached("UPDATE threads SET uuid = ?2 WHERE thread = ?1")
                .and_then(|mut update| update.execute(params![thread, uuid]))
                .map_err(sql)?;
        }
    }
    Ok(())
}

fn move_records(db: &Connection, seal: &Seal) -> Result<(), SaverError> {
    for (item, id, document) in documents(db, seal, THREADS)? {
        let name = document.get("name").and_then(Json::as_str).unwrap_or(&id);
        let name = ThreadId::from(name);
        let thread = match graphs::thread(db, &name)? {
            Some(row) => row.thread,
            None => graphs::add(db, &name, 0, None, wall_millis())?,
        };
        let time = |field| document.get(field).and_then(Json::as_i64).unwrap_or(0);
        let metadata = document.get("metadata").cloned().unwrap_or_default();
        let stamp = StampThread {
            owner: document.get("owner").and_then(Json::as_str).map(Into::into),
            created: time("created"),
            ..StampThread::at(time("updated"), metadata.into())
        };
        // What the thread has is its owner's already.
        if let Some(record) = stamp.apply(&name, None, false)? {
            records::put(db, seal, thread, &record)?;
        }
        forget(db, item)?;
    }
    Ok(())
}

fn move_after_runs(db: &Connection, seal: &Seal) -> Result<(), SaverError> {
    for (item, id, document) in documents(db, seal, AFTER_RUNS)? {
        let removes_thread = document.get("temporary") == Some(&Json::Bool(true));
        let found = id.parse::<RunId>().ok();
        let found = found.map(|run| runs::find(db, seal, run)).transpose()?;
        if let Some(mut row) = found.flatten() {
            let left = AfterRun {
                calls: true,
                removes_thread,
            };
            row.record.after = PendingAfter::new(left, None, 0);
            row.update_in(db, seal)?;
        } else if let Some(thread) = document.get("thread").and_then(Json::as_str)
            && let Some(row) = graphs::thread(db, &ThreadId::from(thread))?
            && removes_thread
        {
            // Its run was never accepted.
            records::remove(db, row.thread)?;
        }
        forget(db, item)?;
    }
    Ok(())
}
