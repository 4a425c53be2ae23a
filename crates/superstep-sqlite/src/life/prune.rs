//! Dropping old checkpoints; what is kept reads as before.

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
    free, rows,
};
use crate::{
    error::{self, sql},
    events,
    graphs::{self, GraphRow},
    layouts::Layouts,
    lease,
    load::{Reading, blobs_of},
    row::{self, Kind, Row},
    walk,
    writer::Writer,
};

/// Drops old checkpoints of a thread and says how many.
pub(crate) fn prune(
    writer: &mut Writer,
    name: &ThreadId,
    keep: Keep,
    worker: i64,
) -> Result<usize, SaverError> {
    let (thread, graphs) = free(writer, name, worker)?;
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
            first => cut(writer, graph, first)?,
        }
        dropped += ids.len().saturating_sub(keeps);
    }
    if dropped > 0 {
        row::keep_numbers(writer.change()?)?;
        let root = graphs.iter().find(|graph| graph.name.is_root());
        if let Some(oldest) = root.map(|root| oldest_left(writer, root)).transpose()? {
            events::prune(writer, thread.thread, oldest)?;
        }
        count_uses(writer, thread.thread)?;
        writer.warm.forget(name);
        writer.scrub = true;
    }
    Ok(dropped)
}

/// What a retention does to one thread.
pub(crate) enum Kept {
    /// Nothing.
    Untouched,
    /// It lost so many checkpoints.
    Pruned(usize),
    /// It is gone.
    Deleted,
}

/// Applies a retention to one thread, unless somebody holds it.
pub(crate) fn retain(
    writer: &mut Writer,
    name: &ThreadId,
    retention: &Retention,
    now: UnixMillis,
    worker: i64,
) -> Result<Kept, SaverError> {
    let Some(row) = graphs::thread(writer.db()?, name)? else {
        return Ok(Kept::Untouched);
    };
    lease::refuse_if_taken(writer, name, &row, worker)?;
    if retention.ends(row.used, now) {
        delete::delete(writer, name, worker)?;
        return Ok(Kept::Deleted);
    }
    match retention.keep {
        Some(keep) => prune(writer, name, keep, worker).map(Kept::Pruned),
        None => Ok(Kept::Untouched),
    }
}

/// The oldest record that a graph has now.
fn oldest_left(writer: &Writer, graph: &GraphRow) -> Result<CheckpointId, SaverError> {
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

/// Drops the first so many records of a graph; those whose parent goes are made to stand alone.
fn cut(writer: &mut Writer, graph: &GraphRow, first: usize) -> Result<(), SaverError> {
    let old = rows(writer.db()?, graph)?;
    let records = old.iter().filter(|row| row.step().is_some());
    let gone: HashSet<i64> = records.take(first).map(|row| row.seq).collect();
    let alone = stand_alone(writer, &old, &gone)?;
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
    let (Some(head), Some(last)) = (newest, prev) else {
        return Err(SaverError::Corrupt(format!(
            "graph `{}` lost its newest record",
            graph.name
        )));
    };
    let cost = walk::replay_cost(writer.db()?, head)?;
    let graph = GraphRow {
        head,
        last,
        records: count,
        tail: cost.tail,
        state: cost.state,
        ..graph.clone()
    };
    graphs::put(writer.change()?, &graph)
}

/// The bodies of records whose parent goes, as full ones, and how much state they hold.
fn stand_alone(
    writer: &mut Writer,
    rows: &[Row],
    gone: &HashSet<i64>,
) -> Result<HashMap<i64, (Vec<u8>, i64)>, SaverError> {
    let mut packed = HashMap::new();
    {
        let (seal, layouts) = (writer.seal.clone(), Layouts::default());
        let mut reading = Reading::new(writer.db()?, &seal, &layouts);
        for row in rows {
            let orphan = row.parent.is_some_and(|parent| gone.contains(&parent));
            if !orphan || gone.contains(&row.seq) || row.step().is_none() {
                continue;
            }
            let chain = reading.chain(row.clone())?;
            let Some(record) = squash(&chain) else {
                continue;
            };
            let body = pack_record(&record).map_err(|error| error::encode(&error))?;
            packed.insert(row.seq, (body.body.bytes, body.state as i64));
        }
    }
    Ok(packed)
}

/// Notes anew which blobs a thread uses, and removes those that nobody uses then.
fn count_uses(writer: &mut Writer, thread: i64) -> Result<(), SaverError> {
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
    // Nobody else sees the moment between: all of this is one transaction.
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
