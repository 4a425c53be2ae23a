//! `Saver` over a database: leases, commits, notes, reads and whole threads; runs are in
//! `saver/runs` and `saver/run_queue`, schedules in `saver/schedules`, records in `saver/thread_records`.

mod after_runs;
mod run_queue;
mod runs;
mod schedules;
mod thread_records;

use std::{collections::hash_map::Entry, sync::atomic::Ordering};

use rusqlite::Connection;
use superstep_core::{
    archive::Archive,
    checkpoint::{Loaded, NextRecord},
    clock::UnixMillis,
    error::SaverError,
    event::{Cursor, Logged},
    future::MaybeReady,
    id::{GraphPath, ThreadId},
    saver::{
        AfterRuns, At, Commit, Events, HistoryQuery, Keep, Lease, Notes, Retained, Retention,
        RunQueue, Runs, Saver, Schedules, ThreadCounts, ThreadPage, ThreadQuery, ThreadRecords,
    },
};

use crate::{
    Database,
    cache::CachedCheckpoint,
    clock::wall_millis,
    commit::{PreparedCommit, PreparedNotes},
    database::{Inner, ThreadContents},
    events,
    finding::{self, Finder},
    graphs::{self, GraphRow},
    lease,
    load::RecordReader,
    lookup,
    queue::Urgency,
    sync_level::SyncLevel,
    threads,
    watch::Topic,
    writer::Writer,
};
use superstep_core::sync::lock;

/// Reads of more bytes than this run on the blocking pool.
const LARGE: i64 = 1024 * 1024;

/// Stores threads in a database; cheap to clone.
#[derive(Clone)]
pub struct SqliteSaver(pub(crate) Database);

impl Database {
    /// A saver that stores threads in this file.
    pub fn saver(&self) -> SqliteSaver {
        SqliteSaver(self.clone())
    }
}

impl SqliteSaver {
    fn read<T: Send + 'static>(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        none: T,
        work: impl FnOnce(&mut RecordReader<'_>, &GraphRow) -> Result<T, SaverError> + Send + 'static,
    ) -> MaybeReady<'static, T> {
        let inner = &self.0.0;
        let runtime = tokio::runtime::Handle::try_current().ok();
        let mut waiting = Some(work);
        let read = inner.readers.read(|db| {
            let Some(graph) = graphs::find(db, thread, namespace)? else {
                waiting = None;
                return Ok(None);
            };
            let newest = inner.cache.get(thread, &graph);
            let large = newest.is_none() && graph.tail + graph.state > LARGE;
            let now = match large && runtime.is_some() {
                true => None,
                false => waiting.take(),
            };
            let read = now.map(|work| inner.read(db, thread, &graph, newest, work));
            read.transpose()
        });
        let (work, runtime) = match (read, waiting, runtime) {
            (Ok(None), Some(work), Some(runtime)) => (work, runtime),
            (read, ..) => return MaybeReady::now(read.map(|read| read.unwrap_or(none))),
        };
        let (database, thread, namespace) = (self.0.clone(), thread.clone(), namespace.clone());
        let reader = runtime.spawn_blocking(move || {
            let inner = &database.0;
            inner.readers.read(|db| {
                let Some(graph) = graphs::find(db, &thread, &namespace)? else {
                    return Ok(none);
                };
                inner.read(db, &thread, &graph, None, work)
            })
        });
        MaybeReady::Later(Box::pin(async move {
            let stopped = |error| SaverError::Io(format!("reading stopped: {error}"));
            reader.await.map_err(stopped)?
        }))
    }

    /// The newest checkpoint of a graph from the cache.
    fn cached(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
    ) -> Result<Option<Loaded>, SaverError> {
        let inner = &self.0.0;
        if !inner.cache.has(thread, namespace) {
            return Ok(None);
        }
        let found = inner
            .readers
            .peek(|db| graphs::find(db, thread, namespace))?;
        let cached = found.and_then(|graph| inner.cache.get(thread, &graph));
        Ok(cached.map(|cached| cached.loaded))
    }

    /// Finds threads, by an index that is up to date.
    fn find<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Finder<'_>) -> Result<T, SaverError> + Send + 'static,
    ) -> MaybeReady<'static, T> {
        let saver = self.clone();
        MaybeReady::Later(Box::pin(async move {
            let inner = &saver.0.0;
            let mut after = i64::MIN;
            while !inner.queue.is_closed() {
                let changed = inner.readers.read(|db| finding::changed(db, after))?;
                let Some((last, _)) = changed.last() else {
                    break;
                };
                after = *last;
                let (level, urgency) = (SyncLevel::Normal, Urgency::Immediate);
                let caught_up = inner.queue.submit(level, urgency, move |writer| {
                    writer.in_savepoint(|writer| finding::catch_up(writer, &changed))
                });
                caught_up.await?;
            }
            inner.readers.read(|db| {
                work(&Finder {
                    db,
                    seal: &inner.seal,
                    layouts: &inner.layouts,
                    show: &|row| inner.shown(db, row),
                })
            })
        }))
    }

    /// Runs work on a whole thread that no run has leased.
    fn modify<T: Send + 'static>(
        &self,
        thread: &ThreadId,
        work: impl FnOnce(&mut Writer, &ThreadId, i64) -> Result<T, SaverError> + Send + 'static,
    ) -> MaybeReady<'static, T> {
        let inner = &self.0.0;
        if lock(&inner.leased).contains_key(thread) {
            return MaybeReady::now(Err(SaverError::Busy {
                thread: thread.clone(),
            }));
        }
        let (thread, worker) = (thread.clone(), inner.worker_id());
        inner
            .queue
            .submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
                writer.in_savepoint(|writer| work(writer, &thread, worker))
            })
    }
}

