//! Threads that may be wanted, as rows name them.

use rusqlite::Row;
use superstep_core::{id::ThreadId, saver::ThreadCursor};

use crate::graphs;

/// A thread that may be wanted.
pub(super) struct Candidate {
    pub(super) place: ThreadCursor,
    pub(super) used: i64,
}

/// A row with the number, the time, the name and the last use of a thread.
pub(super) fn candidate(row: &Row<'_>) -> Result<Candidate, rusqlite::Error> {
    let place = ThreadCursor {
        time: row.get(1)?,
        number: row.get(0)?,
        id: ThreadId::from(graphs::name_in(row, 2)?),
    };
    Ok(Candidate {
        place,
        used: row.get(3)?,
    })
}
