//! The memory saver: full history, stored as changes, shared with the running graph.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use superstep_core::{
    id::{CheckpointId, Namespace, ThreadId},
    record::{Change, Record, TaskNote},
    saver::{
        At, Commit, HistoryQuery, Keep, Lease, Loaded, NextRecord, Notes, Reply, Saver, SaverError,
    },
    table::{ChannelIx, Key},
    value::Value,
};

/// How many records a thread may have since its last full one, at least.
const TAIL: usize = 64;

/// Keeps threads in memory.
#[derive(Clone, Default)]
pub struct MemorySaver {
    threads: Arc<Mutex<HashMap<ThreadId, Arc<Thread>>>>,
}

#[derive(Default)]
struct Thread {
    taken: AtomicBool,
    inner: Mutex<ThreadLog>,
}

#[derive(Clone, Default)]
struct ThreadLog {
    epoch: u64,
    logs: HashMap<Namespace, Log>,
}

/// The records of one namespace, in order of id, with links from parent to children.
#[derive(Clone, Default)]
struct Log {
    entries: Vec<Entry>,
    /// Records since the last full one, and the weight of that one.
    tail: usize,
    weight: usize,
}

#[derive(Clone)]
struct Entry {
    record: Arc<Record>,
    parent: Option<usize>,
    children: Vec<usize>,
    notes: Vec<TaskNote>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemorySaver {
    /// An empty saver.
    pub fn new() -> Self {
        Self::default()
    }

    fn thread(&self, id: &ThreadId) -> Option<Arc<Thread>> {
        lock(&self.threads).get(id).cloned()
    }

    fn thread_or_new(&self, id: &ThreadId) -> Arc<Thread> {
        let mut threads = lock(&self.threads);
        match threads.get(id) {
            Some(thread) => thread.clone(),
            None => threads.entry(id.clone()).or_default().clone(),
        }
    }

    fn write<T>(
        &self,
        id: &ThreadId,
        epoch: u64,
        change: impl FnOnce(&mut ThreadLog) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        let thread = self.thread_or_new(id);
        let mut log = lock(&thread.inner);
        if log.epoch != epoch {
            return Err(SaverError::Conflict { thread: id.clone() });
        }
        change(&mut log)
    }
}

impl Log {
    fn place(&self, id: CheckpointId) -> Option<usize> {
        self.entries.binary_search_by_key(&id, |entry| entry.record.id).ok()
    }

    fn find(&self, at: At) -> Option<usize> {
        match at {
            At::Latest => self.entries.len().checked_sub(1),
            At::Id(id) => self.place(id),
            At::Before(id) => {
                self.entries.partition_point(|entry| entry.record.id < id).checked_sub(1)
            }
        }
    }

    fn append(&mut self, record: Record) -> Result<NextRecord, SaverError> {
        let newest = self.entries.last().map(|entry| entry.record.id);
        if newest.is_some_and(|newest| newest >= record.id) {
            return Err(SaverError::Corrupt(format!("checkpoint {} is not the newest", record.id)));
        }
        let parent = match record.parent {
            None => None,
            Some(id) => Some(self.place(id).ok_or_else(|| {
                SaverError::Corrupt(format!("checkpoint {} follows unknown {id}", record.id))
            })?),
        };
        let place = self.entries.len();
        if let Some(parent) = parent.and_then(|parent| self.entries.get_mut(parent)) {
            parent.children.push(place);
        }
        if record.full {
            self.tail = 0;
            self.weight = record.changes.iter().map(|(_, change)| weight(change)).sum();
        } else {
            self.tail += 1;
        }
        let record = Arc::new(record);
        self.entries.push(Entry { record, parent, children: Vec::new(), notes: Vec::new() });
        Ok(if self.tail >= TAIL.max(self.weight) {
            NextRecord::Everything
        } else {
            NextRecord::Changes
        })
    }

    fn load(&self, place: usize) -> Option<Loaded> {
        let mut chain = Vec::new();
        let mut at = Some(place);
        while let Some(entry) = at.and_then(|at| self.entries.get(at)) {
            chain.push(entry.record.clone());
            at = entry.parent.filter(|_| !entry.record.full);
        }
        chain.reverse();
        let superseded = place + 1 < self.entries.len();
        Some(Loaded { chain, notes: self.notes(place)?, superseded })
    }

