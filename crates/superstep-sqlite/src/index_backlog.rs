//! Which threads changed since the index that they are found by was brought up to date: the rows of
//! `unfound`. The index is in `finding`.

use rusqlite::Connection;
use superstep_core::error::SaverError;

use crate::error::sql;

/// Notes that a thread or its runs changed.
pub(crate) fn note(db: &Connection, thread: i64) -> Result<(), SaverError> {
    db.prepare_cached("INSERT OR IGNORE INTO unfound VALUES (?1)")
        .and_then(|mut insert| insert.execute([thread]))
        .map(drop)
        .map_err(sql)
}

/// Forgets a thread.
pub(crate) fn remove(db: &Connection, thread: i64) -> Result<(), SaverError> {
    for statement in [
        "DELETE FROM found_pairs WHERE thread = ?1",
        "DELETE FROM unfound WHERE thread = ?1",
    ] {
        db.prepare_cached(statement)
            .and_then(|mut delete| delete.execute([thread]))
            .map_err(sql)?;
    }
    Ok(())
}
