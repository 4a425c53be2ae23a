//! The trait every backend implements to keep threads.
//!
//! A saver stores [`Record`]s and [`TaskNote`]s and never looks inside a value. The conformance
//! crate has a kit that checks any implementation.

mod chain;

use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use crate::{
    archive::Archive,
    clock::{UnixMillis, expiry},
    event::{Cursor, Logged},
    id::{CheckpointId, Namespace, ThreadId},
    record::{Record, Source, TaskNote},
    run::Durability,
};

pub(crate) use chain::State as RebuiltState;
pub use chain::{Chain, Rebuilt};

/// A boxed future.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The answer of a saver: at once, or later.
///
/// A saver that answers at once (memory, or a commit made inline) costs no allocation.
pub enum Reply<'a, T> {
    /// The answer.
    Now(Option<Result<T, SaverError>>),
    /// A future of it.
    Later(BoxFuture<'a, Result<T, SaverError>>),
}

impl<T> Reply<'_, T> {
    /// An answer at once.
    pub fn now(result: Result<T, SaverError>) -> Self {
        Self::Now(Some(result))
    }
}

impl<T: Unpin> Future for Reply<'_, T> {
    type Output = Result<T, SaverError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Now(answer) => match answer.take() {
                Some(answer) => Poll::Ready(answer),
                None => Poll::Ready(Err(SaverError::Io("an answer was awaited twice".into()))),
            },
            Self::Later(future) => future.as_mut().poll(cx),
        }
    }
}

/// Why a saver refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaverError {
    /// Another run works on the thread.
    #[error("thread `{thread}` is in use by another run")]
    Busy {
        /// The thread.
        thread: ThreadId,
    },
    /// The thread moved on since this run read it.
    #[error("thread `{thread}` was changed by another run")]
    Conflict {
        /// The thread.
        thread: ThreadId,
    },
    /// No such thread.
    #[error("no thread `{thread}`")]
    NoThread {
        /// The thread.
        thread: ThreadId,
    },
    /// The target of a copy or an import exists.
    #[error("thread `{thread}` exists already")]
    Exists {
        /// The thread.
        thread: ThreadId,
    },
    /// What is stored cannot be read.
    #[error("stored data is damaged: {0}")]
    Corrupt(String),
    /// The medium failed.
    #[error("storage failed: {0}")]
    Io(String),
    /// The medium takes no writes.
    #[error("storage is read-only: {0}")]
    ReadOnly(String),
    /// The medium has no room left.
    #[error("storage is full: {0}")]
    Full(String),
    /// Another program keeps the storage to itself.
    #[error("storage is locked by another program: {0}")]
    Locked(String),
    /// The storage belongs to something else.
    #[error("not storage of superstep: {0}")]
    Foreign(String),
    /// The storage was written by a newer version.
    #[error("{storage} has format {found}, this program knows formats up to {known}")]
    Newer {
        /// Which.
        storage: String,
        /// What it has.
        found: i64,
        /// The newest known.
        known: i64,
    },
    /// Data is encrypted and should not be, or the other way round.
    #[error("stored data does not open: {0}")]
    Sealed(String),
    /// Data cannot be stored.
    #[error("data cannot be stored: {0}")]
    Unstorable(String),
    /// The storage was removed or replaced while it was open.
    #[error("the storage was removed or replaced while it was open: {0}")]
    Moved(String),
    /// There is no storage yet, and it was opened for reading.
    #[error("there is no storage: {0}")]
    Missing(String),
    /// The storage was written by an older version, and was opened for reading.
    #[error("{storage} has format {found}, this program reads format {known}")]
    Older {
        /// Which.
        storage: String,
        /// What it has.
        found: i64,
        /// The one that is read.
        known: i64,
    },
    /// The storage has names that do not lead to the same files beside it.
    #[error("the storage has several names: {0}")]
    Linked(String),
}

impl SaverError {
    /// A value is nested deeper than [`crate::value::MAX_DEPTH`].
    pub fn too_deep() -> Self {
        let limit = crate::value::MAX_DEPTH;
        Self::Unstorable(format!("a value is nested more than {limit} levels deep"))
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy { .. } => "SS2001",
            Self::Conflict { .. } => "SS2002",
            Self::NoThread { .. } => "SS2003",
            Self::Exists { .. } => "SS2004",
            Self::Corrupt(_) => "SS2005",
            Self::Io(_) => "SS2006",
            Self::ReadOnly(_) => "SS2007",
            Self::Full(_) => "SS2008",
            Self::Locked(_) => "SS2009",
            Self::Foreign(_) => "SS2010",
            Self::Newer { .. } => "SS2011",
            Self::Sealed(_) => "SS2012",
            Self::Unstorable(_) => "SS2013",
            Self::Moved(_) => "SS2014",
            Self::Missing(_) => "SS2015",
            Self::Older { .. } => "SS2016",
            Self::Linked(_) => "SS2017",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Busy { .. } => "wait for the other run, or use another thread",
            Self::Conflict { .. } => "read the thread again and repeat",
            Self::Exists { .. } => "choose another name, or delete the thread first",
            Self::Corrupt(_) => "check the storage, and restore a backup if it is damaged",
            Self::ReadOnly(_) => "make the file and its folder writable",
            Self::Full(_) => "make room, then continue the thread; what was acknowledged is kept",
            Self::Locked(_) => "end the program that holds it, or try again later",
            Self::Foreign(_) => "give another path, or move the file away",
            Self::Newer { .. } => "open it with the version that wrote it, or a newer one",
            Self::Sealed(_) => "open it with the key it was written with",
            Self::Unstorable(_) => "keep stored data flatter and of types that serialise",
            Self::Moved(_) => {
                "put the file back with the files beside it, then read the thread again"
            }
            Self::Missing(_) => "give the path of a database, or run something that makes one",
            Self::Older { .. } => "open it for writing once, which brings it up to date",
            Self::Linked(_) => "remove the other hard links, or use symbolic links",
            Self::NoThread { .. } | Self::Io(_) => return None,
        })
    }
}

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

