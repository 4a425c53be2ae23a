//! The single connection that writes, and its transactions.
//!
//! Work arrives through [`crate::queue`], one piece per transaction or many (group commit). What is
//! kept in memory about leased threads ([`LeasedThread`]) saves a commit its reads; the statement that
//! moves the end of a graph's log checks all of it again, once in a transaction (`ends`).

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags};
use superstep_core::{
    by_graph::ByGraph,
    error::SaverError,
    id::{CheckpointId, RunId, ThreadId},
    record::Layout,
};

use crate::{
    cache::CheckpointCache,
    clock::Moment,
    connection::{connect, keep_wal, run},
    error::sql,
    file::{self, FileIdentity},
    graphs::GraphRow,
    headroom::{self, Headroom},
    options::OpenMode,
    schema::{self, FileOrigin},
    seal::Seal,
    sync_level::SyncLevel,
    watch::{Changes, Watch},
};

mod checkpointing;
mod contents;
mod ends;
mod numbers;

use checkpointing::WalState;
use ends::DeferredEnds;

pub(crate) use ends::ComparedIn;

/// A thread that this process has leased.
pub(crate) struct LeasedThread {
    pub(crate) thread: i64,
    pub(crate) epoch: i64,
    /// In boxes, since the table of leased threads has more room than it uses.
    pub(crate) graphs: ByGraph<Box<LeasedGraph>>,
    /// Whether `graphs` has all graphs of the thread.
    pub(crate) complete: bool,
    /// Whether it may have runs: one that came with its lease has none until the first begins.
    pub(crate) may_have_runs: bool,
    /// The run that began under this lease and has not ended, if its row is known.
    pub(crate) run: Option<Box<BegunRun>>,
}

/// A run as its row was written when it began.
pub(crate) struct BegunRun {
    pub(crate) id: RunId,
    pub(crate) seq: i64,
    pub(crate) state: i64,
    /// Sealed. The record is in it, and is not kept beside it: a thousand runs may be open at once.
    pub(crate) body: Vec<u8>,
}

/// Where the log of a leased thread's graph ends.
#[derive(Clone)]
pub(crate) struct LeasedGraph {
    pub(crate) row: GraphRow,
    /// The id of its newest record.
    pub(crate) head: Option<CheckpointId>,
    /// When its row was last compared with this; see `ends`.
    pub(crate) compared: ComparedIn,
}

/// The connection that writes.
pub(crate) struct Writer {
    pub(crate) path: PathBuf,
    pub(crate) seal: Seal,
    pub(crate) cache: Arc<CheckpointCache>,
    pub(crate) busy_timeout: Duration,
    /// The file that was opened; absent until then.
    identity: Option<FileIdentity>,
    /// The path leads to another file or to none; checked again before each transaction.
    moved: bool,
    /// Absent after a failure: the state of a connection after a failed fsync cannot be trusted.
    connection: Option<Connection>,
    /// Set after a failed fsync: it is unknown which WAL frames are durable, and frames behind a
    /// missing one are lost with it, so the WAL is rewritten before anything is appended.
    pub(crate) wal_suspect: bool,
    /// What `PRAGMA synchronous` is set to.
    level: Option<SyncLevel>,
    pub(crate) leased: HashMap<ThreadId, LeasedThread>,
    /// Row numbers of layouts by digest.
    layouts: HashMap<u64, i64>,
    /// Digests of layouts by address: a graph passes the same `Arc` with every commit.
    layout_digests: Vec<(Arc<Layout>, u64)>,
    /// The last row, graph and epoch numbers assigned in this transaction.
    seq: Option<i64>,
    graph: Option<i64>,
    epoch: Option<i64>,
    /// Whether the epochs that a power cut may have lost are skipped; see `lease`.
    pub(crate) epochs_skipped: bool,
    /// Whether this transaction does so.
    pub(crate) skips_epochs: bool,
    /// Whether all runs that were cut short before are in the queue again.
    pub(crate) has_recovered: bool,
    /// When the last heartbeat was written.
    pub(crate) renewed: Option<Moment>,
    /// Ends of logs that this transaction has yet to write.
    ends: DeferredEnds,
    /// Threads leased in this transaction.
    new_leases: Vec<ThreadId>,
    /// Whether the current piece of work has written something.
    dirty: bool,
    /// Whether any piece of work in this transaction has.
    wrote: bool,
    /// A piece of work failed after it had written something: the transaction must roll back.
    failure: Option<SaverError>,
    /// Deleted data is still in the WAL.
    pub(crate) scrub_wal: bool,
    /// What this transaction changes that others wait for.
    pub(crate) changes: Changes,
    /// Wakes those who wait for that.
    pub(crate) watch: Arc<Watch>,
    pub(crate) wal: WalState,
    pub(crate) headroom: Headroom,
}

