//! Pruning old checkpoints; those that are kept read as before.

use std::collections::{BTreeSet, HashMap, HashSet};

use superstep_core::{
    clock::UnixMillis,
    codec::record::pack_record,
    error::SaverError,
    id::{CheckpointId, ThreadId},
    record::squash,
    saver::{Keep, Retention},
};

use super::{
    delete::{self, empty, forget_uses},
    find_free, rows,
};
use crate::{
    error::{self, sql},
    events,
    graphs::{self, GraphRow},
    layouts::Layouts,
    lease,
    load::{RecordReader, blobs_of},
    lookup,
    row::{self, Kind, Row},
    runs,
    writer::Writer,
};

/// Drops old checkpoints of a thread and returns how many.
pub(crate) fn prune(
    writer: &mut Writer,
    name: &ThreadId,
    keep: Keep,
    worker: i64,
) -> Result<usize, SaverError> {
    let (thread, graphs) = find_free(writer, name, worker)?;
    let oldest = match keep {
        Keep::Latest => None,
        Keep::Last(n) => {
            let Some(root) = graphs.iter().find(|graph| graph.name.is_root()) else {
                return Ok(0);
            };
            let ids = ids(writer, root)?;
            let Some(oldest) = ids
                .iter()
                .rev()
                .nth(n.max(1).min(ids.len()).saturating_sub(1))
            else {
                return Ok(0);
            };
            Some(*oldest)
        }
    };
    let tombstone = writer.next_seq()?;
    let mut dropped = 0;
    for graph in &graphs {
        let ids = ids(writer, graph)?;
        let keeps = match oldest {
            None => 1,
            Some(oldest) => {
                let since = ids.iter().filter(|id| **id >= oldest).count();
                // The graph of a task ends with the checkpoint it ran from; one that lives with the
                // thread is also read as it was when the oldest kept checkpoint was made.
                match (graph.name.is_root(), graph.name.is_per_task(), since) {
                    (false, true, 0) => 0,
                    (true, ..) => since,
                    (false, ..) => since + 1,
                }
            }
        };
        match ids.len().saturating_sub(keeps) {
            0 => continue,
            all if all == ids.len() => empty(writer, graph)?,
            first => drop_first(writer, graph, first)?,
        }
        dropped += ids.len().saturating_sub(keeps);
    }
    if dropped > 0 {
        row::leave_tombstone(writer.change()?, tombstone)?;
        let root = graphs.iter().find(|graph| graph.name.is_root());
        if let Some(oldest) = root.map(|root| oldest_record(writer, root)).transpose()? {
            events::prune(writer, thread.thread, oldest)?;
            runs::prune(writer, thread.thread, oldest)?;
        }
        recount_uses(writer, thread.thread)?;
        writer.cache.remove(name);
        writer.scrub_wal = true;
    }
    Ok(dropped)
}

/// What a retention policy did to a thread.
pub(crate) enum RetentionOutcome {
    /// Nothing.
    Untouched,
    /// This many checkpoints were dropped.
    Pruned(usize),
    /// It was deleted.
    Deleted,
}

/// Applies a retention policy to a thread, unless it is leased.
pub(crate) fn retain(
    writer: &mut Writer,
    name: &ThreadId,
    retention: &Retention,
    now: UnixMillis,
    worker: i64,
) -> Result<RetentionOutcome, SaverError> {
    let Some(row) = graphs::thread(writer.db()?, name)? else {
        return Ok(RetentionOutcome::Untouched);
    };
    lease::refuse_if_leased(writer, name, &row, worker)?;
    if retention.ends(row.used, now) {
        delete::delete(writer, name, worker)?;
        return Ok(RetentionOutcome::Deleted);
    }
    match retention.keep {
        Some(keep) => prune(writer, name, keep, worker).map(RetentionOutcome::Pruned),
        None => Ok(RetentionOutcome::Untouched),
    }
}

/// The oldest record that a graph still has.
fn oldest_record(writer: &Writer, graph: &GraphRow) -> Result<CheckpointId, SaverError> {
    let now = graphs::graph(writer.db()?, graph.thread, &graph.name)?;
    let left = match now {
        Some(now) => ids(writer, &now)?,
        None => Vec::new(),
    };
    let lost = || SaverError::Corrupt(format!("graph `{}` lost all records", graph.name));
    left.first().copied().ok_or_else(lost)
}

fn ids(writer: &Writer, graph: &GraphRow) -> Result<Vec<CheckpointId>, SaverError> {
    let rows = rows(writer.db()?, graph)?;
    Ok(rows
        .iter()
        .filter_map(|row| row.step().map(|step| step.id))
        .collect())
}

