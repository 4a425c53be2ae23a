//! `POST /runs/search`: runs of all threads of the last days, and their totals per agent and day.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use axum::{extract::State, response::Response};
use serde_json::{Map, Value as Json, json};
use superstep::{
    Ending, RunRecord,
    runs::RunCost,
    saver::{ThreadKind, ThreadOrder, ThreadQuery},
};

use super::view;
use crate::{
    app::App,
    forms::thread_name::public,
    owners::visitor::Visitor,
    records::thread::Record,
    refusal::{Refusal, answer},
    request::payload::Payload,
    time,
};

/// The most threads that are looked at, those that were used last.
const THREADS: usize = 5_000;

/// How many threads are read at once.
const BATCH: usize = 200;

/// The most days.
const DAYS: i64 = 90;

/// The most runs of a page.
const MOST: usize = 500;

const DAY: i64 = 24 * 60 * 60 * 1000;

const STATUSES: &[&str] = &["pending", "running", "error", "success", "interrupted"];

/// Runs a client wants; all conditions must hold.
struct RunSearch {
    since: i64,
    graph: Option<String>,
    status: Option<&'static str>,
    /// Words of the thread's title or the run's error, in lower case.
    words: Vec<String>,
}

/// A run with the thread it belongs to.
struct Found {
    run: RunRecord,
    graph: Arc<str>,
    title: Arc<str>,
}

/// What runs took together.
#[derive(Default)]
struct Totals {
    runs: u64,
    failed: u64,
    cost: RunCost,
}

/// `POST /runs/search`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let days = body.field("days")?.unwrap_or(7);
    if !(1..=DAYS).contains(&days) {
        return Err(Refusal::invalid(format!("`days` must be 1 to {DAYS}")));
    }
    let limit = body.field("limit")?.unwrap_or(50);
    if !(1..=MOST).contains(&limit) {
        return Err(Refusal::invalid(format!("`limit` must be 1 to {MOST}")));
    }
    let offset = body.field("offset")?.unwrap_or(0);
    let today = time::now() / 1000 / DAY;
    let query: String = body.field("query")?.unwrap_or_default();
    let wanted = RunSearch {
        since: (today - days + 1) * DAY,
        graph: body.field("graph_id")?,
        status: body.word("status", STATUSES)?,
        words: query.split_whitespace().map(str::to_lowercase).collect(),
    };
    let (mut found, is_cut) = app.find_runs(&caller, &wanted).await?;
    found.sort_by_key(|found| Reverse((found.run.created, found.run.id)));
    let mut totals: BTreeMap<(Reverse<String>, Arc<str>), Totals> = BTreeMap::new();
    for Found { run, graph, .. } in &found {
        let total = totals.entry((Reverse(day(run)), graph.clone()));
        total.or_default().add(run);
    }
    let totals = totals.iter().map(|((day, graph), total)| {
        let mut row = usage(total.cost);
        row.insert("day".to_owned(), day.0.as_str().into());
        row.insert("graph_id".to_owned(), (&**graph).into());
        row.insert("runs".to_owned(), total.runs.into());
        row.insert("failed".to_owned(), total.failed.into());
        Json::Object(row)
    });
    let totals: Vec<Json> = totals.collect();
    let count = found.len();
    let mut rows = Vec::new();
    for found in found.into_iter().skip(offset).take(limit) {
        rows.push(app.run_row(found).await?);
    }
    Ok(answer(&json!({
        "since": time::text(wanted.since.saturating_mul(1000)),
        "totals": totals,
        "total": count,
        "runs": rows,
        "is_cut": is_cut,
    })))
}

impl App {
    /// The runs a caller wants, and whether there are threads that were not looked at.
    async fn find_runs(
        &self,
        caller: &Visitor,
        wanted: &RunSearch,
    ) -> Result<(Vec<Found>, bool), Refusal> {
        self.adopt_new().await?;
        let graph = wanted.graph.iter();
        let graph = graph.map(|graph| ("graph_id".to_owned(), graph.as_str().into()));
        let mut query = ThreadQuery {
            kind: ThreadKind::Recorded,
            owner: caller.name().map(Into::into),
            metadata: Json::Object(graph.collect()).into(),
            updated_from: Some(wanted.since),
            order: ThreadOrder::Updated,
            limit: Some(BATCH),
            ..ThreadQuery::default()
        };
        let (mut found, mut seen) = (Vec::new(), 0);
        loop {
            let page = self.saver.find_threads(&query).await?;
            for record in page.threads.into_iter().filter_map(|info| info.record) {
                seen += 1;
                let id = public(&record.thread);
                self.add_runs(&id, &record.into(), wanted, &mut found)
                    .await?;
            }
            query.after = page.next;
            if query.after.is_none() || seen >= THREADS {
                return Ok((found, query.after.is_some()));
            }
        }
    }

