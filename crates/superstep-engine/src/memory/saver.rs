//! The memory saver: full history, stored as changes, shared with the running graph.
//!
//! A commit or note costs what it stores, a load what it returns, whatever the length of the
//! thread: records of a namespace are in order of id, with links between parent and children
//! (`log`), and no thread waits for work on another. `event_log` has the events of runs, `runs` who
//! ran what and how it ended.

mod after_runs;
mod bells;
mod event_log;
mod find;
mod log;
mod run_queue;
mod runs;
mod schedules;
mod thread_records;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use superstep_core::{
    archive::Archive,
    by_graph::ByGraph,
    checkpoint::{Loaded, NextRecord},
    clock::{Clock, UnixMillis},
    error::SaverError,
    event::{Cursor, Logged},
    future::MaybeReady,
    id::{GraphPath, ThreadId},
    record::TaskNote,
    saver::{
        AfterRuns, At, Commit, Events, HistoryQuery, Keep, Lease, Notes, Retained, Retention,
        RunQueue, Runs, Saver, Schedules, ThreadCounts, ThreadPage, ThreadQuery, ThreadRecords,
    },
    schedules::CronSchedule,
    thread_record::ThreadRecord,
};

use crate::clock::SystemClock;
use bells::Bells;
use event_log::EventLog;
use log::Log;
use runs::{Owner, RunIndex, ThreadRuns};
use superstep_core::sync::lock;

/// Keeps threads in memory.
///
/// ```
/// use superstep_engine::{DynGraphBuilder, Backends, memory::MemorySaver};
///
/// let saver = MemorySaver::default();
/// // Clones share the threads, so another graph finds them.
/// let backends = Backends::on(saver.clone());
/// # let _ = DynGraphBuilder::new().backends(backends);
/// ```
#[derive(Clone, Default)]
pub struct MemorySaver(Arc<Shared>);

struct Shared {
    threads: RwLock<Threads>,
    /// The newest epoch of any thread, so that epochs grow even over the end of a thread.
    epoch: AtomicU64,
    clock: Arc<dyn Clock>,
    bells: Bells<ThreadId>,
    runs: RunIndex,
    schedules: Mutex<BTreeMap<Arc<str>, CronSchedule>>,
}

impl Default for Shared {
    fn default() -> Self {
        Self::on(Arc::new(SystemClock))
    }
}

#[derive(Default)]
struct Threads {
    by_name: HashMap<ThreadId, Arc<Mutex<Thread>>>,
    /// Those whose name is no UUID in its usual form, by UUID.
    by_uuid: BTreeSet<(u128, ThreadId)>,
    /// How many were made.
    made: i64,
}

impl Threads {
    /// A thread, which is made if there is none.
    fn entry(&mut self, id: &ThreadId) -> Arc<Mutex<Thread>> {
        if let Some(found) = self.by_name.get(id) {
            return found.clone();
        }
        let uuid = id.uuid();
        if ThreadId::of_uuid(uuid) != *id {
            self.by_uuid.insert((uuid, id.clone()));
        }
        self.made += 1;
        let made = Thread {
            number: self.made,
            ..Thread::default()
        };
        let made = Arc::new(Mutex::new(made));
        self.by_name.insert(id.clone(), made.clone());
        made
    }
}

/// One thread. It is listed once it has a record; before that only a lease keeps it here.
///
/// The table of threads and a thread are never locked at once, so that work on one thread does not
/// hold up another; what was found in the table may therefore be gone when it is locked.
#[derive(Default)]
struct Thread {
    /// Greater than those of threads that were made before.
    number: i64,
    /// Of the newest lease; without one nobody may write.
    epoch: Option<u64>,
    taken: bool,
    /// When a lease was last taken or given back.
    used: UnixMillis,
    gone: bool,
    logs: ByGraph<Log>,
    event_log: EventLog,
    runs: ThreadRuns,
    record: Option<ThreadRecord>,
}

