//! Storing steps and notes.

use std::sync::Arc;

use superstep_core::{
    checkpoint::NextRecord,
    codec::{
        self, Packed,
        record::{PackedRecord, pack_record},
    },
    error::SaverError,
    event::Logged,
    id::{CheckpointId, Namespace, ThreadId},
    policy::Durability,
    record::{Layout, Record, Source, TaskNote},
    saver::{Commit, Notes},
};

use crate::{
    cost::{Cost, next, weight},
    error, events,
    graphs::{self, GraphRow},
    queue::Haste,
    row::{self, Kind, MARK_EVERY, Row, Step},
    sync_level::Need,
    walk,
    warm::{Added, Long, Warm},
    writer::{Known, Writer},
};

/// A step on its way to the writer: packed already, since that needs nobody to wait.
pub(crate) struct Storing {
    thread: ThreadId,
    namespace: Namespace,
    epoch: u64,
    packed: PackedRecord,
    id: CheckpointId,
    parent: Option<CheckpointId>,
    step: i64,
    source: Source,
    durability: Durability,
    full: bool,
    layout: Arc<Layout>,
    events: Vec<Logged>,
    /// Kept for readers of a long thread.
    warm: Option<Arc<Record>>,
}

impl Storing {
    pub(crate) fn new(commit: Commit, warm: &Warm) -> Result<Self, SaverError> {
        let Commit {
            thread,
            namespace,
            epoch,
            record,
            events,
        } = commit;
        let packed = pack_record(&record).map_err(|error| error::encode(&error))?;
        let Record {
            id,
            parent,
            step,
            source,
            durability,
            full,
            ..
        } = record;
        let is_warm = warm.has(&thread, &namespace);
        Ok(Self {
            thread,
            namespace,
            epoch,
            packed,
            id,
            parent,
            step,
            source,
            durability,
            full,
            layout: record.layout.clone(),
            events,
            warm: is_warm.then(|| Arc::new(record)),
        })
    }

    pub(crate) fn need(&self) -> Need {
        need(self.durability)
    }

    pub(crate) fn haste(&self) -> Haste {
        haste(self.durability)
    }

    /// Stores it, and says what the next one should hold.
    pub(crate) fn store(self, writer: &mut Writer) -> Result<NextRecord, SaverError> {
        let Graph {
            thread,
            epoch,
            row: before,
            head,
        } = Graph::enter(writer, &self.thread, self.epoch, &self.namespace)?;
        let newest = head.filter(|_| before.is_some());
        if newest.is_some_and(|newest| newest >= self.id) {
            let why = format!("checkpoint {} is not the newest", self.id);
            return Err(SaverError::Corrupt(why));
        }
        let parent = self.find_parent(writer, before.as_ref(), newest)?;
        events::admit(writer, &self.thread, &self.events)?;
        let seq = writer.next_seq()?;
        let bytes = weight(self.packed.body.bytes.len());
        let state = self.packed.state as i64;
        // A branch's own tail is measured where it begins; along it, the end of the log has it.
        let above = match (&before, parent) {
            _ if self.full => Cost::default(),
            (Some(before), Some(parent)) if parent == before.head => before.cost(),
            (_, Some(parent)) => walk::replay_cost(writer.db()?, parent)?,
            (_, None) => Cost::default(),
        };
        let cost = Cost {
            tail: if self.full { 0 } else { above.tail + bytes },
            state: above.state + state,
        };
        let mut graph = GraphRow {
            graph: before.as_ref().map_or(0, |row| row.graph),
            thread,
            name: self.namespace.clone(),
            head: seq,
            last: seq,
            records: before.as_ref().map_or(0, |row| row.records) + 1,
            tail: cost.tail,
            state: cost.state,
        };
        let conflict = || SaverError::Conflict {
            thread: self.thread.clone(),
        };
        // Nothing is written before this has worked: a run that lost its thread must not take back
        // what others store in the same transaction.
        let moved = match &before {
            Some(before) => graphs::advance(writer.db()?, &graph, before.last, epoch)?,
            None => {
                graph.graph = writer.next_graph()?;
                graphs::begin(writer.db()?, &graph, epoch)?
            }
        };
        if !moved {
            return Err(conflict());
        }
        writer.change()?;
        let layout = writer.layout(&self.layout)?;
        writer.blobs(thread, &self.packed.body.blobs)?;
        let mut row = Row {
            seq,
            graph: graph.graph,
            prev: before.as_ref().map(|before| before.last),
            parent,
            kind: Kind::Record(Step {
                id: self.id,
                step: self.step,
                source: self.source,
                durability: self.durability,
                full: self.full,
                layout,
                state,
            }),
            mark: graph.records % MARK_EVERY == 0,
            aside: before.as_ref().is_some_and(|row| Some(row.head) != parent),
            body: Vec::new(),
        };
        row.body = writer.seal.seal(&self.packed.body.bytes, row.place())?;
        row::insert(writer.change()?, &row)?;
        events::append(writer, &self.thread, &self.events)?;
        if let (Some(record), Some(before)) = (self.warm, &before) {
            let added = Added {
                record,
                bytes: row.body.len(),
                cost,
            };
            let follow = |long: &mut Long| long.follow(added);
            writer.warm.advance(&self.thread, before, &graph, follow);
        }
        if let Some(held) = writer.held.get_mut(&self.thread) {
            let (row, head) = (graph, Some(self.id));
            held.graphs.insert(self.namespace, Known { row, head });
        }
        Ok(next(cost))
    }

