//! `superstep sheet prune`: deletes versions of workbooks that no thread uses.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use superstep::dynamic::DynGraph;

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
    let reader = ThreadReader::open(app.global)?;
    let graph = reader.graph_of(Agent::Sheets)?;
    let mut used = BTreeSet::new();
    for thread in reader.saver.threads().await? {
        if reader.agent_of(&thread).await == Some(Agent::Sheets) {
            // It may have stored a version that no checkpoint names yet.
            if reader.is_running(&thread).await {
                return Err(Error::Usage(format!(
                    "a run is at work on {thread}; prune when it has ended"
                )));
            }
            used.extend(hashes(&reader, &graph, thread.as_str()).await?);
        }
    }
    let mut unused = versions.all()?;
    unused.retain(|hash| !used.contains(hash));
    if !unused.is_empty() {
        let what = format!(
            "delete {} that no thread uses",
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
            .json(&json!({"deleted": unused.len(), "kept": used.len()}));
    }
    app.output
        .say(&[plain(format!("deleted {}", count(unused.len(), "version")))]);
    Ok(())
}

/// Every text of every checkpoint that may be the hash of a version.
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
        Json::String(text) if text.len() == 64 => {
            found.insert(text.clone());
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Json::Object(fields) => fields.values().for_each(|item| collect(item, found)),
        _ => {}
    }
}
