//! Finding threads: by graph, status, owner, metadata, time and text, page by page.
//!
//! A saver answers a [`ThreadQuery`] with one page. The page names the place of its last thread, and the next page begins
//! after that place, also if the thread is gone by then. What a thread is found by is in [`ThreadInfo`], and the rules are
//! methods of the types here, so that they are the same in every saver.

use std::{cmp::Ordering, collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    checkpoint::Loaded,
    clock::{UnixMicros, UnixMillis},
    id::{CheckpointId, RunId, ThreadId},
    record::open_asks,
    runs::{RunCost, RunRecord, RunStatus},
    thread_record::ThreadRecord,
    value::Value,
};

/// Which threads to find; all conditions must hold.
#[derive(Clone, Debug, Default)]
pub struct ThreadQuery {
    /// Whether they have checkpoints, or records.
    pub kind: ThreadKind,
    /// Only these. A UUID in its usual form also stands for the thread whose [`ThreadId::uuid`] it is.
    pub ids: Option<Vec<ThreadId>>,
    /// Of a graph with one of these names; of any if there are none.
    pub graphs: Vec<Arc<str>>,
    /// With one of these statuses; with any if there are none.
    pub status: Vec<RunStatus>,
    /// Whether the newest checkpoint has tasks left to run.
    pub pending: Option<bool>,
    /// Whose record has this owner.
    pub owner: Option<Arc<str>>,
    /// Whose metadata has all of these keys with these values: an object, or null.
    pub metadata: Value,
    /// Used at this time or later.
    pub updated_from: Option<UnixMillis>,
    /// Used before this time.
    pub updated_before: Option<UnixMillis>,
    /// Made at this time or later.
    pub created_from: Option<UnixMillis>,
    /// Made before this time.
    pub created_before: Option<UnixMillis>,
    /// Whose name, graph or metadata has this text, in upper or lower case.
    pub search: Option<String>,
    /// In which order.
    pub order: ThreadOrder,
    /// In the opposite order.
    pub reversed: bool,
    /// At most this many.
    pub limit: Option<usize>,
    /// Only those that come after this place.
    pub after: Option<ThreadCursor>,
}

/// A part of the threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadKind {
    /// Threads that have a checkpoint.
    #[default]
    Stored,
    /// Threads that have a record, with or without checkpoints.
    Recorded,
    /// Threads that have checkpoints or runs, but no record.
    Unrecorded,
}

/// The order of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadOrder {
    /// By the time of the last run, checkpoint, or change to the record: the newest first.
    #[default]
    Updated,
    /// By the time of the record, or of the first run: the newest first.
    Created,
    /// By the time of the newest checkpoint, or of the record: the newest first.
    Changed,
    /// By [`ThreadInfo::used`], the newest first.
    Used,
    /// By name.
    Name,
    /// By [`ThreadId::uuid`].
    Uuid,
}

/// The place of a thread in an order. It is that of the saver which returned it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadCursor {
    /// The time that the order is by.
    pub time: UnixMicros,
    /// A number of the saver, by which threads of one time are in order.
    pub number: i64,
    /// The name.
    pub id: ThreadId,
}

/// A page of threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreadPage {
    /// The threads, in order.
    pub threads: Vec<ThreadInfo>,
    /// Where the next page begins; nothing if there is none. The next page may be empty.
    pub next: Option<ThreadCursor>,
    /// Threads that are damaged, so that it is unknown whether they are wanted. Each is named on one page.
    pub unreadable: Vec<ThreadId>,
}

/// How many threads there are, by status and by whether tasks are left to run.
pub type ThreadCounts = BTreeMap<(RunStatus, bool), u64>;

