//! Looking after a file: is it whole, a copy of it, its space.
//!
//! None of it stops the runs that go on meanwhile. `check` reads all of it in one snapshot, `backup`
//! makes a copy that is a database of its own, `compact` gives room back in small slices, `log` keeps
//! the write-ahead log short and free of what was deleted.

mod backup;
mod check;
mod compact;

use std::path::Path;

use superstep_core::{error::SaverError, saver::Reply};

use crate::{Database, file, sync_level::Need};

pub use check::{Problem, Report};

impl Database {
    /// Reads all of the file and says what is wrong with it: damaged pages, rows that do not open or
    /// do not decode, links that lead nowhere, texts that are missing or that nothing uses.
    ///
    /// It sees the file as it is when it begins, and holds up nobody. Damage is in the report; the
    /// error is for a check that could not be made.
    pub fn check(&self) -> Reply<'static, Report> {
        self.aside(|database| check::all(&database.0))
    }

    /// A first look: the structure of the file, and whether every thread's newest rows open.
    pub fn quick_check(&self) -> Reply<'static, Report> {
        self.aside(|database| check::ends(&database.0))
    }

    /// Copies the database to a path where there is nothing yet, as it is at one moment.
    ///
    /// Runs go on meanwhile. The copy appears under its name once it is complete, checked and on the
    /// disk. It is a database of its own, has no free space, and needs the same key.
    pub fn backup(&self, to: impl AsRef<Path>) -> Reply<'static, ()> {
        let to = to.as_ref().to_owned();
        self.aside(move |database| {
            backup::copy(&database.0, &to).map_err(|error| file::named(&to, error))
        })
    }

    /// Gives room that nothing uses any more back to the file system, and says how many pages.
    ///
    /// It is done in slices, and what others store goes in between.
    pub fn compact(&self) -> Reply<'static, u64> {
        let database = self.clone();
        Reply::Later(Box::pin(async move {
            let mut freed = 0;
            loop {
                let slice = database.0.queue.later(Need::System, compact::slice).await?;
                freed += slice.freed;
                if slice.left == 0 || slice.freed == 0 {
                    return Ok(freed);
                }
            }
        }))
    }

    /// Does something long where it holds up nobody.
    fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, SaverError> + Send + 'static,
    ) -> Reply<'static, T> {
        let database = self.clone();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return Reply::now(work(&database));
        };
        let working = runtime.spawn_blocking(move || work(&database));
        Reply::Later(Box::pin(async move {
            let stopped = |error| SaverError::Io(format!("the work stopped: {error}"));
            working.await.map_err(stopped)?
        }))
    }
}