    /// What is known of a checkpoint's tasks: what was noted, and what came with later records.
    fn notes(&self, place: usize) -> Option<Vec<TaskNote>> {
        let entry = self.entries.get(place)?;
        let mut notes = entry.notes.clone();
        for child in entry.children.iter().filter_map(|child| self.entries.get(*child)) {
            for note in &child.record.tasks {
                absorb(&mut notes, note.clone());
            }
        }
        Some(notes)
    }
}

/// Notes are kept in order of their keys, in which they mostly come.
fn absorb(notes: &mut Vec<TaskNote>, later: TaskNote) {
    match notes.binary_search_by(|note| note.key.cmp(&later.key)) {
        Ok(at) => {
            if let Some(note) = notes.get_mut(at) {
                note.absorb(later);
            }
        }
        Err(at) => notes.insert(at, later),
    }
}

/// Roughly how much a change holds, in elements.
fn weight(change: &Change) -> usize {
    match change {
        Change::Set(Value::List(items)) | Change::Extend(Value::List(items)) => 1 + items.len(),
        Change::Set(Value::Map(map)) => 1 + map.len(),
        _ => 1,
    }
}

impl Saver for MemorySaver {
    fn lease(&self, id: &ThreadId) -> Reply<'_, Lease> {
        let thread = self.thread_or_new(id);
        if thread.taken.swap(true, Ordering::AcqRel) {
            return Reply::now(Err(SaverError::Busy { thread: id.clone() }));
        }
        let epoch = {
            let mut log = lock(&thread.inner);
            log.epoch += 1;
            log.epoch
        };
        Reply::now(Ok(Lease::new(epoch, move || thread.taken.store(false, Ordering::Release))))
    }

    fn load(&self, id: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>> {
        let Some(thread) = self.thread(id) else { return Reply::now(Ok(None)) };
        let inner = lock(&thread.inner);
        let log = inner.logs.get(namespace);
        Reply::now(Ok(log.and_then(|log| log.load(log.find(at)?))))
    }

    fn history(
        &self,
        id: &ThreadId,
        namespace: &Namespace,
        query: &HistoryQuery,
    ) -> Reply<'_, Vec<Loaded>> {
        let Some(thread) = self.thread(id) else { return Reply::now(Ok(Vec::new())) };
        let inner = lock(&thread.inner);
        let Some(log) = inner.logs.get(namespace) else { return Reply::now(Ok(Vec::new())) };
        let wanted = log.entries.iter().enumerate().rev().filter(|(_, e)| query.wants(&e.record));
        let limit = query.limit.unwrap_or(usize::MAX);
        Reply::now(Ok(wanted.take(limit).filter_map(|(place, _)| log.load(place)).collect()))
    }

