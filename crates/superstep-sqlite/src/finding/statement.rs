//! Statements that find threads in the index.
//!
//! Of the pairs that a query wants, the one that the fewest threads have is read. Each of its statuses is a stream in order of
//! time, of which the first rows are read; the streams are merged.

use rusqlite::{Connection, Statement, ToSql, params, params_from_iter};
use superstep_core::{
    error::SaverError,
    id::ThreadId,
    runs::RunStatus,
    saver::{ThreadCursor, ThreadKind, ThreadOrder, ThreadQuery},
};

use super::candidate::{Candidate, candidate};
use super::index::{graph_pair, kind_pair, metadata_pair, owner_pair, state};
use crate::{error::sql, seal::Seal};

/// Pairs of more threads than this are not told apart by how many they have.
const COUNTED: i64 = 1000;

/// What a thread must have in the index.
pub(super) struct Plan {
    /// One of these pairs is read.
    read: Vec<i64>,
    /// The threads of `read` are few.
    is_small: bool,
    /// One of each of these must be there too.
    tests: Vec<Vec<i64>>,
    /// Its state is one of these; any if there are none.
    states: Vec<i64>,
    /// The index alone says whether a thread is wanted.
    pub(super) is_exact: bool,
}

impl Plan {
    pub(super) fn of(
        db: &Connection,
        seal: &Seal,
        query: &ThreadQuery,
    ) -> Result<Self, SaverError> {
        let mut all: Vec<Vec<i64>> = Vec::new();
        let graphs = query.graphs.iter();
        let graphs: Vec<i64> = graphs
            .map(|graph| graph_pair(seal, query.kind, graph))
            .collect();
        // A graph has the kind in its pair.
        if !graphs.is_empty() {
            all.push(graphs);
        }
        if let Some(owner) = &query.owner {
            all.push(vec![owner_pair(seal, owner)]);
        }
        let fields = query.metadata.as_map().into_iter();
        let fields: Vec<_> = fields.flat_map(|map| map.iter()).collect();
        let pairs = fields
            .iter()
            .filter_map(|(key, value)| metadata_pair(seal, key, value));
        let pairs: Vec<Vec<i64>> = pairs.map(|pair| vec![pair]).collect();
        let has_all = pairs.len() == fields.len();
        all.extend(pairs);
        let is_recorded = query.owner.is_some() && query.kind == ThreadKind::Recorded;
        if query.graphs.is_empty() && !is_recorded {
            all.push(vec![kind_pair(seal, query.kind)]);
        }
        let sizes = all.iter().map(|pairs| size(db, pairs));
        let sizes: Vec<i64> = sizes.collect::<Result<_, _>>()?;
        let smallest = (0..all.len()).min_by_key(|at| sizes.get(*at).copied());
        let at = smallest.unwrap_or_default();
        let is_small = sizes.get(at).is_some_and(|size| *size < COUNTED);
        let read = match at < all.len() {
            true => all.swap_remove(at),
            false => Vec::new(),
        };
        let times = [
            query.updated_from, query.updated_before, query.created_from, query.created_before,
        ];
        Ok(Self {
            read,
            is_small,
            tests: all,
            states: states(query),
            is_exact: has_all && query.search.is_none() && times.iter().all(Option::is_none),
        })
    }

    /// The first threads after a place, in order.
    pub(super) fn candidates(
        &self,
        db: &Connection,
        query: &ThreadQuery,
        after: Option<&ThreadCursor>,
        limit: usize,
    ) -> Result<Vec<Candidate>, SaverError> {
        let mut found = Vec::new();
        for stream in self.streams(db, query, after)? {
            found.extend(stream.read(db, limit)?);
        }
        found.sort_by(|a, b| query.compare(&a.place, &b.place));
        found.truncate(limit);
        Ok(found)
    }

