//! Finding threads. A thread as clients see it costs several reads, so only those of the page are looked at: which may be on it, and in
//! which order they come, is known of their records and of the saver's index.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value as Json, json};
use superstep::{
    RunStatus, ThreadId,
    saver::{ThreadHint, ThreadQuery},
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
    time::Micros,
};

/// The most characters of a query.
const LONGEST: usize = 200;

const STATUSES: &[&str] = &["busy", "error", "idle", "interrupted"];

/// The status of threads that have something left to do.
const INTERRUPTED: &str = "interrupted";

/// What the index calls threads that may be shown as interrupted.
const LEFT: &[RunStatus] = &[
    RunStatus::Waiting,
    RunStatus::Paused,
    RunStatus::Interrupted,
    RunStatus::Cancelled,
    RunStatus::Drained,
];

/// Which threads a client wants; all conditions must hold.
#[derive(Debug)]
pub(super) struct ThreadSearch {
    ids: Option<HashSet<String>>,
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
        let ids = ids.map(|ids| ids.iter().map(|id| thread_id(id)).collect());
        Ok(Self {
            ids: ids.transpose()?,
            status: body.word("status", STATUSES)?,
            metadata: body.object("metadata")?,
            values: body.field::<Map<String, Json>>("values")?.map(Json::Object),
            has_view: has_view || !words.is_empty(),
            words,
        })
    }

    /// Whether a thread is wanted as far as its record tells.
    fn wants_record(&self, id: &str, record: &Record) -> bool {
        let is_meant = self.ids.as_ref().is_none_or(|ids| ids.contains(id));
        is_meant && has_fields(&record.metadata, &self.metadata)
    }

    /// Whether a thread as clients see it is wanted.
    fn wants(&self, row: &Json) -> bool {
        let own = |name: &str| row.get(name).unwrap_or(&Json::Null);
        let values = self.values.as_ref();
        self.status.is_none_or(|status| own("status") == status)
            && values.is_none_or(|wanted| has_all(own("values"), wanted))
            && self.has_words(row)
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

    /// Whether only a look at each thread tells if it is wanted, whatever its status.
    fn looks(&self) -> bool {
        self.values.is_some() || !self.words.is_empty()
    }
}

/// A thread that may be wanted.
struct Candidate {
    id: String,
    record: Record,
    /// When its newest run was used, if an index says so.
    used: Option<Micros>,
}

impl Candidate {
    fn updated(&self) -> Micros {
        self.record.updated.max(self.used.unwrap_or_default())
    }
}

impl App {
    /// Threads in the form of clients: in order, at least as many as are enough if there are so many. Their exact order
    /// is up to the page.
    pub(super) async fn find_threads(
        &self,
        caller: &Visitor,
        wanted: &ThreadSearch,
        by: &str,
        is_ascending: bool,
        enough: usize,
    ) -> Result<Vec<Json>, Refusal> {
        let is_newest = by == "updated_at" && !is_ascending && wanted.ids.is_none();
        let waiting = match wanted.status {
            Some(INTERRUPTED) => self.hints(LEFT).await?,
            _ => None,
        };
        if let (true, Some(hints)) = (is_newest, &waiting) {
            return self.newest(caller, wanted, hints, enough).await;
        }
        let is_hinted = waiting.is_some();
        let mut all = self.candidates(caller, wanted, waiting).await?;
        let is_known = match by {
            "created_at" => {
                all.sort_by_key(|it| it.record.created);
                true
            }
            "thread_id" => {
                all.sort_by(|a, b| a.id.cmp(&b.id));
                true
            }
            "updated_at" => self.sort_by_use(&mut all).await?,
            _ => false,
        };
        if !is_ascending {
            all.reverse();
        }
        // What only a look at each thread tells is sorted when all are there.
        let enough = if is_known { enough } else { usize::MAX };
        let mut rows = Vec::new();
        for one in &all {
            if rows.len() >= enough {
                break;
            }
            let row = match is_hinted {
                true => self.row(wanted, &one.id, &one.record).await?,
                false => self.row_of_status(wanted, &one.id, &one.record).await?,
            };
            rows.extend(row);
        }
        Ok(rows)
    }

    /// How many threads are wanted.
    pub(super) async fn count_threads(
        &self,
        caller: &Visitor,
        wanted: &ThreadSearch,
    ) -> Result<usize, Refusal> {
        let waiting = match wanted.status {
            Some(INTERRUPTED) => self.hints(LEFT).await?,
            _ => None,
        };
        let all = self.candidates(caller, wanted, waiting).await?;
        let Some(status) = wanted.status else {
            if !wanted.looks() {
                return Ok(all.len());
            }
            return self.count_looking(wanted, &all).await;
        };
        if wanted.looks() || status == "error" {
            return self.count_looking(wanted, &all).await;
        }
        let mut count = 0;
        for one in &all {
            count += usize::from(self.standing(&one.id, &one.record).await? == status);
        }
        Ok(count)
    }