impl Inner {
    /// Reads a graph, and caches its newest checkpoint if that was not cached yet.
    fn read<T>(
        &self,
        db: &Connection,
        thread: &ThreadId,
        graph: &GraphRow,
        newest: Option<CachedCheckpoint>,
        work: impl FnOnce(&mut RecordReader<'_>, &GraphRow) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        let known = newest.is_some();
        let mut reader = RecordReader::new(db, &self.seal, &self.layouts);
        reader.newest = newest;
        let done = work(&mut reader, graph)?;
        if let (Some(newest), false) = (&reader.newest, known) {
            self.cache.put(thread, graph, newest);
        }
        Ok(done)
    }
}

impl Saver for SqliteSaver {
    fn lease(&self, thread: &ThreadId) -> MaybeReady<'_, Lease> {
        let inner = &self.0.0;
        let Some(guard) = LeaseGuard::reserve(self, thread) else {
            return MaybeReady::now(Err(SaverError::Busy {
                thread: thread.clone(),
            }));
        };
        let (name, worker, length) = (thread.clone(), inner.worker_id(), inner.options.lease);
        // The first lease skips lost epochs, which must be durable; others may be lost in a power cut.
        let level = match inner.epochs_skipped.load(Ordering::Acquire) {
            true => SyncLevel::Normal,
            false => SyncLevel::Full,
        };
        let claim = inner
            .queue
            .submit(level, Urgency::Immediate, move |writer| {
                lease::claim(writer, &name, worker, length)
            });
        match claim {
            MaybeReady::Now(answer) => {
                let missing = || Err(SaverError::Io("no answer".to_owned()));
                MaybeReady::now(guard.complete(answer.unwrap_or_else(missing)))
            }
            MaybeReady::Later(claim) => {
                MaybeReady::Later(Box::pin(async move { guard.complete(claim.await) }))
            }
        }
    }

    fn load(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        at: At,
    ) -> MaybeReady<'_, Option<Loaded>> {
        if lock(&self.0.0.leased).get(thread) == Some(&ThreadContents::Empty) {
            return MaybeReady::now(Ok(None));
        }
        if at == At::Latest {
            match self.cached(thread, namespace) {
                Ok(None) => {}
                known => return MaybeReady::now(known),
            }
        }
        self.read(thread, namespace, None, move |reader, graph| {
            let Some(found) = lookup::locate(reader.db(), graph, at)? else {
                return Ok(None);
            };
            reader.load(graph, found).map(Some)
        })
    }

    fn history(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        query: &HistoryQuery,
    ) -> MaybeReady<'_, Vec<Loaded>> {
        let query = query.clone();
        self.read(thread, namespace, Vec::new(), move |reader, graph| {
            reader.history(graph, &query)
        })
    }

    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
        let inner = &self.0.0;
        if let Some(contents) = lock(&inner.leased).get_mut(&commit.thread) {
            *contents = ThreadContents::Unknown;
        }
        match PreparedCommit::new(commit, &inner.cache) {
            Ok(prepared) => {
                let (level, urgency) = (prepared.sync_level(), prepared.urgency());
                let store = move |writer: &mut _| prepared.store(writer);
                inner.queue.submit(level, urgency, store)
            }
            Err(error) => MaybeReady::now(Err(error)),
        }
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        let inner = &self.0.0;
        match PreparedNotes::new(notes, &inner.cache) {
            Ok(prepared) => {
                let (level, urgency) = (prepared.sync_level(), prepared.urgency());
                let store = move |writer: &mut _| prepared.store(writer);
                inner.queue.submit(level, urgency, store)
            }
            Err(error) => MaybeReady::now(Err(error)),
        }
    }

    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        let queue = &self.0.0.queue;
        queue.submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
            events::log(writer, &events)
        })
    }

    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> MaybeReady<'_, Vec<Logged>> {
        let inner = &self.0.0;
        let read = |db: &_| events::after(db, &inner.seal, thread, after, limit);
        MaybeReady::now(inner.readers.read(read))
    }

    fn changed(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        match self.0.0.watcher.listen(Topic::Log(thread.clone())) {
            Ok(changed) => MaybeReady::Later(Box::pin(async move {
                changed.await;
                Ok(())
            })),
            Err(error) => MaybeReady::now(Err(error)),
        }
    }

    fn threads(&self) -> MaybeReady<'_, Vec<ThreadId>> {
        MaybeReady::now(self.0.0.readers.read(threads::list))
    }

    fn find_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadPage> {
        let query = query.clone();
        self.find(move |finder| finder.page(&query))
    }

    fn count_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadCounts> {
        let query = query.clone();
        self.find(move |finder| finder.counts(&query))
    }

    fn delete(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        self.modify(thread, threads::delete)
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> MaybeReady<'_, ()> {
        let from = from.clone();
        self.modify(to, move |writer, to, worker| {
            threads::copy(writer, &from, to, worker)
        })
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> MaybeReady<'_, ()> {
        self.modify(thread, move |writer, thread, worker| {
            threads::prune(writer, thread, keep, worker).map(drop)
        })
    }

    fn export(&self, thread: &ThreadId) -> MaybeReady<'_, Archive> {
        let inner = &self.0.0;
        let read = |db: &_| threads::export(db, &inner.seal, &inner.layouts, thread);
        MaybeReady::now(inner.readers.read(read))
    }

    fn import(&self, thread: &ThreadId, archive: Archive) -> MaybeReady<'_, ()> {
        self.modify(thread, move |writer, thread, worker| {
            threads::import(writer, thread, &archive, worker)
        })
    }

    fn retain(&self, retention: &Retention, now: UnixMillis) -> MaybeReady<'_, Retained> {
        let (saver, retention) = (self.clone(), *retention);
        MaybeReady::Later(Box::pin(async move {
            let mut retained = Retained::default();
            // One thread per transaction, so that runs can commit in between.
            for thread in saver.threads().await? {
                let work = move |writer: &mut Writer, thread: &ThreadId, worker| {
                    threads::retain(writer, thread, &retention, now, worker)
                };
                match saver.modify(&thread, work).await {
                    Ok(threads::RetentionOutcome::Untouched) | Err(SaverError::Busy { .. }) => {}
                    Ok(threads::RetentionOutcome::Pruned(count)) => retained.pruned += count,
                    Ok(threads::RetentionOutcome::Deleted) => retained.deleted.push(thread),
                    Err(error) => return Err(error),
                }
            }
            Ok(retained)
        }))
    }

    fn now(&self) -> MaybeReady<'_, UnixMillis> {
        // The file is on this machine, and so is its clock.
        MaybeReady::now(Ok(wall_millis()))
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

