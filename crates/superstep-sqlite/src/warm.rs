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
    id::{Namespace, ThreadId},
    record::{Record, TaskNote, absorb},
    saver::{Loaded, NextRecord},
};

use crate::{graphs::GraphRow, queue::lock};

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
    loaded: Loaded,
    bytes: usize,
    used: u64,
}

/// What a commit added.
pub(crate) struct Added {
    pub(crate) record: Arc<Record>,
    pub(crate) bytes: usize,
    pub(crate) next: NextRecord,
}

impl Warm {
    /// The newest checkpoint of a graph, if it was read and nothing has changed since.
    pub(crate) fn get(&self, thread: &ThreadId, graph: &GraphRow) -> Option<Loaded> {
        let mut kept = lock(&self.0);
        kept.uses += 1;
        let uses = kept.uses;
        let entry = kept.threads.get_mut(thread)?.get_mut(&graph.name)?;
        if entry.graph != graph.graph || entry.last != graph.last {
            return None;
        }
        entry.used = uses;
        Some(entry.loaded.clone())
    }

    /// Whether a graph is kept.
    pub(crate) fn has(&self, thread: &ThreadId, namespace: &Namespace) -> bool {
        let kept = lock(&self.0);
        let graphs = kept.threads.get(thread);
        graphs.is_some_and(|graphs| graphs.contains_key(namespace))
    }

    /// Keeps what was read.
    pub(crate) fn put(&self, thread: &ThreadId, graph: &GraphRow, loaded: &Loaded, bytes: usize) {
        if bytes < LONG {
            return;
        }
        let mut kept = lock(&self.0);
        kept.uses += 1;
        let entry = Entry {
            graph: graph.graph,
            last: graph.last,
            loaded: loaded.clone(),
            bytes,
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
        change: impl FnOnce(&mut Loaded) -> Option<usize>,
    ) {
        let mut kept = lock(&self.0);
        let Some(mut entry) = kept.take(thread, &after.name) else {
            return;
        };
        if entry.graph != before.graph || entry.last != before.last {
            return;
        }
        let Some(bytes) = change(&mut entry.loaded) else {
            return;
        };
        entry.last = after.last;
        entry.bytes += bytes;
        kept.add(thread, &after.name, entry);
    }

    /// Forgets a thread.
    pub(crate) fn forget(&self, thread: &ThreadId) {
        let mut kept = lock(&self.0);
        let gone = kept.threads.remove(thread);
        let bytes: usize = gone.iter().flatten().map(|(_, entry)| entry.bytes).sum();
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
        self.bytes -= entry.bytes;
        Some(entry)
    }

    fn add(&mut self, thread: &ThreadId, namespace: &Namespace, entry: Entry) {
        self.take(thread, namespace);
        self.bytes += entry.bytes;
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

/// What a checkpoint's successor reads like.
pub(crate) fn follow(loaded: &mut Loaded, added: Added) -> Option<usize> {
    let Added {
        record,
        bytes,
        next,
    } = added;
    let head = loaded.head().map(|head| head.id);
    if record.full {
        loaded.chain.clear();
    } else if record.parent != head {
        return None;
    }
    loaded.chain.push(record);
    loaded.notes.clear();
    loaded.next = next;
    Some(bytes)
}

/// What a checkpoint reads like with more notes.
pub(crate) fn hear(loaded: &mut Loaded, notes: &[TaskNote]) {
    let known = std::mem::take(&mut loaded.notes);
    let mut merged: BTreeMap<_, _> = known
        .into_iter()
        .map(|note| (note.key.clone(), note))
        .collect();
    for note in notes {
        absorb(&mut merged, note.clone());
    }
    loaded.notes = merged.into_values().collect();
}
