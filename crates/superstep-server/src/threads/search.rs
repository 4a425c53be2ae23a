//! Finding threads. The saver answers with pages in order, by its index. What that does not know, such as words of values,
//! is looked for in each thread, until the page is full.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use superstep::{
    RunStatus, ThreadId, Value,
    saver::{ThreadCursor, ThreadKind, ThreadOrder, ThreadQuery},
};

use crate::{
    app::App,
    forms::thread_name::{public, thread_id},
    owners::visitor::Visitor,
    records::thread::Record,
    refusal::Refusal,
    request::{
        matching::{has_all, has_fields},
        payload::Payload,
    },
};

/// The most characters of a query.
const LONGEST: usize = 200;

const STATUSES: &[&str] = &["busy", "error", "idle", "interrupted"];

/// How many threads are read at once, at most.
const BATCH: usize = 200;

/// What a saver calls threads that are shown as busy, if they have something left to do or not.
const BUSY: &[RunStatus] = &[RunStatus::Queued, RunStatus::Running, RunStatus::Sleeping];

/// Which threads a client wants; all conditions must hold.
#[derive(Debug)]
pub(super) struct ThreadSearch {
    ids: Option<Vec<ThreadId>>,
    status: Option<&'static str>,
    metadata: Map<String, Json>,
    values: Option<Json>,
    /// Words that it has, in lower case.
    words: Vec<String>,
    /// Whether rows have their view.
    has_view: bool,
}

impl ThreadSearch {
    pub(super) fn of(body: &mut Payload, has_view: bool) -> Result<Self, Refusal> {
        let query: String = body.field("query")?.unwrap_or_default();
        if query.chars().count() > LONGEST {
            let why = format!("`query` must have at most {LONGEST} characters");
            return Err(Refusal::invalid(why));
        }
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let ids: Option<Vec<String>> = body.field("ids")?;
        let id = |id: &String| Ok(ThreadId::from(thread_id(id)?));
        let ids = ids.map(|ids| ids.iter().map(id).collect::<Result<_, Refusal>>());
        Ok(Self {
            ids: ids.transpose()?,
            status: body.word("status", STATUSES)?,
            metadata: body.object("metadata")?,
            values: body.field::<Map<String, Json>>("values")?.map(Json::Object),
            has_view: has_view || !words.is_empty(),
            words,
        })
    }

    /// What a saver is asked for.
    fn query(&self, caller: &Visitor) -> ThreadQuery {
        // Of lists and objects, a part is enough.
        let plain = |value: &Json| !value.is_array() && !value.is_object();
        let fields = self.metadata.iter().filter(|(_, value)| plain(value));
        let fields = fields.map(|(key, value)| (key.clone(), value.clone()));
        let all = ThreadQuery {
            kind: ThreadKind::Recorded,
            ids: self.ids.clone(),
            owner: caller.name().map(Into::into),
            metadata: Json::Object(fields.collect()).into(),
            ..ThreadQuery::default()
        };
        match self.status {
            None => all,
            Some(status) => of_status(all, status),
        }
    }

    /// Whether a record has the metadata that is wanted.
    fn wants_record(&self, record: &Record) -> bool {
        has_fields(&record.metadata, &self.metadata)
    }

    /// Whether a thread as clients see it is wanted.
    fn wants(&self, row: &Json) -> bool {
        let own = |name: &str| row.get(name).unwrap_or(&Json::Null);
        let values = self.values.as_ref();
        values.is_none_or(|wanted| has_all(own("values"), wanted)) && self.has_words(row)
    }

    /// Whether a thread has all the words: in its id, its title, its subtitle or its values.
    fn has_words(&self, row: &Json) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let of_view = |name: &str| row.get("view").and_then(|view| view.get(name));
        let parts = [
            row.get("thread_id"),
            of_view("title"),
            of_view("subtitle"),
            row.get("values"),
        ];
        let parts = parts.into_iter().flatten().map(Json::to_string);
        let text = parts.collect::<Vec<_>>().join("\n").to_lowercase();
        self.words.iter().all(|word| text.contains(word))
    }

    /// Whether only a look at each thread tells if it is wanted.
    fn looks(&self) -> bool {
        let nested = |value: &Json| value.is_array() || value.is_object();
        self.values.is_some() || !self.words.is_empty() || self.metadata.values().any(nested)
    }
}

/// The same of threads with a status.
fn of_status(query: ThreadQuery, wanted: &str) -> ThreadQuery {
    let all = RunStatus::ALL.into_iter();
    // Those that are neither busy nor failed are told apart by what is left to do.
    let pending = [("interrupted", true), ("idle", false)];
    let pending = pending.iter().find(|(status, _)| *status == wanted);
    ThreadQuery {
        status: all.filter(|it| fits(*it, wanted)).collect(),
        pending: pending.map(|(_, pending)| *pending),
        ..query
    }
}

