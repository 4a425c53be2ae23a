//! Finding threads, by the index in `found_pairs`.
//!
//! What a thread is found by is written as pairs: its graph, its owner, each short value of its metadata, and whether it has
//! checkpoints and a record. A pair is a number. A row of `found_pairs` has one pair of a thread with the status and the
//! times of the thread, so that an index has the threads of each pair by status and time. A page reads the first threads of
//! each status of one pair, and looks whether these have the other pairs.
//!
//! Changes of a thread or its runs are noted in `unfound` ([`note`](crate::index_backlog::note)), which costs next to
//! nothing. A search first brings the index up to date for threads that are not leased ([`catch_up`]), and looks at the
//! others one by one. So a run pays nothing for the index.
//!
//! In an encrypted file the numbers are keyed hashes.

mod candidate;
mod index;
mod statement;

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension};
use superstep_core::{
    checkpoint::{Loaded, NextRecord},
    error::SaverError,
    id::{GraphPath, ThreadId},
    runs::{RunQuery, RunRecord},
    saver::{
        At, ThreadCounts, ThreadCursor, ThreadInfo, ThreadKind, ThreadOrder, ThreadPage,
        ThreadQuery,
    },
};

use self::{
    candidate::Candidate,
    index::{is_of, status_of},
    statement::Plan,
};
use crate::{
    error::sql,
    graphs,
    layouts::Layouts,
    load::RecordReader,
    lookup, records,
    runs::{self, RunRow},
    seal::Seal,
    threads,
};

pub(crate) use index::{catch_up, changed};

/// How many threads are read from the index at once, at most.
const BATCH: usize = 500;

/// A reader of threads as of one moment.
pub(crate) struct Finder<'a> {
    pub(crate) db: &'a Connection,
    pub(crate) seal: &'a Seal,
    pub(crate) layouts: &'a Layouts,
    /// The record of a run as it is now.
    pub(crate) show: &'a dyn Fn(RunRow) -> Result<RunRecord, SaverError>,
}

/// What was found of a query.
#[derive(Default)]
struct Found {
    threads: Vec<(ThreadCursor, ThreadInfo)>,
    /// Threads that may be wanted, and cannot be read.
    damaged: Vec<ThreadCursor>,
}

impl Found {
    fn add(&mut self, other: Self) {
        self.threads.extend(other.threads);
        self.damaged.extend(other.damaged);
    }
}