    /// How many threads there are, by state.
    pub(super) fn counts(&self, db: &Connection) -> Result<Vec<(i64, u64)>, SaverError> {
        let mut counts = Vec::new();
        for pair in &self.read {
            let statement = format!(
                "SELECT pair.state, count(*) FROM found_pairs AS pair INDEXED BY found_by_created
                 WHERE pair.pair = ?1{} GROUP BY pair.state",
                self.tests(&self.states)
            );
            let rows: Vec<(i64, i64)> = db
                .prepare_cached(&statement)
                .and_then(|mut select| {
                    let rows = select.query_map([pair], |row| Ok((row.get(0)?, row.get(1)?)))?;
                    rows.collect()
                })
                .map_err(sql)?;
            let rows = rows.into_iter();
            counts.extend(rows.map(|(state, n)| (state, u64::try_from(n).unwrap_or_default())));
        }
        Ok(counts)
    }

    /// What each row must be besides. Numbers are written into the text, which is shorter than to bind them.
    fn tests(&self, states: &[i64]) -> String {
        let mut tests = String::new();
        if !states.is_empty() {
            tests += &format!(" AND pair.state IN ({})", list(states));
        }
        for pairs in &self.tests {
            tests += &format!(
                " AND EXISTS (SELECT 1 FROM found_pairs AS also WHERE also.thread = pair.thread
                 AND also.pair IN ({}))",
                list(pairs)
            );
        }
        tests += " AND NOT EXISTS (SELECT 1 FROM unfound WHERE unfound.thread = pair.thread)";
        tests
    }

    pub(super) fn streams(
        &self,
        db: &Connection,
        query: &ThreadQuery,
        after: Option<&ThreadCursor>,
    ) -> Result<Vec<Stream>, SaverError> {
        let mut streams = Vec::new();
        for pair in &self.read {
            match index_of(query.order) {
                None => streams.extend(self.by_name(*pair, query, after)),
                Some((index, time)) => {
                    let states = match self.states.is_empty() {
                        true => present(db, *pair)?,
                        false => self.states.clone(),
                    };
                    for state in states {
                        streams.push(self.by_time(*pair, state, (index, time), query, after));
                    }
                }
            }
        }
        Ok(streams)
    }

    /// The threads of a pair and a state in order of a time.
    fn by_time(
        &self,
        pair: i64,
        state: i64,
        (index, time): (&str, &str),
        query: &ThreadQuery,
        after: Option<&ThreadCursor>,
    ) -> Stream {
        let (sign, direction, start) = match query.reversed {
            true => (">", "ASC", i64::MIN),
            false => ("<", "DESC", i64::MAX),
        };
        let (from, number) = after.map_or((start, start), |after| (after.time, after.number));
        let statement = format!(
            "SELECT pair.thread, pair.{time}, threads.name, threads.used
             FROM found_pairs AS pair INDEXED BY {index}
             CROSS JOIN threads ON threads.thread = pair.thread
             WHERE pair.pair = ?1 AND pair.state = ?2 AND (pair.{time}, pair.thread) {sign} (?3, ?4){}
             ORDER BY pair.{time} {direction}, pair.thread {direction} LIMIT ?5",
            self.tests(&[])
        );
        let values = [pair, state, from, number];
        Stream {
            statement,
            values: values.into_iter().map(boxed).collect(),
        }
    }

    /// The threads of a pair in order of name or UUID. Names that are UUIDs in their usual form are in the order of these.
    fn by_name(&self, pair: i64, query: &ThreadQuery, after: Option<&ThreadCursor>) -> Vec<Stream> {
        let (sign, direction) = match query.reversed {
            true => ("<", "DESC"),
            false => (">", "ASC"),
        };
        // Few are sorted; of many, the first in order are looked at.
        let from = match self.is_small {
            true => "found_pairs AS pair CROSS JOIN threads ON threads.thread = pair.thread",
            false => "threads CROSS JOIN found_pairs AS pair ON pair.thread = threads.thread",
        };
        let stream = |column: &str, start: Option<Box<dyn ToSql>>, which: &str| {
            let after = match start {
                Some(_) => format!(" AND threads.{column} {sign} ?2"),
                None => String::new(),
            };
            Stream {
                statement: format!(
                    "SELECT pair.thread, 0, threads.name, threads.used FROM {from}
                     WHERE pair.pair = ?1{after}{which}{}
                     ORDER BY threads.{column} {direction} LIMIT ?{}",
                    self.tests(&self.states),
                    2 + usize::from(start.is_some()),
                ),
                values: [boxed(pair)].into_iter().chain(start).collect(),
            }
        };
        let name = |id: ThreadId| boxed(id.as_str().to_owned());
        if query.order == ThreadOrder::Name {
            return vec![stream(
                "name",
                after.map(|after| name(after.id.clone())),
                "",
            )];
        }
        let uuid = after.map(|after| after.id.uuid());
        let called = uuid.map(|uuid| name(ThreadId::of_uuid(uuid)));
        let named = uuid.map(|uuid| boxed(uuid.to_be_bytes()));
        vec![
            stream("name", called, " AND threads.uuid IS NULL"),
            stream("uuid", named, " AND threads.uuid IS NOT NULL"),
        ]
    }
}