    fn find_parent(
        &self,
        writer: &Writer,
        graph: Option<&GraphRow>,
        newest: Option<CheckpointId>,
    ) -> Result<Option<i64>, SaverError> {
        let Some(id) = self.parent else {
            return Ok(None);
        };
        let found = match graph {
            Some(graph) if newest == Some(id) => Some(graph.head),
            Some(graph) => walk::find(writer.db()?, graph, id)?.map(|found| found.row.seq),
            None => None,
        };
        let unknown = || format!("checkpoint {} follows unknown {id}", self.id);
        found
            .map(Some)
            .ok_or_else(|| SaverError::Corrupt(unknown()))
    }
}

/// A graph as the holder of its thread knows it.
struct Graph {
    thread: i64,
    epoch: i64,
    row: Option<GraphRow>,
    /// The id of its newest record.
    head: Option<CheckpointId>,
}

impl Graph {
    fn enter(
        writer: &mut Writer,
        thread: &ThreadId,
        epoch: u64,
        namespace: &Namespace,
    ) -> Result<Self, SaverError> {
        let conflict = || SaverError::Conflict {
            thread: thread.clone(),
        };
        let held = writer.held.get(thread).ok_or_else(conflict)?;
        if i64::try_from(epoch) != Ok(held.epoch) {
            return Err(conflict());
        }
        let (number, epoch) = (held.thread, held.epoch);
        let (row, head) = match held.graphs.get(namespace) {
            Some(known) => (Some(known.row.clone()), known.head),
            None if held.complete => (None, None),
            None => match graphs::graph(writer.db()?, number, namespace)? {
                Some(row) => {
                    let head = row::get(writer.db()?, row.head)?;
                    (Some(row), head.step().map(|step| step.id))
                }
                None => (None, None),
            },
        };
        Ok(Self {
            thread: number,
            epoch,
            row,
            head,
        })
    }
}

/// Notes on their way to the writer.
pub(crate) struct Noting {
    thread: ThreadId,
    namespace: Namespace,
    epoch: u64,
    checkpoint: CheckpointId,
    packed: Packed,
    need: Need,
    haste: Haste,
    events: Vec<Logged>,
    /// Kept for readers of a long thread.
    warm: Option<Vec<TaskNote>>,
}

impl Noting {
    pub(crate) fn new(notes: Notes, warm: &Warm) -> Result<Self, SaverError> {
        let Notes {
            thread,
            namespace,
            epoch,
            durability,
            checkpoint,
            notes,
            events,
        } = notes;
        // That an effect was started must be known after whatever happens next.
        let effects = notes.iter().any(|note: &TaskNote| !note.effects.is_empty());
        let need = if effects {
            Need::Disk
        } else {
            need(durability)
        };
        let packed = codec::pack(&notes).map_err(|error| error::encode(&error))?;
        let is_warm = warm.has(&thread, &namespace);
        Ok(Self {
            thread,
            namespace,
            epoch,
            checkpoint,
            packed,
            need,
            haste: haste(durability),
            events,
            warm: is_warm.then_some(notes),
        })
    }

    pub(crate) fn need(&self) -> Need {
        self.need
    }

    pub(crate) fn haste(&self) -> Haste {
        self.haste
    }

    /// Stores them.
    pub(crate) fn store(self, writer: &mut Writer) -> Result<(), SaverError> {
        let Graph {
            thread,
            epoch,
            row: before,
            head,
        } = Graph::enter(writer, &self.thread, self.epoch, &self.namespace)?;
        let at = self.checkpoint;
        let unknown = || SaverError::Corrupt(format!("a note for unknown {at}"));
        let before = before.ok_or_else(unknown)?;
        let parent = match head {
            Some(head) if head == at => before.head,
            _ => {
                let found = walk::find(writer.db()?, &before, at)?;
                found.ok_or_else(unknown)?.row.seq
            }
        };
        events::admit(writer, &self.thread, &self.events)?;
        let seq = writer.next_seq()?;
        let graph = GraphRow {
            last: seq,
            ..before.clone()
        };
        if !graphs::advance(writer.db()?, &graph, before.last, epoch)? {
            return Err(SaverError::Conflict {
                thread: self.thread.clone(),
            });
        }
        writer.change()?;
        writer.blobs(thread, &self.packed.blobs)?;
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
        row::insert(writer.change()?, &row)?;
        events::append(writer, &self.thread, &self.events)?;
        if let Some(notes) = &self.warm {
            let own = parent == before.head;
            writer.warm.advance(&self.thread, &before, &graph, |long| {
                if own {
                    long.hear(notes);
                }
                long.bytes += row.body.len();
                Some(())
            });
        }
        if let Some(held) = writer.held.get_mut(&self.thread) {
            held.graphs
                .insert(self.namespace, Known { row: graph, head });
        }
        Ok(())
    }
}

fn need(durability: Durability) -> Need {
    match durability {
        Durability::Sync | Durability::Async | Durability::Exit => Need::Disk,
        Durability::Normal => Need::System,
    }
}

/// A run that does not wait for its steps to be stored lets them gather.
fn haste(durability: Durability) -> Haste {
    match durability {
        Durability::Async => Haste::Later,
        Durability::Sync | Durability::Normal | Durability::Exit => Haste::Now,
    }
}