impl Thread {
    /// Whether it has checkpoints, runs or a log.
    fn has_content(&self) -> bool {
        !self.logs.is_empty() || !self.event_log.is_empty() || !self.runs.is_empty()
    }

    fn end(&mut self, index: &RunIndex) {
        (self.gone, self.epoch) = (true, None);
        index.remove(self.runs.all());
    }

    /// Whether this is the lease that somebody holds.
    fn is_leased(&self, epoch: u64) -> bool {
        self.taken && self.epoch == Some(epoch)
    }

    /// The newest checkpoint of the thread's own graph.
    fn newest(&self) -> Option<Loaded> {
        let log = self.logs.get(&GraphPath::default())?;
        log.load(log.find(At::Latest)?)
    }
}

impl MemorySaver {
    /// An empty saver.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty saver on another clock, which dates the last use of threads.
    pub fn on_clock(clock: impl Clock + 'static) -> Self {
        Self(Arc::new(Shared::on(Arc::new(clock))))
    }

    fn thread(&self, id: &ThreadId) -> Option<Arc<Mutex<Thread>>> {
        self.0.read().by_name.get(id).cloned()
    }

    /// Works on a thread, which is made if there is none.
    fn enter<T>(
        &self,
        id: &ThreadId,
        mut work: impl FnMut(&Arc<Mutex<Thread>>, &mut Thread) -> T,
    ) -> T {
        loop {
            let found = self.thread(id);
            let thread = found.unwrap_or_else(|| self.0.write().entry(id));
            let mut inner = lock(&thread);
            if !inner.gone {
                return work(&thread, &mut inner);
            }
            drop(inner);
            self.0.forget(id, &thread);
        }
    }

    fn claim(&self, id: &ThreadId) -> Result<Lease, SaverError> {
        self.enter(id, |thread, inner| {
            if inner.taken {
                return Err(SaverError::Busy { thread: id.clone() });
            }
            Ok(self.grant(id, thread, inner, None))
        })
    }

    /// Leases a thread that is free, to an owner's run if one is claimed.
    fn grant(
        &self,
        id: &ThreadId,
        thread: &Arc<Mutex<Thread>>,
        inner: &mut Thread,
        owner: Option<Owner>,
    ) -> Lease {
        let epoch = self.0.epoch.fetch_add(1, Ordering::Relaxed) + 1;
        (inner.taken, inner.epoch) = (true, Some(epoch));
        inner.used = self.0.clock.now();
        let (shared, id, thread) = (self.0.clone(), id.clone(), thread.clone());
        Lease::new(epoch, move || {
            shared.release(&id, &thread);
            if let Some(owner) = owner {
                lock(&shared.runs.places).running.end(&owner);
            }
        })
    }

    /// Changes a thread and appends to its log, or does neither.
    fn write<T>(
        &self,
        id: &ThreadId,
        epoch: u64,
        events: Vec<Logged>,
        change: impl FnOnce(&mut ByGraph<Log>) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        let conflict = || SaverError::Conflict { thread: id.clone() };
        let thread = self.thread(id).ok_or_else(conflict)?;
        let mut inner = lock(&thread);
        if inner.epoch != Some(epoch) {
            return Err(conflict());
        }
        inner.event_log.takes(epoch, &events)?;
        let answer = change(&mut inner.logs)?;
        if !events.is_empty() {
            inner.event_log.append(events);
            drop(inner);
            self.0.bells.ring(id);
        }
        Ok(answer)
    }

    fn is_used(&self, id: &ThreadId) -> bool {
        self.thread(id)
            .is_some_and(|thread| !lock(&thread).logs.is_empty())
    }

