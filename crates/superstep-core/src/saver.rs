//! The trait every backend implements to keep threads.
//!
//! A backend implements [`Saver`] and the traits it returns: [`Runs`], [`RunQueue`], [`Schedules`], [`ThreadRecords`] and
//! [`AfterRuns`]; one around another, [`SaverLayer`]. A saver stores [`Record`]s and [`TaskNote`]s and never looks inside
//! a value. The conformance crate has a kit that checks any implementation.

mod after_runs;
mod find;
mod layer;
mod run_queue;
mod runs;
mod schedules;
mod thread_records;

use std::{sync::Arc, time::Duration};

use crate::{
    archive::Archive,
    clock::{UnixMillis, expiry},
    event::{Cursor, Logged},
    id::{CheckpointId, GraphPath, ThreadId},
    policy::Durability,
    record::{Record, Source, TaskNote},
};

pub use after_runs::AfterRuns;
pub use find::{
    ThreadCounts, ThreadCursor, ThreadInfo, ThreadKind, ThreadOrder, ThreadPage, ThreadQuery,
};
pub use layer::SaverLayer;
pub use run_queue::{Claimed, RunQueue};
pub use runs::Runs;
pub use schedules::Schedules;
pub use thread_records::ThreadRecords;

/// What a saver returns and refuses, for those who write one.
pub use crate::{
    checkpoint::{Chain, Loaded, NextRecord, Parents, Rebuilt},
    error::SaverError,
    future::MaybeReady,
    thread_record::{StampThread, ThreadExpected, ThreadRecord},
};

/// Which checkpoint of a namespace is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// The newest.
    #[default]
    Latest,
    /// This one.
    Id(CheckpointId),
    /// The newest that is older than this one.
    Before(CheckpointId),
}

/// Which checkpoints a history shows, newest first.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// At most this many.
    pub limit: Option<usize>,
    /// Only older ones.
    pub before: Option<CheckpointId>,
    /// Only from this source.
    pub source: Option<Source>,
    /// Only of this step.
    pub step: Option<i64>,
}

impl HistoryQuery {
    /// Whether a record is wanted, apart from the limit.
    pub fn wants(&self, record: &Record) -> bool {
        self.before.is_none_or(|before| record.id < before)
            && self.source.is_none_or(|source| record.source == source)
            && self.step.is_none_or(|step| record.step == step)
    }
}

/// The right to write a thread; ends when dropped.
pub struct Lease {
    /// Grows with every lease of the thread; a commit with an older one is refused.
    pub epoch: u64,
    release: Option<LeaseEnd>,
}

type LeaseEnd = Box<dyn FnOnce() -> MaybeReady<'static, ()> + Send + Sync>;

impl Lease {
    /// A lease and what to do when it ends.
    pub fn new(epoch: u64, release: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self::with_end(epoch, move || {
            release();
            MaybeReady::now(Ok(()))
        })
    }

    /// A lease whose end takes time before all see it.
    pub fn with_end(
        epoch: u64,
        release: impl FnOnce() -> MaybeReady<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            epoch,
            release: Some(Box::new(release)),
        }
    }

    /// Ends it, and returns when other processes can lease the thread. If that cannot be stored, the
    /// lease ends when it is not renewed.
    pub async fn end(mut self) {
        if let Some(release) = self.release.take() {
            let _stored = release().await;
        }
    }
}

impl std::fmt::Debug for Lease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lease")
            .field("epoch", &self.epoch)
            .finish_non_exhaustive()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            // Nobody waits for it.
            let _later = release();
        }
    }
}

/// One step to store.
#[derive(Debug)]
pub struct Commit {
    /// The thread.
    pub thread: ThreadId,
    /// The graph within it.
    pub namespace: GraphPath,
    /// The writer's lease.
    pub epoch: u64,
    /// What to store; a saver may keep it as it is.
    pub record: Arc<Record>,
    /// What to append to the thread's log along with it.
    pub events: Vec<Logged>,
}

/// What tasks of a checkpoint did, to store before the step ends.
#[derive(Debug)]
pub struct Notes {
    /// The thread.
    pub thread: ThreadId,
    /// The graph within it.
    pub namespace: GraphPath,
    /// The writer's lease.
    pub epoch: u64,
    /// How durable the run is.
    pub durability: Durability,
    /// The checkpoint the tasks started from.
    pub checkpoint: CheckpointId,
    /// The notes, each merged into what is known of its task.
    pub notes: Vec<TaskNote>,
    /// What to append to the thread's log along with them.
    pub events: Vec<Logged>,
}

/// What to append to the log of a thread.
#[derive(Debug)]
pub struct Events {
    /// The thread.
    pub thread: ThreadId,
    /// The writer's lease.
    pub epoch: u64,
    /// The entries, in order of their cursors.
    pub events: Vec<Logged>,
}

/// How much of a thread to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The newest checkpoint of each namespace.
    Latest,
    /// The newest `n` checkpoints of the root (at least one), and what belongs to them.
    Last(usize),
}

