//! Lookup of checkpoints by scanning a graph's log backwards.

use rusqlite::Connection;
use superstep_core::{
    error::SaverError,
    id::CheckpointId,
    saver::{At, HistoryQuery},
};

use crate::{
    cost::{self, ReplayCost},
    graphs::GraphRow,
    row::{self, Row, Rows, Step},
};

/// A record, and the rows right after it that belong to it.
pub(crate) struct FoundRecord {
    pub(crate) row: Row,
    pub(crate) step: Step,
    /// Its notes, up to the next record.
    pub(crate) notes: Vec<Row>,
    /// The next record, if this one is its parent.
    pub(crate) child: Option<Row>,
}

/// Scans the records of a graph, newest first.
struct BackwardScan<'c> {
    log: Rows<'c>,
    /// The row to read next.
    next: ScanPosition,
    /// The record returned last.
    child: Option<Row>,
}

enum ScanPosition {
    At(Row),
    Before(Row),
}

impl<'c> BackwardScan<'c> {
    /// From the newest row, or from a marked record that is newer than `id`.
    fn from(
        db: &'c Connection,
        graph: &GraphRow,
        id: Option<CheckpointId>,
    ) -> Result<Self, SaverError> {
        let marked = match id {
            Some(id) => row::mark(db, graph.graph, id)?,
            None => None,
        };
        let mut log = Rows::new(db)?;
        let at = log.get(marked.unwrap_or(graph.last))?;
        if at.graph != graph.graph {
            let why = format!("{} belongs to another graph", at.name());
            return Err(SaverError::Corrupt(why));
        }
        Ok(Self {
            log,
            next: ScanPosition::At(at),
            child: None,
        })
    }

    /// The next older record.
    fn next(&mut self) -> Result<Option<FoundRecord>, SaverError> {
        let mut notes = Vec::new();
        loop {
            let row = match &self.next {
                ScanPosition::At(row) => row.clone(),
                ScanPosition::Before(row) => match row.prev {
                    Some(prev) => self.log.follow(row, prev)?,
                    None => return Ok(None),
                },
            };
            self.next = ScanPosition::Before(Row {
                body: Vec::new(),
                ..row
            });
            let Some(step) = row.step() else {
                notes.push(row);
                continue;
            };
            notes.reverse();
            notes.retain(|notes: &Row| notes.parent == Some(row.seq));
            let child = self.child.replace(row.clone());
            let child = child.filter(|child| child.parent == Some(row.seq));
            return Ok(Some(FoundRecord {
                row,
                step,
                notes,
                child,
            }));
        }
    }
}

/// The record with an id.
pub(crate) fn find(
    db: &Connection,
    graph: &GraphRow,
    id: CheckpointId,
) -> Result<Option<FoundRecord>, SaverError> {
    locate(db, graph, At::Id(id))
}

/// A record of a graph.
pub(crate) fn locate(
    db: &Connection,
    graph: &GraphRow,
    at: At,
) -> Result<Option<FoundRecord>, SaverError> {
    let id = match at {
        At::Latest => None,
        At::Id(id) | At::Before(id) => Some(id),
    };
    let mut scan = BackwardScan::from(db, graph, id)?;
    while let Some(found) = scan.next()? {
        let there = match at {
            At::Latest => true,
            At::Id(id) => found.step.id <= id,
            At::Before(id) => found.step.id < id,
        };
        if there {
            let exact = !matches!(at, At::Id(id) if found.step.id != id);
            return Ok(exact.then_some(found));
        }
    }
    Ok(None)
}

/// The records that match a query, newest first.
pub(crate) fn matching(
    db: &Connection,
    graph: &GraphRow,
    query: &HistoryQuery,
) -> Result<Vec<FoundRecord>, SaverError> {
    let mut scan = BackwardScan::from(db, graph, query.before)?;
    let (mut all, limit) = (Vec::new(), query.limit.unwrap_or(usize::MAX));
    while all.len() < limit
        && let Some(found) = scan.next()?
    {
        let step = &found.step;
        let fits = query.before.is_none_or(|before| step.id < before)
            && query.source.is_none_or(|source| step.source == source)
            && query.step.is_none_or(|number| step.step == number);
        if fits {
            all.push(found);
        }
    }
    Ok(all)
}

/// The replay cost of a record.
pub(crate) fn replay_cost(db: &Connection, head: i64) -> Result<ReplayCost, SaverError> {
    let mut cost = ReplayCost::default();
    let mut log = Rows::new(db)?;
    let mut at = Some(log.get(head)?);
    while let Some(row) = at.take() {
        let Some(step) = row.step() else { break };
        cost.state += step.state;
        if step.full {
            break;
        }
        cost.tail += cost::weight(row.body.len());
        if let Some(parent) = row.parent {
            at = Some(log.follow(&row, parent)?);
        }
    }
    Ok(cost)
}