    fn remove(&self, id: &ThreadId) -> Result<(), SaverError> {
        let Some(thread) = self.thread(id) else {
            return Ok(());
        };
        {
            let mut inner = lock(&thread);
            if inner.taken {
                return Err(SaverError::Busy { thread: id.clone() });
            }
            inner.end(&self.0.runs);
        }
        self.0.forget(id, &thread);
        self.0.bells.ring(id);
        Ok(())
    }

    fn duplicate(&self, from: &ThreadId, to: &ThreadId) -> Result<(), SaverError> {
        let missing = || SaverError::NoThread {
            thread: from.clone(),
        };
        let exists = || SaverError::Exists { thread: to.clone() };
        let source = self.thread(from).ok_or_else(missing)?;
        if self.is_used(to) {
            return Err(exists());
        }
        let (mut logs, mut event_log) = {
            let source = lock(&source);
            (source.logs.clone(), source.event_log.clone())
        };
        if logs.is_empty() {
            return Err(missing());
        }
        self.found(to, &mut logs, &mut event_log)
    }

    /// Makes a thread of these records, if there is none of that name.
    fn found(
        &self,
        id: &ThreadId,
        logs: &mut ByGraph<Log>,
        event_log: &mut EventLog,
    ) -> Result<(), SaverError> {
        self.enter(id, |_, target| {
            if !target.logs.is_empty() {
                return Err(SaverError::Exists { thread: id.clone() });
            }
            if target.taken {
                return Err(SaverError::Busy { thread: id.clone() });
            }
            target.logs = std::mem::take(logs);
            target.event_log = std::mem::take(event_log);
            target.used = self.0.clock.now();
            self.0.bells.ring(id);
            Ok(())
        })
    }

    fn pack(&self, id: &ThreadId) -> Result<Archive, SaverError> {
        let missing = || SaverError::NoThread { thread: id.clone() };
        let thread = self.thread(id).ok_or_else(missing)?;
        let inner = lock(&thread);
        if inner.logs.is_empty() {
            return Err(missing());
        }
        let logs = inner.logs.iter();
        let namespaces = logs.map(|(namespace, log)| (namespace, log.archived()));
        Ok(Archive {
            namespaces: namespaces.collect(),
        })
    }

    fn unpack(&self, id: &ThreadId, archive: Archive) -> Result<(), SaverError> {
        archive.check().map_err(SaverError::Corrupt)?;
        let spaces = archive.namespaces.into_iter();
        let mut logs = spaces
            .map(|(namespace, checkpoints)| (namespace, Log::of(checkpoints)))
            .collect();
        self.found(id, &mut logs, &mut EventLog::default())
    }

    fn sweep(&self, retention: &Retention, now: UnixMillis) -> Retained {
        let mut retained = Retained::default();
        for (id, thread) in self.0.all() {
            let mut inner = lock(&thread);
            if inner.taken || inner.gone || inner.logs.is_empty() {
                continue;
            }
            if retention.ends(inner.used, now) {
                inner.end(&self.0.runs);
                drop(inner);
                self.0.forget(&id, &thread);
                retained.deleted.push(id);
            } else if let Some(keep) = retention.keep {
                retained.pruned += self.0.prune(&mut inner, keep);
            }
        }
        retained
    }
}

impl Shared {
    fn on(clock: Arc<dyn Clock>) -> Self {
        Self {
            threads: RwLock::default(),
            epoch: AtomicU64::default(),
            bells: Bells::default(),
            runs: RunIndex::default(),
            schedules: Mutex::default(),
            clock,
        }
    }

    /// All threads, in the order of their names.
    fn all(&self) -> Vec<(ThreadId, Arc<Mutex<Thread>>)> {
        let threads = self.read();
        let all = threads.by_name.iter();
        let mut all: Vec<_> = all
            .map(|(id, thread)| (id.clone(), thread.clone()))
            .collect();
        drop(threads);
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all
    }