impl Writer {
    pub(crate) fn open(
        path: PathBuf,
        seal: Seal,
        cache: Arc<CheckpointCache>,
        busy_timeout: Duration,
        mode: OpenMode,
    ) -> Result<Self, SaverError> {
        let mut writer = Self {
            path,
            seal,
            cache,
            busy_timeout,
            identity: None,
            moved: false,
            connection: None,
            wal_suspect: false,
            level: None,
            leased: HashMap::new(),
            layouts: HashMap::new(),
            layout_digests: Vec::new(),
            seq: None,
            graph: None,
            epoch: None,
            epochs_skipped: false,
            skips_epochs: false,
            has_recovered: false,
            renewed: None,
            ends: DeferredEnds::default(),
            new_leases: Vec::new(),
            dirty: false,
            wrote: false,
            failure: None,
            scrub_wal: false,
            changes: Changes::default(),
            watch: Arc::default(),
            wal: WalState::default(),
            headroom: Headroom::new(headroom::LEAST),
        };
        let until = Instant::now() + busy_timeout;
        // While another process creates the file, SQLite fails at once instead of waiting.
        let (connection, origin) = loop {
            match writer.prepare(mode) {
                Err(SaverError::Locked(_)) if Instant::now() < until => {
                    thread::sleep(Duration::from_millis(2));
                }
                done => break done?,
            }
        };
        writer.connection = Some(connection);
        writer.identity = FileIdentity::of(&writer.path);
        writer.epochs_skipped = origin == FileOrigin::Created;
        Ok(writer)
    }

