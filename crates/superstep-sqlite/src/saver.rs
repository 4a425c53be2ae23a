//! The saver: leases, commits, notes and reads over one database.

use std::{collections::hash_map::Entry, sync::atomic::Ordering, time::Duration};

use rusqlite::Connection;
use superstep_core::{
    archive::Archive,
    checkpoint::{Loaded, NextRecord},
    clock::UnixMillis,
    error::SaverError,
    event::{Cursor, Logged},
    id::{Namespace, ThreadId},
    saver::{
        At, Commit, Events, HistoryQuery, Keep, Lease, Notes, Reply, Retained, Retention, Saver,
    },
};

use crate::{
    Database,
    clock::wall,
    commit::{Noting, Storing},
    database::{Contents, Inner},
    events,
    graphs::{self, GraphRow},
    lease, life,
    load::Reading,
    lock::lock,
    queue::Haste,
    sync_level::Need,
    walk,
    warm::Long,
    writer::Writer,
};

/// Reading more than this many bytes is done on a thread where it holds up nobody.
const MUCH: i64 = 1024 * 1024;

/// How often the log of another process is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Keeps threads in a database; cheap to clone.
#[derive(Clone)]
pub struct SqliteSaver(pub(crate) Database);

impl Database {
    /// Keeps threads in this file.
    pub fn saver(&self) -> SqliteSaver {
        SqliteSaver(self.clone())
    }
}

impl SqliteSaver {
    fn read<T: Send + 'static>(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        none: T,
        work: impl FnOnce(&mut Reading<'_>, &GraphRow) -> Result<T, SaverError> + Send + 'static,
    ) -> Reply<'static, T> {
        let inner = &self.0.0;
        let runtime = tokio::runtime::Handle::try_current().ok();
        let mut waiting = Some(work);
        let read = inner.readers.read(|db| {
            let Some(graph) = graphs::find(db, thread, namespace)? else {
                waiting = None;
                return Ok(None);
            };
            let newest = inner.warm.get(thread, &graph);
            let much = newest.is_none() && graph.tail + graph.state > MUCH;
            let now = match much && runtime.is_some() {
                true => None,
                false => waiting.take(),
            };
            let read = now.map(|work| inner.read(db, thread, &graph, newest, work));
            read.transpose()
        });
        let (work, runtime) = match (read, waiting, runtime) {
            (Ok(None), Some(work), Some(runtime)) => (work, runtime),
            (read, ..) => return Reply::now(read.map(|read| read.unwrap_or(none))),
        };
        let (database, thread, namespace) = (self.0.clone(), thread.clone(), namespace.clone());
        let reading = runtime.spawn_blocking(move || {
            let inner = &database.0;
            inner.readers.read(|db| {
                let Some(graph) = graphs::find(db, &thread, &namespace)? else {
                    return Ok(none);
                };
                inner.read(db, &thread, &graph, None, work)
            })
        });
        Reply::Later(Box::pin(async move {
            let stopped = |error| SaverError::Io(format!("reading stopped: {error}"));
            reading.await.map_err(stopped)?
        }))
    }

    /// The newest checkpoint of a graph that was read before and has not changed since.
    fn warm(&self, thread: &ThreadId, namespace: &Namespace) -> Result<Option<Loaded>, SaverError> {
        let inner = &self.0.0;
        if !inner.warm.has(thread, namespace) {
            return Ok(None);
        }
        let found = inner
            .readers
            .peek(|db| graphs::find(db, thread, namespace))?;
        let long = found.and_then(|graph| inner.warm.get(thread, &graph));
        Ok(long.map(|long| long.loaded))
    }

    /// Work on a whole thread.
    fn life<T: Send + 'static>(
        &self,
        thread: &ThreadId,
        work: impl FnOnce(&mut Writer, &ThreadId, i64) -> Result<T, SaverError> + Send + 'static,
    ) -> Reply<'static, T> {
        let inner = &self.0.0;
        if lock(&inner.held).contains_key(thread) {
            return Reply::now(Err(SaverError::Busy {
                thread: thread.clone(),
            }));
        }
        let (thread, worker) = (thread.clone(), inner.worker_id());
        inner.queue.submit(Need::Disk, Haste::Now, move |writer| {
            writer.apart(|writer| work(writer, &thread, worker))
        })
    }
}

