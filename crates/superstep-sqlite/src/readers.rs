//! Connections that read, beside the one that writes.

use std::{path::PathBuf, sync::Mutex, time::Duration};

use rusqlite::{Connection, OpenFlags};
use superstep_core::saver::SaverError;

use crate::{
    error::sql,
    queue::lock,
    writer::{connect, run},
};

/// So many connections are kept while nobody uses them.
const KEPT: usize = 8;

/// Connections that read.
pub(crate) struct Readers {
    path: PathBuf,
    patience: Duration,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, patience: Duration) -> Self {
        Self {
            path,
            patience,
            idle: Mutex::default(),
        }
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
        // The file's state of recovery is kept in shared memory, which a reader writes too.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = connect(&self.path, flags, self.patience)?;
        connection
            .execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -512;")
            .map_err(sql)?;
        Ok(connection)
    }
}
