//! Finding threads: by graph, status, metadata, time and text, page by page.
//!
//! It works on any saver, by what that shows of each thread: its newest checkpoint and its runs. Which threads
//! are looked at is up to the saver's index ([`Saver::thread_hints`]); all are if it has none. Checkpoints are
//! read only of threads that the rest of the query wants, and only until the page is full.

use std::{
    cmp::{Ordering, Reverse},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{At, Saver, SaverError};
use crate::{
    checkpoint::Loaded,
    clock::UnixMillis,
    id::{CheckpointId, GraphPath, RunId, ThreadId},
    record::open_asks,
    runs::{RunCost, RunQuery, RunRecord, RunStatus},
    value::Value,
};

/// Which threads to find; all conditions must hold.
#[derive(Clone, Debug, Default)]
pub struct ThreadQuery {
    /// Of the graph with this name.
    pub graph: Option<Arc<str>>,
    /// With one of these statuses; with any if there are none.
    pub status: Vec<RunStatus>,
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
    /// At most this many.
    pub limit: Option<usize>,
    /// Only those that come after this one, which was the last of the page before.
    pub after: Option<ThreadId>,
}

/// The order of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadOrder {
    /// Those that were used last come first; those of which that is unknown come last.
    #[default]
    Updated,
    /// By name.
    Name,
}

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
    /// How many questions are open.
    pub asks: usize,
    /// When its first run was recorded; unknown of threads without runs.
    pub created: Option<UnixMillis>,
    /// When its newest run was recorded, began or ended.
    pub updated: Option<UnixMillis>,
    /// The metadata of its newest run.
    pub metadata: Value,
    /// Its newest run.
    pub run: Option<RunId>,
    /// Its newest checkpoint.
    pub checkpoint: Option<CheckpointId>,
    /// What calls of models took in all its runs that are on record. Of runs that were cut short nothing is
    /// known.
    #[serde(default)]
    pub cost: RunCost,
}

/// A thread that a query may want.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadHint {
    /// Its name.
    pub id: ThreadId,
    /// When its newest run was recorded, began or ended.
    pub updated: Option<UnixMillis>,
    /// When a run, an edit, a copy or an import changed it; nothing if that is not known.
    pub used: Option<UnixMillis>,
}

impl ThreadHint {
    /// The order in which a query wants threads.
    fn order(&self, other: &Self, by: ThreadOrder) -> Ordering {
        let times = match by {
            ThreadOrder::Name => Ordering::Equal,
            ThreadOrder::Updated => Reverse(self.updated).cmp(&Reverse(other.updated)),
        };
        times.then_with(|| self.id.cmp(&other.id))
    }
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
            asks,
            created: runs.last().map(|run| run.created),
            updated: run.and_then(RunRecord::updated),
            metadata: run.map(|run| run.metadata.clone()).unwrap_or_default(),
            run: run.map(|run| run.id),
            checkpoint,
            cost: runs
                .iter()
                .fold(RunCost::default(), |sum, run| sum.and(run.cost)),
        }
    }
}

impl ThreadQuery {
    /// Whether a thread is wanted, apart from the page.
    pub fn wants(&self, info: &ThreadInfo) -> bool {
        let graph = info.graph.as_deref().unwrap_or_default();
        self.graph.as_deref().is_none_or(|wanted| wanted == graph)
            && (self.status.is_empty() || self.status.contains(&info.status))
            && self.wants_runs(info.created, info.updated, &info.metadata)
            && self
                .search
                .as_deref()
                .is_none_or(|text| info.has_text(text))
    }

    /// Whether a thread is wanted as far as its runs decide: when the first was recorded, when the newest
    /// was used, and what metadata that has.
    pub fn wants_runs(
        &self,
        created: Option<UnixMillis>,
        updated: Option<UnixMillis>,
        metadata: &Value,
    ) -> bool {
        let is_in = |time: Option<i64>, from: Option<i64>, before: Option<i64>| {
            from.is_none_or(|from| time.is_some_and(|time| time >= from))
                && before.is_none_or(|end| time.is_some_and(|time| time < end))
        };
        let wanted = self.metadata.as_map();
        let mut pairs = wanted.into_iter().flat_map(|map| map.iter());
        is_in(created, self.created_from, self.created_before)
            && is_in(updated, self.updated_from, self.updated_before)
            && pairs.all(|(key, value)| metadata.get(key) == Some(value))
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

/// The threads of a saver that a query wants, in order: those that have a checkpoint. The next page
/// begins after the last of them. A page that begins after a thread that is gone is
/// [`SaverError::NoThread`].
pub async fn find_threads(
    saver: &dyn Saver,
    query: &ThreadQuery,
) -> Result<Vec<ThreadInfo>, SaverError> {
    let order = match saver.thread_hints(query).await? {
        None => all_threads(saver, query.order).await?,
        Some(mut hints) => {
            hints.sort_by(|a, b| a.order(b, query.order));
            hints
        }
    };
    let start = match &query.after {
        None => 0,
        Some(after) => {
            let hint = hint_of(saver, after).await?;
            order.partition_point(|other| other.order(&hint, query.order).is_le())
        }
    };
    let (root, limit) = (GraphPath::default(), query.limit.unwrap_or(usize::MAX));
    let mut found = Vec::new();
    for ThreadHint { id, .. } in order.into_iter().skip(start) {
        if found.len() >= limit {
            break;
        }
        let runs = saver.runs().load_runs(&id, &RunQuery::default()).await?;
        let metadata = runs.first().map(|run| run.metadata.clone());
        let created = runs.last().map(|run| run.created);
        let updated = runs.first().and_then(RunRecord::updated);
        if !query.wants_runs(created, updated, &metadata.unwrap_or_default()) {
            continue;
        }
        let newest = saver.load(&id, &root, At::Latest).await?;
        let info = ThreadInfo::of(id, newest.as_ref(), &runs);
        if query.wants(&info) {
            found.push(info);
        }
    }
    Ok(found)
}

async fn all_threads(saver: &dyn Saver, order: ThreadOrder) -> Result<Vec<ThreadHint>, SaverError> {
    let mut all = Vec::new();
    for id in saver.threads().await? {
        let updated = match order {
            ThreadOrder::Name => None,
            ThreadOrder::Updated => updated(saver, &id).await?,
        };
        let used = None;
        all.push(ThreadHint { id, updated, used });
    }
    // A saver lists them in order of name.
    all.sort_by_key(|hint| Reverse(hint.updated));
    Ok(all)
}

/// Where a thread is in the order of threads, if it is there.
async fn hint_of(saver: &dyn Saver, id: &ThreadId) -> Result<ThreadHint, SaverError> {
    let found = saver.load(id, &GraphPath::default(), At::Latest).await?;
    let id = id.clone();
    if found.is_none() {
        return Err(SaverError::NoThread { thread: id });
    }
    let updated = updated(saver, &id).await?;
    let used = None;
    Ok(ThreadHint { id, updated, used })
}

async fn updated(saver: &dyn Saver, id: &ThreadId) -> Result<Option<UnixMillis>, SaverError> {
    let newest = RunQuery {
        limit: Some(1),
        ..RunQuery::default()
    };
    let newest = saver.runs().load_runs(id, &newest).await?;
    Ok(newest.first().and_then(RunRecord::updated))
}
