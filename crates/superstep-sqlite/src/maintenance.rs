//! Maintenance: integrity check, backup, copy under another key, vacuum.
//!
//! None of it blocks runs. `check` reads everything in one snapshot, `backup` makes a copy that is a
//! database of its own, `vacuum` returns free pages in small slices.

mod backup;
mod check;
mod copy;
mod vacuum;

use std::path::Path;

use superstep_core::{error::SaverError, future::MaybeReady};

use crate::{Database, file, options::Options, sync_level::SyncLevel};

pub use check::{Problem, Report};
pub use copy::Copied;

impl Database {
    /// Integrity check of the whole file: damaged pages, rows that do not open or decode, dangling
    /// links, texts that are missing or unused; threads and the long-term store.
    ///
    /// It reads a snapshot and blocks nobody. Damage is in the report; the error is for a check that
    /// could not be made.
    pub fn check(&self) -> MaybeReady<'static, Report> {
        self.aside(|database| check::all(&database.0))
    }

    /// A quick check: the structure of the file, and whether every thread's newest rows open.
    pub fn quick_check(&self) -> MaybeReady<'static, Report> {
        self.aside(|database| check::ends(&database.0))
    }

    /// Copies the database to a path where there is nothing yet, as it is at one moment.
    ///
    /// Runs continue meanwhile. The copy appears under its name once it is complete, checked and
    /// fsync'd. It is a database of its own, has no free pages, and needs the same key.
    pub fn backup(&self, to: impl AsRef<Path>) -> MaybeReady<'static, ()> {
        let to = to.as_ref().to_owned();
        self.aside(move |database| {
            backup::copy(&database.0, &to).map_err(|error| file::with_path(&to, error))
        })
    }

    /// Copies a file of any format that is known, as [`Database::backup`] does, and as it is: neither the
    /// file nor the copy is migrated. It blocks until the copy is complete.
    pub fn backup_as_is(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), SaverError> {
        let (from, to) = (from.as_ref(), to.as_ref());
        let copied = file::resolve(from)
            .and_then(|from| backup::copy_as_is(&from, to, Options::default().busy_timeout));
        copied.map_err(|error| file::with_path(from, error))
    }

    /// Copies everything into an empty database, which may have another key or none: threads with their
    /// checkpoints, event logs and runs, and the long-term store with its times and vectors.
    ///
    /// What is copied is the state of one moment; runs continue meanwhile. The copy has no leases.
    pub fn copy_into(&self, to: &Self) -> MaybeReady<'static, Copied> {
        let from = self.clone();
        let copying = move |writer: &mut crate::writer::Writer| copy::all(&from.0, writer);
        to.0.queue.enqueue(SyncLevel::Normal, copying)
    }

    /// Returns free pages to the file system (incremental vacuum), and says how many.
    ///
    /// It works in slices, between which others can commit.
    pub fn compact(&self) -> MaybeReady<'static, u64> {
        let database = self.clone();
        MaybeReady::Later(Box::pin(async move {
            let mut freed = 0;
            loop {
                let slice = database
                    .0
                    .queue
                    .enqueue(SyncLevel::Normal, vacuum::slice)
                    .await?;
                freed += slice.freed;
                if slice.left == 0 || slice.freed == 0 {
                    return Ok(freed);
                }
            }
        }))
    }

    /// Runs long work on the blocking pool.
    fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, SaverError> + Send + 'static,
    ) -> MaybeReady<'static, T> {
        let database = self.clone();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return MaybeReady::now(work(&database));
        };
        let working = runtime.spawn_blocking(move || work(&database));
        MaybeReady::Later(Box::pin(async move {
            let stopped = |error| SaverError::Io(format!("the work stopped: {error}"));
            working.await.map_err(stopped)?
        }))
    }
}
