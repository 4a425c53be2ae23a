//! The index that threads are found by: the rows of `found` and `found_pairs`.
//!
//! Whatever changes a thread or its runs notes that in `unfound` ([`note`](crate::index_backlog::note)), which costs next to nothing; who
//! looks for threads first brings the index up to date for those that nobody uses ([`catch_up`]), and looks at
//! the others one by one. So a run pays nothing for the index, and a search reads what it finds.
//!
//! In an encrypted file names of graphs and metadata are in it as keyed hashes.

use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use superstep_core::{
    checkpoint::{Loaded, NextRecord},
    codec::{BlobId, parts::Names as _},
    error::SaverError,
    id::{GraphPath, ThreadId},
    runs::{RunQuery, RunRecord, RunStatus},
    saver::{At, ThreadHint, ThreadInfo, ThreadOrder, ThreadQuery},
    value::Value,
};

use crate::{
    error::sql, graphs, index_backlog, layouts::Layouts, load::RecordReader, lookup, runs,
    seal::Seal, threads, writer::Writer,
};

/// How many threads are brought up to date in one transaction.
pub(crate) const BATCH: usize = 500;

/// Longer texts are not in the index.
const TEXT: usize = 256;

/// Integers beyond this are not told apart from their neighbors once they are floating point.
const EXACT: i64 = 1 << 53;

/// Some threads that changed and that nobody uses, from the one after `after` on.
pub(crate) fn changed(db: &Connection, after: i64) -> Result<Vec<(i64, String)>, SaverError> {
    db.prepare_cached(
        "SELECT unfound.thread, threads.name FROM unfound
         JOIN threads ON threads.thread = unfound.thread
         WHERE unfound.thread > ?1 AND threads.worker IS NULL ORDER BY unfound.thread LIMIT ?2",
    )
    .and_then(|mut select| {
        let rows = select.query_map(params![after, BATCH as i64], |row| {
            Ok((row.get(0)?, graphs::name_in(row, 1)?))
        })?;
        rows.collect()
    })
    .map_err(sql)
}

/// Brings the index up to date for threads that nobody uses.
pub(crate) fn catch_up(writer: &mut Writer, all: &[(i64, String)]) -> Result<(), SaverError> {
    for (thread, name) in all {
        let is_free = "SELECT 1 FROM unfound JOIN threads ON threads.thread = unfound.thread
             WHERE unfound.thread = ?1 AND threads.worker IS NULL";
        let is_free: Option<i64> = writer
            .db()?
            .prepare_cached(is_free)
            .and_then(|mut select| select.query_row([thread], |row| row.get(0)).optional())
            .map_err(sql)?;
        if is_free.is_none() {
            continue;
        }
        for mut lost in runs::of_state(
            writer.db()?,
            &writer.seal,
            RunStatus::Running,
            Some(*thread),
        )? {
            runs::end_lost(writer, &mut lost)?;
        }
        let known = match known(writer.db()?, &writer.seal, *thread, name) {
            // Who looks at it is told.
            Err(SaverError::Corrupt(_)) => continue,
            known => known?,
        };
        let pairs = known
            .as_ref()
            .map(|info| pairs(&writer.seal, &info.metadata));
        let graph = known
            .as_ref()
            .map(|info| digest(&writer.seal, b"graph", info.graph.as_deref().unwrap_or("")));
        let db = writer.change()?;
        index_backlog::remove(db, *thread)?;
        let (Some(info), Some(pairs)) = (known, pairs) else {
            continue;
        };
        db.prepare_cached("INSERT INTO found VALUES (?1, ?2, ?3, ?4, ?5)")
            .and_then(|mut insert| {
                let state = state(info.status);
                insert.execute(params![thread, state, graph, info.created, info.updated])
            })
            .map_err(sql)?;
        for pair in pairs {
            db.prepare_cached("INSERT OR IGNORE INTO found_pairs VALUES (?1, ?2)")
                .and_then(|mut insert| insert.execute([pair, *thread]))
                .map_err(sql)?;
        }
    }
    Ok(())
}

/// What the newest checkpoint of a thread and its runs say; nothing if it has no checkpoint.
fn known(
    db: &Connection,
    seal: &Seal,
    thread: i64,
    name: &str,
) -> Result<Option<ThreadInfo>, SaverError> {
    let Some(graph) = graphs::graph(db, thread, &GraphPath::default())? else {
        return Ok(None);
    };
    let Some(found) = lookup::locate(db, &graph, At::Latest)? else {
        return Ok(None);
    };
    let layouts = Layouts::default();
    let mut reader = RecordReader::new(db, seal, &layouts);
    let notes = reader.notes(&found)?;
    let head = reader.record(&found.row, None)?;
    let newest = Loaded {
        chain: [head].into_iter().collect(),
        notes,
        superseded: false,
        next: NextRecord::Changes,
    };
    let mut ends: Vec<RunRecord> = self::newest(db, seal, thread)?.into_iter().collect();
    ends.extend(runs::first(db, seal, thread)?.map(|row| row.record));
    Ok(Some(ThreadInfo::of(
        ThreadId::from(name),
        Some(&newest),
        &ends,
    )))
}

/// How a status is stored.
fn state(status: RunStatus) -> i64 {
    match status {
        RunStatus::Idle => 14,
        RunStatus::Sleeping => 13,
        status => runs::number(status),
    }
}

/// A number for a text, which says nothing without the key in an encrypted file.
fn digest(seal: &Seal, kind: &[u8], text: &str) -> i64 {
    let bytes: Vec<u8> = [kind, b"\0", text.as_bytes()].concat();
    seal.name(BlobId::of(&bytes)).0 as i64
}

