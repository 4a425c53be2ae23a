//! Cache of the newest checkpoints of long threads.
//!
//! An entry is valid while the graph's log ends where it did when the entry was made; the row of the
//! graph has that, whichever process wrote it. A commit of this process updates the entry. Short
//! threads are not cached: reading them is fast.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex},
};

use superstep_core::{
    checkpoint::{Chain, Loaded, Rebuilt},
    id::{CheckpointId, GraphPath, ThreadId},
    record::{Record, TaskNote, absorb},
};

use crate::{
    cost::{self, ReplayCost},
    graphs::GraphRow,
};
use superstep_core::sync::lock;

/// Checkpoints that take fewer bytes in the file are not cached.
const MIN_BYTES: usize = 32 * 1024;
/// The whole cache takes no more than this; the least recently used entries go first.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The newest checkpoints of graphs, by thread.
#[derive(Default)]
pub(crate) struct CheckpointCache(Mutex<CacheState>);

#[derive(Default)]
struct CacheState {
    threads: HashMap<ThreadId, HashMap<GraphPath, CacheEntry>>,
    bytes: usize,
    uses: u64,
}

struct CacheEntry {
    graph: i64,
    last: i64,
    checkpoint: CachedCheckpoint,
    used: u64,
}

/// A checkpoint, and the size of its records.
#[derive(Clone, Debug)]
pub(crate) struct CachedCheckpoint {
    pub(crate) loaded: Loaded,
    /// Bytes in the file, notes included.
    pub(crate) bytes: usize,
    /// The replay cost of each of its records, in order.
    pub(crate) costs: Arc<Vec<ReplayCost>>,
}

/// A record that a commit appended.
pub(crate) struct AppendedRecord {
    pub(crate) record: Arc<Record>,
    pub(crate) bytes: usize,
    pub(crate) cost: ReplayCost,
}

impl CheckpointCache {
    /// The newest checkpoint of a graph, if its entry is valid.
    pub(crate) fn get(&self, thread: &ThreadId, graph: &GraphRow) -> Option<CachedCheckpoint> {
        let mut state = lock(&self.0);
        state.uses += 1;
        let uses = state.uses;
        let entry = state.threads.get_mut(thread)?.get_mut(&graph.name)?;
        if entry.graph != graph.graph || entry.last != graph.last {
            return None;
        }
        entry.used = uses;
        Some(entry.checkpoint.clone())
    }

    /// Whether a graph has an entry.
    pub(crate) fn has(&self, thread: &ThreadId, namespace: &GraphPath) -> bool {
        let state = lock(&self.0);
        let graphs = state.threads.get(thread);
        graphs.is_some_and(|graphs| graphs.contains_key(namespace))
    }

    /// Adds a checkpoint that was read.
    pub(crate) fn put(&self, thread: &ThreadId, graph: &GraphRow, checkpoint: &CachedCheckpoint) {
        if checkpoint.bytes < MIN_BYTES {
            return;
        }
        let mut state = lock(&self.0);
        state.uses += 1;
        let entry = CacheEntry {
            graph: graph.graph,
            last: graph.last,
            checkpoint: checkpoint.clone(),
            used: state.uses,
        };
        state.add(thread, &graph.name, entry);
    }

    /// Updates an entry after a commit or notes, if it was valid just before.
    pub(crate) fn advance(
        &self,
        thread: &ThreadId,
        before: &GraphRow,
        after: &GraphRow,
        change: impl FnOnce(&mut CachedCheckpoint) -> Option<()>,
    ) {
        let mut state = lock(&self.0);
        let Some(mut entry) = state.take(thread, &after.name) else {
            return;
        };
        if entry.graph != before.graph || entry.last != before.last {
            return;
        }
        if change(&mut entry.checkpoint).is_none() {
            return;
        }
        entry.last = after.last;
        state.add(thread, &after.name, entry);
    }

    /// Removes the entries of a thread.
    pub(crate) fn remove(&self, thread: &ThreadId) {
        let mut state = lock(&self.0);
        let gone = state.threads.remove(thread);
        let bytes: usize = gone
            .iter()
            .flatten()
            .map(|(_, entry)| entry.checkpoint.bytes)
            .sum();
        state.bytes -= bytes;
    }

    /// Removes everything: entries may have been updated by a transaction that was rolled back.
    pub(crate) fn clear(&self) {
        *lock(&self.0) = CacheState::default();
    }
}

impl CacheState {
    fn take(&mut self, thread: &ThreadId, namespace: &GraphPath) -> Option<CacheEntry> {
        let entry = self.threads.get_mut(thread)?.remove(namespace)?;
        self.bytes -= entry.checkpoint.bytes;
        Some(entry)
    }

    fn add(&mut self, thread: &ThreadId, namespace: &GraphPath, entry: CacheEntry) {
        self.take(thread, namespace);
        self.bytes += entry.checkpoint.bytes;
        let graphs = self.threads.entry(thread.clone()).or_default();
        graphs.insert(namespace.clone(), entry);
        while self.bytes > MAX_BYTES
            && let Some((thread, namespace)) = self.oldest()
        {
            self.take(&thread, &namespace);
        }
    }

    fn oldest(&self) -> Option<(ThreadId, GraphPath)> {
        let all = self.threads.iter().flat_map(|(thread, graphs)| {
            graphs
                .iter()
                .map(move |(namespace, entry)| (entry.used, thread, namespace))
        });
        let (_, thread, namespace) = all.min_by_key(|(used, ..)| *used)?;
        Some((thread.clone(), namespace.clone()))
    }
}

impl CachedCheckpoint {
    /// One of its records.
    pub(crate) fn record(&self, id: CheckpointId) -> Option<&Arc<Record>> {
        let mut newest = self.loaded.chain.iter().rev();
        newest.find(|record| record.id == id)
    }

    /// An older checkpoint among its records, without notes.
    pub(crate) fn at(&self, id: CheckpointId) -> Option<Loaded> {
        let chain = &self.loaded.chain;
        let place = chain.iter().rposition(|record| record.id == id)?;
        Some(Loaded {
            chain: chain.up_to(place + 1),
            notes: Vec::new(),
            superseded: place + 1 < chain.len(),
            next: cost::next_record(*self.costs.get(place)?),
        })
    }

    /// Appends a record, if it follows this checkpoint.
    pub(crate) fn append(&mut self, added: AppendedRecord) -> Option<()> {
        let AppendedRecord {
            record,
            bytes,
            cost,
        } = added;
        let Loaded {
            chain, notes, next, ..
        } = &mut self.loaded;
        if record.full {
            let rebuilt = Rebuilt::default();
            (*chain, self.costs) = (Chain::default().keeping(rebuilt), Arc::default());
        } else if record.parent != chain.last().map(|head| head.id) {
            return None;
        }
        chain.push(record);
        notes.clear();
        *next = cost::next_record(cost);
        Arc::make_mut(&mut self.costs).push(cost);
        self.bytes += bytes;
        Some(())
    }

    /// Merges further notes.
    pub(crate) fn merge_notes(&mut self, notes: &[TaskNote]) {
        let known = std::mem::take(&mut self.loaded.notes);
        let mut merged: BTreeMap<_, _> = known
            .into_iter()
            .map(|note| (note.key.clone(), note))
            .collect();
        for note in notes {
            absorb(&mut merged, note.clone());
        }
        self.loaded.notes = merged.into_values().collect();
    }
}
