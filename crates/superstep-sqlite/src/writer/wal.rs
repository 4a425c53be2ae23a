//! The write-ahead log: short, and free of what was deleted.
//!
//! SQLite moves the log into the database from time to time and then begins it anew, but only at a
//! moment when nobody reads from it. Readers who take turns leave no such moment, so a log that has
//! grown long is ended by waiting for one. What was deleted is overwritten in the database, yet the
//! log still has it: after a deletion it is emptied at once.
//!
//! A log that is damaged early on loses all that comes behind, so the first thing that is ever stored
//! is moved into the database at once, and so is what a killed process left in the log: what is in
//! the file by then is the least that is left.

use std::{fs, time::Duration};

use rusqlite::{Error as Sql, ErrorCode, hooks::Wal, wal::CheckpointMode};
use superstep_core::error::SaverError;

use super::Writer;
use crate::{file, schema, sync_level::Need, wal};

/// A log of so many pages is moved into the database.
const PAGES: i32 = 4000;

/// A log that is longer is ended by waiting for readers.
const LONG: u64 = 64 * 1024 * 1024;

/// A database that is shorter may hold nothing but empty tables.
const SMALL: u64 = 1024 * 1024;

/// Its length is looked at every so many commits.
const EVERY: u32 = 64;

/// So long a deletion waits for those who read from the log.
const WAIT: Duration = Duration::from_millis(100);

/// So long a commit waits for them when the log is long.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// What is known of the log.
pub(crate) struct Log {
    commits: u32,
    /// The length at which it is ended.
    limit: u64,
    /// Somebody read from it for too long: the next attempt is made from time to time only.
    blocked: bool,
    /// The database may hold nothing but empty tables.
    shallow: bool,
}

impl Log {
    /// Moves the log into the database when it has grown, as SQLite would do by itself. But SQLite
    /// would keep a failed sync to itself.
    pub(crate) fn committed(log: &mut Wal, pages: i32) -> Result<(), Sql> {
        if pages < PAGES {
            return Ok(());
        }
        match log.checkpoint() {
            // Somebody else does it.
            Err(error) if is_busy(&error) => Ok(()),
            done => done,
        }
    }
}

fn is_busy(error: &Sql) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

impl Default for Log {
    fn default() -> Self {
        Self {
            commits: 0,
            limit: LONG,
            blocked: false,
            shallow: false,
        }
    }
}

impl Writer {
    /// Moves what processes left in the log into the database. `alone` says that there are no others
    /// now: then they were killed, and nobody knows whether a sync of theirs had failed.
    pub(crate) fn ground_log(&mut self, alone: bool) -> Result<(), SaverError> {
        let has_log = file::length(&file::beside(&self.path, "-wal")) > 0;
        if !has_log {
            self.log.shallow = schema::is_unused(self.db()?)?;
        } else if alone {
            (self.suspect, self.log.shallow) = (true, true);
            self.alone(Need::System, |_| Ok(()))?;
            self.deepen_log();
        } else {
            self.log.shallow = file::length(&self.path) < SMALL;
        }
        Ok(())
    }

    /// Moves the log into the database if nothing else is there yet.
    pub(crate) fn deepen_log(&mut self) {
        if !self.log.shallow {
            return;
        }
        let Ok(db) = self.db() else {
            return;
        };
        match db.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE) {
            Ok((pages, moved)) => self.log.shallow = moved < pages,
            // The next commit tries again.
            Err(error) if is_busy(&error) => {}
            Err(_) => self.disconnect(),
        }
    }

    /// Writes a log anew of which nobody knows whether it is on the disk. Called while nobody else
    /// can write.
    pub(crate) fn restore_log(&mut self) -> Result<(), SaverError> {
        if self.suspect {
            wal::rewrite(&self.path)?;
            self.suspect = false;
        }
        Ok(())
    }

    /// Looks after the log when a transaction has ended.
    pub(crate) fn tend_log(&mut self) {
        self.log.commits = self.log.commits.wrapping_add(1);
        if self.scrub && !self.log.blocked {
            self.empty_log(WAIT);
        }
        if self.log.commits.is_multiple_of(EVERY) {
            let length = fs::metadata(file::beside(&self.path, "-wal")).map_or(0, |log| log.len());
            if length > self.log.limit {
                self.empty_log(LONG_WAIT);
                self.log.limit = match self.log.blocked {
                    true => length + LONG,
                    false => LONG,
                };
            }
        }
    }

    /// Tries again what a reader was in the way of.
    pub(crate) fn tend_log_again(&mut self) {
        if self.scrub {
            self.empty_log(Duration::ZERO);
        }
    }

    /// Moves the log into the database and cuts it to nothing, unless somebody reads from it for
    /// longer than `wait`. What was committed is safe either way.
    fn empty_log(&mut self, wait: Duration) {
        let patience = self.patience;
        let Ok(db) = self.db() else {
            return;
        };
        let emptied = db.busy_timeout(wait).and_then(|()| {
            let done = db.wal_checkpoint_v2(None::<&str>, CheckpointMode::TRUNCATE);
            db.busy_timeout(patience)?;
            done
        });
        self.log.blocked = emptied.is_err();
        self.scrub &= self.log.blocked;
        if emptied.is_err_and(|error| !is_busy(&error)) {
            self.disconnect();
        }
    }
}
