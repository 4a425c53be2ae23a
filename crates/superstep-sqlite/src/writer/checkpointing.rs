//! Checkpoints of the write-ahead log (WAL): it stays short and holds nothing that was deleted.
//!
//! SQLite restarts the WAL after a checkpoint only at a moment without readers. Overlapping readers
//! leave no such moment, so a WAL that has grown long is truncated by waiting for one. `secure_delete`
//! overwrites deleted rows in the database, but the WAL still has them: after a deletion it is
//! truncated at once.
//!
//! Damage near the start of a WAL loses everything behind it. So the first data ever stored is
//! checkpointed at once, the first step of a thread too, and so is what a killed process left in the
//! WAL: that much survives in the file itself, and no file that has threads looks empty without it.

use std::{fs, time::Duration};

use rusqlite::{Error as Sql, ErrorCode, hooks::Wal, wal::CheckpointMode};
use superstep_core::error::SaverError;

use super::Writer;
use crate::{file, schema, sync_level::SyncLevel, wal};

/// A WAL of this many pages is checkpointed.
const CHECKPOINT_PAGES: i32 = 4000;

/// A longer WAL is truncated, waiting for readers.
const MAX_LENGTH: u64 = 64 * 1024 * 1024;

/// A shorter database may hold nothing but empty tables.
const MIN_FILLED: u64 = 1024 * 1024;

/// The length of the WAL is checked once per this many commits.
const CHECK_EVERY: u32 = 64;

/// How long a deletion waits for readers of the WAL.
const SCRUB_WAIT: Duration = Duration::from_millis(100);

/// How long a commit waits for them when the WAL is long.
const LONG_WAL_WAIT: Duration = Duration::from_secs(1);

/// State of the WAL.
pub(crate) struct WalState {
    commits: u32,
    /// The length at which it is truncated.
    limit: u64,
    /// A reader was in the way for too long: the next attempts are periodic.
    blocked: bool,
    /// The database may hold nothing but empty tables.
    file_is_empty: bool,
    /// The database may hold no step of a thread.
    file_has_no_step: bool,
}

impl WalState {
    /// Checkpoints a WAL that has grown, as SQLite's automatic checkpoint would; but that hides a
    /// failed fsync.
    pub(crate) fn committed(log: &mut Wal, pages: i32) -> Result<(), Sql> {
        if pages < CHECKPOINT_PAGES {
            return Ok(());
        }
        match log.checkpoint() {
            // Another process does it.
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

impl Default for WalState {
    fn default() -> Self {
        Self {
            commits: 0,
            limit: MAX_LENGTH,
            blocked: false,
            file_is_empty: false,
            file_has_no_step: false,
        }
    }
}

impl Writer {
    /// Checkpoints what other processes left in the WAL. `alone` says that no other process is alive:
    /// then they were killed, and whether an fsync of theirs failed is unknown.
    pub(crate) fn checkpoint_leftover(&mut self, alone: bool) -> Result<(), SaverError> {
        self.wal.file_has_no_step = true;
        let has_log = file::length(&file::beside(&self.path, "-wal")) > 0;
        if !has_log {
            self.wal.file_is_empty = schema::is_unused(self.db()?)?;
            self.wal.file_has_no_step = !schema::has_steps(self.db()?)?;
        } else if alone {
            (self.wal_suspect, self.wal.file_is_empty) = (true, true);
            self.in_transaction(SyncLevel::Normal, |_| Ok(()))?;
            self.checkpoint_first_write();
        } else {
            self.wal.file_is_empty = file::length(&self.path) < MIN_FILLED;
            self.wal.file_has_no_step = self.wal.file_is_empty;
        }
        Ok(())
    }

    /// Checkpoints the WAL if the database itself is still empty, or has no step and the WAL has one.
    pub(crate) fn checkpoint_first_write(&mut self) {
        let is_empty = self.wal.file_is_empty;
        if !is_empty && !self.wal.file_has_no_step {
            return;
        }
        let Ok(db) = self.db() else {
            return;
        };
        let has_steps = match schema::has_steps(db) {
            Ok(has_steps) => has_steps,
            Err(_) => return self.disconnect(),
        };
        if !is_empty && !has_steps {
            return;
        }
        match db.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE) {
            Ok((pages, moved)) => {
                let is_moved = moved >= pages;
                self.wal.file_is_empty = !is_moved;
                self.wal.file_has_no_step = !(is_moved && has_steps);
            }
            // The next commit tries again.
            Err(error) if is_busy(&error) => {}
            Err(_) => self.disconnect(),
        }
    }

    /// Rewrites a WAL of which it is unknown whether it is durable. Called while no other process
    /// can write.
    pub(crate) fn rewrite_suspect_wal(&mut self) -> Result<(), SaverError> {
        if self.wal_suspect {
            wal::rewrite(&self.path)?;
            self.wal_suspect = false;
        }
        Ok(())
    }

    /// Truncates the WAL after a transaction, if that is due.
    pub(crate) fn maintain_wal(&mut self) {
        self.wal.commits = self.wal.commits.wrapping_add(1);
        if self.scrub_wal && !self.wal.blocked {
            self.truncate_wal(SCRUB_WAIT);
        }
        if self.wal.commits.is_multiple_of(CHECK_EVERY) {
            let length = fs::metadata(file::beside(&self.path, "-wal")).map_or(0, |log| log.len());
            if length > self.wal.limit {
                self.truncate_wal(LONG_WAL_WAIT);
                self.wal.limit = match self.wal.blocked {
                    true => length + MAX_LENGTH,
                    false => MAX_LENGTH,
                };
            }
        }
    }

    /// Tries again to truncate a WAL that a reader was in the way of.
    pub(crate) fn retry_truncate(&mut self) {
        if self.scrub_wal {
            self.truncate_wal(Duration::ZERO);
        }
    }

    /// Checkpoints and truncates the WAL, unless a reader needs it for longer than `wait`. What was
    /// committed is safe either way.
    fn truncate_wal(&mut self, wait: Duration) {
        let busy_timeout = self.busy_timeout;
        let Ok(db) = self.db() else {
            return;
        };
        let emptied = db.busy_timeout(wait).and_then(|()| {
            let done = db.wal_checkpoint_v2(None::<&str>, CheckpointMode::TRUNCATE);
            db.busy_timeout(busy_timeout)?;
            done
        });
        self.wal.blocked = emptied.is_err();
        self.scrub_wal &= self.wal.blocked;
        if emptied.is_err_and(|error| !is_busy(&error)) {
            self.disconnect();
        }
    }
}