    fn read(&self) -> RwLockReadGuard<'_, Threads> {
        self.threads.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Threads> {
        self.threads.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a lease; a thread that nobody has written ends with it.
    fn release(&self, id: &ThreadId, thread: &Arc<Mutex<Thread>>) {
        {
            let mut inner = lock(thread);
            let now = self.clock.now();
            (inner.taken, inner.used) = (false, now);
            if let Some(open) = inner.runs.open_one() {
                self.runs.changed(open);
            }
            if let Some(record) = inner.requeue(now) {
                lock(&self.runs.places).wait(record);
            }
            if inner.runs.all().iter().any(|run| run.waiting().is_some()) {
                self.runs.queue.ring(&());
            }
            if inner.has_content() || inner.record.is_some() {
                return;
            }
            inner.end(&self.runs);
        }
        self.forget(id, thread);
    }

    /// Drops old checkpoints and what belongs to them; returns how many checkpoints.
    fn prune(&self, thread: &mut Thread, keep: Keep) -> usize {
        let dropped = prune(&mut thread.logs, keep);
        let root = thread.logs.get(&GraphPath::default());
        let oldest = root.and_then(|log| log.newest(usize::MAX));
        thread.event_log.prune(oldest);
        self.runs.remove(&thread.runs.prune(oldest));
        dropped
    }

    /// Takes a thread that is gone out of the table, unless another has its name already.
    fn forget(&self, id: &ThreadId, thread: &Arc<Mutex<Thread>>) {
        let mut threads = self.write();
        let found = threads.by_name.get(id);
        if found.is_some_and(|found| Arc::ptr_eq(found, thread)) {
            threads.by_name.remove(id);
            threads.by_uuid.remove(&(id.uuid(), id.clone()));
        }
    }
}

impl Saver for MemorySaver {
    fn lease(&self, id: &ThreadId) -> MaybeReady<'_, Lease> {
        MaybeReady::now(self.claim(id))
    }