/// Reserves a thread within this process while the lease is requested and held. Dropping it releases
/// the thread, also when the caller no longer waits for the lease.
struct LeaseGuard {
    saver: SqliteSaver,
    thread: ThreadId,
    state: GuardState,
}

enum GuardState {
    Pending,
    Refused,
    Leased(u64),
    Released,
}

impl LeaseGuard {
    /// Reserves a thread that nothing in this process uses.
    fn reserve(saver: &SqliteSaver, thread: &ThreadId) -> Option<Self> {
        let inner = &saver.0.0;
        let mut leased = lock(&inner.leased);
        let Entry::Vacant(free) = leased.entry(thread.clone()) else {
            return None;
        };
        free.insert(ThreadContents::Unknown);
        drop(leased);
        inner.queue.add_writer();
        Some(Self {
            saver: saver.clone(),
            thread: thread.clone(),
            state: GuardState::Pending,
        })
    }

    /// The lease, once it is granted.
    fn lease(mut self, epoch: u64) -> Lease {
        let inner = &self.saver.0.0;
        inner.epochs_skipped.store(true, Ordering::Release);
        self.state = GuardState::Leased(epoch);
        Lease::with_end(epoch, move || self.release())
    }

    /// Gives the thread up, which somebody else has leased.
    fn refuse(mut self) {
        self.state = GuardState::Refused;
    }

    fn complete(self, claim: Result<lease::Claim, SaverError>) -> Result<Lease, SaverError> {
        match claim {
            Ok(lease::Claim { epoch, is_new }) => {
                if is_new {
                    let mut leased = lock(&self.saver.0.0.leased);
                    leased.insert(self.thread.clone(), ThreadContents::Empty);
                }
                Ok(self.lease(epoch))
            }
            Err(error) => {
                self.refuse();
                Err(error)
            }
        }
    }

    /// Releases the thread, once. A release that fails to be stored takes effect when the process ends
    /// or leases it again.
    fn release(&mut self) -> MaybeReady<'static, ()> {
        let inner = &self.saver.0.0;
        let (name, now) = (self.thread.clone(), wall_millis());
        let submit = |epoch| {
            let work = move |writer: &mut Writer| lease::release(writer, &name, epoch, now);
            inner
                .queue
                .submit(SyncLevel::Normal, Urgency::Immediate, work)
        };
        let stored = match std::mem::replace(&mut self.state, GuardState::Released) {
            GuardState::Released => return MaybeReady::now(Ok(())),
            GuardState::Leased(epoch) => submit(Some(epoch)),
            GuardState::Pending => submit(None),
            GuardState::Refused => MaybeReady::now(Ok(())),
        };
        inner.queue.remove_writer();
        lock(&inner.leased).remove(&self.thread);
        stored
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        // Nobody waits for it.
        let _later = self.release();
    }
}
