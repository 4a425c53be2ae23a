//! Undoing what was stored after an id; what is left reads as it did then.

use std::collections::HashSet;

use superstep_core::{
    error::SaverError,
    id::{CheckpointId, GraphPath, ThreadId},
};

use super::{
    delete::empty,
    prune::{recount_uses, shorten},
    rows,
};
use crate::{
    commit::CurrentGraph,
    graphs::{self, GraphRow},
    row::{self, Row},
    writer::Writer,
};

/// Drops the records of a leased thread that have a greater id.
pub(crate) fn rewind(
    writer: &mut Writer,
    name: &ThreadId,
    epoch: u64,
    to: CheckpointId,
) -> Result<(), SaverError> {
    let current = CurrentGraph::find(writer, name, epoch, &GraphPath::default())?;
    if graphs::epoch(writer.db()?, current.thread)? != Some(current.epoch) {
        return Err(SaverError::Conflict {
            thread: name.clone(),
        });
    }
    let tombstone = writer.next_seq()?;
    let mut is_changed = false;
    for graph in graphs::all(writer.db()?, current.thread)? {
        let rows = rows(writer.db()?, &graph)?;
        let records = rows.iter().filter_map(Row::step);
        let (kept, gone): (Vec<_>, Vec<_>) = records.partition(|step| step.id <= to);
        match (kept.is_empty(), gone.is_empty()) {
            (_, true) => continue,
            (true, false) => empty(writer, &graph)?,
            (false, false) => cut(writer, &graph, rows, to)?,
        }
        is_changed = true;
    }
    if !is_changed {
        return Ok(());
    }
    row::leave_tombstone(writer.change()?, tombstone)?;
    recount_uses(writer, current.thread)?;
    writer.cache.remove(name);
    if let Some(leased) = writer.leased.get_mut(name) {
        leased.graphs = Default::default();
        leased.complete = false;
    }
    writer.scrub_wal = true;
    Ok(())
}

/// Drops the last records of a graph and their notes. Notes of earlier records that came later stay, and
/// get new places.
fn cut(
    writer: &mut Writer,
    graph: &GraphRow,
    rows: Vec<Row>,
    to: CheckpointId,
) -> Result<(), SaverError> {
    let is_gone = |row: &Row| row.step().is_some_and(|step| step.id > to);
    let gone = rows.iter().filter(|row| is_gone(row));
    let gone: HashSet<i64> = gone.map(|row| row.seq).collect();
    let (mut prev, mut newest, mut count) = (None, None, 0);
    for was in rows {
        let belongs = was.parent.is_some_and(|parent| gone.contains(&parent));
        if is_gone(&was) || belongs {
            row::remove(writer.change()?, was.seq)?;
            continue;
        }
        let aside = newest.is_some() && newest != was.parent;
        if was.prev != prev || was.aside != aside {
            let bytes = writer.seal.open(&was.body, was.place(), &was.name())?;
            let bytes = bytes.into_owned();
            let mut is = Row {
                prev,
                aside,
                ..was.clone()
            };
            is.body = writer.seal.seal(&bytes, is.place())?;
            row::remove(writer.change()?, was.seq)?;
            row::insert(writer.change()?, &is)?;
        }
        if was.step().is_some() {
            (newest, count) = (Some(was.seq), count + 1);
        }
        prev = Some(was.seq);
    }
    shorten(writer, graph, newest.zip(prev), count)
}
