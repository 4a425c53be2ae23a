//! Rows of `threads` and `graphs`, found by name.

use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params, types::ValueRef};
use superstep_core::{
    error::SaverError,
    id::{GraphPath, ThreadId},
};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::{cost::ReplayCost, error::sql};

/// A thread.
#[derive(Clone, Debug)]
pub(crate) struct ThreadRow {
    pub(crate) thread: i64,
    pub(crate) epoch: i64,
    /// The worker that has leased it.
    pub(crate) worker: Option<i64>,
    /// When it was last leased or released.
    pub(crate) used: i64,
}

/// A graph of a thread, and where its log ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GraphRow {
    pub(crate) graph: i64,
    pub(crate) thread: i64,
    pub(crate) name: GraphPath,
    /// Its newest record.
    pub(crate) head: i64,
    /// Its newest row.
    pub(crate) last: i64,
    /// How many records it has.
    pub(crate) records: i64,
    /// Bytes of the records since the last full one.
    pub(crate) tail: i64,
    /// About how many bytes a full record would take.
    pub(crate) state: i64,
}

/// Digest of a name, the key of the second index.
pub(crate) fn digest(name: &str) -> i64 {
    xxh3_64(name.as_bytes()) as i64
}

fn graph_digest(thread: i64, name: &GraphPath) -> i64 {
    xxh3_64_with_seed(name.as_str().as_bytes(), thread as u64) as i64
}

impl GraphRow {
    /// The replay cost of its newest record.
    pub(crate) fn cost(&self) -> ReplayCost {
        ReplayCost {
            tail: self.tail,
            state: self.state,
        }
    }

    /// Checksum over all columns.
    fn sum(&self) -> i64 {
        let numbers = [
            self.graph, self.thread, self.head, self.last, self.records, self.tail, self.state,
        ];
        let mut bytes = Vec::with_capacity(64 + self.name.as_str().len());
        for number in numbers {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(self.name.as_str().as_bytes());
        xxh3_64(&bytes) as i64
    }

    fn read(row: &SqlRow<'_>) -> Result<(Self, i64), rusqlite::Error> {
        let name: String = row.get(2)?;
        let graph = Self {
            graph: row.get(0)?,
            thread: row.get(1)?,
            name: GraphPath::from(name.as_str()),
            head: row.get(3)?,
            last: row.get(4)?,
            records: row.get(5)?,
            tail: row.get(6)?,
            state: row.get(7)?,
        };
        Ok((graph, row.get(8)?))
    }

    fn checked((graph, sum): (Self, i64)) -> Result<Self, SaverError> {
        if graph.sum() == sum {
            return Ok(graph);
        }
        let name = &graph.name;
        Err(SaverError::Corrupt(format!(
            "the entry of graph `{name}` is damaged"
        )))
    }
}

/// The name in a column of a row, as far as it can be read.
pub(crate) fn name_in(row: &SqlRow<'_>, column: usize) -> Result<String, rusqlite::Error> {
    match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }
        _ => row.get(column),
    }
}

/// A thread whose name is damaged, by the name that is listed for it. Reads all threads.
pub(crate) fn misnamed(
    connection: &Connection,
    name: &ThreadId,
) -> Result<Option<ThreadRow>, SaverError> {
    let read = |row: &SqlRow<'_>| {
        let known = name_in(row, 4)?;
        let is_meant = known == name.as_str() && digest(&known) != row.get::<_, i64>(5)?;
        let thread = ThreadRow {
            thread: row.get(0)?,
            epoch: row.get(1)?,
            worker: row.get(2)?,
            used: row.get(3)?,
        };
        Ok(is_meant.then_some(thread))
    };
    let found: Vec<Option<ThreadRow>> = connection
        .prepare("SELECT thread, epoch, worker, used, name, digest FROM threads NOT INDEXED")
        .and_then(|mut select| select.query_map([], read)?.collect())
        .map_err(sql)?;
    Ok(found.into_iter().flatten().next())
}

