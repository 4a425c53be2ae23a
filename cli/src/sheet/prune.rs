//! `superstep sheet prune`: deletes versions of workbooks that nothing refers to.
//!
//! Threads refer to versions, and so do records of a server: a result stays its owner's when its thread is gone, and a
//! queued run names the workbook that it begins with.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use superstep::{
    RunQuery, RunStatus, Saver, ThreadId,
    dynamic::DynGraph,
    store::{Prefix, Search, Store, TtlOnRead},
};

use super::options::versions;
use crate::{
    agents::Agent,
    app::App,
    consent::is_agreed,
    error::Error,
    output::{Form, count, plain},
    thread_reader::ThreadReader,
};

pub(super) async fn run(app: &mut App<'_>) -> Result<(), Error> {
    let versions = versions(app.global)?;
    // First what is stored: a version that comes while references are read is not looked at.
    let all = versions.all()?;
    let reader = ThreadReader::open(app.global)?;
    let graph = reader.graph_of(Agent::SHEETS)?;
    let threads = reader.saver.threads().await?;
    let store = reader.store()?;
    let mut used = recorded(&*store).await?;
    let served = served(&*store).await?;
    for thread in threads.iter().chain(&served) {
        used.extend(queued(&*reader.saver, thread).await?);
    }
    for thread in threads {
        if reader.agent_of(&thread).await == Some(Agent::SHEETS) {
            // It may have stored a version that no checkpoint names yet.
            if reader.is_running(&thread).await {
                return Err(Error::Usage(format!(
                    "a run is at work on {thread}; prune when it has ended"
                )));
            }
            used.extend(hashes(&reader, &graph, thread.as_str()).await?);
        }
    }
    let (kept, unused): (Vec<_>, Vec<_>) = all.into_iter().partition(|hash| used.contains(hash));
    if !unused.is_empty() {
        let what = format!(
            "delete {} that nothing refers to",
            count(unused.len(), "version")
        );
        is_agreed(&what, app).await?;
    }
    for hash in &unused {
        versions.remove(hash)?;
    }
    if app.output.form == Form::Json {
        return app
            .output
            .json(&json!({"deleted": unused.len(), "kept": kept.len()}));
    }
    app.output
        .say(&[plain(format!("deleted {}", count(unused.len(), "version")))]);
    Ok(())
}

/// How many records are read at once.
const BATCH: usize = 1000;

/// Every hash that a record of the store names, in its key or in its value: results, files, assistants, schedules.
async fn recorded(store: &dyn Store) -> Result<BTreeSet<String>, Error> {
    let mut found = BTreeSet::new();
    each(store, Prefix::default(), |key, value| {
        named(key, &mut found);
        collect(value, &mut found);
    })
    .await?;
    Ok(found)
}

/// The threads of a server: one that only waits in the queue is in no other list.
async fn served(store: &dyn Store) -> Result<Vec<ThreadId>, Error> {
    let mut found = Vec::new();
    let place = Prefix::new(["threads", "served"]).map_err(superstep::store::StoreError::from)?;
    each(store, place, |key, _| found.push(ThreadId::from(key))).await?;
    Ok(found)
}

async fn each(
    store: &dyn Store,
    prefix: Prefix,
    mut see: impl FnMut(&str, &Json),
) -> Result<(), Error> {
    let mut offset = 0;
    loop {
        let search = Search {
            prefix: prefix.clone(),
            limit: BATCH,
            offset,
            ttl: TtlOnRead::Keep,
            ..Search::default()
        };
        let found = store.search(search).await?;
        for it in &found {
            let value = serde_json::to_value(&it.item.value).map_err(std::io::Error::from)?;
            see(&it.item.key, &value);
        }
        offset += found.len();
        if found.len() < BATCH {
            return Ok(());
        }
    }
}

/// Every hash that a run of a thread names which has not begun.
async fn queued(saver: &dyn Saver, thread: &ThreadId) -> Result<BTreeSet<String>, Error> {
    let waiting = RunQuery {
        status: Some(RunStatus::Queued),
        ..RunQuery::default()
    };
    let mut found = BTreeSet::new();
    for run in saver.runs().load_runs(thread, &waiting).await? {
        let run = serde_json::to_value(&run).map_err(std::io::Error::from)?;
        collect(&run, &mut found);
    }
    Ok(found)
}

/// Every hash of every checkpoint that may be one of a version.
async fn hashes(
    reader: &ThreadReader,
    graph: &DynGraph,
    thread: &str,
) -> Result<BTreeSet<String>, Error> {
    let mut found = BTreeSet::new();
    for snapshot in reader.history(graph, thread, None).await? {
        let state = serde_json::to_value(&snapshot.values).map_err(std::io::Error::from)?;
        for field in ["problem", "version", "op_log", "proposal"] {
            collect(state.get(field).unwrap_or(&Json::Null), &mut found);
        }
    }
    Ok(found)
}

fn collect(value: &Json, found: &mut BTreeSet<String>) {
    match value {
        Json::String(text) => named(text, found),
        Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Json::Object(fields) => {
            for (name, item) in fields {
                named(name, found);
                collect(item, found);
            }
        }
        _ => {}
    }
}

/// The hashes in a text, wherever they stand in it.
fn named(text: &str, found: &mut BTreeSet<String>) {
    let runs = text.split(|c: char| !c.is_ascii_hexdigit());
    let hashes = runs.filter(|run| run.len() == 64);
    found.extend(hashes.map(str::to_ascii_lowercase));
}