/// Which threads and checkpoints are old enough to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// How much to keep of each thread; nothing is dropped from threads without it.
    pub keep: Option<Keep>,
    /// Threads that were not used for this long are deleted; none is without it.
    pub idle: Option<Duration>,
}

impl Retention {
    /// Whether a thread that was last used at a time is old enough to be deleted.
    pub fn ends(&self, used: UnixMillis, now: UnixMillis) -> bool {
        self.idle.is_some_and(|idle| expiry(used, idle) <= now)
    }
}

/// What a retention has removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retained {
    /// The threads that are gone, in order of name.
    pub deleted: Vec<ThreadId>,
    /// How many checkpoints of the other threads are gone.
    pub pruned: usize,
}

/// Keeps threads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` keeps no threads",
    label = "not a saver",
    note = "give `MemorySaver::new()`, or `Database::open(path)?.saver()` for a file"
)]
pub trait Saver: Send + Sync + 'static {
    /// Claims the right to write a thread, or fails with [`SaverError::Busy`]. Epochs of a thread grow,
    /// also over its deletion.
    fn lease(&self, thread: &ThreadId) -> MaybeReady<'_, Lease>;

    /// A checkpoint, if there is one.
    fn load(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        at: At,
    ) -> MaybeReady<'_, Option<Loaded>>;

    /// Checkpoints of a namespace, newest first.
    fn history(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        query: &HistoryQuery,
    ) -> MaybeReady<'_, Vec<Loaded>>;

    /// Stores a step: all of it or nothing, durable when the reply comes. Returns what the next record
    /// of the namespace should hold.
    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord>;

    /// Stores notes: all of them or none, durable when the reply comes.
    fn note(&self, notes: Notes) -> MaybeReady<'_, ()>;

    /// Appends to the log of a thread: all of it or nothing, durable when the reply comes.
    fn log(&self, events: Events) -> MaybeReady<'_, ()>;

    /// The first `limit` entries of a thread's log after a cursor, or from its beginning.
    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> MaybeReady<'_, Vec<Logged>>;

    /// Answers once the log of a thread may have grown since this was called. So a reader that
    /// calls this, reads to the end and then awaits the reply misses nothing.
    fn changed(&self, thread: &ThreadId) -> MaybeReady<'_, ()>;

    /// All threads, in order of name.
    fn threads(&self) -> MaybeReady<'_, Vec<ThreadId>>;

    /// A page of the threads that a query wants ([`ThreadQuery::wants`]), in its order. The cost of a page must not grow
    /// with the number of threads.
    fn find_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadPage>;

    /// How many threads a query wants, its page apart.
    fn count_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadCounts>;

    /// Removes a thread and all that belongs to it; no such thread is fine, a leased one is
    /// [`SaverError::Busy`].
    fn delete(&self, thread: &ThreadId) -> MaybeReady<'_, ()>;

    /// Copies a thread under a new name.
    fn copy(&self, from: &ThreadId, to: &ThreadId) -> MaybeReady<'_, ()>;

    /// Drops old checkpoints; what is kept reads as before. A leased thread is
    /// [`SaverError::Busy`]: a fork in progress could lose its parent.
    fn prune(&self, thread: &ThreadId, keep: Keep) -> MaybeReady<'_, ()>;

    /// All that is kept of a thread.
    fn export(&self, thread: &ThreadId) -> MaybeReady<'_, Archive>;

    /// Makes a thread of an archive: all of it or nothing, durable when the reply comes. It reads
    /// and resumes as the one that was exported.
    ///
    /// What fails [`Archive::check`] is [`SaverError::Corrupt`], a thread that has records
    /// [`SaverError::Exists`], a leased one [`SaverError::Busy`].
    fn import(&self, thread: &ThreadId, archive: Archive) -> MaybeReady<'_, ()>;

    /// Deletes the threads that were not used for long, and prunes the others; leased threads are
    /// left alone.
    ///
    /// A thread is used when a lease of it is taken and when it ends, and when it is made by a copy
    /// or an import; reading is no use. The saver notes the time of that on its own clock.
    fn retain(&self, retention: &Retention, now: UnixMillis) -> MaybeReady<'_, Retained>;

    /// What time it is for the storage, which is the same for all processes that share it: by this
    /// clock leases end and runs and schedules are due.
    fn now(&self) -> MaybeReady<'_, UnixMillis>;

    /// The runs of its threads.
    fn runs(&self) -> &dyn Runs;

    /// The runs that wait for a worker.
    fn run_queue(&self) -> &dyn RunQueue;

    /// Runs that are put into the queue at times of a calendar.
    fn schedules(&self) -> &dyn Schedules;

    /// Records of its threads: owners, dates, metadata.
    fn thread_records(&self) -> &dyn ThreadRecords;

    /// Work after runs: webhooks, threads that go with their runs.
    fn after_runs(&self) -> &dyn AfterRuns;
}
