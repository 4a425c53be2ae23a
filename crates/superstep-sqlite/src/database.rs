//! One file with threads, event logs and long-term memory.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use superstep_core::{id::ThreadId, saver::SaverError};
use tokio::sync::watch;

use crate::{
    error::sql,
    file, lease,
    load::Layouts,
    options::Options,
    private,
    queue::Queue,
    readers::Readers,
    saver::SqliteSaver,
    seal::Seal,
    store::SqliteStore,
    warm::Warm,
    worker::Worker,
    writer::{Need, Writer},
};

/// An open database; cheap to clone. It closes with the last clone, saver and store of it.
#[derive(Clone)]
pub struct Database(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) path: PathBuf,
    pub(crate) seal: Seal,
    pub(crate) queue: Queue,
    pub(crate) readers: Readers,
    pub(crate) layouts: Layouts,
    pub(crate) warm: Arc<Warm>,
    /// Rings when an event log of this process has grown.
    pub(crate) bell: watch::Receiver<()>,
    /// Threads that runs of this process hold.
    pub(crate) held: Mutex<HashMap<ThreadId, Contents>>,
    /// Whether a lease was stored on the disk since the file was opened; see `lease::claim`.
    pub(crate) outran: AtomicBool,
    pub(crate) options: Options,
    /// Last, so that the sign of life goes after the last write.
    pub(crate) worker: Worker,
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

    /// Opens a file in a certain way.
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, SaverError> {
        let path = path.as_ref();
        Self::try_open(path.to_owned(), options).map_err(|error| file::named(path, error))
    }

    fn try_open(path: PathBuf, options: Options) -> Result<Self, SaverError> {
        file::inspect(&path)?;
        let seal = Seal {
            #[cfg(feature = "encryption")]
            key: options.key.clone(),
        };
        let patience = options.patience;
        let worker = Worker::start(&path)?;
        private::create(&path)?;
        let warm = Arc::new(Warm::default());
        let mut writer = Writer::open(path.clone(), seal.clone(), warm.clone(), patience)?;
        let bell = writer.bell.subscribe();
        let outran = AtomicBool::new(writer.outran);
        let (id, length) = (worker.id, options.lease);
        writer.alone(Need::System, lease::bury)?;
        let queue = Queue::start(writer, length / 3, move |writer| {
            writer.tend_log_again();
            // A failure shows when the lease is used; the next sign of life may come through.
            if !writer.held.is_empty() {
                let _later = writer.alone(Need::System, |writer| {
                    lease::renew(writer.change()?, id, lease::now(), length)
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
            worker,
        })))
    }

    /// Keeps threads in this file.
    pub fn saver(&self) -> SqliteSaver {
        SqliteSaver(self.clone())
    }

    /// Keeps in this file what all threads remember, on the system clock and without an embedder.
    pub fn store(&self) -> SqliteStore {
        SqliteStore::new(self.clone())
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

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.0.path
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let id = self.worker.id;
        // Whether it is told or not, the end of the sign of life says the same.
        let _told = self.queue.later(Need::System, move |writer| {
            lease::leave(writer.change()?, id)
        });
    }
}
