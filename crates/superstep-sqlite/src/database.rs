//! Database handle: opening and closing a file.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use superstep_core::{error::SaverError, id::ThreadId};

use crate::{
    cache::CheckpointCache,
    clock::Moment,
    error::sql,
    file, handover,
    headroom::{self, Headroom},
    layouts::Layouts,
    lease,
    options::{OpenMode, Options},
    permissions,
    queue::Queue,
    read_pool::ReadPool,
    seal::Seal,
    sync_level::SyncLevel,
    watch::Watcher,
    worker::Worker,
    writer::Writer,
};

/// An open database; cheap to clone. It closes with the last clone, saver and store of it.
#[derive(Clone)]
pub struct Database(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) path: PathBuf,
    pub(crate) seal: Seal,
    /// Before the readers, of which it has one.
    pub(crate) watcher: Watcher,
    /// Before the writer, which closes the file last and checkpoints the WAL.
    pub(crate) readers: Arc<ReadPool>,
    pub(crate) queue: Queue,
    pub(crate) layouts: Layouts,
    pub(crate) cache: Arc<CheckpointCache>,
    /// Threads that runs of this process have leased.
    pub(crate) leased: Mutex<HashMap<ThreadId, ThreadContents>>,
    /// Whether a lease was fsync'd since the file was opened; see `lease::claim`.
    pub(crate) epochs_skipped: AtomicBool,
    pub(crate) options: Options,
    /// Last, so that the heartbeat ends after the last write. Absent in a read-only database.
    pub(crate) worker: Option<Worker>,
}

/// What a thread that this process has leased contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadContents {
    /// There may be something to read.
    Unknown,
    /// Nothing: the lease created the thread, and nothing was submitted for it yet.
    Empty,
}

impl Database {
    /// Opens a file. A missing one is created for its owner alone; an existing one keeps its
    /// permissions.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SaverError> {
        Self::open_with(path, Options::default())
    }

    /// Opens a file with options. Links are followed: all names of a file are the same database.
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, SaverError> {
        let path = path.as_ref();
        file::resolve(path)
            .and_then(|whole| Self::try_open(whole, options))
            .map_err(|error| file::with_path(path, error))
    }

    fn try_open(path: PathBuf, options: Options) -> Result<Self, SaverError> {
        let has_log = file::length(&file::beside(&path, "-wal")) > 0;
        // A file that cannot be inspected is not a missing one.
        let is_absent = matches!(path.try_exists(), Ok(false));
        if options.mode != OpenMode::Create && is_absent && !has_log {
            return Err(SaverError::Missing("the file is not there".to_owned()));
        }
        file::inspect(&path)?;
        let seal = Seal {
            #[cfg(feature = "encryption")]
            key: options.key.clone(),
        };
        if options.mode == OpenMode::ReadOnly {
            return Self::read_only(path, seal, options);
        }
        let (busy_timeout, mode) = (options.busy_timeout, options.mode);
        if is_absent {
            headroom::require_for_new(&path)?;
        }
        let worker = Worker::register(&path)?;
        if mode == OpenMode::Create {
            permissions::create(&path)?;
        }
        let cache = Arc::new(CheckpointCache::default());
        let mut writer = Writer::open(
            path.clone(),
            seal.clone(),
            cache.clone(),
            busy_timeout,
            mode,
        )?;
        writer.headroom = Headroom::new(options.headroom);
        let watch = writer.watch.clone();
        let epochs_skipped = AtomicBool::new(writer.epochs_skipped);
        let (id, length) = (worker.id, options.lease);
        writer.in_transaction(SyncLevel::Normal, |writer| {
            lease::remove_dead_workers(writer, id)?;
            handover::complete(writer)
        })?;
        writer.checkpoint_leftover(worker.remove_stale(&path))?;
        let queue = Queue::start(writer, length / 3, move |writer| {
            writer.retry_truncate();
            writer.recheck_file();
            // A failure shows when the lease is used; the next heartbeat may succeed.
            if !writer.leased.is_empty() {
                let _later = writer.in_transaction(SyncLevel::Normal, |writer| {
                    lease::renew(writer.change()?, id, Moment::now(), length)
                });
            }
        })?;
        let readers = Arc::new(ReadPool::new(path.clone(), busy_timeout));
        Ok(Self(Arc::new(Inner {
            watcher: Watcher::new(watch, readers.clone(), id),
            readers,
            path,
            seal,
            queue,
            layouts: Layouts::default(),
            cache,
            leased: Mutex::default(),
            epochs_skipped,
            options,
            worker: Some(worker),
        })))
    }

    /// Opens a file without a writer.
    fn read_only(path: PathBuf, seal: Seal, options: Options) -> Result<Self, SaverError> {
        let readers = ReadPool::open_unverified(path.clone(), &seal, options.busy_timeout)?;
        let readers = Arc::new(readers);
        Ok(Self(Arc::new(Inner {
            watcher: Watcher::new(Arc::default(), readers.clone(), 0),
            readers,
            path,
            seal,
            queue: Queue::closed(),
            layouts: Layouts::default(),
            cache: Arc::default(),
            leased: Mutex::default(),
            epochs_skipped: AtomicBool::new(true),
            options,
            worker: None,
        })))
    }

    /// Write-ahead logs in the folder of a database whose own files are not there: if the database was
    /// renamed, one of them may hold its newest steps.
    pub fn orphaned_logs(path: impl AsRef<Path>) -> Vec<PathBuf> {
        file::orphaned_logs(path.as_ref())
    }

    /// The size of the data in bytes, without free pages.
    pub fn size(&self) -> Result<u64, SaverError> {
        self.0.readers.read(|db| {
            let number = |pragma| db.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
            let pages =
                number("page_count").map_err(sql)? - number("freelist_count").map_err(sql)?;
            let bytes = pages * number("page_size").map_err(sql)?;
            Ok(u64::try_from(bytes).unwrap_or(0))
        })
    }

    /// The path of the file, with all links resolved.
    pub fn path(&self) -> &Path {
        &self.0.path
    }
}

impl Inner {
    /// The id of this process as a worker; 0 if the database is read-only.
    pub(crate) fn worker_id(&self) -> i64 {
        self.worker.as_ref().map_or(0, |worker| worker.id)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let Some(worker) = &self.worker else {
            return;
        };
        let id = worker.id;
        // If this fails, the unlocked lock file says the same.
        let _sent = self.queue.enqueue(SyncLevel::Normal, move |writer| {
            lease::deregister(writer.change()?, id)
        });
    }
}
