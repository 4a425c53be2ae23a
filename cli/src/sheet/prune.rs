//! `superstep sheet prune`: deletes versions of workbooks that nothing refers to.

use serde_json::json;
use superstep_sheets::{UsedVersions, WORKBOOKS};

use super::moved_in;
use crate::{
    agents::Agent,
    app::App,
    consent::is_agreed,
    error::Error,
    output::{Form, count, plain},
    thread_reader::ThreadReader,
};

/// The number of hashes that are read at once.
const PAGE: usize = 1000;

pub(super) async fn run(app: &mut App<'_>) -> Result<(), Error> {
    moved_in::versions(app.global).await?;
    let reader = ThreadReader::open_to_change(app.global)?;
    let blobs = reader.backends().blobs.clone().ok_or(Error::NoSaver)?;
    // First what is stored: a version that comes while references are read is not looked at.
    let mut all = Vec::new();
    loop {
        let page = blobs.list(WORKBOOKS, all.last().copied(), PAGE).await?;
        let is_last = page.len() < PAGE;
        all.extend(page);
        if is_last {
            break;
        }
    }
    let graph = reader.graph_of(Agent::SHEETS)?;
    let threads = reader.saver.threads().await?;
    let store = reader.store()?;
    let mut used = UsedVersions::recorded(&*reader.saver, &*store, &threads).await?;
    for thread in threads {
        if reader.agent_of(&thread).await == Some(Agent::SHEETS) {
            // It may have stored a version that no checkpoint names yet.
            if reader.is_running(&thread).await {
                return Err(Error::Usage(format!(
                    "a run is at work on {thread}; prune when it has ended"
                )));
            }
            used.add_thread(&graph, &thread).await?;
        }
    }
    let (kept, unused): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|hash| used.contains(&hash.to_string()));
    if !unused.is_empty() {
        let what = format!(
            "delete {} that nothing refers to",
            count(unused.len(), "version")
        );
        is_agreed(&what, app).await?;
    }
    for hash in &unused {
        blobs.remove(WORKBOOKS, *hash).await?;
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