impl Finder<'_> {
    /// A page of the threads that a query wants.
    pub(crate) fn page(&self, query: &ThreadQuery) -> Result<ThreadPage, SaverError> {
        let mut found = self.looked_at(query)?;
        if query.ids.is_none() {
            let plan = Plan::of(self.db, self.seal, query)?;
            found.add(self.indexed(query, &plan)?);
        }
        let is_first = query.after.is_none();
        if found.threads.is_empty() && is_first && query.kind == ThreadKind::Stored {
            threads::refuse_emptied(self.db)?;
        }
        let page = query.page(found.threads);
        let mut damaged = found.damaged;
        if let Some(last) = &page.next {
            damaged.retain(|place| query.compare(place, last).is_lt());
        }
        Ok(ThreadPage {
            unreadable: damaged.into_iter().map(|place| place.id).collect(),
            ..page
        })
    }

    /// How many threads a query wants.
    pub(crate) fn counts(&self, query: &ThreadQuery) -> Result<ThreadCounts, SaverError> {
        let mut counts = ThreadCounts::new();
        let mut count = |place, n| *counts.entry(place).or_default() += n;
        let all = ThreadQuery {
            after: None,
            limit: None,
            ..query.clone()
        };
        for (_, info) in self.looked_at(&all)?.threads {
            count((info.status, info.pending), 1);
        }
        if query.ids.is_some() {
            return Ok(counts);
        }
        let plan = Plan::of(self.db, self.seal, query)?;
        if plan.is_exact {
            for (state, n) in plan.counts(self.db)? {
                count(status_of(state)?, n);
            }
            return Ok(counts);
        }
        for (_, info) in self.indexed(&all, &plan)?.threads {
            count((info.status, info.pending), 1);
        }
        Ok(counts)
    }

    /// Threads that the index has, in order, at least as many as the page has if there are so many.
    fn indexed(&self, query: &ThreadQuery, plan: &Plan) -> Result<Found, SaverError> {
        let limit = query.limit.unwrap_or(usize::MAX);
        let mut found = Found::default();
        let mut after = query.after.clone();
        while found.threads.len() < limit {
            let want = (limit - found.threads.len()).min(BATCH);
            let batch = plan.candidates(self.db, query, after.as_ref(), want)?;
            let is_last = batch.len() < want;
            after = batch.last().map(|last| last.place.clone()).or(after);
            for Candidate { place, used } in batch {
                match self.info(&place, used) {
                    Ok(info) => {
                        let info = info.filter(|info| query.wants(info));
                        found.threads.extend(info.map(|info| (place, info)));
                    }
                    Err(damage) if damage.is_damage() => found.damaged.push(place),
                    Err(error) => return Err(error),
                }
            }
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    /// Threads that are found without the index: those that the query names, or those that the index does not have yet.
    fn looked_at(&self, query: &ThreadQuery) -> Result<Found, SaverError> {
        let mut all = match &query.ids {
            Some(ids) => self.named(ids)?,
            None => index::backlog(self.db)?,
        };
        for one in &mut all {
            one.place.time = one.used.saturating_mul(1000);
        }
        // In these orders the place of a thread is known before it is read, so that only those of the page are read. In
        // others, what is damaged comes first.
        let is_known = matches!(
            query.order,
            ThreadOrder::Used | ThreadOrder::Name | ThreadOrder::Uuid
        );
        let mut most = usize::MAX;
        if is_known {
            all.retain(|it| query.follows(&it.place));
            all.sort_by(|a, b| query.compare(&a.place, &b.place));
            most = query.limit.unwrap_or(usize::MAX);
        }
        let mut found = Found::default();
        for Candidate { mut place, used } in all {
            if found.threads.len() >= most {
                break;
            }
            match self.info(&place, used) {
                Ok(info) => {
                    let info = info.filter(|info| query.wants(info));
                    let placed = info.map(|info| (query.place(&info, place.number), info));
                    found.threads.extend(placed);
                }
                Err(damage) if damage.is_damage() => {
                    if !is_known {
                        place.time = match query.reversed {
                            true => i64::MIN,
                            false => i64::MAX,
                        };
                    }
                    found.damaged.push(place);
                }
                Err(error) => return Err(error),
            }
        }
        found.threads.retain(|(place, _)| query.follows(place));
        found.damaged.retain(|place| query.follows(place));
        Ok(found)
    }

    /// Threads by name or UUID, each once.
    fn named(&self, ids: &[ThreadId]) -> Result<Vec<Candidate>, SaverError> {
        let (mut named, mut seen) = (Vec::new(), HashSet::new());
        for id in ids {
            let name = match graphs::thread(self.db, id)? {
                Some(_) => Some(id.clone()),
                None => records::of_uuid(self.db, id.uuid())?,
            };
            let Some(name) = name else {
                continue;
            };
            if let Some(row) = graphs::thread(self.db, &name)?
                && seen.insert(row.thread)
            {
                let place = ThreadCursor {
                    time: 0,
                    number: row.thread,
                    id: name,
                };
                named.push(Candidate {
                    place,
                    used: row.used,
                });
            }
        }
        Ok(named)
    }

    fn info(&self, place: &ThreadCursor, used: i64) -> Result<Option<ThreadInfo>, SaverError> {
        let all = RunQuery::default();
        let runs = runs::list(self.db, self.seal, place.number, &all, self.show)?;
        let place = (place.number, place.id.clone(), used);
        info(self.db, self.seal, self.layouts, place, &runs)
    }
}

/// A thread by its number, name and last use, with these runs, the newest first; nothing if it has no content and no record.
fn info(
    db: &Connection,
    seal: &Seal,
    layouts: &Layouts,
    (thread, id, used): (i64, ThreadId, i64),
    runs: &[RunRecord],
) -> Result<Option<ThreadInfo>, SaverError> {
    let newest = newest(db, seal, layouts, thread)?;
    let record = records::find(db, seal, thread)?;
    let info = ThreadInfo::of(id, newest.as_ref(), runs).kept(record, Some(used));
    Ok(is_of(&info).then_some(info))
}

/// The newest checkpoint of a thread's own graph, without those that it follows.
fn newest(
    db: &Connection,
    seal: &Seal,
    layouts: &Layouts,
    thread: i64,
) -> Result<Option<Loaded>, SaverError> {
    let Some(graph) = graphs::graph(db, thread, &GraphPath::default())? else {
        return Ok(None);
    };
    let Some(found) = lookup::locate(db, &graph, At::Latest)? else {
        return Ok(None);
    };
    let mut reader = RecordReader::new(db, seal, layouts);
    let notes = reader.notes(&found)?;
    let head = reader.record(&found.row, None)?;
    Ok(Some(Loaded {
        chain: [head].into_iter().collect(),
        notes,
        superseded: false,
        next: NextRecord::Changes,
    }))
}

/// Whether a thread is free and its entry stale.
fn is_stale(db: &Connection, thread: i64) -> Result<bool, SaverError> {
    let is_stale: Option<i64> = db
        .prepare_cached(
            "SELECT 1 FROM unfound JOIN threads ON threads.thread = unfound.thread
             WHERE unfound.thread = ?1 AND threads.worker IS NULL",
        )
        .and_then(|mut select| select.query_row([thread], |row| row.get(0)).optional())
        .map_err(sql)?;
    Ok(is_stale.is_some())
}

#[cfg(test)]
#[path = "finding/tests.rs"]
mod tests;
