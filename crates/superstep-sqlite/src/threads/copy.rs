//! Copying a thread: the same rows under new numbers.

use std::collections::HashMap;

use superstep_core::{error::SaverError, id::ThreadId};

use super::{create, rows};
use crate::{
    error::sql,
    events,
    graphs::{self, GraphRow},
    row::{self, Row},
    watch::Topic,
    writer::Writer,
};

/// Copies a thread under a new name.
pub(crate) fn copy(
    writer: &mut Writer,
    from: &ThreadId,
    to: &ThreadId,
    worker: i64,
) -> Result<(), SaverError> {
    writer.require_room()?;
    let missing = || SaverError::NoThread {
        thread: from.clone(),
    };
    // Reading the source needs no lease, so another worker may have it.
    let source = graphs::thread(writer.db()?, from)?.ok_or_else(missing)?;
    let graphs = graphs::all(writer.db()?, source.thread)?;
    if graphs.is_empty() {
        return Err(missing());
    }
    let target = create(writer, to, worker)?;
    for graph in graphs {
        copy_graph(writer, &graph, target)?;
    }
    events::copy(writer, source.thread, target)?;
    writer.changes.add(Topic::Log(to.clone()));
    writer
        .change()?
        .prepare_cached("INSERT INTO uses SELECT ?2, blob FROM uses WHERE thread = ?1")
        .and_then(|mut insert| insert.execute([source.thread, target]))
        .map(drop)
        .map_err(sql)
}

fn copy_graph(writer: &mut Writer, from: &GraphRow, thread: i64) -> Result<(), SaverError> {
    let rows = rows(writer.db()?, from)?;
    let mut numbers: HashMap<i64, i64> = HashMap::with_capacity(rows.len());
    let lost = || SaverError::Corrupt(format!("graph `{}` has a loose end", from.name));
    for row in &rows {
        numbers.insert(row.seq, writer.next_seq()?);
    }
    let moved = |seq: i64| numbers.get(&seq).copied().ok_or_else(lost);
    let graph = GraphRow {
        graph: writer.next_graph()?,
        thread,
        head: moved(from.head)?,
        last: moved(from.last)?,
        ..from.clone()
    };
    graphs::replace(writer.change()?, &graph)?;
    for old in &rows {
        let bytes = writer
            .seal
            .open(&old.body, old.place(), &old.name())?
            .into_owned();
        let mut new = Row {
            seq: moved(old.seq)?,
            graph: graph.graph,
            prev: old.prev.map(moved).transpose()?,
            parent: old.parent.map(moved).transpose()?,
            body: Vec::new(),
            ..*old
        };
        new.body = writer.seal.seal(&bytes, new.place())?;
        row::insert(writer.change()?, &new)?;
    }
    Ok(())
}