    fn commit(&self, commit: Commit) -> Reply<'_, NextRecord> {
        let Commit { thread, namespace, epoch, record } = commit;
        Reply::now(self.write(&thread, epoch, |log| {
            match log.logs.get_mut(&namespace) {
                Some(found) => found.append(record),
                None => log.logs.entry(namespace).or_default().append(record),
            }
        }))
    }

    fn note(&self, notes: Notes) -> Reply<'_, ()> {
        let Notes { thread, namespace, epoch, checkpoint, notes } = notes;
        Reply::now(self.write(&thread, epoch, |log| {
            let log = log.logs.entry(namespace).or_default();
            let place = log.place(checkpoint);
            let Some(entry) = place.and_then(|place| log.entries.get_mut(place)) else {
                return Err(SaverError::Corrupt(format!("a note for unknown {checkpoint}")));
            };
            for note in notes {
                absorb(&mut entry.notes, note);
            }
            Ok(())
        }))
    }

    fn threads(&self) -> Reply<'_, Vec<ThreadId>> {
        let threads = lock(&self.threads);
        let used = threads.iter().filter(|(_, thread)| !lock(&thread.inner).logs.is_empty());
        let mut ids: Vec<ThreadId> = used.map(|(id, _)| id.clone()).collect();
        ids.sort();
        Reply::now(Ok(ids))
    }

    fn delete(&self, id: &ThreadId) -> Reply<'_, ()> {
        let mut threads = lock(&self.threads);
        if let Some(thread) = threads.get(id) {
            if thread.taken.load(Ordering::Acquire) {
                return Reply::now(Err(SaverError::Busy { thread: id.clone() }));
            }
            threads.remove(id);
        }
        Reply::now(Ok(()))
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()> {
        let mut threads = lock(&self.threads);
        let source = threads.get(from).map(|thread| lock(&thread.inner).clone());
        let Some(copy) = source.filter(|log| !log.logs.is_empty()) else {
            return Reply::now(Err(SaverError::NoThread { thread: from.clone() }));
        };
        let target = threads.entry(to.clone()).or_default();
        let mut inner = lock(&target.inner);
        if !inner.logs.is_empty() || target.taken.load(Ordering::Acquire) {
            return Reply::now(Err(SaverError::Exists { thread: to.clone() }));
        }
        inner.logs = copy.logs;
        Reply::now(Ok(()))
    }

    fn prune(&self, id: &ThreadId, keep: Keep) -> Reply<'_, ()> {
        let Some(thread) = self.thread(id) else {
            return Reply::now(Err(SaverError::NoThread { thread: id.clone() }));
        };
        let mut inner = lock(&thread.inner);
        let roots = match keep {
            Keep::Latest => 1,
            Keep::Last(n) => n.max(1),
        };
        let root = inner.logs.get(&Namespace::default());
        let oldest = root.and_then(|log| {
            log.entries.get(log.entries.len().saturating_sub(roots)).map(|entry| entry.record.id)
        });
        for (namespace, log) in &mut inner.logs {
            let from = match keep {
                Keep::Latest => log.entries.len().saturating_sub(1),
                Keep::Last(_) => oldest.map_or(0, |oldest| {
                    let first = log.entries.partition_point(|entry| entry.record.id < oldest);
                    if namespace.is_root() { first } else { first.saturating_sub(1) }
                }),
            };
            cut(log, from);
        }
        Reply::now(Ok(()))
    }
}

/// Drops the entries before `from`; those whose parent goes are made to stand alone.
fn cut(log: &mut Log, from: usize) {
    let whole: Vec<Option<Vec<Arc<Record>>>> = (0..log.entries.len())
        .map(|place| {
            let orphan = log.entries.get(place)?.parent.is_some_and(|parent| parent < from);
            (orphan && place >= from).then(|| log.load(place).map(|loaded| loaded.chain))?
        })
        .collect();
    let notes: Vec<Vec<TaskNote>> =
        (0..log.entries.len()).map(|place| log.notes(place).unwrap_or_default()).collect();
    let entries = std::mem::take(&mut log.entries);
    let kept = entries.into_iter().zip(whole).zip(notes).skip(from);
    log.entries = kept
        .map(|((entry, chain), notes)| {
            let record = chain.and_then(|chain| squash(&chain)).map_or(entry.record, Arc::new);
            let parent = entry.parent.and_then(|parent| parent.checked_sub(from));
            let children = entry.children.iter().filter_map(|c| c.checked_sub(from)).collect();
            Entry { record, parent, children, notes }
        })
        .collect();
}

/// One full record in place of a chain: later values replace earlier ones, appends are joined.
fn squash(chain: &[Arc<Record>]) -> Option<Record> {
    let mut state: BTreeMap<Arc<str>, Vec<Change>> = BTreeMap::new();
    for record in chain {
        for (channel, change) in &record.changes {
            let Some(name) = record.layout.channels.get(channel.ix()) else { continue };
            let changes = state.entry(name.clone()).or_default();
            if !matches!(change, Change::Extend(_)) {
                changes.clear();
            }
            changes.push(change.clone());
        }
    }
    let mut record = Record::clone(chain.last()?);
    record.parent = None;
    record.full = true;
    record.changes = Vec::new();
    for (name, changes) in state {
        let Some(ix) = record.layout.channels.iter().position(|other| *other == name) else {
            continue;
        };
        record.changes.extend(changes.into_iter().map(|change| (ChannelIx::at(ix), change)));
    }
    Some(record)
}
