//! A plain database file: one connection that writes, and as many that read as are in use at once.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};

use crate::store::SCHEMA;

/// An open database file.
pub struct Database {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl Database {
    /// Opens the file, and makes it and its tables if they are not there.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, rusqlite::Error> {
        let path = path.as_ref().to_owned();
        let mut writer = connect(&path)?;
        let made = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if !made.table_exists(None, "store_items")? {
            made.execute_batch(SCHEMA)?;
        }
        made.commit()?;
        Ok(Self {
            path,
            writer: Mutex::new(writer),
            readers: Mutex::default(),
        })
    }

    /// Runs `work` in one read transaction.
    pub(crate) fn read<T, E, W>(&self, work: W) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<rusqlite::Error> + Send + 'static,
        W: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    {
        let idle = locked(&self.readers).pop();
        let reader = match idle {
            Some(reader) => reader,
            None => connect(&self.path)?,
        };
        reader.prepare_cached("BEGIN")?.execute([])?;
        let got = work(&reader);
        reader.prepare_cached("ROLLBACK")?.execute([])?;
        locked(&self.readers).push(reader);
        got
    }

    /// Runs `work` in one write transaction, which is taken back if it fails.
    pub(crate) fn write<T, E, W>(&self, work: W) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<rusqlite::Error> + Send + 'static,
        W: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    {
        let mut writer = locked(&self.writer);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}

fn connect(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; \
         PRAGMA foreign_keys = ON;",
    )?;
    // Else a plan depends on what is bound, and a cached statement is planned anew at every use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
