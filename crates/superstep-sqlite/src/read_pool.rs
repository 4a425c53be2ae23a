//! Pool of read-only connections.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};
use superstep_core::error::SaverError;

use crate::{
    connection::{connect_for_any, keep_wal, run},
    error::sql,
    file::{self, FileIdentity},
    schema,
    seal::Seal,
};
use superstep_core::sync::lock;

/// Idle connections beyond this many are closed.
const MAX_IDLE: usize = 8;

/// A pool of read-only connections.
pub(crate) struct ReadPool {
    path: PathBuf,
    /// The file that was opened.
    identity: Option<FileIdentity>,
    busy_timeout: Duration,
    idle: Mutex<Vec<Connection>>,
}

impl ReadPool {
    /// A pool for a file that the writer has opened.
    pub(crate) fn new(path: PathBuf, busy_timeout: Duration) -> Self {
        Self {
            identity: FileIdentity::of(&path),
            path,
            busy_timeout,
            idle: Mutex::default(),
        }
    }

    /// A pool for a file that was not checked yet, and that must not change.
    pub(crate) fn open_unverified(
        path: PathBuf,
        seal: &Seal,
        busy_timeout: Duration,
    ) -> Result<Self, SaverError> {
        let readers = Self::new(path, busy_timeout);
        let mut connection = readers.connect()?;
        let recognized = schema::recognize(&mut connection, &readers.path);
        let readable = recognized.and_then(|version| {
            schema::check_readable(&connection, version, seal)?;
            only_query(&connection)
        });
        keep_wal(&connection);
        // Pooled even on failure, so that dropping the pool closes it like the others.
        lock(&readers.idle).push(connection);
        readable.map(|()| readers)
    }

    /// Runs reads in one transaction, that is on one snapshot.
    pub(crate) fn read<T, E: From<SaverError>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        self.peek(|connection| {
            run(connection, "BEGIN")?;
            let done = work(connection);
            run(connection, "COMMIT")?;
            done
        })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a single statement.
    pub(crate) fn peek<T, E: From<SaverError>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let idle = lock(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open()?,
        };
        let done = work(&connection);
        let mut idle = lock(&self.idle);
        // A connection that failed is not reused.
        if done.is_ok() && idle.len() < MAX_IDLE {
            idle.push(connection);
        }
        done
    }

    /// A connection of its own, outside the pool.
    pub(crate) fn open(&self) -> Result<Connection, SaverError> {
        let connection = self.connect()?;
        only_query(&connection)?;
        Ok(connection)
    }

    fn connect(&self) -> Result<Connection, SaverError> {
        // Readers write too: to the shared memory of the WAL index.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = connect_for_any(&self.path, flags, self.busy_timeout)?;
        keep_wal(&connection);
        if let Some(identity) = self.identity {
            identity.verify(&self.path)?;
        }
        Ok(connection)
    }
}

fn only_query(connection: &Connection) -> Result<(), SaverError> {
    connection
        .execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -512;")
        .map_err(sql)
}

impl Drop for ReadPool {
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        // An empty WAL need not stay; the last connection to close removes it.
        let is_empty = file::is_empty(&file::beside(&self.path, "-wal"));
        let is_here = self
            .identity
            .is_some_and(|it| it.verify(&self.path).is_ok());
        for connection in idle.iter().filter(|_| is_empty && is_here) {
            let _left = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
        }
    }
}
