//! Notes: what became of tasks, written between the commits of two steps.

use superstep_core::{
    codec::{self, Packed},
    error::SaverError,
    event::Logged,
    id::{CheckpointId, GraphPath, ThreadId},
    record::TaskNote,
    saver::Notes,
};

use super::{
    graph::{self, CurrentGraph},
    sync_level, urgency,
};
use crate::{
    cache::CheckpointCache,
    error, events,
    graphs::GraphRow,
    lookup,
    queue::Urgency,
    row::{self, Kind, Row},
    sync_level::SyncLevel,
    writer::Writer,
};

/// Notes that are encoded and wait for the writer.
pub(crate) struct PreparedNotes {
    thread: ThreadId,
    namespace: GraphPath,
    epoch: u64,
    checkpoint: CheckpointId,
    packed: Packed,
    sync_level: SyncLevel,
    urgency: Urgency,
    events: Vec<Logged>,
    /// The notes themselves, if the cache has this graph.
    cached_notes: Option<Vec<TaskNote>>,
}

impl PreparedNotes {
    /// Encodes notes.
    pub(crate) fn new(notes: Notes, cache: &CheckpointCache) -> Result<Self, SaverError> {
        let Notes {
            thread,
            namespace,
            epoch,
            durability,
            checkpoint,
            notes,
            events,
        } = notes;
        // That an effect was started must be durable before the effect happens.
        let effects = notes
            .iter()
            .any(|note: &TaskNote| !note.extras.effects.is_empty());
        let packed = codec::pack(&notes).map_err(|error| error::encode(&error))?;
        let is_cached = cache.has(&thread, &namespace);
        Ok(Self {
            thread,
            namespace,
            epoch,
            checkpoint,
            packed,
            sync_level: match effects {
                true => SyncLevel::Full,
                false => sync_level(durability),
            },
            urgency: urgency(durability),
            events,
            cached_notes: is_cached.then_some(notes),
        })
    }

    pub(crate) fn sync_level(&self) -> SyncLevel {
        self.sync_level
    }

    pub(crate) fn urgency(&self) -> Urgency {
        self.urgency
    }

    /// Writes the notes and their events.
    pub(crate) fn store(self, writer: &mut Writer) -> Result<(), SaverError> {
        let current = CurrentGraph::find(writer, &self.thread, self.epoch, &self.namespace)?;
        let at = self.checkpoint;
        let parent = match &current.row {
            Some(graph) if current.head == Some(at) => Some(graph.head),
            Some(graph) => lookup::find(writer.db()?, graph, at)?.map(|found| found.row.seq),
            None => None,
        };
        let (Some(before), Some(parent)) = (&current.row, parent) else {
            current.refuse_stale(writer, &self.thread)?;
            return Err(SaverError::Corrupt(format!("a note for unknown {at}")));
        };
        events::validate(writer, &self.thread, &self.events)?;
        let seq = writer.next_seq()?;
        let graph = GraphRow {
            last: seq,
            ..before.clone()
        };
        if !writer.move_end(&graph, before.last, current.epoch, current.compared)? {
            return Err(SaverError::Conflict {
                thread: self.thread.clone(),
            });
        }
        writer.change_log()?;
        writer.blobs(current.thread, &self.packed.blobs)?;
        let mut row = Row {
            seq,
            graph: graph.graph,
            prev: Some(before.last),
            parent: Some(parent),
            kind: Kind::Notes,
            mark: false,
            aside: parent != before.head,
            body: Vec::new(),
        };
        row.body = writer.seal.seal(&self.packed.bytes, row.place())?;
        row::insert(writer.change_log()?, &row)?;
        events::append(writer, &self.thread, &self.events)?;
        if let Some(notes) = &self.cached_notes {
            let of_head = parent == before.head;
            writer
                .cache
                .advance(&self.thread, before, &graph, |cached| {
                    if of_head {
                        cached.merge_notes(notes);
                    }
                    cached.bytes += row.body.len();
                    Some(())
                });
        }
        let compared = writer.compared_now();
        graph::remember(writer, &self.thread, graph, current.head, compared);
        Ok(())
    }
}