impl Inner {
    /// Reads a graph of which the newest checkpoint may be known, and keeps that if it was not.
    fn read<T>(
        &self,
        db: &Connection,
        thread: &ThreadId,
        graph: &GraphRow,
        newest: Option<Long>,
        work: impl FnOnce(&mut Reading<'_>, &GraphRow) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        let known = newest.is_some();
        let mut reading = Reading::new(db, &self.seal, &self.layouts);
        reading.newest = newest;
        let done = work(&mut reading, graph)?;
        if let (Some(newest), false) = (&reading.newest, known) {
            self.warm.put(thread, graph, newest);
        }
        Ok(done)
    }
}

impl Saver for SqliteSaver {
    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease> {
        let inner = &self.0.0;
        if let Entry::Vacant(free) = lock(&inner.held).entry(thread.clone()) {
            free.insert(Contents::Maybe);
        } else {
            return Reply::now(Err(SaverError::Busy {
                thread: thread.clone(),
            }));
        }
        inner.queue.enter();
        let (name, worker, length) = (thread.clone(), inner.worker_id(), inner.options.lease);
        // The first one passes over epochs for good; the others may go with a power cut.
        let need = match inner.outran.load(Ordering::Acquire) {
            true => Need::System,
            false => Need::Disk,
        };
        let claim = inner.queue.submit(need, Haste::Now, move |writer| {
            lease::claim(writer, &name, worker, length)
        });
        let claimed = Claimed {
            saver: self.clone(),
            thread: thread.clone(),
            state: Claim::Open,
        };
        match claim {
            Reply::Now(answer) => {
                let missing = || Err(SaverError::Io("no answer".to_owned()));
                Reply::now(claimed.settle(answer.unwrap_or_else(missing)))
            }
            Reply::Later(claim) => {
                Reply::Later(Box::pin(async move { claimed.settle(claim.await) }))
            }
        }
    }

    fn load(&self, thread: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>> {
        if lock(&self.0.0.held).get(thread) == Some(&Contents::Nothing) {
            return Reply::now(Ok(None));
        }
        if at == At::Latest {
            match self.warm(thread, namespace) {
                Ok(None) => {}
                known => return Reply::now(known),
            }
        }
        self.read(thread, namespace, None, move |reading, graph| {
            let Some(found) = walk::locate(reading.db(), graph, at)? else {
                return Ok(None);
            };
            reading.load(graph, found).map(Some)
        })
    }

    fn history(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        query: &HistoryQuery,
    ) -> Reply<'_, Vec<Loaded>> {
        let query = query.clone();
        self.read(thread, namespace, Vec::new(), move |reading, graph| {
            reading.history(graph, &query)
        })
    }

    fn commit(&self, commit: Commit) -> Reply<'_, NextRecord> {
        let inner = &self.0.0;
        if let Some(contents) = lock(&inner.held).get_mut(&commit.thread) {
            *contents = Contents::Maybe;
        }
        match Storing::new(commit, &inner.warm) {
            Ok(storing) => {
                let (need, haste) = (storing.need(), storing.haste());
                let store = move |writer: &mut _| storing.store(writer);
                inner.queue.submit(need, haste, store)
            }
            Err(error) => Reply::now(Err(error)),
        }
    }