    /// Adds the runs of a thread that are wanted.
    async fn add_runs(
        &self,
        id: &str,
        record: &Record,
        wanted: &RunSearch,
        found: &mut Vec<Found>,
    ) -> Result<(), Refusal> {
        let thread = record.thread(id);
        let graph: Arc<str> = record.graph().unwrap_or_default().into();
        let mut title: Arc<str> = "".into();
        if !wanted.words.is_empty() {
            title = self.title_of(id, record).await?.into();
        }
        let mut pages = self.run_pages(&thread);
        loop {
            let runs = pages.next().await?;
            if runs.is_empty() {
                return Ok(());
            }
            for run in runs {
                if run.created < wanted.since {
                    return Ok(());
                }
                if wanted.wants(&run, &title) && !self.is_forgotten(&run).await? {
                    let (graph, title) = (graph.clone(), title.clone());
                    found.push(Found { run, graph, title });
                }
            }
        }
    }

    async fn title_of(&self, id: &str, record: &Record) -> Result<String, Refusal> {
        let row = self.thread_row(id, record, true).await?;
        let title = row.get("view").and_then(|view| view.get("title"));
        Ok(title.and_then(Json::as_str).unwrap_or_default().to_owned())
    }

    /// A run for a list.
    async fn run_row(&self, found: Found) -> Result<Json, Refusal> {
        let Found { run, graph, title } = found;
        let id = public(&run.thread);
        let title = match title.is_empty() {
            true => match self.threads.find(&Visitor::SERVER, &id).await? {
                Some(record) => self.title_of(&id, &record).await?,
                None => String::new(),
            },
            false => title.to_string(),
        };
        let mut row = usage(run.cost);
        let took = run.started.zip(run.ended).map(|(begun, end)| end - begun);
        row.insert("run_id".to_owned(), run.id.to_string().into());
        row.insert("thread_id".to_owned(), id.into());
        row.insert("graph_id".to_owned(), (&*graph).into());
        row.insert("title".to_owned(), title.into());
        row.insert("status".to_owned(), view::status(&run).into());
        row.insert(
            "created_at".to_owned(),
            time::text(run.created.saturating_mul(1000)),
        );
        row.insert("took_ms".to_owned(), took.into());
        row.insert("attempt".to_owned(), run.attempt.into());
        row.insert("error".to_owned(), error(&run).into());
        Ok(Json::Object(row))
    }
}

impl RunSearch {
    fn wants(&self, run: &RunRecord, title: &str) -> bool {
        if self
            .status
            .is_some_and(|status| status != view::status(run))
        {
            return false;
        }
        let text = format!("{title}\n{}", error(run).unwrap_or_default()).to_lowercase();
        self.words.iter().all(|word| text.contains(word))
    }
}

impl Totals {
    fn add(&mut self, run: &RunRecord) {
        self.runs += 1;
        self.failed += u64::from(view::status(run) == "error");
        self.cost = self.cost.and(run.cost);
    }
}

/// The day on which a run was recorded, in UTC.
fn day(run: &RunRecord) -> String {
    let time = time::text(run.created.saturating_mul(1000));
    let day = time.as_str().and_then(|time| time.get(..10));
    day.unwrap_or_default().to_owned()
}

fn error(run: &RunRecord) -> Option<&str> {
    match &run.ending {
        Some(Ending::Failed { message, .. }) => Some(message),
        _ => None,
    }
}

fn usage(cost: RunCost) -> Map<String, Json> {
    let fields = [
        ("calls", cost.calls),
        ("input_tokens", cost.input_tokens),
        ("output_tokens", cost.output_tokens),
        ("micro_usd", cost.micro_usd),
        ("unpriced", cost.unpriced),
    ];
    let fields = fields.map(|(name, count)| (name.to_owned(), count.into()));
    fields.into_iter().collect()
}
