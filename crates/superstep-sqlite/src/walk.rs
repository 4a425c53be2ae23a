//! Finding a checkpoint by walking a graph's log back.

use rusqlite::Connection;
use superstep_core::{
    error::SaverError,
    id::CheckpointId,
    saver::{At, HistoryQuery},
};

use crate::{
    cost::{self, Cost},
    graphs::GraphRow,
    row::{self, Row, Rows, Step},
};

/// A record, and the rows right after it that say more about it.
pub(crate) struct Found {
    pub(crate) row: Row,
    pub(crate) step: Step,
    /// Its notes, up to the next record.
    pub(crate) notes: Vec<Row>,
    /// The next record, if it follows this one.
    pub(crate) child: Option<Row>,
}

/// Walks back over the records of a graph.
struct Walk<'c> {
    log: Rows<'c>,
    /// The row to look at next.
    next: Next,
    /// The last record passed.
    child: Option<Row>,
}

enum Next {
    Here(Row),
    Before(Row),
}

impl<'c> Walk<'c> {
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
            next: Next::Here(at),
            child: None,
        })
    }

    /// The next older record.
    fn next(&mut self) -> Result<Option<Found>, SaverError> {
        let mut notes = Vec::new();
        loop {
            let row = match &self.next {
                Next::Here(row) => row.clone(),
                Next::Before(row) => match row.prev {
                    Some(prev) => self.log.follow(row, prev)?,
                    None => return Ok(None),
                },
            };
            self.next = Next::Before(Row {
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
            return Ok(Some(Found {
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
) -> Result<Option<Found>, SaverError> {
    locate(db, graph, At::Id(id))
}

/// A record of a graph.
pub(crate) fn locate(
    db: &Connection,
    graph: &GraphRow,
    at: At,
) -> Result<Option<Found>, SaverError> {
    let id = match at {
        At::Latest => None,
        At::Id(id) | At::Before(id) => Some(id),
    };
    let mut walk = Walk::from(db, graph, id)?;
    while let Some(found) = walk.next()? {
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

/// The records that fit a query, newest first.
pub(crate) fn matching(
    db: &Connection,
    graph: &GraphRow,
    query: &HistoryQuery,
) -> Result<Vec<Found>, SaverError> {
    let mut walk = Walk::from(db, graph, query.before)?;
    let (mut all, limit) = (Vec::new(), query.limit.unwrap_or(usize::MAX));
    while all.len() < limit
        && let Some(found) = walk.next()?
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

/// What a reader of a record replays.
pub(crate) fn replay_cost(db: &Connection, head: i64) -> Result<Cost, SaverError> {
    let mut cost = Cost::default();
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