    fn note(&self, notes: Notes) -> Reply<'_, ()> {
        let inner = &self.0.0;
        match Noting::new(notes, &inner.warm) {
            Ok(noting) => {
                let (need, haste) = (noting.need(), noting.haste());
                let store = move |writer: &mut _| noting.store(writer);
                inner.queue.submit(need, haste, store)
            }
            Err(error) => Reply::now(Err(error)),
        }
    }

    fn log(&self, events: Events) -> Reply<'_, ()> {
        let queue = &self.0.0.queue;
        queue.submit(Need::Disk, Haste::Now, move |writer| {
            events::log(writer, &events)
        })
    }

    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> Reply<'_, Vec<Logged>> {
        let inner = &self.0.0;
        let read = |db: &_| events::after(db, &inner.seal, thread, after, limit);
        Reply::now(inner.readers.read(read))
    }

    fn changed(&self, thread: &ThreadId) -> Reply<'_, ()> {
        let (database, thread) = (self.0.clone(), thread.clone());
        let mut bell = database.0.bell.clone();
        bell.mark_unchanged();
        let newest = move |database: &Database| {
            let readers = &database.0.readers;
            readers.read(|db| events::newest_of(db, &thread))
        };
        let before = match newest(&database) {
            Ok(before) => before,
            Err(error) => return Reply::now(Err(error)),
        };
        Reply::Later(Box::pin(async move {
            loop {
                // Another process rings no bell here, so its log is looked at now and then.
                tokio::select! {
                    rung = bell.changed() => drop(rung),
                    () = tokio::time::sleep(LOOK) => {}
                }
                if newest(&database)? != before {
                    return Ok(());
                }
            }
        }))
    }

    fn threads(&self) -> Reply<'_, Vec<ThreadId>> {
        Reply::now(self.0.0.readers.read(life::threads))
    }

    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.life(thread, life::delete)
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()> {
        let from = from.clone();
        self.life(to, move |writer, to, worker| {
            life::copy(writer, &from, to, worker)
        })
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> Reply<'_, ()> {
        self.life(thread, move |writer, thread, worker| {
            life::prune(writer, thread, keep, worker).map(drop)
        })
    }

    fn export(&self, thread: &ThreadId) -> Reply<'_, Archive> {
        let inner = &self.0.0;
        let read = |db: &_| life::export(db, &inner.seal, &inner.layouts, thread);
        Reply::now(inner.readers.read(read))
    }

    fn import(&self, thread: &ThreadId, archive: Archive) -> Reply<'_, ()> {
        self.life(thread, move |writer, thread, worker| {
            life::import(writer, thread, &archive, worker)
        })
    }

    fn retain(&self, retention: &Retention, now: UnixMillis) -> Reply<'_, Retained> {
        let (saver, retention) = (self.clone(), *retention);
        Reply::Later(Box::pin(async move {
            let mut retained = Retained::default();
            // One thread at a time, so that runs of others go on in between.
            for thread in saver.threads().await? {
                let work = move |writer: &mut Writer, thread: &ThreadId, worker| {
                    life::retain(writer, thread, &retention, now, worker)
                };
                match saver.life(&thread, work).await {
                    Ok(life::Kept::Untouched) | Err(SaverError::Busy { .. }) => {}
                    Ok(life::Kept::Pruned(count)) => retained.pruned += count,
                    Ok(life::Kept::Deleted) => retained.deleted.push(thread),
                    Err(error) => return Err(error),
                }
            }
            Ok(retained)
        }))
    }
}

/// A thread claimed in this process, while the claim is made in the database and until the lease
/// ends. It is given back also when nobody waits for the outcome any more.
struct Claimed {
    saver: SqliteSaver,
    thread: ThreadId,
    state: Claim,
}

enum Claim {
    Open,
    Refused,
    Held(u64),
}

impl Claimed {
    fn settle(mut self, claim: Result<lease::Claimed, SaverError>) -> Result<Lease, SaverError> {
        match claim {
            Ok(lease::Claimed { epoch, is_new }) => {
                let inner = &self.saver.0.0;
                inner.outran.store(true, Ordering::Release);
                if is_new {
                    lock(&inner.held).insert(self.thread.clone(), Contents::Nothing);
                }
                self.state = Claim::Held(epoch);
                Ok(Lease::new(epoch, move || drop(self)))
            }
            Err(error) => {
                self.state = Claim::Refused;
                Err(error)
            }
        }
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        let inner = &self.saver.0.0;
        let epoch = match self.state {
            Claim::Held(epoch) => Some(epoch),
            Claim::Open | Claim::Refused => None,
        };
        if !matches!(self.state, Claim::Refused) {
            let (name, now) = (self.thread.clone(), wall());
            // A release that is not stored ends with the process, or at its next lease.
            let _later = inner.queue.submit(Need::System, Haste::Now, move |writer| {
                lease::release(writer, &name, epoch, now)
            });
        }
        inner.queue.leave();
        lock(&inner.held).remove(&self.thread);
    }
}
