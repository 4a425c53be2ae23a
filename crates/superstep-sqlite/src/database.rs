//! One file with threads, event logs and long-term memory.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use superstep_core::{error::SaverError, id::ThreadId};
use tokio::sync::watch;

use crate::{
    clock::Moment,
    error::sql,
    file,
    layouts::Layouts,
    lease,
    options::{OpenMode, Options},
    private,
    queue::Queue,
    readers::Readers,
    seal::Seal,
    sync_level::Need,
    warm::Warm,
    worker::Worker,
    writer::Writer,
};

/// An open database; cheap to clone. It closes with the last clone, saver and store of it.
#[derive(Clone)]
pub struct Database(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) path: PathBuf,
    pub(crate) seal: Seal,
    /// Before the writer, which is the last to close the file and moves the log into it.
    pub(crate) readers: Readers,
    pub(crate) queue: Queue,
    pub(crate) layouts: Layouts,
    pub(crate) warm: Arc<Warm>,
    /// Rings when an event log of this process has grown.
    pub(crate) bell: watch::Receiver<()>,
    /// Threads that runs of this process hold.
    pub(crate) held: Mutex<HashMap<ThreadId, Contents>>,
    /// Whether a lease was stored on the disk since the file was opened; see `lease::claim`.
    pub(crate) outran: AtomicBool,
    pub(crate) options: Options,
    /// Last, so that the sign of life goes after the last write. Absent where nothing is written.
    pub(crate) worker: Option<Worker>,
}

/// Whether there is anything to read in a thread that this process holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// There may be.
    Maybe,
    /// Its lease made it, and nothing was handed in for it yet.
    Nothing,
}

impl Database {
    /// Opens a file. If there is none it is made, for its owner alone; one that is there keeps the
    /// rights it has.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SaverError> {
        Self::open_with(path, Options::default())
    }

    /// Opens a file in a certain way. Links are followed: all names of a file are the same database.
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, SaverError> {
        let path = path.as_ref();
        file::resolve(path)
            .and_then(|whole| Self::try_open(whole, options))
            .map_err(|error| file::named(path, error))
    }

    fn try_open(path: PathBuf, options: Options) -> Result<Self, SaverError> {
        let has_log = file::length(&file::beside(&path, "-wal")) > 0;
        // A file that cannot be looked at is not one that is missing.
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
        let (patience, mode) = (options.patience, options.mode);
        let worker = Worker::start(&path)?;
        if mode == OpenMode::Create {
            private::create(&path)?;
        }
        let warm = Arc::new(Warm::default());
        let mut writer = Writer::open(path.clone(), seal.clone(), warm.clone(), patience, mode)?;
        let bell = writer.bell.subscribe();
        let outran = AtomicBool::new(writer.outran);
        let (id, length) = (worker.id, options.lease);
        writer.alone(Need::System, lease::bury)?;
        writer.ground_log(worker.sweep(&path))?;
        let queue = Queue::start(writer, length / 3, move |writer| {
            writer.tend_log_again();
            writer.look_for_file();
            // A failure shows when the lease is used; the next sign of life may come through.
            if !writer.held.is_empty() {
                let _later = writer.alone(Need::System, |writer| {
                    lease::renew(writer.change()?, id, Moment::now(), length)
                });
            }
        })?;
        Ok(Self(Arc::new(Inner {
            readers: Readers::new(path.clone(), patience),
            path,
            seal,
            queue,
            layouts: Layouts::default(),
            warm,
            bell,
            held: Mutex::default(),
            outran,
            options,
            worker: Some(worker),
        })))
    }

    /// Opens a file without anything that could change it.
    fn read_only(path: PathBuf, seal: Seal, options: Options) -> Result<Self, SaverError> {
        Ok(Self(Arc::new(Inner {
            readers: Readers::first(path.clone(), &seal, options.patience)?,
            path,
            seal,
            queue: Queue::closed(),
            layouts: Layouts::default(),
            warm: Arc::default(),
            bell: watch::Sender::new(()).subscribe(),
            held: Mutex::default(),
            outran: AtomicBool::new(true),
            options,
            worker: None,
        })))
    }

    /// How many bytes the data takes.
    pub fn size(&self) -> Result<u64, SaverError> {
        self.0.readers.read(|db| {
            let number = |pragma| db.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
            let pages =
                number("page_count").map_err(sql)? - number("freelist_count").map_err(sql)?;
            let bytes = pages * number("page_size").map_err(sql)?;
            Ok(u64::try_from(bytes).unwrap_or(0))
        })
    }

    /// Where the file is, with all links followed.
    pub fn path(&self) -> &Path {
        &self.0.path
    }
}

impl Inner {
    /// This process, as other processes see it; 0 if it only reads.
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
        // Whether it is told or not, the end of the sign of life says the same.
        let _told = self.queue.later(Need::System, move |writer| {
            lease::leave(writer.change()?, id)
        });
    }
}