/// Drops the first records of a graph; those whose parent is dropped become full records.
fn drop_first(writer: &mut Writer, graph: &GraphRow, first: usize) -> Result<(), SaverError> {
    let old = rows(writer.db()?, graph)?;
    let records = old.iter().filter(|row| row.step().is_some());
    let gone: HashSet<i64> = records.take(first).map(|row| row.seq).collect();
    let alone = make_full(writer, &old, &gone)?;
    let (mut prev, mut newest, mut count) = (None, None, 0);
    for was in old {
        let belongs = was.parent.is_some_and(|parent| gone.contains(&parent));
        if gone.contains(&was.seq) || belongs && was.step().is_none() {
            row::remove(writer.change()?, was.seq)?;
            continue;
        }
        let mut is = Row {
            prev,
            parent: was.parent.filter(|_| !belongs),
            ..was.clone()
        };
        is.aside = newest.is_some() && newest != is.parent;
        let bytes = match (alone.get(&was.seq), is.kind) {
            (Some((bytes, state)), Kind::Record(mut step)) => {
                (step.full, step.state) = (true, *state);
                is.kind = Kind::Record(step);
                bytes.clone()
            }
            _ => writer
                .seal
                .open(&was.body, was.place(), &was.name())?
                .into_owned(),
        };
        is.body = writer.seal.seal(&bytes, is.place())?;
        row::remove(writer.change()?, was.seq)?;
        row::insert(writer.change()?, &is)?;
        if is.step().is_some() {
            (newest, count) = (Some(is.seq), count + 1);
        }
        prev = Some(is.seq);
    }
    shorten(writer, graph, newest.zip(prev), count)
}

/// Stores what is left of a graph: its newest record and its last row, and how many records it has.
pub(super) fn shorten(
    writer: &mut Writer,
    graph: &GraphRow,
    ends: Option<(i64, i64)>,
    records: i64,
) -> Result<(), SaverError> {
    let Some((head, last)) = ends else {
        let why = format!("graph `{}` lost all its records", graph.name);
        return Err(SaverError::Corrupt(why));
    };
    let cost = lookup::replay_cost(writer.db()?, head)?;
    let graph = GraphRow {
        head,
        last,
        records,
        tail: cost.tail,
        state: cost.state,
        ..graph.clone()
    };
    graphs::replace(writer.change()?, &graph)
}

/// Bodies of full records for those whose parent is dropped, and how much state they hold.
fn make_full(
    writer: &mut Writer,
    rows: &[Row],
    gone: &HashSet<i64>,
) -> Result<HashMap<i64, (Vec<u8>, i64)>, SaverError> {
    let mut packed = HashMap::new();
    {
        let (seal, layouts) = (writer.seal.clone(), Layouts::default());
        let mut reader = RecordReader::new(writer.db()?, &seal, &layouts);
        for row in rows {
            let orphan = row.parent.is_some_and(|parent| gone.contains(&parent));
            if !orphan || gone.contains(&row.seq) || row.step().is_none() {
                continue;
            }
            let chain = reader.chain(row.clone())?;
            let Some(record) = squash(&chain) else {
                continue;
            };
            let body = pack_record(&record).map_err(|error| error::encode(&error))?;
            packed.insert(row.seq, (body.body.bytes, body.state as i64));
        }
    }
    Ok(packed)
}

/// Recomputes the blob references of a thread, and deletes blobs without references.
pub(super) fn recount_uses(writer: &mut Writer, thread: i64) -> Result<(), SaverError> {
    let mut used = BTreeSet::new();
    for graph in graphs::all(writer.db()?, thread)? {
        for row in rows(writer.db()?, &graph)? {
            let bytes = writer.seal.open(&row.body, row.place(), &row.name())?;
            let blobs = blobs_of(&bytes).map_err(|error| error::decode(&row.name(), &error))?;
            used.extend(blobs);
        }
    }
    events::blobs(writer.db()?, &writer.seal, thread, &mut used)?;
    let db = writer.change()?;
    // The reference of thread 0 keeps blobs alive between the two statements.
    let mut kept = Vec::new();
    for blob in used {
        let number: i64 = db
            .prepare_cached("SELECT blob FROM blobs WHERE name = ?1")
            .and_then(|mut select| select.query_row([blob.0.to_be_bytes()], |row| row.get(0)))
            .map_err(sql)?;
        kept.push(number);
        db.prepare_cached("INSERT OR IGNORE INTO uses VALUES (0, ?1)")
            .and_then(|mut insert| insert.execute([number]))
            .map_err(sql)?;
    }
    forget_uses(db, thread)?;
    for number in kept {
        db.prepare_cached("INSERT INTO uses VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute([thread, number]))
            .map_err(sql)?;
    }
    db.prepare_cached("DELETE FROM uses WHERE thread = 0")
        .and_then(|mut delete| delete.execute([]))
        .map(drop)
        .map_err(sql)
}
