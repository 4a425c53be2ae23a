//! Runs that wait for a worker, found by index: by graph and owner, those that are due longest first.
//!
//! A run that is due is marked (`ready`): when it is stored, or by the first claim after its time has come. Only marked ones are
//! in the index of [`groups`] and [`next`], so a claim costs the same however many sleep.
//!
//! Owners and graphs are digests in columns of `runs`; the sealed body of a run decides.

use rusqlite::{Connection, OptionalExtension, params};
use superstep_core::{
    error::SaverError,
    runs::{FairShares, RunRecord},
};

use crate::{clock::wall_millis, error::sql, graphs::digest, writer::Writer};

/// The runs of one owner that wait for one graph; 0 stands for those of earlier versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) owner: i64,
    pub(crate) graph: i64,
}

impl Group {
    pub(crate) fn of(record: &RunRecord) -> Self {
        let owner = record.caller().owner().unwrap_or_default();
        Self {
            owner: digest(owner),
            graph: digest(&record.graph),
        }
    }
}

/// A run that is due, on a thread that nobody runs and that has none before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DueRun {
    pub(crate) group: Group,
    pub(crate) due: i64,
    pub(crate) seq: i64,
}

/// Whether a run of a thread waits.
pub(crate) fn has(db: &Connection, thread: i64) -> Result<bool, SaverError> {
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM runs WHERE state = 0 AND thread = ?1)")
        .and_then(|mut select| select.query_row([thread], |row| row.get(0)))
        .map_err(sql)
}

/// When the next run is due that is not due yet.
pub(crate) fn next_due(db: &Connection, now: i64) -> Result<Option<i64>, SaverError> {
    db.prepare_cached(NEXT_DUE)
        .and_then(|mut select| select.query_row([now], |row| row.get(0)))
        .map_err(sql)
}

const NEXT_DUE: &str = "SELECT min(due) FROM runs INDEXED BY runs_by_due
 WHERE state = 0 AND ready = 0 AND due > ?1";

/// Whether a run that is stored now is due.
pub(crate) fn is_ready(due: Option<i64>) -> bool {
    due.is_some_and(|due| due <= wall_millis())
}

/// Marks the runs whose time has come. Each run is marked once for each time that it waits for.
pub(crate) fn wake(writer: &mut Writer, now: i64) -> Result<(), SaverError> {
    let has_any: bool = writer
        .db()?
        .prepare_cached(HAS_DUE)
        .and_then(|mut select| select.query_row([now], |row| row.get(0)))
        .map_err(sql)?;
    if !has_any {
        return Ok(());
    }
    writer
        .change()?
        .prepare_cached(WAKE)
        .and_then(|mut update| update.execute([now]))
        .map(drop)
        .map_err(sql)
}

const HAS_DUE: &str = "SELECT EXISTS (SELECT 1 FROM runs INDEXED BY runs_by_due
 WHERE state = 0 AND ready = 0 AND due <= ?1)";
const WAKE: &str = "UPDATE runs INDEXED BY runs_by_due SET ready = 1
 WHERE state = 0 AND ready = 0 AND due <= ?1";

/// The owners who have runs of a graph that are due.
pub(crate) fn groups(db: &Connection, graph: i64) -> Result<Vec<Group>, SaverError> {
    let mut after = db.prepare_cached(OWNER).map_err(sql)?;
    let (mut groups, mut last) = (Vec::new(), i64::MIN);
    while let Some(owner) = after
        .query_row([graph, last], |row| row.get(0))
        .optional()
        .map_err(sql)?
    {
        groups.push(Group { owner, graph });
        last = owner;
    }
    Ok(groups)
}

const OWNER: &str = "SELECT owner FROM runs
 WHERE state = 0 AND ready = 1 AND graph = ?1 AND owner > ?2 ORDER BY owner LIMIT 1";

/// The run of a group that is due longest, after another one if there is one.
pub(crate) fn next(
    db: &Connection,
    group: Group,
    after: Option<DueRun>,
    now: i64,
) -> Result<Option<DueRun>, SaverError> {
    let (due, seq) = after.map_or((i64::MIN, 0), |after| (after.due, after.seq));
    db.prepare_cached(NEXT)
        .and_then(|mut select| {
            let Group { owner, graph } = group;
            let read = |row: &rusqlite::Row<'_>| {
                Ok(DueRun {
                    group,
                    due: row.get(0)?,
                    seq: row.get(1)?,
                })
            };
            select
                .query_row(params![owner, graph, now, due, seq], read)
                .optional()
        })
        .map_err(sql)
}

const NEXT: &str = "SELECT due, seq FROM runs AS run
 WHERE state = 0 AND ready = 1 AND owner = ?1 AND graph = ?2 AND due <= ?3
 AND (due, seq) > (?4, ?5)
 AND NOT EXISTS (
     SELECT 1 FROM runs AS other WHERE other.thread = run.thread
     AND (other.state = 0 AND other.due <= ?3 AND other.seq < run.seq OR other.state = 1
          AND (SELECT worker FROM threads WHERE thread = run.thread) IS NOT NULL))
 ORDER BY due, seq LIMIT 1";

/// How many runs of each owner are under way.
pub(crate) fn shares(db: &Connection) -> Result<FairShares<i64>, SaverError> {
    let mut select = db
        .prepare_cached("SELECT owner FROM runs WHERE state = 1 ORDER BY owner")
        .map_err(sql)?;
    let mut owners = select.query([]).map_err(sql)?;
    let mut shares = FairShares::default();
    while let Some(row) = owners.next().map_err(sql)? {
        shares.begin(row.get(0).map_err(sql)?);
    }
    Ok(shares)
}

#[cfg(test)]
#[path = "waiting/tests.rs"]
mod tests;
