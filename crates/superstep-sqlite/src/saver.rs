//! The saver: leases, commits, notes and reads over one database.

use superstep_core::{
    archive::Archive,
    clock::UnixMillis,
    id::{Namespace, ThreadId},
    saver::{
        At, Commit, HistoryQuery, Keep, Lease, Loaded, NextRecord, Notes, Reply, Retained,
        Retention, Saver, SaverError,
    },
};

use crate::{
    Database,
    commit::{Noting, Storing},
    graphs::{self, GraphRow},
    lease, life,
    load::Reading,
    queue::lock,
    walk,
    writer::{Need, Writer},
};

/// Reading more than this many bytes is done on a thread where it holds up nobody.
const MUCH: i64 = 1024 * 1024;

/// Keeps threads in a database; cheap to clone.
#[derive(Clone)]
pub struct SqliteSaver(pub(crate) Database);

impl SqliteSaver {
    fn find(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
    ) -> Result<Option<GraphRow>, SaverError> {
        self.0.0.readers.read(|db| {
            let Some(row) = graphs::thread(db, thread)? else {
                return Ok(None);
            };
            graphs::graph(db, row.thread, namespace)
        })
    }

    fn read<T: Send + 'static>(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        none: T,
        work: impl FnOnce(&mut Reading<'_>, &GraphRow) -> Result<T, SaverError> + Send + 'static,
    ) -> Reply<'static, T> {
        let (thread, namespace) = (thread.clone(), namespace.clone());
        let much = match self.find(&thread, &namespace) {
            Ok(None) => return Reply::now(Ok(none)),
            Ok(Some(graph)) => graph.tail + graph.state > MUCH,
            Err(error) => return Reply::now(Err(error)),
        };
        let database = self.0.clone();
        let read = move || {
            let inner = &database.0;
            inner.readers.read(|db| {
                let Some(row) = graphs::thread(db, &thread)? else {
                    return Ok(none);
                };
                let Some(graph) = graphs::graph(db, row.thread, &namespace)? else {
                    return Ok(none);
                };
                work(&mut Reading::new(db, &inner.seal, &inner.layouts), &graph)
            })
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if much => {
                let reading = runtime.spawn_blocking(read);
                Reply::Later(Box::pin(async move {
                    let stopped = |error| SaverError::Io(format!("reading stopped: {error}"));
                    reading.await.map_err(stopped)?
                }))
            }
            _ => Reply::now(read()),
        }
    }
}

impl Saver for SqliteSaver {
    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease> {
        let inner = &self.0.0;
        if !lock(&inner.held).insert(thread.clone()) {
            return Reply::now(Err(SaverError::Busy {
                thread: thread.clone(),
            }));
        }
        inner.queue.enter();
        let (name, worker, length) = (thread.clone(), inner.worker.id, inner.options.lease);
        let claim = inner.queue.submit(Need::System, move |writer| {
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
        self.read(thread, namespace, None, move |reading, graph| {
            let Some(found) = walk::locate(reading.db(), graph, at)? else {
                return Ok(None);
            };
            reading.load(graph, found).map(|(loaded, _)| Some(loaded))
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
        match Storing::new(&commit) {
            Ok(storing) => {
                let need = storing.need();
                self.0
                    .0
                    .queue
                    .submit(need, move |writer| storing.store(writer))
            }
            Err(error) => Reply::now(Err(error)),
        }
    }

    fn note(&self, notes: Notes) -> Reply<'_, ()> {
        match Noting::new(notes) {
            Ok(noting) => {
                let need = noting.need();
                self.0
                    .0
                    .queue
                    .submit(need, move |writer| noting.store(writer))
            }
            Err(error) => Reply::now(Err(error)),
        }
    }

    fn threads(&self) -> Reply<'_, Vec<ThreadId>> {
        Reply::now(self.0.0.readers.read(life::threads))
    }

    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.life(thread, |writer, thread, worker| {
            life::delete(writer, thread, worker)
        })
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
                match saver.life(&thread, work).await? {
                    life::Kept::Untouched => {}
                    life::Kept::Pruned(count) => retained.pruned += count,
                    life::Kept::Deleted => retained.deleted.push(thread),
                }
            }
            Ok(retained)
        }))
    }
}

impl SqliteSaver {
    /// Work on a whole thread.
    fn life<T: Send + 'static>(
        &self,
        thread: &ThreadId,
        work: impl FnOnce(&mut Writer, &ThreadId, i64) -> Result<T, SaverError> + Send + 'static,
    ) -> Reply<'static, T> {
        let inner = &self.0.0;
        let (thread, worker) = (thread.clone(), inner.worker.id);
        inner.queue.submit(Need::Disk, move |writer| {
            writer.apart(|writer| work(writer, &thread, worker))
        })
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
    fn settle(mut self, claim: Result<u64, SaverError>) -> Result<Lease, SaverError> {
        match claim {
            Ok(epoch) => {
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
            let name = self.thread.clone();
            // A release that is not stored ends with the process, or at its next lease.
            let _later = inner.queue.submit(Need::System, move |writer| {
                lease::release(writer, &name, epoch)
            });
        }
        inner.queue.leave();
        lock(&inner.held).remove(&self.thread);
    }
}