/// What a list of threads shows of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ThreadInfo {
    /// Its name.
    pub id: ThreadId,
    /// The name of its graph, if that has one.
    pub graph: Option<Arc<str>>,
    /// What is going on with it.
    pub status: RunStatus,
    /// Whether its newest checkpoint has tasks left to run.
    #[serde(default)]
    pub pending: bool,
    /// How many questions are open.
    pub asks: usize,
    /// When its first run was recorded; unknown of threads without runs.
    pub created: Option<UnixMillis>,
    /// When its newest run was recorded, began or ended.
    pub updated: Option<UnixMillis>,
    /// When a lease of it was last taken or ended, or a copy or an import made it; nothing if that is not known.
    #[serde(default)]
    pub used: Option<UnixMillis>,
    /// The metadata of its record; without a record, that of its newest run.
    pub metadata: Value,
    /// Its newest run.
    pub run: Option<RunId>,
    /// Its newest checkpoint.
    pub checkpoint: Option<CheckpointId>,
    /// What calls of models took in all its runs that are on record. Of runs that were cut short nothing is
    /// known.
    #[serde(default)]
    pub cost: RunCost,
    /// Its record, if it has one.
    #[serde(default)]
    pub record: Option<ThreadRecord>,
}

impl ThreadInfo {
    /// What a thread's newest checkpoint and its runs, newest first, say about it.
    pub fn of(id: ThreadId, newest: Option<&Loaded>, runs: &[RunRecord]) -> Self {
        let head = newest.and_then(Loaded::head);
        let run = runs.first();
        let notes = newest.map(|newest| &*newest.notes).unwrap_or_default();
        let asks = open_asks(notes).len();
        let named = head.map(|head| head.layout.graph.clone());
        let graph = named.or_else(|| run.map(|run| run.graph.clone()));
        let checkpoint = head.map(|head| head.id);
        // An edit after the run says more about the thread than the run does.
        let last = run.filter(|run| run.ending.is_none() || run.checkpoint == checkpoint);
        let is_failed = notes
            .iter()
            .any(|note| note.extras.error.is_some() && !note.extras.handled);
        let status = match (last, head) {
            (Some(run), _) => run.thread_status(),
            (None, Some(head)) if !head.pending.is_empty() => match (asks, is_failed) {
                (1.., _) => RunStatus::Waiting,
                (0, true) => RunStatus::Failed,
                (0, false) => RunStatus::Interrupted,
            },
            (None, _) => RunStatus::Idle,
        };
        Self {
            id,
            graph: graph.filter(|name| !name.is_empty()),
            status,
            pending: head.is_some_and(|head| !head.pending.is_empty()),
            asks,
            created: runs.last().map(|run| run.created),
            updated: run.and_then(RunRecord::updated),
            used: None,
            metadata: run.map(|run| run.metadata.clone()).unwrap_or_default(),
            run: run.map(|run| run.id),
            checkpoint,
            cost: runs
                .iter()
                .fold(RunCost::default(), |sum, run| sum.and(run.cost)),
            record: None,
        }
    }

    /// The same with its record and the time of its last use.
    pub fn kept(self, record: Option<ThreadRecord>, used: Option<UnixMillis>) -> Self {
        let metadata = match &record {
            Some(record) => record.metadata.clone(),
            None => self.metadata,
        };
        Self {
            metadata,
            record,
            used,
            ..self
        }
    }

    /// Whether it belongs to a part of the threads.
    pub fn is(&self, kind: ThreadKind) -> bool {
        match kind {
            ThreadKind::Stored => self.checkpoint.is_some(),
            ThreadKind::Recorded => self.record.is_some(),
            ThreadKind::Unrecorded => {
                self.record.is_none() && (self.checkpoint.is_some() || self.run.is_some())
            }
        }
    }

    /// The owner that its record names.
    pub fn owner(&self) -> Option<&Arc<str>> {
        self.record.as_ref()?.owner.as_ref()
    }

