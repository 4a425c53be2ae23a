//! Long threads as they were last read, so that reading them again costs next to nothing.
//!
//! An entry is good while the end of the graph's log is where it was when the entry was made, which
//! the row of the graph says whoever wrote it. A commit of this process moves its entry along. Short
//! threads are read so fast that they are not kept.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex},
};

use superstep_core::{
    checkpoint::{Chain, Loaded, Rebuilt},
    id::{CheckpointId, Namespace, ThreadId},
    record::{Record, TaskNote, absorb},
};

use crate::{
    cost::{self, Cost},
    graphs::GraphRow,
    lock::lock,
};

/// Only what takes so many bytes in the file is kept.
const LONG: usize = 32 * 1024;
/// All that is kept takes no more than so many.
const ROOM: usize = 64 * 1024 * 1024;

/// Threads as they were last read.
#[derive(Default)]
pub(crate) struct Warm(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    threads: HashMap<ThreadId, HashMap<Namespace, Entry>>,
    bytes: usize,
    uses: u64,
}

struct Entry {
    graph: i64,
    last: i64,
    long: Long,
    used: u64,
}

/// A checkpoint, and what its records take.
#[derive(Clone, Debug)]
pub(crate) struct Long {
    pub(crate) loaded: Loaded,
    /// In the file, the notes included.
    pub(crate) bytes: usize,
    /// What a reader of each of its records replays, in their order.
    pub(crate) costs: Arc<Vec<Cost>>,
}

/// What a commit added.
pub(crate) struct Added {
    pub(crate) record: Arc<Record>,
    pub(crate) bytes: usize,
    pub(crate) cost: Cost,
}

impl Warm {
    /// The newest checkpoint of a graph, if it was read and nothing has changed since.
    pub(crate) fn get(&self, thread: &ThreadId, graph: &GraphRow) -> Option<Long> {
        let mut kept = lock(&self.0);
        kept.uses += 1;
        let uses = kept.uses;
        let entry = kept.threads.get_mut(thread)?.get_mut(&graph.name)?;
        if entry.graph != graph.graph || entry.last != graph.last {
            return None;
        }
        entry.used = uses;
        Some(entry.long.clone())
    }

    /// Whether a graph is kept.
    pub(crate) fn has(&self, thread: &ThreadId, namespace: &Namespace) -> bool {
        let kept = lock(&self.0);
        let graphs = kept.threads.get(thread);
        graphs.is_some_and(|graphs| graphs.contains_key(namespace))
    }

    /// Keeps what was read.
    pub(crate) fn put(&self, thread: &ThreadId, graph: &GraphRow, long: &Long) {
        if long.bytes < LONG {
            return;
        }
        let mut kept = lock(&self.0);
        kept.uses += 1;
        let entry = Entry {
            graph: graph.graph,
            last: graph.last,
            long: long.clone(),
            used: kept.uses,
        };
        kept.add(thread, &graph.name, entry);
    }

    /// Moves an entry along with a commit or with notes, if it stood where they were added.
    pub(crate) fn advance(
        &self,
        thread: &ThreadId,
        before: &GraphRow,
        after: &GraphRow,
        change: impl FnOnce(&mut Long) -> Option<()>,
    ) {
        let mut kept = lock(&self.0);
        let Some(mut entry) = kept.take(thread, &after.name) else {
            return;
        };
        if entry.graph != before.graph || entry.last != before.last {
            return;
        }
        if change(&mut entry.long).is_none() {
            return;
        }
        entry.last = after.last;
        kept.add(thread, &after.name, entry);
    }

    /// Forgets a thread.
    pub(crate) fn forget(&self, thread: &ThreadId) {
        let mut kept = lock(&self.0);
        let gone = kept.threads.remove(thread);
        let bytes: usize = gone
            .iter()
            .flatten()
            .map(|(_, entry)| entry.long.bytes)
            .sum();
        kept.bytes -= bytes;
    }

    /// Forgets everything: what was noted for a transaction that did not hold must not stay.
    pub(crate) fn clear(&self) {
        *lock(&self.0) = Kept::default();
    }
}

impl Kept {
    fn take(&mut self, thread: &ThreadId, namespace: &Namespace) -> Option<Entry> {
        let entry = self.threads.get_mut(thread)?.remove(namespace)?;
        self.bytes -= entry.long.bytes;
        Some(entry)
    }

    fn add(&mut self, thread: &ThreadId, namespace: &Namespace, entry: Entry) {
        self.take(thread, namespace);
        self.bytes += entry.long.bytes;
        let graphs = self.threads.entry(thread.clone()).or_default();
        graphs.insert(namespace.clone(), entry);
        while self.bytes > ROOM
            && let Some((thread, namespace)) = self.oldest()
        {
            self.take(&thread, &namespace);
        }
    }

    fn oldest(&self) -> Option<(ThreadId, Namespace)> {
        let all = self.threads.iter().flat_map(|(thread, graphs)| {
            graphs
                .iter()
                .map(move |(namespace, entry)| (entry.used, thread, namespace))
        });
        let (_, thread, namespace) = all.min_by_key(|(used, ..)| *used)?;
        Some((thread.clone(), namespace.clone()))
    }
}

impl Long {
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
            next: cost::next(*self.costs.get(place)?),
        })
    }

    /// Goes on to its successor, if that is what was added.
    pub(crate) fn follow(&mut self, added: Added) -> Option<()> {
        let Added {
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
        *next = cost::next(cost);
        Arc::make_mut(&mut self.costs).push(cost);
        self.bytes += bytes;
        Some(())
    }

    /// Takes in more notes.
    pub(crate) fn hear(&mut self, notes: &[TaskNote]) {
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