/// A checkpoint with all that is needed to continue from it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Records from the last snapshot (or the first record) up to the checkpoint, oldest first.
    pub chain: Chain,
    /// What tasks of the checkpoint have done so far.
    pub notes: Vec<TaskNote>,
    /// Whether a newer checkpoint exists in the namespace.
    pub superseded: bool,
    /// What a record that follows the checkpoint should hold.
    pub next: NextRecord,
}

impl Loaded {
    /// The checkpoint itself.
    pub fn head(&self) -> Option<&Arc<Record>> {
        self.chain.last()
    }
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
    release: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl Lease {
    /// A lease and what to do when it ends.
    pub fn new(epoch: u64, release: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self {
            epoch,
            release: Some(Box::new(release)),
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
            release();
        }
    }
}

/// One step to store.
#[derive(Debug)]
pub struct Commit {
    /// The thread.
    pub thread: ThreadId,
    /// The graph within it.
    pub namespace: Namespace,
    /// The writer's lease.
    pub epoch: u64,
    /// What to store.
    pub record: Record,
    /// What to append to the thread's log along with it.
    pub events: Vec<Logged>,
}

/// What tasks of a checkpoint did, to store before the step ends.
#[derive(Debug)]
pub struct Notes {
    /// The thread.
    pub thread: ThreadId,
    /// The graph within it.
    pub namespace: Namespace,
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

/// What the next record of a namespace should hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextRecord {
    /// What changed.
    #[default]
    Changes,
    /// Every channel, so that reading does not walk back further.
    Everything,
}

/// Keeps threads.
pub trait Saver: Send + Sync + 'static {
    /// Claims the right to write a thread, or says [`SaverError::Busy`]. Epochs of a thread grow,
    /// also over its deletion.
    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease>;

    /// A checkpoint, if there is one.
    fn load(&self, thread: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>>;

    /// Checkpoints of a namespace, newest first.
    fn history(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        query: &HistoryQuery,
    ) -> Reply<'_, Vec<Loaded>>;

    /// Stores a step: all of it or nothing, durable when the reply comes. Says what the next record
    /// of the namespace should hold.
    fn commit(&self, commit: Commit) -> Reply<'_, NextRecord>;

    /// Stores notes: all of them or none, durable when the reply comes.
    fn note(&self, notes: Notes) -> Reply<'_, ()>;

    /// Appends to the log of a thread: all of it or nothing, durable when the reply comes.
    fn log(&self, events: Events) -> Reply<'_, ()>;

    /// The first `limit` entries of a thread's log after a cursor, or from its beginning.
    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> Reply<'_, Vec<Logged>>;

    /// Answers once the log of a thread may have grown since this was called. So a reader that
    /// calls this, reads to the end and then awaits the reply misses nothing.
    fn changed(&self, thread: &ThreadId) -> Reply<'_, ()>;

    /// All threads, in order of name.
    fn threads(&self) -> Reply<'_, Vec<ThreadId>>;

    /// Removes a thread and all that belongs to it; no such thread is fine, a leased one is
    /// [`SaverError::Busy`].
    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()>;

    /// Copies a thread under a new name.
    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()>;

    /// Drops old checkpoints; what is kept reads as before. A leased thread is
    /// [`SaverError::Busy`]: a fork in progress could lose its parent.
    fn prune(&self, thread: &ThreadId, keep: Keep) -> Reply<'_, ()>;

    /// All that is kept of a thread.
    fn export(&self, thread: &ThreadId) -> Reply<'_, Archive>;

    /// Makes a thread of an archive: all of it or nothing, durable when the reply comes. It reads
    /// and goes on as the one that was exported.
    ///
    /// What fails [`Archive::check`] is [`SaverError::Corrupt`], a thread that has records
    /// [`SaverError::Exists`], a leased one [`SaverError::Busy`].
    fn import(&self, thread: &ThreadId, archive: Archive) -> Reply<'_, ()>;

    /// Deletes the threads that were not used for long, and prunes the others; leased threads are
    /// left alone.
    ///
    /// A thread is used when a lease of it is taken and when it ends, and when it is made by a copy
    /// or an import; reading is no use. The saver notes the time of that on its own clock.
    fn retain(&self, retention: &Retention, now: UnixMillis) -> Reply<'_, Retained>;
}

/// Checkpoints of enclosing graphs, by namespace.
pub type Parents = Arc<BTreeMap<Namespace, CheckpointId>>;