/// The numbers of the pairs of an object that are in the index.
fn pairs(seal: &Seal, metadata: &Value) -> Vec<i64> {
    let fields = metadata.as_map().into_iter().flat_map(|map| map.iter());
    let mut pairs: Vec<i64> = fields
        .filter_map(|(key, value)| pair(seal, key, value))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The same number for values that are equal; none for values that are not in the index.
fn pair(seal: &Seal, key: &str, value: &Value) -> Option<i64> {
    let text = match value {
        Value::Str(text) if text.len() <= TEXT => format!("s{text}"),
        Value::Bool(yes) => format!("b{yes}"),
        Value::Int(n) if n.abs() < EXACT => format!("n{n}"),
        Value::Float(n) if n.fract() == 0.0 && n.abs() < EXACT as f64 => format!("n{}", *n as i64),
        _ => return None,
    };
    Some(digest(
        seal,
        b"pair",
        &format!("{}:{key}={text}", key.len()),
    ))
}

/// The threads that a query may want.
pub(crate) fn hints(
    db: &Connection,
    seal: &Seal,
    query: &ThreadQuery,
) -> Result<Vec<ThreadHint>, SaverError> {
    let (statement, values) = wanted(seal, query);
    let values: Vec<&dyn ToSql> = values.iter().map(|value| value as &dyn ToSql).collect();
    let mut hints = rows(db, &statement, &values, hint)?;
    // Of those that are in use, or that cannot be read, only a look at each tells.
    let changed = rows(db, CHANGED, &[], |row| Ok((row.get(2)?, hint(row)?)))?;
    for (thread, hint) in changed {
        let updated = match query.order {
            ThreadOrder::Name => None,
            ThreadOrder::Updated => newest(db, seal, thread)?.and_then(|run| run.updated()),
        };
        hints.push(ThreadHint { updated, ..hint });
    }
    if hints.is_empty() {
        threads::refuse_emptied(db)?;
    }
    Ok(hints)
}

fn newest(db: &Connection, seal: &Seal, thread: i64) -> Result<Option<RunRecord>, SaverError> {
    let one = RunQuery {
        limit: Some(1),
        ..RunQuery::default()
    };
    let found = runs::list(db, seal, thread, &one, |row| Ok(row.record))?;
    Ok(found.into_iter().next())
}

const CHANGED: &str = "SELECT threads.name, NULL, threads.thread, threads.used FROM unfound
 JOIN threads ON threads.thread = unfound.thread
 WHERE EXISTS (SELECT 1 FROM graphs WHERE graphs.thread = unfound.thread)";

fn rows<T>(
    db: &Connection,
    statement: &str,
    values: &[&dyn ToSql],
    read: fn(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<Vec<T>, SaverError> {
    db.prepare_cached(statement)
        .and_then(|mut select| select.query_map(values, read)?.collect())
        .map_err(sql)
}

fn hint(row: &Row<'_>) -> Result<ThreadHint, rusqlite::Error> {
    Ok(ThreadHint {
        id: ThreadId::from(graphs::name_in(row, 0)?),
        updated: row.get(1)?,
        used: row.get(3)?,
    })
}

/// The statement that finds what is in the index, and its values. What narrows most comes first: a pair of
/// the metadata, then the status, then the graph.
fn wanted(seal: &Seal, query: &ThreadQuery) -> (String, Vec<i64>) {
    let mut values = Vec::new();
    let mut number = |value: i64| {
        values.push(value);
        format!("?{}", values.len())
    };
    let mut tests = Vec::new();
    let fields = query.metadata.as_map();
    let fields = fields.into_iter().flat_map(|map| map.iter());
    let mut pairs = fields.filter_map(|(key, value)| pair(seal, key, value));
    let from = match pairs.next() {
        None => "found".to_owned(),
        Some(first) => {
            tests.push(format!("found_pairs.pair = {}", number(first)));
            "found_pairs CROSS JOIN found ON found.thread = found_pairs.thread".to_owned()
        }
    };
    let is_first = tests.is_empty();
    for pair in pairs {
        let pair = number(pair);
        tests.push(format!(
            "EXISTS (SELECT 1 FROM found_pairs AS also WHERE also.pair = {pair}
             AND also.thread = found.thread)"
        ));
    }
    if !query.status.is_empty() {
        let states: Vec<String> = query
            .status
            .iter()
            .map(|status| number(state(*status)))
            .collect();
        // A plus keeps SQLite from narrowing by this column instead.
        let column = if is_first {
            "found.state"
        } else {
            "+found.state"
        };
        tests.push(format!("{column} IN ({})", states.join(", ")));
    }
    if let Some(graph) = &query.graph {
        let graph = number(digest(seal, b"graph", graph));
        let is_next = is_first && query.status.is_empty();
        let column = if is_next {
            "found.graph"
        } else {
            "+found.graph"
        };
        tests.push(format!("{column} = {graph}"));
    }
    for (column, sign, time) in [
        ("created", ">=", query.created_from),
        ("created", "<", query.created_before),
        ("updated", ">=", query.updated_from),
        ("updated", "<", query.updated_before),
    ] {
        if let Some(time) = time {
            tests.push(format!("found.{column} {sign} {}", number(time)));
        }
    }
    let tests = match tests.is_empty() {
        true => String::new(),
        false => format!(" AND {}", tests.join(" AND ")),
    };
    let statement = format!(
        "SELECT threads.name, found.updated, found.thread, threads.used FROM {from}
         CROSS JOIN threads ON threads.thread = found.thread
         WHERE NOT EXISTS (SELECT 1 FROM unfound WHERE unfound.thread = found.thread){tests}"
    );
    (statement, values)
}

#[cfg(test)]
#[path = "finding/tests.rs"]
mod tests;