/// A thread by name.
pub(crate) fn thread(
    connection: &Connection,
    name: &ThreadId,
) -> Result<Option<ThreadRow>, SaverError> {
    let read = |row: &SqlRow<'_>| {
        let is_whole = row.get::<_, String>(4)? == name.as_str()
            && row.get::<_, i64>(5)? == digest(name.as_str());
        let thread = ThreadRow {
            thread: row.get(0)?,
            epoch: row.get(1)?,
            worker: row.get(2)?,
            used: row.get(3)?,
        };
        Ok((thread, is_whole))
    };
    let text = name.as_str();
    let found = connection
        .prepare_cached(
            "SELECT thread, epoch, worker, used, name, digest FROM threads WHERE name = ?1",
        )
        .and_then(|mut select| select.query_row([text], read).optional())
        .map_err(sql)?;
    if let Some((thread, is_whole)) = found {
        let damaged = || SaverError::Corrupt(format!("the entry of thread `{name}` is damaged"));
        return is_whole.then_some(Some(thread)).ok_or_else(damaged);
    }
    let hidden = connection
        .prepare_cached("SELECT count(*) FROM threads WHERE digest = ?1 AND +name = ?2")
        .and_then(|mut select| select.query_row(params![digest(text), text], count))
        .map_err(sql)?;
    absent(hidden, || format!("the index of threads lacks `{name}`"))
}

/// Adds a thread.
pub(crate) fn add(
    db: &Connection,
    name: &ThreadId,
    epoch: i64,
    worker: Option<i64>,
    now: i64,
) -> Result<i64, SaverError> {
    let text = name.as_str();
    db.prepare_cached(
        "INSERT INTO threads (name, digest, epoch, worker, used, uuid)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )
    .and_then(|mut insert| {
        let uuid = uuid_beside(name);
        insert.execute(params![text, digest(text), epoch, worker, now, uuid])
    })
    .map_err(sql)?;
    Ok(db.last_insert_rowid())
}

/// The UUID that is stored beside a name: none if the name is that UUID.
pub(crate) fn uuid_beside(name: &ThreadId) -> Option<[u8; 16]> {
    let uuid = name.uuid();
    (ThreadId::of_uuid(uuid) != *name).then(|| uuid.to_be_bytes())
}

/// The epoch of a thread's newest lease.
pub(crate) fn epoch(connection: &Connection, thread: i64) -> Result<Option<i64>, SaverError> {
    connection
        .prepare_cached("SELECT epoch FROM threads WHERE thread = ?1")
        .and_then(|mut select| select.query_row([thread], |row| row.get(0)).optional())
        .map_err(sql)
}

fn count(row: &SqlRow<'_>) -> Result<i64, rusqlite::Error> {
    row.get(0)
}

/// A row that one index does not have must be missing in the other too.
fn absent<T>(hidden: i64, why: impl FnOnce() -> String) -> Result<Option<T>, SaverError> {
    if hidden == 0 {
        return Ok(None);
    }
    Err(SaverError::Corrupt(why()))
}

/// A graph of a thread by name.
pub(crate) fn graph(
    connection: &Connection,
    thread: i64,
    name: &GraphPath,
) -> Result<Option<GraphRow>, SaverError> {
    let found = connection
        .prepare_cached(
            "SELECT graph, thread, name, head, last, records, tail, state, sum
             FROM graphs WHERE thread = ?1 AND name = ?2",
        )
        .and_then(|mut select| {
            let found = select.query_row(params![thread, name.as_str()], GraphRow::read);
            found.optional()
        })
        .map_err(sql)?;
    if let Some(found) = found {
        return GraphRow::checked(found).map(Some);
    }
    let hidden = connection
        .prepare_cached(
            "SELECT count(*) FROM graphs WHERE digest = ?1 AND +thread = ?2 AND +name = ?3",
        )
        .and_then(|mut select| {
            let digest = graph_digest(thread, name);
            select.query_row(params![digest, thread, name.as_str()], count)
        })
        .map_err(sql)?;
    absent(hidden, || format!("the index of graphs lacks `{name}`"))
}

/// A graph by the name of its thread and its own.
pub(crate) fn find(
    connection: &Connection,
    thread_name: &ThreadId,
    name: &GraphPath,
) -> Result<Option<GraphRow>, SaverError> {
    let found = connection
        .prepare_cached(
            "SELECT graphs.graph, graphs.thread, graphs.name, graphs.head, graphs.last,
                 graphs.records, graphs.tail, graphs.state, graphs.sum, threads.name
             FROM threads CROSS JOIN graphs
             WHERE threads.name = ?1 AND graphs.thread = threads.thread AND graphs.name = ?2",
        )
        .and_then(|mut select| {
            let names = params![thread_name.as_str(), name.as_str()];
            let read = |row: &SqlRow<'_>| {
                let same = row.get_ref(9)?.as_str().ok() == Some(thread_name.as_str());
                Ok((GraphRow::read(row)?, same))
            };
            select.query_row(names, read).optional()
        })
        .map_err(sql)?;
    match found {
        Some((found, true)) => GraphRow::checked(found).map(Some),
        // Either there is none, or something is damaged: two separate lookups tell which.
        _ => match thread(connection, thread_name)? {
            Some(row) => graph(connection, row.thread, name),
            None => Ok(None),
        },
    }
}