    fn load(&self, id: &ThreadId, namespace: &GraphPath, at: At) -> MaybeReady<'_, Option<Loaded>> {
        let Some(thread) = self.thread(id) else {
            return MaybeReady::now(Ok(None));
        };
        let inner = lock(&thread);
        let log = inner.logs.get(namespace);
        MaybeReady::now(Ok(log.and_then(|log| log.load(log.find(at)?))))
    }

    fn history(
        &self,
        id: &ThreadId,
        namespace: &GraphPath,
        query: &HistoryQuery,
    ) -> MaybeReady<'_, Vec<Loaded>> {
        let Some(thread) = self.thread(id) else {
            return MaybeReady::now(Ok(Vec::new()));
        };
        let inner = lock(&thread);
        let log = inner.logs.get(namespace);
        MaybeReady::now(Ok(log.map_or_else(Vec::new, |log| log.history(query))))
    }

    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
        let Commit {
            thread,
            namespace,
            epoch,
            record,
            events,
        } = commit;
        if !record.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        MaybeReady::now(self.write(
            &thread,
            epoch,
            events,
            |logs| match logs.get_mut(&namespace) {
                Some(log) => log.append(record),
                None => {
                    let mut log = Log::default();
                    let next = log.append(record)?;
                    logs.insert(namespace, log);
                    Ok(next)
                }
            },
        ))
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        let Notes {
            thread,
            namespace,
            epoch,
            durability: _,
            checkpoint,
            notes,
            events,
        } = notes;
        if !notes.iter().all(TaskNote::fits) {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        MaybeReady::now(self.write(&thread, epoch, events, |logs| {
            let known = logs
                .get_mut(&namespace)
                .is_some_and(|log| log.note(checkpoint, notes));
            let unknown = || SaverError::Corrupt(format!("a note for unknown {checkpoint}"));
            known.then_some(()).ok_or_else(unknown)
        }))
    }

    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        let Events {
            thread,
            epoch,
            events,
        } = events;
        MaybeReady::now(self.write(&thread, epoch, events, |_| Ok(())))
    }

    fn events(
        &self,
        id: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> MaybeReady<'_, Vec<Logged>> {
        let Some(thread) = self.thread(id) else {
            return MaybeReady::now(Ok(Vec::new()));
        };
        let inner = lock(&thread);
        MaybeReady::now(inner.event_log.after(after, limit))
    }

    fn changed(&self, id: &ThreadId) -> MaybeReady<'_, ()> {
        let changed = self.0.bells.listen(id.clone());
        MaybeReady::Later(Box::pin(async move {
            changed.await;
            Ok(())
        }))
    }

    fn threads(&self) -> MaybeReady<'_, Vec<ThreadId>> {
        let used = self.0.all().into_iter().filter(|(_, thread)| {
            let inner = lock(thread);
            !inner.gone && !inner.logs.is_empty()
        });
        MaybeReady::now(Ok(used.map(|(id, _)| id).collect()))
    }

    fn find_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadPage> {
        MaybeReady::now(Ok(self.page(query)))
    }

    fn count_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadCounts> {
        MaybeReady::now(Ok(self.counts(query)))
    }

    fn delete(&self, id: &ThreadId) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.remove(id))
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.duplicate(from, to))
    }

    fn prune(&self, id: &ThreadId, keep: Keep) -> MaybeReady<'_, ()> {
        let missing = || SaverError::NoThread { thread: id.clone() };
        let Some(thread) = self.thread(id) else {
            return MaybeReady::now(Err(missing()));
        };
        let mut inner = lock(&thread);
        if inner.logs.is_empty() {
            return MaybeReady::now(Err(missing()));
        }
        // A run may be about to follow a checkpoint that would go.
        if inner.taken {
            return MaybeReady::now(Err(SaverError::Busy { thread: id.clone() }));
        }
        self.0.prune(&mut inner, keep);
        MaybeReady::now(Ok(()))
    }

    fn export(&self, id: &ThreadId) -> MaybeReady<'_, Archive> {
        MaybeReady::now(self.pack(id))
    }

    fn import(&self, id: &ThreadId, archive: Archive) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.unpack(id, archive))
    }

    fn retain(&self, retention: &Retention, now: UnixMillis) -> MaybeReady<'_, Retained> {
        MaybeReady::now(Ok(self.sweep(retention, now)))
    }

    fn now(&self) -> MaybeReady<'_, UnixMillis> {
        MaybeReady::now(Ok(self.0.clock.now()))
    }

    fn runs(&self) -> &dyn Runs {
        self
    }

    fn run_queue(&self) -> &dyn RunQueue {
        self
    }

    fn schedules(&self) -> &dyn Schedules {
        self
    }

    fn thread_records(&self) -> &dyn ThreadRecords {
        self
    }

    fn after_runs(&self) -> &dyn AfterRuns {
        self
    }
}

/// Drops old checkpoints and returns how many.
fn prune(logs: &mut ByGraph<Log>, keep: Keep) -> usize {
    let count = |logs: &ByGraph<Log>| logs.iter().map(|(_, log)| log.len()).sum::<usize>();
    let before = count(logs);
    cut(logs, keep);
    before - count(logs)
}

fn cut(logs: &mut ByGraph<Log>, keep: Keep) {
    let Keep::Last(n) = keep else {
        return logs.iter_mut().for_each(|(_, log)| log.keep_last(1));
    };
    let root = logs.get(&GraphPath::default());
    let Some(oldest) = root.and_then(|log| log.newest(n.max(1))) else {
        return;
    };
    // The graph of a task ends with the checkpoint it ran from; one that lives with the thread is
    // also read as it was when the oldest kept checkpoint was made.
    logs.retain(|namespace, log| log.newest(1) >= Some(oldest) || !namespace.is_per_task());
    for (namespace, log) in logs.iter_mut() {
        let since = log.since(oldest);
        log.keep_last(if namespace.is_root() {
            since
        } else {
            since + 1
        });
    }
}
