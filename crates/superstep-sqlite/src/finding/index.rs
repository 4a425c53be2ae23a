//! The index: which pairs a thread has, and how its rows are kept up to date.

use rusqlite::{Connection, params};
use superstep_core::{
    codec::{BlobId, parts::Names as _},
    error::SaverError,
    id::ThreadId,
    runs::{RunQuery, RunRecord, RunStatus},
    saver::{ThreadInfo, ThreadKind, ThreadOrder},
    value::Value,
};

use super::{
    BATCH,
    candidate::{Candidate, candidate},
    info, is_stale,
};
use crate::{
    error::sql, graphs, index_backlog, layouts::Layouts, runs, seal::Seal, writer::Writer,
};

/// Longer texts are not in the index.
pub(super) const TEXT: usize = 256;

/// Integers beyond this are not told apart from their neighbors once they are floating point.
const EXACT: i64 = 1 << 53;

/// Added to the number of a status if tasks are left to run.
const PENDING: i64 = 16;

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

/// All threads whose entries are stale.
pub(super) fn backlog(db: &Connection) -> Result<Vec<Candidate>, SaverError> {
    db.prepare_cached(
        "SELECT threads.thread, 0, threads.name, threads.used FROM unfound
         JOIN threads ON threads.thread = unfound.thread",
    )
    .and_then(|mut select| select.query_map([], candidate)?.collect())
    .map_err(sql)
}

/// Brings the index up to date for threads that nobody uses.
pub(crate) fn catch_up(writer: &mut Writer, all: &[(i64, String)]) -> Result<(), SaverError> {
    for (thread, name) in all {
        if !is_stale(writer.db()?, *thread)? {
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
            // Its entry stays stale, and each search reports it.
            Err(SaverError::Corrupt(_)) => continue,
            known => known?,
        };
        let pairs = known.as_ref().map(|info| pairs_of(&writer.seal, info));
        let db = writer.change()?;
        index_backlog::remove(db, *thread)?;
        let (Some(info), Some(pairs)) = (known, pairs) else {
            continue;
        };
        let state = state(info.status, info.pending);
        let times = [
            ThreadOrder::Created,
            ThreadOrder::Updated,
            ThreadOrder::Changed,
            ThreadOrder::Used,
        ];
        let [created, updated, changed, used] = times.map(|order| info.time(order));
        let mut insert = db
            .prepare_cached("INSERT INTO found_pairs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
            .map_err(sql)?;
        for pair in pairs {
            insert
                .execute([*thread, pair, state, created, updated, changed, used])
                .map_err(sql)?;
        }
    }
    Ok(())
}

/// A thread with what its first and its newest run say: enough for the index.
fn known(
    db: &Connection,
    seal: &Seal,
    thread: i64,
    name: &str,
) -> Result<Option<ThreadInfo>, SaverError> {
    let newest = RunQuery {
        limit: Some(1),
        ..RunQuery::default()
    };
    let mut ends: Vec<RunRecord> = runs::list(db, seal, thread, &newest, |row| Ok(row.record))?;
    if !ends.is_empty() {
        ends.extend(runs::first(db, seal, thread)?.map(|row| row.record));
    }
    let used = db
        .prepare_cached("SELECT used FROM threads WHERE thread = ?1")
        .and_then(|mut select| select.query_row([thread], |row| row.get(0)))
        .map_err(sql)?;
    let place = (thread, ThreadId::from(name), used);
    info(db, seal, &Layouts::default(), place, &ends)
}

/// Whether the index has a thread.
pub(super) fn is_of(info: &ThreadInfo) -> bool {
    KINDS.iter().any(|kind| info.is(*kind))
}

/// How a status is stored, with whether tasks are left to run.
pub(super) fn state(status: RunStatus, pending: bool) -> i64 {
    let number = match status {
        RunStatus::Idle => 14,
        RunStatus::Sleeping => 13,
        status => runs::number(status),
    };
    number + i64::from(pending) * PENDING
}

/// The status of a stored state, and whether tasks are left to run.
pub(super) fn status_of(stored: i64) -> Result<(RunStatus, bool), SaverError> {
    let pending = stored >= PENDING;
    let mut all = RunStatus::ALL.into_iter();
    let found = all.find(|status| state(*status, pending) == stored);
    let damaged = || SaverError::Corrupt(format!("the index of threads has the status {stored}"));
    Ok((found.ok_or_else(damaged)?, pending))
}

const KINDS: [ThreadKind; 3] = [
    ThreadKind::Stored,
    ThreadKind::Recorded,
    ThreadKind::Unrecorded,
];

/// The pair of all threads of a kind.
pub(super) fn kind_pair(seal: &Seal, kind: ThreadKind) -> i64 {
    digest(seal, b"kind", kind_name(kind))
}

fn kind_name(kind: ThreadKind) -> &'static str {
    match kind {
        ThreadKind::Stored => "stored",
        ThreadKind::Recorded => "recorded",
        ThreadKind::Unrecorded => "unrecorded",
    }
}

/// The pair of the threads of a kind and a graph.
pub(super) fn graph_pair(seal: &Seal, kind: ThreadKind, graph: &str) -> i64 {
    let text = format!("{}:{graph}", kind_name(kind));
    digest(seal, b"graph", &text)
}

/// The pair of the threads of an owner.
pub(super) fn owner_pair(seal: &Seal, owner: &str) -> i64 {
    digest(seal, b"owner", owner)
}

/// The same number for values that are equal; none for values that are not in the index.
pub(super) fn metadata_pair(seal: &Seal, key: &str, value: &Value) -> Option<i64> {
    let text = match value {
        Value::Str(text) if text.len() <= TEXT => format!("s{text}"),
        Value::Bool(yes) => format!("b{yes}"),
        Value::Int(n) if n.abs() < EXACT => format!("n{n}"),
        Value::Float(n) if n.fract() == 0.0 && n.abs() < EXACT as f64 => format!("n{}", *n as i64),
        _ => return None,
    };
    let text = format!("{}:{key}={text}", key.len());
    Some(digest(seal, b"pair", &text))
}

/// All pairs of a thread.
fn pairs_of(seal: &Seal, info: &ThreadInfo) -> Vec<i64> {
    let graph = info.graph.as_deref().unwrap_or_default();
    let kinds = KINDS.into_iter().filter(|kind| info.is(*kind));
    let kinds = kinds.flat_map(|kind| [kind_pair(seal, kind), graph_pair(seal, kind, graph)]);
    let owner = info.owner().map(|owner| owner_pair(seal, owner));
    let fields = info.metadata.as_map().into_iter();
    let fields = fields.flat_map(|map| map.iter());
    let metadata = fields.filter_map(|(key, value)| metadata_pair(seal, key, value));
    let mut pairs: Vec<i64> = kinds.chain(owner).chain(metadata).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A number for a text, which says nothing without the key in an encrypted file.
fn digest(seal: &Seal, kind: &[u8], text: &str) -> i64 {
    let bytes: Vec<u8> = [kind, b"\0", text.as_bytes()].concat();
    seal.name(BlobId::of(&bytes)).0 as i64
}