    /// How many threads are wanted, by their status.
    pub(super) async fn count_by_status(
        &self,
        caller: &Visitor,
        wanted: &ThreadSearch,
    ) -> Result<Json, Refusal> {
        let mut counts: BTreeMap<&str, u64> = STATUSES.iter().map(|status| (*status, 0)).collect();
        for one in self.candidates(caller, wanted, None).await? {
            // Only its graph says whether a thread can be read.
            let row = self.row(wanted, &one.id, &one.record).await?;
            let status = row.as_ref().and_then(|row| row.get("status")?.as_str());
            if let Some(count) = status.and_then(|status| counts.get_mut(status)) {
                *count += 1;
            }
        }
        Ok(json!(counts))
    }

    async fn count_looking(
        &self,
        wanted: &ThreadSearch,
        all: &[Candidate],
    ) -> Result<usize, Refusal> {
        let mut count = 0;
        for one in all {
            let row = self.row_of_status(wanted, &one.id, &one.record).await?;
            count += usize::from(row.is_some());
        }
        Ok(count)
    }

    /// A thread as clients see it, if it is wanted.
    async fn row(
        &self,
        wanted: &ThreadSearch,
        id: &str,
        record: &Record,
    ) -> Result<Option<Json>, Refusal> {
        let row = self.thread_row(id, record, wanted.has_view).await?;
        Ok(wanted.wants(&row).then_some(row))
    }

    /// The same, of a thread of which nothing says its status: many are not wanted, and to see that takes less than to read them.
    async fn row_of_status(
        &self,
        wanted: &ThreadSearch,
        id: &str,
        record: &Record,
    ) -> Result<Option<Json>, Refusal> {
        // Only its graph says whether a thread can be read.
        let is_told = wanted.status.is_none_or(|status| status == "error");
        if !is_told && Some(self.standing(id, record).await?) != wanted.status {
            return Ok(None);
        }
        self.row(wanted, id, record).await
    }

    /// The threads that were used last, of those that an index names. Their records are read one by one, until there are enough.
    async fn newest(
        &self,
        caller: &Visitor,
        wanted: &ThreadSearch,
        hints: &[ThreadHint],
        enough: usize,
    ) -> Result<Vec<Json>, Refusal> {
        let mut rows = Vec::new();
        for hint in hints {
            if rows.len() >= enough {
                break;
            }
            let id = public(&hint.id);
            let record = match self.threads.find(&Visitor::SERVER, &id).await? {
                Some(record) => Some(record),
                None => self.adopt(&id, hint.id.clone()).await?,
            };
            let record = record.filter(|record| caller.sees(record.owner.as_deref()));
            let Some(record) = record.filter(|record| wanted.wants_record(&id, record)) else {
                continue;
            };
            rows.extend(self.row(wanted, &id, &record).await?);
        }
        Ok(rows)
    }

    /// What is wanted as far as records tell, and only what an index names if there is one.
    async fn candidates(
        &self,
        caller: &Visitor,
        wanted: &ThreadSearch,
        hints: Option<Vec<ThreadHint>>,
    ) -> Result<Vec<Candidate>, Refusal> {
        let all = match hints {
            Some(hints) => self.hinted_threads(&hints).await?,
            None => self.served_threads().await?,
        };
        let all = all.into_iter().filter(|(id, record)| {
            caller.sees(record.owner.as_deref()) && wanted.wants_record(id, record)
        });
        let all = all.map(|(id, record)| Candidate {
            id,
            record,
            used: None,
        });
        Ok(all.collect())
    }

    /// Puts threads in the order of their last use, if an index knows that; says whether it does.
    async fn sort_by_use(&self, all: &mut [Candidate]) -> Result<bool, Refusal> {
        let Some(hints) = self.hints(&[]).await? else {
            return Ok(false);
        };
        let used: HashMap<ThreadId, Option<i64>> = hints
            .into_iter()
            .map(|hint| (hint.id, hint.updated))
            .collect();
        for one in all.iter_mut() {
            let used = used.get(&one.record.thread(&one.id)).copied().flatten();
            one.used = used.map(|millis| millis.saturating_mul(1000));
        }
        all.sort_by_key(Candidate::updated);
        Ok(true)
    }

    /// What an index says of threads with these statuses, those that were used last first; nothing if there is no index.
    async fn hints(&self, status: &[RunStatus]) -> Result<Option<Vec<ThreadHint>>, Refusal> {
        let query = ThreadQuery {
            status: status.to_vec(),
            ..ThreadQuery::default()
        };
        let mut hints = self.saver.thread_hints(&query).await?;
        if let Some(hints) = &mut hints {
            hints.sort_by(|a, b| b.updated.cmp(&a.updated).then_with(|| a.id.cmp(&b.id)));
        }
        Ok(hints)
    }
}