    /// The time that an order is by; 0 if it is unknown, or the order is by something else.
    pub fn time(&self, order: ThreadOrder) -> UnixMicros {
        let micros = |millis: Option<UnixMillis>| millis.unwrap_or(0).saturating_mul(1000);
        let record = self.record.as_ref();
        let made = record.map(|record| record.created);
        match order {
            ThreadOrder::Updated => {
                let stamped = record.map_or(0, |record| record.updated);
                let changed = self.time(ThreadOrder::Changed);
                changed.max(stamped).max(micros(self.updated))
            }
            ThreadOrder::Created => made.unwrap_or_else(|| micros(self.created)),
            ThreadOrder::Changed => {
                let step = self
                    .checkpoint
                    .map(CheckpointId::made_at)
                    .unwrap_or_default();
                let step = i64::try_from(step).unwrap_or(i64::MAX);
                step.max(made.unwrap_or(0))
            }
            ThreadOrder::Used => micros(self.used),
            ThreadOrder::Name | ThreadOrder::Uuid => 0,
        }
    }
}

impl ThreadQuery {
    /// Whether a thread is wanted, apart from its name and the page.
    pub fn wants(&self, info: &ThreadInfo) -> bool {
        let graph = info.graph.as_deref().unwrap_or_default();
        let is_in = |time: Option<i64>, from: Option<i64>, before: Option<i64>| {
            from.is_none_or(|from| time.is_some_and(|time| time >= from))
                && before.is_none_or(|end| time.is_some_and(|time| time < end))
        };
        let wanted = self.metadata.as_map();
        let mut pairs = wanted.into_iter().flat_map(|map| map.iter());
        info.is(self.kind)
            && (self.graphs.is_empty() || self.graphs.iter().any(|wanted| **wanted == *graph))
            && (self.status.is_empty() || self.status.contains(&info.status))
            && self.pending.is_none_or(|wanted| wanted == info.pending)
            && (self.owner.is_none() || self.owner.as_ref() == info.owner())
            && is_in(info.created, self.created_from, self.created_before)
            && is_in(info.updated, self.updated_from, self.updated_before)
            && pairs.all(|(key, value)| info.metadata.get(key) == Some(value))
            && self
                .search
                .as_deref()
                .is_none_or(|text| info.has_text(text))
    }

    /// The place of a thread in the order, with its number in the saver.
    pub fn place(&self, info: &ThreadInfo, number: i64) -> ThreadCursor {
        ThreadCursor {
            time: info.time(self.order),
            number,
            id: info.id.clone(),
        }
    }

    /// How two places follow each other.
    pub fn compare(&self, a: &ThreadCursor, b: &ThreadCursor) -> Ordering {
        let natural = match self.order {
            ThreadOrder::Name => a.id.cmp(&b.id),
            ThreadOrder::Uuid => (a.id.uuid(), &a.id).cmp(&(b.id.uuid(), &b.id)),
            _ => (b.time, b.number).cmp(&(a.time, a.number)),
        };
        match self.reversed {
            true => natural.reverse(),
            false => natural,
        }
    }

    /// Whether a place comes after that where the page begins.
    pub fn follows(&self, place: &ThreadCursor) -> bool {
        let after = self.after.as_ref();
        after.is_none_or(|after| self.compare(place, after).is_gt())
    }

    /// The page, of threads that are wanted and follow.
    pub fn page(&self, mut found: Vec<(ThreadCursor, ThreadInfo)>) -> ThreadPage {
        found.sort_by(|(a, _), (b, _)| self.compare(a, b));
        let limit = self.limit.unwrap_or(usize::MAX);
        let is_full = found.len() >= limit;
        found.truncate(limit);
        let last = found.last().map(|(place, _)| place.clone());
        ThreadPage {
            next: last.filter(|_| is_full),
            threads: found.into_iter().map(|(_, info)| info).collect(),
            unreadable: Vec::new(),
        }
    }
}

impl ThreadInfo {
    fn has_text(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let metadata = self.metadata.to_string();
        let graph = self.graph.as_deref().unwrap_or_default();
        let places = [self.id.as_str(), graph, &*metadata];
        places.iter().any(|it| it.to_lowercase().contains(&text))
    }
}
