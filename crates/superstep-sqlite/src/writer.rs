//! The one connection that writes, and its transactions.
//!
//! Work reaches it through [`crate::queue`]: alone, or many pieces in one transaction. What it knows
//! about threads it holds ([`Held`]) spares a commit the reading; all of that is checked again by the
//! statement that moves the end of a graph's log.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use superstep_core::{
    codec::{self, BlobId, envelope::Place},
    error::SaverError,
    id::{CheckpointId, Namespace, ThreadId},
    record::Layout,
};
use tokio::sync::watch;

use crate::{
    clock::Moment,
    connection::{connect, keep_log, run},
    error::sql,
    file::{self, Identity},
    graphs::GraphRow,
    layouts,
    options::OpenMode,
    row,
    schema::{self, Since},
    seal::Seal,
    sync_level::Need,
    warm::Warm,
};

mod wal;

use wal::Log;

/// A thread this process holds.
pub(crate) struct Held {
    pub(crate) thread: i64,
    pub(crate) epoch: i64,
    pub(crate) graphs: HashMap<Namespace, Known>,
    /// Whether it has no graphs but these.
    pub(crate) complete: bool,
}

/// A graph of such a thread.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) row: GraphRow,
    /// The id of its newest record.
    pub(crate) head: Option<CheckpointId>,
}

/// The connection that writes.
pub(crate) struct Writer {
    pub(crate) path: PathBuf,
    pub(crate) seal: Seal,
    pub(crate) warm: Arc<Warm>,
    pub(crate) patience: Duration,
    /// The file that was opened; absent until it was.
    identity: Option<Identity>,
    /// Another file, or none, was found in its place; looked at again before each transaction.
    moved: bool,
    /// Absent after a failure: what a connection knows after a failed sync cannot be trusted.
    connection: Option<Connection>,
    /// After a failed sync nobody knows which frames of the log are on the disk, and what is added
    /// behind a missing one is lost with it: the log is written anew before anything is added.
    pub(crate) suspect: bool,
    level: Option<Need>,
    pub(crate) held: HashMap<ThreadId, Held>,
    layouts: HashMap<u64, i64>,
    /// Layouts by where they are in memory; the same graph hands in the same one again and again.
    known: Vec<(Arc<Layout>, u64)>,
    /// The last number of a row, of a graph and of a lease given in this transaction.
    seq: Option<i64>,
    graph: Option<i64>,
    epoch: Option<i64>,
    /// Whether epochs have passed those that a power cut may have taken back.
    pub(crate) outran: bool,
    /// Whether they do so in this transaction.
    pub(crate) outruns: bool,
    /// When the last sign of life was given.
    pub(crate) renewed: Option<Moment>,
    /// Threads leased in this transaction.
    fresh: Vec<ThreadId>,
    /// Whether the present piece of work has written something.
    dirty: bool,
    /// Whether any piece of this transaction has.
    wrote: bool,
    /// A piece of work failed when it had written something: nothing of the transaction may hold.
    broken: Option<SaverError>,
    /// Deleted data is still in the write-ahead log.
    pub(crate) scrub: bool,
    /// Entries were added to an event log in this transaction.
    pub(crate) rings: bool,
    /// Tells readers of event logs that there may be more.
    pub(crate) bell: watch::Sender<()>,
    pub(crate) log: Log,
}

impl Writer {
    pub(crate) fn open(
        path: PathBuf,
        seal: Seal,
        warm: Arc<Warm>,
        patience: Duration,
        mode: OpenMode,
    ) -> Result<Self, SaverError> {
        let mut writer = Self {
            path,
            seal,
            warm,
            patience,
            identity: None,
            moved: false,
            connection: None,
            suspect: false,
            level: None,
            held: HashMap::new(),
            layouts: HashMap::new(),
            known: Vec::new(),
            seq: None,
            graph: None,
            epoch: None,
            outran: false,
            outruns: false,
            renewed: None,
            fresh: Vec::new(),
            dirty: false,
            wrote: false,
            broken: None,
            scrub: false,
            rings: false,
            bell: watch::Sender::new(()),
            log: Log::default(),
        };
        let until = Instant::now() + patience;
        // While a new file is made by somebody else, SQLite says so at once instead of waiting.
        let (connection, since) = loop {
            match writer.prepare(mode) {
                Err(SaverError::Locked(_)) if Instant::now() < until => {
                    thread::sleep(Duration::from_millis(2));
                }
                done => break done?,
            }
        };
        writer.connection = Some(connection);
        writer.identity = Identity::of(&writer.path);
        writer.outran = since == Since::Now;
        Ok(writer)
    }