/// A statement whose rows are threads in order.
pub(super) struct Stream {
    pub(super) statement: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Stream {
    fn read(self, db: &Connection, limit: usize) -> Result<Vec<Candidate>, SaverError> {
        let mut select = db.prepare_cached(&self.statement).map_err(sql)?;
        self.read_by(&mut select, limit)
    }

    pub(super) fn read_by(
        mut self,
        select: &mut Statement<'_>,
        limit: usize,
    ) -> Result<Vec<Candidate>, SaverError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.values.push(boxed(limit));
        select
            .query_map(params_from_iter(self.values), candidate)
            .and_then(|rows| rows.collect())
            .map_err(sql)
    }
}

fn boxed(value: impl ToSql + 'static) -> Box<dyn ToSql> {
    Box::new(value)
}

/// The index that has threads in an order of time, and its column.
fn index_of(order: ThreadOrder) -> Option<(&'static str, &'static str)> {
    match order {
        ThreadOrder::Created => Some(("found_by_created", "created")),
        ThreadOrder::Updated => Some(("found_by_updated", "updated")),
        ThreadOrder::Changed => Some(("found_by_changed", "changed")),
        ThreadOrder::Used => Some(("found_by_used", "used")),
        ThreadOrder::Name | ThreadOrder::Uuid => None,
    }
}

/// The states that a query wants; any if there are none.
fn states(query: &ThreadQuery) -> Vec<i64> {
    if query.status.is_empty() && query.pending.is_none() {
        return Vec::new();
    }
    let status = match query.status.is_empty() {
        true => &RunStatus::ALL[..],
        false => &query.status,
    };
    let pending = query.pending.map_or(vec![false, true], |it| vec![it]);
    let states = status
        .iter()
        .flat_map(|status| pending.iter().map(|pending| state(*status, *pending)));
    let mut states: Vec<i64> = states.collect();
    states.sort_unstable();
    states.dedup();
    states
}

/// The states of the threads of a pair.
fn present(db: &Connection, pair: i64) -> Result<Vec<i64>, SaverError> {
    let mut next = db
        .prepare_cached(
            "SELECT min(state) FROM found_pairs INDEXED BY found_by_created
             WHERE pair = ?1 AND state > ?2",
        )
        .map_err(sql)?;
    let (mut states, mut last) = (Vec::new(), -1);
    while let Some(state) = next
        .query_row([pair, last], |row| row.get::<_, Option<i64>>(0))
        .map_err(sql)?
    {
        states.push(state);
        last = state;
    }
    Ok(states)
}

/// How many threads have one of these pairs, counted up to a bound.
fn size(db: &Connection, pairs: &[i64]) -> Result<i64, SaverError> {
    let mut size = 0;
    for pair in pairs {
        let found: i64 = db
            .prepare_cached(
                "SELECT count(*) FROM (SELECT 1 FROM found_pairs INDEXED BY found_by_created
                 WHERE pair = ?1 LIMIT ?2)",
            )
            .and_then(|mut select| select.query_row(params![pair, COUNTED], |row| row.get(0)))
            .map_err(sql)?;
        size += found;
    }
    Ok(size)
}

fn list(numbers: &[i64]) -> String {
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    texts.join(", ")
}