/// Whether threads with a status of the saver may be shown with one of clients.
fn fits(status: RunStatus, wanted: &str) -> bool {
    match status {
        RunStatus::Failed => wanted == "error",
        status if BUSY.contains(&status) => wanted == "busy",
        _ => wanted == "interrupted" || wanted == "idle",
    }
}

/// The order of a saver that threads are sorted by.
fn order(by: &str) -> ThreadOrder {
    match by {
        "created_at" => ThreadOrder::Created,
        "state_updated_at" => ThreadOrder::Changed,
        "thread_id" => ThreadOrder::Uuid,
        _ => ThreadOrder::Updated,
    }
}

impl App {
    /// Threads in the form of clients, in order, at least as many as are enough if there are so many.
    pub(super) async fn find_threads(
        &self,
        caller: &Visitor,
        wanted: &ThreadSearch,
        by: &str,
        is_ascending: bool,
        enough: usize,
    ) -> Result<Vec<Json>, Refusal> {
        self.adopt_new().await?;
        let order = order(by);
        // Times begin with the newest, UUIDs with the smallest.
        let reversed = is_ascending != (order == ThreadOrder::Uuid);
        let query = ThreadQuery {
            order,
            reversed,
            ..wanted.query(caller)
        };
        let mut rows = Vec::new();
        if by != "status" || wanted.status.is_some() {
            self.add_rows(wanted, query, enough, &mut rows).await?;
            return Ok(rows);
        }
        let mut statuses = STATUSES.to_vec();
        if !is_ascending {
            statuses.reverse();
        }
        for status in statuses {
            let query = of_status(query.clone(), status);
            self.add_rows(wanted, query, enough, &mut rows).await?;
        }
        Ok(rows)
    }

    /// Adds the threads of a query that are wanted, until there are enough.
    async fn add_rows(
        &self,
        wanted: &ThreadSearch,
        mut query: ThreadQuery,
        enough: usize,
        rows: &mut Vec<Json>,
    ) -> Result<(), Refusal> {
        while rows.len() < enough {
            query.limit = Some((enough - rows.len()).min(BATCH));
            let (page, next) = self.page(&query).await?;
            for (id, record) in page {
                if wanted.wants_record(&record) {
                    let row = self.thread_row(&id, &record, wanted.has_view).await?;
                    rows.extend(wanted.wants(&row).then_some(row));
                }
            }
            if next.is_none() {
                break;
            }
            query.after = next;
        }
        Ok(())
    }

    /// A page of threads with their records.
    async fn page(
        &self,
        query: &ThreadQuery,
    ) -> Result<(Vec<(String, Record)>, Option<ThreadCursor>), Refusal> {
        let page = self.saver.find_threads(query).await?;
        let records = page.threads.into_iter().filter_map(|info| info.record);
        let records = records.map(|record| (public(&record.thread), Record::from(record)));
        Ok((records.collect(), page.next))
    }

    /// How many threads are wanted.
    pub(super) async fn count_threads(
        &self,
        caller: &Visitor,
        wanted: &ThreadSearch,
    ) -> Result<u64, Refusal> {
        let counts = self.counts(caller, wanted).await?;
        Ok(counts.values().sum())
    }

    /// How many threads are wanted, by their status.
    pub(super) async fn count_by_status(
        &self,
        caller: &Visitor,
        wanted: &ThreadSearch,
    ) -> Result<Json, Refusal> {
        Ok(json!(self.counts(caller, wanted).await?))
    }

    async fn counts(
        &self,
        caller: &Visitor,
        wanted: &ThreadSearch,
    ) -> Result<BTreeMap<&'static str, u64>, Refusal> {
        self.adopt_new().await?;
        let mut counts: BTreeMap<&str, u64> = STATUSES.iter().map(|status| (*status, 0)).collect();
        let query = wanted.query(caller);
        if !wanted.looks() {
            for ((status, pending), n) in self.saver.count_threads(&query).await? {
                *counts
                    .entry(super::view::status(status, pending))
                    .or_default() += n;
            }
            return Ok(counts);
        }
        let mut rows = Vec::new();
        self.add_rows(wanted, query, usize::MAX, &mut rows).await?;
        for row in &rows {
            let status = row.get("status").and_then(Json::as_str);
            if let Some(count) = status.and_then(|status| counts.get_mut(status)) {
                *count += 1;
            }
        }
        Ok(counts)
    }

    /// The threads that a caller sees, of a graph or of all, page by page: those after a place, and where the next page begins.
    pub(crate) async fn threads_of(
        &self,
        caller: &Visitor,
        graph: Option<&str>,
        after: Option<ThreadCursor>,
    ) -> Result<(Vec<(String, Record)>, Option<ThreadCursor>), Refusal> {
        if after.is_none() {
            self.adopt_new().await?;
        }
        let query = ThreadQuery {
            kind: ThreadKind::Recorded,
            owner: caller.name().map(Into::into),
            metadata: graph.map_or(Value::Null, |graph| json!({ "graph_id": graph }).into()),
            order: ThreadOrder::Created,
            limit: Some(BATCH),
            after,
            ..ThreadQuery::default()
        };
        self.page(&query).await
    }
}