    /// Opens the file, and makes it ours if it is new.
    fn prepare(&self, mode: OpenMode) -> Result<(Connection, Since), SaverError> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, mode == OpenMode::Create);
        let mut connection = connect(&self.path, flags, self.patience)?;
        // Before anything is written: what is not ours stays as it is.
        let mut since = None;
        if schema::recognise(&mut connection, &self.path)? == 0 {
            // Only takes hold in a file that has no tables yet, and is a write in any other.
            connection
                .execute_batch("PRAGMA auto_vacuum = INCREMENTAL")
                .map_err(sql)?;
            since = Some(schema::prepare(&mut connection, &self.seal)?);
        }
        set_up(&mut connection)?;
        let since = match since {
            Some(since) => since,
            None => schema::prepare(&mut connection, &self.seal)?,
        };
        Ok((connection, since))
    }

    /// Opens the file once more, after a failure.
    fn reconnect(&self) -> Result<Connection, SaverError> {
        self.verify_place()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = connect(&self.path, flags, self.patience)?;
        let version = schema::recognise(&mut connection, &self.path)?;
        schema::check_readable(&connection, version, &self.seal)?;
        set_up(&mut connection)?;
        self.verify_place()?;
        Ok(connection)
    }

    /// Says [`SaverError::Moved`] if the file was removed or replaced.
    fn verify_place(&self) -> Result<(), SaverError> {
        let identity = self.identity;
        identity.map_or(Ok(()), |identity| identity.verify(&self.path))
    }

    /// Looks whether the file was removed or replaced; if so, nothing is stored until it is back.
    pub(crate) fn look_for_file(&mut self) {
        self.moved = self.verify_place().is_err();
    }

    /// The connection, inside a transaction.
    pub(crate) fn db(&self) -> Result<&Connection, SaverError> {
        let closed = || SaverError::Io("the connection was closed after a failure".to_owned());
        self.connection.as_ref().ok_or_else(closed)
    }

    /// The connection, for a statement that changes something.
    pub(crate) fn change(&mut self) -> Result<&Connection, SaverError> {
        (self.dirty, self.wrote) = (true, true);
        self.db()
    }

    /// Does one piece of work in a transaction of its own.
    pub(crate) fn alone<T>(
        &mut self,
        need: Need,
        work: impl FnOnce(&mut Self) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        self.begin(need)?;
        match work(self) {
            Ok(done) => self.commit().map(|()| done),
            Err(error) => {
                self.give_up(&error);
                Err(error)
            }
        }
    }

    /// Ends a transaction in which this error came up.
    pub(crate) fn give_up(&mut self, error: &SaverError) {
        self.roll_back();
        // A statement writes to the log too, when it changes more than fits into memory.
        if matches!(error, SaverError::Io(_) | SaverError::Full(_)) {
            self.disconnect();
        }
    }

    pub(crate) fn begin(&mut self, need: Need) -> Result<(), SaverError> {
        if self.moved {
            self.verify_place()?;
            self.moved = false;
        }
        if self.connection.is_none() {
            self.connection = Some(self.reconnect()?);
            self.level = None;
        }
        (self.seq, self.graph, self.epoch) = (None, None, None);
        (self.dirty, self.wrote, self.broken) = (false, false, None);
        (self.rings, self.outruns) = (false, false);
        self.fresh.clear();
        let level = self.level;
        let connection = self.db()?;
        if level != Some(need) {
            let pragma = match need {
                Need::Disk => "PRAGMA synchronous = FULL",
                Need::System => "PRAGMA synchronous = NORMAL",
            };
            connection
                .prepare_cached(pragma)
                .and_then(|mut set| set.execute([]))
                .map_err(sql)?;
        }
        run(connection, "BEGIN IMMEDIATE")?;
        self.level = Some(need);
        let checked = schema::check_version(self.db()?);
        let ready = checked.and_then(|()| self.restore_log());
        ready.map_err(|error| {
            self.roll_back();
            file::named(&self.path, error)
        })
    }

    /// Makes what was done count. After a failure nobody knows whether it does.
    pub(crate) fn commit(&mut self) -> Result<(), SaverError> {
        let stored = self.store_epoch();
        let mut done = stored.and_then(|()| run(self.db()?, "COMMIT"));
        if done.is_err() {
            self.roll_back();
            self.disconnect();
        } else if self.wrote && self.level == Some(Need::Disk) {
            // What is acknowledged as durable must be where the next process looks for it. One look
            // at the path costs about a microsecond beside the sync.
            done = self.verify_place();
            if done.is_err() {
                self.moved = true;
                self.roll_back();
            }
        }
        if done.is_ok() && (self.seq.is_some() || self.level == Some(Need::Disk)) {
            self.deepen_log();
        }
        if done.is_ok() && self.rings {
            self.bell.send_replace(());
        }
        self.tend_log();
        done
    }

    /// Gives the connection up after a failure.
    pub(crate) fn disconnect(&mut self) {
        self.suspect = true;
        if let Some(connection) = self.connection.take() {
            keep_log(&connection);
        }
    }

    pub(crate) fn roll_back(&mut self) {
        if let Some(connection) = &self.connection
            && !connection.is_autocommit()
            && run(connection, "ROLLBACK").is_err()
        {
            self.disconnect();
        }
        for thread in std::mem::take(&mut self.fresh) {
            self.held.remove(&thread);
        }
        for held in self.held.values_mut() {
            held.graphs.clear();
            held.complete = false;
        }
        if self.outruns {
            self.outran = false;
        }
        self.renewed = None;
        self.layouts.clear();
        self.warm.clear();
    }

    /// Does one of several pieces of work of a transaction.
    pub(crate) fn piece<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        self.dirty = false;
        let done = work(self);
        if let (Err(error), true) = (&done, self.dirty) {
            self.broken = Some(error.clone());
        }
        done
    }

    /// Whether the present piece of work has written something that is not taken back.
    pub(crate) fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Why the present transaction cannot be committed, if it cannot.
    pub(crate) fn broken(&self) -> Option<&SaverError> {
        self.broken.as_ref()
    }

    /// Does work of several statements: all of it, or nothing.
    pub(crate) fn apart<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, SaverError>,
    ) -> Result<T, SaverError> {
        run(self.db()?, "SAVEPOINT apart")?;
        let done = work(self);
        if done.is_err() {
            self.dirty = true;
            // A full disk has ended the whole transaction; what it was ended by is worth more.
            if run(self.db()?, "ROLLBACK TO apart").is_err() {
                return done;
            }
            (self.seq, self.graph, self.dirty) = (None, None, false);
            self.layouts.clear();
        }
        run(self.db()?, "RELEASE apart")?;
        done
    }

    /// The next number of the log.
    pub(crate) fn next_seq(&mut self) -> Result<i64, SaverError> {
        let last = match self.seq {
            Some(last) => last,
            None => row::newest(self.db()?)?,
        };
        self.seq = Some(last + 1);
        Ok(last + 1)
    }

    /// The next number of a graph.
    pub(crate) fn next_graph(&mut self) -> Result<i64, SaverError> {
        let last = match self.graph {
            Some(last) => last,
            None => self
                .db()?
                .prepare_cached("SELECT coalesce(max(graph), 0) FROM graphs")
                .and_then(|mut select| select.query_row([], |row| row.get(0)))
                .map_err(sql)?,
        };
        self.graph = Some(last + 1);
        Ok(last + 1)
    }

    /// The next epoch. Of several in one transaction the last is stored, when it is committed.
    pub(crate) fn next_epoch(&mut self) -> Result<i64, SaverError> {
        let epoch = match self.epoch {
            Some(last) => last + 1,
            None => self
                .change()?
                .prepare_cached(
                    "UPDATE counters SET value = value + 1 WHERE name = 'epoch' RETURNING value",
                )
                .and_then(|mut update| update.query_row([], |row| row.get(0)))
                .map_err(sql)?,
        };
        self.epoch = Some(epoch);
        Ok(epoch)
    }

    fn store_epoch(&self) -> Result<(), SaverError> {
        let Some(epoch) = self.epoch else {
            return Ok(());
        };
        self.db()?
            .prepare_cached("UPDATE counters SET value = ?1 WHERE name = 'epoch' AND value < ?1")
            .and_then(|mut update| update.execute([epoch]))
            .map(drop)
            .map_err(sql)
    }

    pub(crate) fn hold(&mut self, name: ThreadId, held: Held) {
        self.fresh.push(name.clone());
        self.held.insert(name, held);
    }

    /// The number of a layout, which is stored if it is new.
    pub(crate) fn layout(&mut self, layout: &Arc<Layout>) -> Result<i64, SaverError> {
        let known = self
            .known
            .iter()
            .find(|(known, _)| Arc::ptr_eq(known, layout));
        let digest = match known {
            Some((_, digest)) => *digest,
            None => {
                let (digest, _) =
                    codec::pack_layout(layout).map_err(|e| crate::error::encode(&e))?;
                if self.known.len() >= 64 {
                    self.known.clear();
                }
                self.known.push((layout.clone(), digest));
                digest
            }
        };
        if let Some(number) = self.layouts.get(&digest) {
            return Ok(*number);
        }
        let number = match self.find_layout(digest)? {
            Some(number) => number,
            None => self.add_layout(layout, digest)?,
        };
        self.layouts.insert(digest, number);
        Ok(number)
    }

    fn find_layout(&self, digest: u64) -> Result<Option<i64>, SaverError> {
        self.db()?
            .prepare_cached("SELECT layout FROM layouts WHERE digest = ?1")
            .and_then(|mut select| {
                let found = select.query_row([digest as i64], |row| row.get(0));
                found.optional()
            })
            .map_err(sql)
    }

    fn add_layout(&mut self, layout: &Layout, digest: u64) -> Result<i64, SaverError> {
        let (_, bytes) = codec::pack_layout(layout).map_err(|e| crate::error::encode(&e))?;
        let body = self.seal.seal(&bytes, layouts::place(digest))?;
        let connection = self.change()?;
        connection
            .prepare_cached("INSERT INTO layouts (digest, body) VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute(params![digest as i64, body]))
            .map_err(sql)?;
        Ok(connection.last_insert_rowid())
    }

    /// Stores blobs that are new, and that the thread uses them.
    pub(crate) fn blobs(
        &mut self,
        thread: i64,
        blobs: &[(BlobId, Arc<str>)],
    ) -> Result<(), SaverError> {
        for (id, text) in blobs {
            self.blob(thread, *id, text.as_bytes())?;
        }
        Ok(())
    }

    /// Stores a blob if it is new, and that the thread uses it. Says whether it did not before.
    pub(crate) fn blob(
        &mut self,
        thread: i64,
        id: BlobId,
        bytes: &[u8],
    ) -> Result<bool, SaverError> {
        let name = id.0.to_be_bytes();
        let found = self
            .db()?
            .prepare_cached("SELECT blob FROM blobs WHERE name = ?1")
            .and_then(|mut select| select.query_row([name], |row| row.get(0)).optional())
            .map_err(sql)?;
        let blob: i64 = match found {
            Some(blob) => blob,
            None => {
                let body = self.seal.seal(bytes, Place::of(name))?;
                let connection = self.change()?;
                connection
                    .prepare_cached("INSERT INTO blobs (name, body) VALUES (?1, ?2)")
                    .and_then(|mut insert| insert.execute(params![name, body]))
                    .map_err(sql)?;
                connection.last_insert_rowid()
            }
        };
        let added = self
            .change()?
            .prepare_cached("INSERT OR IGNORE INTO uses VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute([thread, blob]))
            .map_err(sql)?;
        Ok(added > 0)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Closing removes the log by its name, which may be another file's by now; and a log that is
        // not whole on the disk must not be moved into the file.
        let is_sound = !self.suspect && self.verify_place().is_ok();
        if let (false, Some(connection)) = (is_sound, &self.connection) {
            keep_log(connection);
        }
    }
}

/// Makes a connection to a file that is ours the one that writes.
fn set_up(connection: &mut Connection) -> Result<(), SaverError> {
    let mode: String = connection
        .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))
        .map_err(sql)?;
    if mode != "wal" {
        let why = format!("the file system has no room for a write-ahead log (mode {mode})");
        return Err(SaverError::Io(why));
    }
    // Commits overwrite the log rather than make it longer, and a deleted row is overwritten.
    connection
        .execute_batch("PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON;")
        .map_err(sql)?;
    connection.wal_hook(Some(Log::committed)).map_err(sql)
}
