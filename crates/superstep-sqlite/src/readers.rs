//! Connections that read, beside the one that writes.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};
use superstep_core::error::SaverError;

use crate::{
    connection::{connect_for_any, keep_log, run},
    error::sql,
    file::{self, Identity},
    lock::lock,
    schema,
    seal::Seal,
};

/// So many connections are kept while nobody uses them.
const KEPT: usize = 8;

/// Connections that read.
pub(crate) struct Readers {
    path: PathBuf,
    /// The file that was opened.
    identity: Option<Identity>,
    patience: Duration,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// Readers of a file that is there and ours.
    pub(crate) fn new(path: PathBuf, patience: Duration) -> Self {
        Self {
            identity: Identity::of(&path),
            path,
            patience,
            idle: Mutex::default(),
        }
    }

    /// Readers of a file that nobody has looked at yet, and that is left as it is.
    pub(crate) fn first(
        path: PathBuf,
        seal: &Seal,
        patience: Duration,
    ) -> Result<Self, SaverError> {
        let readers = Self::new(path, patience);
        let mut connection = readers.connect()?;
        let recognised = schema::recognise(&mut connection, &readers.path);
        let readable = recognised.and_then(|version| {
            schema::check_readable(&connection, version, seal)?;
            only_query(&connection)
        });
        keep_log(&connection);
        // Also one that is refused is closed as the others are.
        lock(&readers.idle).push(connection);
        readable.map(|()| readers)
    }

    /// Reads, all of it from the same moment.
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

    /// Reads with a single statement.
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
        // One that had a failure may be damaged itself.
        if done.is_ok() && idle.len() < KEPT {
            idle.push(connection);
        }
        done
    }

    fn open(&self) -> Result<Connection, SaverError> {
        let connection = self.connect()?;
        only_query(&connection)?;
        Ok(connection)
    }

    fn connect(&self) -> Result<Connection, SaverError> {
        // The file's state of recovery is kept in shared memory, which a reader writes too.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = connect_for_any(&self.path, flags, self.patience)?;
        keep_log(&connection);
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

impl Drop for Readers {
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        // A log that holds nothing need not stay behind; the last one to close it removes it.
        let is_empty = file::length(&file::beside(&self.path, "-wal")) == 0;
        let is_here = self
            .identity
            .is_some_and(|it| it.verify(&self.path).is_ok());
        for connection in idle.iter().filter(|_| is_empty && is_here) {
            let _left = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
        }
    }
}
