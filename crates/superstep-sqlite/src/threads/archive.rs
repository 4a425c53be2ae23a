//! Export and import of threads.

use std::{collections::HashMap, sync::Arc};

use rusqlite::Connection;
use superstep_core::{
    archive::{Archive, Archived},
    codec::{self, record::pack_record},
    error::SaverError,
    id::{CheckpointId, GraphPath, ThreadId},
};

use super::{create, rows};
use crate::{
    error,
    graphs::{self, GraphRow},
    layouts::Layouts,
    load::RecordReader,
    lookup,
    row::{self, Kind, MARK_EVERY, Row, Step},
    seal::Seal,
    writer::Writer,
};

/// Exports a thread.
pub(crate) fn export(
    db: &Connection,
    seal: &Seal,
    layouts: &Layouts,
    name: &ThreadId,
) -> Result<Archive, SaverError> {
    let missing = || SaverError::NoThread {
        thread: name.clone(),
    };
    let thread = graphs::thread(db, name)?.ok_or_else(missing)?;
    let mut archive = Archive::default();
    for graph in graphs::all(db, thread.thread)? {
        let mut reader = RecordReader::new(db, seal, layouts);
        let rows = rows(db, &graph)?;
        let mut archived = Vec::with_capacity(rows.len());
        for RecordRows { row, step, own } in by_record(&rows) {
            let notes = match own.iter().any(|row| row.step().is_none()) {
                true => Some(reader.all_notes(step.id, &own)?),
                false => None,
            };
            let record = reader.record(row, None)?;
            archived.push(Archived { record, notes });
        }
        archive.namespaces.insert(graph.name, archived);
    }
    if archive.is_empty() {
        return Err(missing());
    }
    Ok(archive)
}

/// A record, and the rows whose parent it is.
struct RecordRows<'r> {
    row: &'r Row,
    step: Step,
    own: Vec<&'r Row>,
}

/// Groups the rows of a graph by record, in one pass.
fn by_record<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Vec<RecordRows<'r>> {
    let mut records: Vec<RecordRows<'r>> = Vec::new();
    let mut places: HashMap<i64, usize> = HashMap::new();
    for row in rows {
        let parent = row.parent.and_then(|parent| places.get(&parent));
        if let Some(parent) = parent.and_then(|place| records.get_mut(*place)) {
            parent.own.push(row);
        }
        if let Some(step) = row.step() {
            places.insert(row.seq, records.len());
            let own = Vec::new();
            records.push(RecordRows { row, step, own });
        }
    }
    records
}

/// Creates a thread from an archive.
pub(crate) fn import(
    writer: &mut Writer,
    name: &ThreadId,
    archive: &Archive,
    worker: i64,
) -> Result<(), SaverError> {
    writer.require_room()?;
    archive.check().map_err(SaverError::Corrupt)?;
    let thread = create(writer, name, worker)?;
    for (namespace, archived) in &archive.namespaces {
        fill(writer, thread, namespace, archived)?;
    }
    Ok(())
}

fn fill(
    writer: &mut Writer,
    thread: i64,
    namespace: &GraphPath,
    archived: &[Archived],
) -> Result<(), SaverError> {
    let mut graph = GraphRow {
        graph: writer.next_graph()?,
        thread,
        name: namespace.clone(),
        head: 0,
        last: 0,
        records: 0,
        tail: 0,
        state: 0,
    };
    graphs::replace(writer.change()?, &graph)?;
    let mut places: HashMap<CheckpointId, i64> = HashMap::with_capacity(archived.len());
    for Archived { record, .. } in archived {
        let packed = pack_record(record).map_err(|error| error::encode(&error))?;
        writer.blobs(thread, &packed.body.blobs)?;
        let layout = writer.layout(&Arc::clone(&record.layout))?;
        let seq = writer.next_seq()?;
        let unknown = || SaverError::Corrupt(format!("checkpoint {} follows nothing", record.id));
        let parent = match record.parent {
            Some(id) => Some(*places.get(&id).ok_or_else(unknown)?),
            None => None,
        };
        graph.records += 1;
        let row = Row {
            seq,
            graph: graph.graph,
            prev: (graph.last != 0).then_some(graph.last),
            parent,
            kind: Kind::Record(Step {
                id: record.id,
                step: record.step,
                source: record.source,
                durability: record.durability,
                full: record.full,
                layout,
                state: packed.state as i64,
            }),
            mark: graph.records % MARK_EVERY == 0,
            aside: graph.head != 0 && parent != Some(graph.head),
            body: Vec::new(),
        };
        add(writer, row, &packed.body.bytes)?;
        (graph.head, graph.last) = (seq, seq);
        places.insert(record.id, seq);
    }
    for Archived { record, notes } in archived {
        let (Some(notes), Some(parent)) = (notes, places.get(&record.id)) else {
            continue;
        };
        let packed = codec::pack(notes).map_err(|error| error::encode(&error))?;
        writer.blobs(thread, &packed.blobs)?;
        let row = Row {
            seq: writer.next_seq()?,
            graph: graph.graph,
            prev: Some(graph.last),
            parent: Some(*parent),
            kind: Kind::MergedNotes,
            mark: false,
            aside: *parent != graph.head,
            body: Vec::new(),
        };
        graph.last = row.seq;
        add(writer, row, &packed.bytes)?;
    }
    let cost = lookup::replay_cost(writer.db()?, graph.head)?;
    (graph.tail, graph.state) = (cost.tail, cost.state);
    graphs::replace(writer.change()?, &graph)
}

fn add(writer: &mut Writer, mut row: Row, bytes: &[u8]) -> Result<(), SaverError> {
    row.body = writer.seal.seal(bytes, row.place())?;
    row::insert(writer.change()?, &row)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use superstep_core::{policy::Durability, record::Source};

    use super::*;

    /// Records that follow each other, each with a note that came late.
    fn thread(records: i64) -> Vec<Row> {
        let row = |seq, parent, kind| Row {
            seq,
            graph: 1,
            prev: None,
            parent,
            kind,
            mark: false,
            aside: false,
            body: Vec::new(),
        };
        let record = |n: i64| {
            let step = Step {
                id: CheckpointId(n as u128),
                step: n,
                source: Source::Loop,
                durability: Durability::Sync,
                full: false,
                layout: 1,
                state: 0,
            };
            row(n, (n > 1).then_some(n - 1), Kind::Record(step))
        };
        let note = |n: i64| row(records + n, Some(n), Kind::Notes);
        (1..=records)
            .map(record)
            .chain((1..=records).map(note))
            .collect()
    }

    #[test]
    fn every_row_is_looked_at_once_however_long_the_thread_is() {
        for records in [10, 1000] {
            let rows = thread(records);
            let looks = Cell::new(0);
            let found = by_record(rows.iter().inspect(|_| looks.set(looks.get() + 1)));
            assert_eq!(looks.get(), rows.len());
            assert_eq!(found.len() as i64, records);
            // All but the first record follow one, and all notes belong to one.
            let own: usize = found.iter().map(|by_record| by_record.own.len()).sum();
            assert_eq!(own, rows.len() - 1);
            let first: Vec<i64> = found[0].own.iter().map(|row| row.seq).collect();
            assert_eq!(first, [2, records + 1]);
        }
    }
}
