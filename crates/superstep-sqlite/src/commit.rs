//! Commits: how a step and its events are written.
//!
//! Encoding happens on the caller's thread ([`PreparedCommit::new`]); only statements run on the
//! writer ([`PreparedCommit::store`]). The statement that moves the end of a graph's log compares the
//! epoch of the lease, which is the fencing token: a run that lost its thread stores nothing.

mod graph;
mod notes;

use std::sync::Arc;

use superstep_core::{
    checkpoint::NextRecord,
    codec::record::{PackedRecord, pack_record},
    error::SaverError,
    event::Logged,
    id::{CheckpointId, GraphPath, ThreadId},
    policy::Durability,
    record::{Layout, Record, Source},
    saver::Commit,
};

use crate::{
    cache::{AppendedRecord, CachedCheckpoint, CheckpointCache},
    cost::{ReplayCost, next_record, weight},
    error, events,
    graphs::{self, GraphRow},
    lookup,
    queue::Urgency,
    row::{self, Kind, MARK_EVERY, Row, Step},
    sync_level::SyncLevel,
    writer::Writer,
};

pub(crate) use graph::CurrentGraph;
pub(crate) use notes::PreparedNotes;

/// A commit that is encoded and waits for the writer.
pub(crate) struct PreparedCommit {
    thread: ThreadId,
    namespace: GraphPath,
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
    /// The record itself, if the cache has this graph.
    cached_record: Option<Arc<Record>>,
}

impl PreparedCommit {
    /// Encodes a commit.
    pub(crate) fn new(commit: Commit, cache: &CheckpointCache) -> Result<Self, SaverError> {
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
        } = *record;
        let is_cached = cache.has(&thread, &namespace);
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
            cached_record: is_cached.then_some(record),
        })
    }

    pub(crate) fn sync_level(&self) -> SyncLevel {
        sync_level(self.durability)
    }

    pub(crate) fn urgency(&self) -> Urgency {
        urgency(self.durability)
    }

    /// Writes the record and its events, and returns what the next record should hold.
    pub(crate) fn store(self, writer: &mut Writer) -> Result<NextRecord, SaverError> {
        writer.require_room()?;
        let current = CurrentGraph::find(writer, &self.thread, self.epoch, &self.namespace)?;
        if current.head.is_some_and(|newest| newest >= self.id) {
            let why = format!("checkpoint {} is not the newest", self.id);
            return Err(SaverError::Corrupt(why));
        }
        let parent = self.find_parent(writer, &current)?;
        events::validate(writer, &self.thread, &self.events)?;
        let seq = writer.next_seq()?;
        let cost = self.replay_cost(writer, &current, parent)?;
        let graph = self.advance(writer, &current, seq, cost)?;
        let bytes = self.insert_row(writer, &current, &graph, parent)?;
        events::append(writer, &self.thread, &self.events)?;
        if let (Some(record), Some(before)) = (self.cached_record, &current.row) {
            let added = AppendedRecord {
                record,
                bytes,
                cost,
            };
            let append = |cached: &mut CachedCheckpoint| cached.append(added);
            writer.cache.advance(&self.thread, before, &graph, append);
        }
        let compared = writer.compared_now();
        graph::remember(writer, &self.thread, graph, Some(self.id), compared);
        Ok(next_record(cost))
    }

    /// The row of the record that this one follows.
    fn find_parent(
        &self,
        writer: &Writer,
        current: &CurrentGraph,
    ) -> Result<Option<i64>, SaverError> {
        let Some(id) = self.parent else {
            return Ok(None);
        };
        let found = match &current.row {
            Some(graph) if current.head == Some(id) => Some(graph.head),
            Some(graph) => lookup::find(writer.db()?, graph, id)?.map(|found| found.row.seq),
            None => None,
        };
        if found.is_none() {
            // Steps after one that was refused follow what was never stored.
            current.refuse_stale(writer, &self.thread)?;
            let why = format!("checkpoint {} follows unknown {id}", self.id);
            return Err(SaverError::Corrupt(why));
        }
        Ok(found)
    }

    /// What a reader of this record has to replay.
    fn replay_cost(
        &self,
        writer: &Writer,
        current: &CurrentGraph,
        parent: Option<i64>,
    ) -> Result<ReplayCost, SaverError> {
        // The row of the graph has the cost of its head; that of a fork is read from the log.
        let above = match (&current.row, parent) {
            _ if self.full => ReplayCost::default(),
            (Some(before), Some(parent)) if parent == before.head => before.cost(),
            (_, Some(parent)) => lookup::replay_cost(writer.db()?, parent)?,
            (_, None) => ReplayCost::default(),
        };
        Ok(ReplayCost {
            tail: match self.full {
                true => 0,
                false => above.tail + weight(self.packed.body.bytes.len()),
            },
            state: above.state + self.packed.state as i64,
        })
    }

    /// Moves the end of the graph's log, if the lease still holds.
    ///
    /// Nothing is written before this has worked: a run that lost its thread must not roll back what
    /// others store in the same transaction.
    fn advance(
        &self,
        writer: &mut Writer,
        current: &CurrentGraph,
        seq: i64,
        cost: ReplayCost,
    ) -> Result<GraphRow, SaverError> {
        let before = current.row.as_ref();
        let mut graph = GraphRow {
            graph: before.map_or(0, |row| row.graph),
            thread: current.thread,
            name: self.namespace.clone(),
            head: seq,
            last: seq,
            records: before.map_or(0, |row| row.records) + 1,
            tail: cost.tail,
            state: cost.state,
        };
        let moved = match before {
            Some(before) => {
                writer.move_end(&graph, before.last, current.epoch, current.compared)?
            }
            None => {
                graph.graph = writer.next_graph()?;
                graphs::insert(writer.db()?, &graph, current.epoch)?
            }
        };
        if !moved {
            return Err(SaverError::Conflict {
                thread: self.thread.clone(),
            });
        }
        writer.change_log()?;
        Ok(graph)
    }

    /// Inserts the row of the record, and returns how many bytes its body takes.
    fn insert_row(
        &self,
        writer: &mut Writer,
        current: &CurrentGraph,
        graph: &GraphRow,
        parent: Option<i64>,
    ) -> Result<usize, SaverError> {
        let before = current.row.as_ref();
        let layout = writer.layout(&self.layout)?;
        writer.blobs(current.thread, &self.packed.body.blobs)?;
        let mut row = Row {
            seq: graph.head,
            graph: graph.graph,
            prev: before.map(|before| before.last),
            parent,
            kind: Kind::Record(Step {
                id: self.id,
                step: self.step,
                source: self.source,
                durability: self.durability,
                full: self.full,
                layout,
                state: self.packed.state as i64,
            }),
            mark: graph.records % MARK_EVERY == 0,
            aside: before.is_some_and(|row| Some(row.head) != parent),
            body: Vec::new(),
        };
        row.body = writer.seal.seal(&self.packed.body.bytes, row.place())?;
        row::insert(writer.change_log()?, &row)?;
        Ok(row.body.len())
    }
}

fn sync_level(durability: Durability) -> SyncLevel {
    match durability {
        Durability::Sync | Durability::Async | Durability::Exit => SyncLevel::Full,
        Durability::Normal => SyncLevel::Normal,
    }
}

/// Under write-behind the run does not wait, so its steps may be grouped.
fn urgency(durability: Durability) -> Urgency {
    match durability {
        Durability::Async => Urgency::Deferred,
        Durability::Sync | Durability::Normal | Durability::Exit => Urgency::Immediate,
    }
}
