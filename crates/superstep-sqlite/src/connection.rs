//! Opening SQLite connections with the settings that all of them share.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, config::DbConfig};
use superstep_core::error::SaverError;

use crate::error::sql;

/// Opens a connection to a writable file.
pub(crate) fn connect(
    path: &Path,
    flags: OpenFlags,
    busy_timeout: Duration,
) -> Result<Connection, SaverError> {
    let connection = connect_for_any(path, flags, busy_timeout)?;
    // Before the first read, which would leave files beside it that its owner cannot write either.
    if connection.is_readonly("main").map_err(sql)? {
        let why = "the file cannot be written";
        return Err(SaverError::ReadOnly(why.to_owned()));
    }
    Ok(connection)
}

/// Opens a connection.
pub(crate) fn connect_for_any(
    path: &Path,
    flags: OpenFlags,
    busy_timeout: Duration,
) -> Result<Connection, SaverError> {
    let connection = Connection::open_with_flags(path, flags).map_err(|error| {
        let (error, path) = (sql(error), path.display());
        match error {
            SaverError::Io(why) => SaverError::Io(format!("{path}: {why}")),
            other => other,
        }
    })?;
    connection.busy_timeout(busy_timeout).map_err(sql)?;
    connection.set_prepared_statement_cache_capacity(128);
    // Otherwise a cached statement is replanned whenever other values are bound.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(sql)?;
    connection
        .execute_batch(
            "PRAGMA trusted_schema = OFF;
             PRAGMA cell_size_check = ON;
             PRAGMA temp_store = MEMORY;",
        )
        .map_err(sql)?;
    Ok(connection)
}

/// Runs a statement that has no parameters and no rows.
pub(crate) fn run(connection: &Connection, statement: &'static str) -> Result<(), SaverError> {
    connection
        .prepare_cached(statement)
        .and_then(|mut statement| statement.execute([]))
        .map(drop)
        .map_err(sql)
}

/// Makes closing this connection leave the WAL as it is.
pub(crate) fn keep_wal(connection: &Connection) {
    // If it cannot be set, closing checkpoints the WAL as usual.
    let _set = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
}
