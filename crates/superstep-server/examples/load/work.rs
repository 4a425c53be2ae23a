//! What is asked of a server.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value as Json, json};
use superstep::http::Method;
use tokio::task::JoinSet;

use crate::{figures::Times, target::Target};

type Failed = Box<dyn Error + Send + Sync>;

/// How many threads are made at once for the inbox.
const MAKERS: usize = 32;

/// How often the inbox is listed.
const LISTED: usize = 30;

/// How often the run ticks that everybody reads.
const TICKS: usize = 20;

/// Ways to list the inbox: as the pages of a server do, and as Agent Inbox does.
pub(crate) const LISTINGS: [(&str, &str); 2] = [
    (
        "the newest 100",
        r#"{"status": "interrupted", "sort_by": "updated_at", "sort_order": "desc", "limit": 100}"#,
    ),
    (
        "100 as Agent Inbox lists them",
        r#"{"status": "interrupted", "metadata": {"graph_id": "hitl"}, "limit": 100, "offset": 0}"#,
    ),
];

/// Runs of a graph on threads of their own, one after the other for each client, for a time: how long each took, and all of them.
pub(crate) async fn runs(
    target: &Target,
    graph: &str,
    clients: usize,
    time: Duration,
) -> Result<(Times, Duration), Failed> {
    let body = Arc::new(json!({"assistant_id": graph, "input": {"n": 0}}));
    // The first one opens connections and warms caches.
    target.post("/runs/wait", &body).await?;
    let begin = Instant::now();
    let end = begin + time;
    let mut tasks = JoinSet::new();
    for _ in 0..clients {
        let (target, body) = (target.clone(), body.clone());
        tasks.spawn(async move {
            let mut times = Times::default();
            while Instant::now() < end {
                let begin = Instant::now();
                let answer = target.post("/runs/wait", &body).await?;
                if answer.get("n").is_none() {
                    return Err(format!("a run ended with {answer}").into());
                }
                times.add(begin.elapsed());
            }
            Ok::<_, Failed>(times)
        });
    }
    let mut all = Times::default();
    while let Some(times) = tasks.join_next().await {
        all.extend(times??);
    }
    Ok((all, begin.elapsed()))
}

/// Makes threads that wait for a person, and says how many a second.
pub(crate) async fn park(target: &Target, threads: usize) -> Result<f64, Failed> {
    let next = Arc::new(AtomicUsize::new(0));
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..MAKERS {
        let (target, next) = (target.clone(), next.clone());
        tasks.spawn(async move {
            while next.fetch_add(1, Ordering::Relaxed) < threads {
                let thread = target.post("/threads", &json!({})).await?;
                let id = thread.get("thread_id").and_then(Json::as_str);
                let path = format!("/threads/{}/runs/wait", id.unwrap_or_default());
                let run = json!({"assistant_id": "hitl", "input": {"topic": "load"}});
                let asked = target.post(&path, &run).await?;
                if asked.get("__interrupt__").is_none() {
                    return Err(format!("nothing is asked: {asked}").into());
                }
            }
            Ok::<_, Failed>(())
        });
    }
    while let Some(made) = tasks.join_next().await {
        made??;
    }
    let count = u32::try_from(threads)?;
    Ok(f64::from(count) / begin.elapsed().as_secs_f64())
}

/// Lists the inbox again and again.
pub(crate) async fn list(target: &Target, wanted: &str) -> Result<Times, Failed> {
    let wanted: Json = serde_json::from_str(wanted)?;
    let mut times = Times::default();
    for _ in 0..LISTED {
        let begin = Instant::now();
        let found = target.post("/threads/search", &wanted).await?;
        times.add(begin.elapsed());
        if found.as_array().is_none_or(Vec::is_empty) {
            return Err(format!("the inbox is empty: {found}").into());
        }
    }
    Ok(times)
}

/// What many readers of one run had.
pub(crate) struct Read {
    /// How many events the run had.
    pub(crate) events: usize,
    /// How many readers did not get all.
    pub(crate) incomplete: usize,
    /// How long the first event took to come.
    pub(crate) first: Times,
    /// How long it took until the last reader had come to the end, from the beginning of the run.
    pub(crate) all: Duration,
    /// The memory of the server while all read.
    pub(crate) memory: String,
}

/// Many readers of one run, each from its beginning.
pub(crate) async fn readers(target: &Target, readers: usize) -> Result<Read, Failed> {
    let thread = target.post("/threads", &json!({})).await?;
    let thread = thread.get("thread_id").and_then(Json::as_str);
    let runs = format!("/threads/{}/runs", thread.unwrap_or_default());
    let run = json!({
        "assistant_id": "slow",
        "input": {"ticks": TICKS, "delay": 0.5},
        "stream_mode": ["values", "updates", "custom"],
        "stream_resumable": true,
    });
    let begin = Instant::now();
    let run = target.post(&runs, &run).await?;
    let run = run.get("run_id").and_then(Json::as_str).unwrap_or_default();
    let path = Arc::new(format!("{runs}/{run}/stream"));
    let mut tasks = JoinSet::new();
    for _ in 0..readers {
        let (target, path) = (target.clone(), path.clone());
        tasks.spawn(async move {
            let begin = Instant::now();
            let request = target.request(Method::GET, &path)?;
            let request = request.header("last-event-id", "-1");
            let mut response = target.open(request).await?;
            let (mut first, mut events, mut last) = (None, 0, b'\n');
            while let Some(chunk) = response.chunk().await? {
                first.get_or_insert_with(|| begin.elapsed());
                // An event begins with the name of its kind at the start of a line.
                let starts = |(at, byte): (usize, &u8)| {
                    let before = match at.checked_sub(1) {
                        Some(before) => chunk.get(before).copied(),
                        None => Some(last),
                    };
                    *byte == b'e' && before == Some(b'\n')
                };
                events += chunk.iter().enumerate().filter(|it| starts(*it)).count();
                last = chunk.last().copied().unwrap_or(last);
            }
            Ok::<_, Failed>((first.unwrap_or_default(), events))
        });
    }
    let mut read = Read {
        events: 0,
        incomplete: 0,
        first: Times::default(),
        all: Duration::ZERO,
        memory: target.memory(),
    };
    let mut counts = Vec::new();
    while let Some(one) = tasks.join_next().await {
        if counts.is_empty() {
            read.memory = target.memory();
        }
        let (first, events) = one??;
        read.first.add(first);
        counts.push(events);
    }
    read.all = begin.elapsed();
    read.events = counts.iter().copied().max().unwrap_or_default();
    read.incomplete = counts.iter().filter(|count| **count < read.events).count();
    Ok(read)
}
