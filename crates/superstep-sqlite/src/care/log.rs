//! The write-ahead log: short, and free of what was deleted.
//!
//! SQLite moves the log into the database from time to time and then begins it anew, but only at a
//! moment when nobody reads from it. Readers who take turns leave no such moment, so a log that has
//! grown long is ended by waiting for one. What was deleted is overwritten in the database, yet the
//! log still has it: after a deletion it is emptied at once.

use std::{fs, time::Duration};

use crate::{file, writer::Writer};

/// A log that is longer is ended by waiting for readers.
const LONG: u64 = 64 * 1024 * 1024;

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
}

impl Default for Log {
    fn default() -> Self {
        Self {
            commits: 0,
            limit: LONG,
            blocked: false,
        }
    }
}

impl Writer {
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
            let busy = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                row.get::<_, bool>(0)
            });
            db.busy_timeout(patience)?;
            busy
        });
        self.log.blocked = !matches!(emptied, Ok(false));
        self.scrub &= self.log.blocked;
    }
}