/// The graphs of a thread.
pub(crate) fn all(connection: &Connection, thread: i64) -> Result<Vec<GraphRow>, SaverError> {
    let rows: Vec<(GraphRow, i64)> = connection
        .prepare_cached(
            "SELECT graph, thread, name, head, last, records, tail, state, sum
             FROM graphs WHERE thread = ?1 ORDER BY graph",
        )
        .and_then(|mut select| select.query_map([thread], GraphRow::read)?.collect())
        .map_err(sql)?;
    rows.into_iter().map(GraphRow::checked).collect()
}

/// The numbers of all graphs of a thread, whether their entries are whole or not.
pub(crate) fn numbers(connection: &Connection, thread: i64) -> Result<Vec<i64>, SaverError> {
    connection
        .prepare_cached("SELECT graph FROM graphs WHERE thread = ?1 ORDER BY graph")
        .and_then(|mut select| select.query_map([thread], |row| row.get(0))?.collect())
        .map_err(sql)
}

/// Whether a thread has a record, a run or an entry in its event log.
pub(crate) fn has_content(connection: &Connection, thread: i64) -> Result<bool, SaverError> {
    let has_others = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM events WHERE thread = ?1)
             OR EXISTS (SELECT 1 FROM runs WHERE thread = ?1)",
        )
        .and_then(|mut select| select.query_row([thread], |row| row.get(0)))
        .map_err(sql)?;
    Ok(has_others || has_records(connection, thread)?)
}

/// Whether a thread has a record.
pub(crate) fn has_records(connection: &Connection, thread: i64) -> Result<bool, SaverError> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM graphs WHERE thread = ?1)")
        .and_then(|mut select| select.query_row([thread], |row| row.get(0)))
        .map_err(sql)
}

/// Inserts a graph with its first record, if the epoch is still current. Returns whether it was.
///
/// The epoch is read before: of `INSERT … SELECT … WHERE`, which may be many rows, SQLite keeps a copy of each page
/// that it changes, to undo the rows before one that fails.
pub(crate) fn insert(
    connection: &Connection,
    row: &GraphRow,
    epoch: i64,
) -> Result<bool, SaverError> {
    if self::epoch(connection, row.thread)? != Some(epoch) {
        return Ok(false);
    }
    let statement = "INSERT INTO graphs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    put(connection, statement, row).map(|()| true)
}

/// Inserts or replaces a graph without checking the epoch: for threads that nobody has leased.
pub(crate) fn replace(connection: &Connection, row: &GraphRow) -> Result<(), SaverError> {
    let statement = "REPLACE INTO graphs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    put(connection, statement, row)
}

fn put(connection: &Connection, statement: &str, row: &GraphRow) -> Result<(), SaverError> {
    connection
        .prepare_cached(statement)
        .and_then(|mut put| {
            put.execute(params![
                row.graph,
                row.thread,
                row.name.as_str(),
                graph_digest(row.thread, &row.name),
                row.head,
                row.last,
                row.records,
                row.tail,
                row.state,
                row.sum(),
            ])
        })
        .map(drop)
        .map_err(sql)
}

/// Moves the end of a graph's log, if it is still at `was` and the epoch is still current (compare
/// and swap). Returns whether it was.
pub(crate) fn advance(
    connection: &Connection,
    row: &GraphRow,
    was: i64,
    epoch: i64,
) -> Result<bool, SaverError> {
    connection
        .prepare_cached(
            "UPDATE graphs SET head = ?3, last = ?4, records = ?5, tail = ?6, state = ?7, sum = ?8
             WHERE graph = ?1 AND last = ?2
             AND (SELECT epoch FROM threads WHERE threads.thread = graphs.thread) = ?9",
        )
        .and_then(|mut update| {
            update.execute(params![
                row.graph,
                was,
                row.head,
                row.last,
                row.records,
                row.tail,
                row.state,
                row.sum(),
                epoch,
            ])
        })
        .map(|rows| rows == 1)
        .map_err(sql)
}
