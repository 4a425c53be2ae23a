//! A file that shows no threads: whether it had some.
//!
//! A table that lost its pages, and whose file is valid otherwise, looks like one that never had rows. A
//! file that is new, or whose threads were deleted, has nothing left of threads anywhere, and no page
//! that nothing leads to.

use rusqlite::Connection;
use superstep_core::error::SaverError;

use crate::error::sql;

/// What cannot be there without a thread, and what it means.
const LEFT: [(&str, &str); 4] = [
    (
        "SELECT EXISTS (SELECT 1 FROM log WHERE graph <> 0)",
        "the log has rows",
    ),
    (
        "SELECT EXISTS (SELECT 1 FROM graphs NOT INDEXED)",
        "there are graphs",
    ),
    (
        "SELECT EXISTS (SELECT 1 FROM events WHERE thread NOT IN (SELECT thread FROM threads))",
        "there are event logs",
    ),
    (
        "SELECT EXISTS (SELECT 1 FROM uses WHERE thread NOT IN (SELECT thread FROM threads))",
        "there are values of threads",
    ),
];

/// Refuses a file without threads in which something is left of them. Reads all pages of the file, which
/// is small without threads.
pub(super) fn refuse(db: &Connection) -> Result<(), SaverError> {
    let damaged = |what: &str| {
        SaverError::Corrupt(format!(
            "no thread is found, but {what}: threads were lost, not deleted"
        ))
    };
    for (query, what) in LEFT {
        let is_left: bool = db
            .prepare_cached(query)
            .and_then(|mut select| select.query_row([], |row| row.get(0)))
            .map_err(sql)?;
        if is_left {
            return Err(damaged(what));
        }
    }
    let found: String = db
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(sql)?;
    match found.as_str() {
        "ok" => Ok(()),
        // Several lines of it may come in one row.
        problem => Err(damaged(
            problem.lines().next_back().unwrap_or(problem).trim(),
        )),
    }
}