    /// Opens the file, and creates the tables if it is new.
    fn prepare(&self, mode: OpenMode) -> Result<(Connection, FileOrigin), SaverError> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, mode == OpenMode::Create);
        let mut connection = connect(&self.path, flags, self.busy_timeout)?;
        // Before anything is written: the file of another program stays as it is.
        let mut origin = None;
        if schema::recognize(&mut connection, &self.path)? == 0 {
            // Takes effect only before the first table exists, and is a write in any other file.
            connection
                .execute_batch("PRAGMA auto_vacuum = INCREMENTAL")
                .map_err(sql)?;
            origin = Some(schema::prepare(&mut connection, &self.seal)?);
        }
        set_up(&mut connection)?;
        let origin = match origin {
            Some(origin) => origin,
            None => schema::prepare(&mut connection, &self.seal)?,
        };
        Ok((connection, origin))
    }

    /// Reopens the file after a failure.
    fn reconnect(&self) -> Result<Connection, SaverError> {
        self.verify_file()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = connect(&self.path, flags, self.busy_timeout)?;
        let version = schema::recognize(&mut connection, &self.path)?;
        schema::check_readable(&connection, version, &self.seal)?;
        set_up(&mut connection)?;
        self.verify_file()?;
        Ok(connection)
    }

    /// Fails with [`SaverError::Moved`] if the file was removed or replaced.
    fn verify_file(&self) -> Result<(), SaverError> {
        let identity = self.identity;
        identity.map_or(Ok(()), |identity| identity.verify(&self.path))
    }

    /// Checks whether the file was removed or replaced; if so, nothing is stored until it is back.
    pub(crate) fn recheck_file(&mut self) {
        self.moved = self.verify_file().is_err();
    }

    /// The connection, inside a transaction that has written all ends of logs.
    pub(crate) fn db(&self) -> Result<&Connection, SaverError> {
        let db = self.log_db()?;
        self.ends.write(db)?;
        Ok(db)
    }

    /// The connection, for a statement that changes something.
    pub(crate) fn change(&mut self) -> Result<&Connection, SaverError> {
        (self.dirty, self.wrote) = (true, true);
        self.db()
    }

    /// Refuses to add something while the disk is nearly full; see [`Headroom`]. The WAL is truncated then, which may
    /// make room for the next attempt.
    pub(crate) fn require_room(&mut self) -> Result<(), SaverError> {
        let room = self.headroom.require(&self.path);
        self.scrub_wal |= room.is_err();
        room
    }

    /// The connection, for statements that do not use `graphs`, or only a row whose end is not deferred: ends of logs may be yet
    /// to be written.
    pub(crate) fn log_db(&self) -> Result<&Connection, SaverError> {
        let closed = || SaverError::Io("the connection was closed after a failure".to_owned());
        self.connection.as_ref().ok_or_else(closed)
    }

    /// The same, for a statement that changes something.
    pub(crate) fn change_log(&mut self) -> Result<&Connection, SaverError> {
        (self.dirty, self.wrote) = (true, true);
        self.log_db()
    }

    /// Runs one piece of work in a transaction of its own.
    pub(crate) fn in_transaction<T>(
        &mut self,
        level: SyncLevel,
        work: impl FnOnce(&mut Self) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        self.begin(level)?;
        match work(self) {
            Ok(done) => self.commit().map(|()| done),
            Err(error) => {
                self.abort(&error);
                Err(error)
            }
        }
    }

    /// Rolls back after an error.
    pub(crate) fn abort(&mut self, error: &SaverError) {
        self.roll_back();
        // Statements write to the WAL as well when a change does not fit into the page cache.
        if matches!(error, SaverError::Io(_) | SaverError::Full(_)) {
            self.disconnect();
        }
    }

    pub(crate) fn begin(&mut self, level: SyncLevel) -> Result<(), SaverError> {
        if self.moved {
            self.verify_file()?;
            self.moved = false;
        }
        if self.connection.is_none() {
            self.connection = Some(self.reconnect()?);
            self.level = None;
        }
        (self.seq, self.graph, self.epoch) = (None, None, None);
        (self.dirty, self.wrote, self.failure) = (false, false, None);
        self.skips_epochs = false;
        self.changes.clear();
        self.new_leases.clear();
        self.ends.forget();
        let current = self.level;
        let connection = self.db()?;
        if current != Some(level) {
            let pragma = match level {
                SyncLevel::Full => "PRAGMA synchronous = FULL",
                SyncLevel::Normal => "PRAGMA synchronous = NORMAL",
            };
            connection
                .prepare_cached(pragma)
                .and_then(|mut set| set.execute([]))
                .map_err(sql)?;
        }
        run(connection, "BEGIN IMMEDIATE")?;
        self.level = Some(level);
        let checked = schema::check_version(self.db()?);
        let ready = checked.and_then(|()| self.rewrite_suspect_wal());
        ready.map_err(|error| {
            self.roll_back();
            file::with_path(&self.path, error)
        })
    }

    /// Commits. After a failure it is unknown whether the transaction is durable.
    pub(crate) fn commit(&mut self) -> Result<(), SaverError> {
        let stored = self.store_epoch();
        let mut done = stored.and_then(|()| run(self.db()?, "COMMIT"));
        if done.is_err() {
            self.roll_back();
            self.disconnect();
        } else if self.wrote && self.level == Some(SyncLevel::Full) {
            // What is acknowledged as durable must be where the next process looks for it. The check
            // costs about a microsecond, next to an fsync.
            done = self.verify_file();
            if done.is_err() {
                self.moved = true;
                self.roll_back();
            }
        }
        if done.is_ok() && (self.seq.is_some() || self.level == Some(SyncLevel::Full)) {
            self.checkpoint_first_write();
        }
        if done.is_ok() {
            self.watch.wake(&mut self.changes);
        }
        self.maintain_wal();
        done
    }

    /// Drops the connection after a failure.
    pub(crate) fn disconnect(&mut self) {
        self.wal_suspect = true;
        if let Some(connection) = self.connection.take() {
            keep_wal(&connection);
        }
    }

    pub(crate) fn roll_back(&mut self) {
        if let Some(connection) = &self.connection
            && !connection.is_autocommit()
            && run(connection, "ROLLBACK").is_err()
        {
            self.disconnect();
        }
        self.ends.forget();
        self.forget_leases(0);
        if self.skips_epochs {
            self.epochs_skipped = false;
        }
        self.renewed = None;
        self.has_recovered = false;
        self.layouts.clear();
        self.cache.clear();
    }

    /// Forgets the leases of this transaction that came after so many others, and what is known of leased threads.
    fn forget_leases(&mut self, after: usize) {
        for thread in self.new_leases.drain(after..) {
            self.leased.remove(&thread);
        }
        for leased in self.leased.values_mut() {
            leased.graphs = ByGraph::default();
            leased.complete = false;
            leased.run = None;
        }
    }

    /// Runs one of several pieces of work in a transaction.
    pub(crate) fn in_group<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        self.dirty = false;
        let done = work(self);
        if let Err(error) = &done
            && (self.dirty || self.is_lost())
        {
            self.failure = Some(error.clone());
        }
        done
    }

    /// Whether the transaction is gone, or cannot be committed: after some errors, those of reads too, SQLite rolls all of it back.
    fn is_lost(&self) -> bool {
        let connection = self.connection.as_ref();
        self.ends.have_failed() || connection.is_none_or(Connection::is_autocommit)
    }

    /// Whether the current piece of work has written something that is not rolled back.
    pub(crate) fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Why the current transaction must roll back, if it must.
    pub(crate) fn failure(&self) -> Option<&SaverError> {
        self.failure.as_ref()
    }

    /// Runs work of several statements in a savepoint: all of it or nothing.
    pub(crate) fn in_savepoint<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        run(self.db()?, "SAVEPOINT apart")?;
        let leases = self.new_leases.len();
        let before = (self.epochs_skipped, self.skips_epochs, self.has_recovered);
        let done = work(self);
        if done.is_err() {
            self.dirty = true;
            // What is deferred here is from within the savepoint.
            self.ends.forget();
            // A full disk has rolled back the whole transaction; the first error says more.
            if run(self.log_db()?, "ROLLBACK TO apart").is_err() {
                return done;
            }
            (self.seq, self.graph, self.dirty) = (None, None, false);
            (self.epochs_skipped, self.skips_epochs, self.has_recovered) = before;
            self.renewed = None;
            self.forget_leases(leases);
            self.layouts.clear();
        }
        run(self.db()?, "RELEASE apart")?;
        self.ends.forget();
        done
    }

    pub(crate) fn add_lease(&mut self, name: ThreadId, leased: LeasedThread) {
        self.new_leases.push(name.clone());
        self.leased.insert(name, leased);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Closing removes the WAL by name, which may belong to another file by now; and a WAL that is
        // not wholly durable must not be checkpointed.
        let is_sound = !self.wal_suspect && self.verify_file().is_ok();
        if let (false, Some(connection)) = (is_sound, &self.connection) {
            keep_wal(connection);
        }
    }
}

/// Configures the connection that writes.
fn set_up(connection: &mut Connection) -> Result<(), SaverError> {
    let mode: String = connection
        .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))
        .map_err(sql)?;
    if mode != "wal" {
        let why = format!("the file system has no room for a write-ahead log (mode {mode})");
        return Err(SaverError::Io(why));
    }
    // The WAL is reused rather than extended, and deleted rows are overwritten with zeros.
    connection
        .execute_batch("PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON;")
        .map_err(sql)?;
    connection.wal_hook(Some(WalState::committed)).map_err(sql)
}
