//! `GET /threads/{id}/branches` and `/compare`: the ends of a thread's history, and the differences of two of its states.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use superstep::{
    CheckpointId, CheckpointRef, HistoryQuery,
    dynamic::{GraphPath, Snapshot, state::Depth},
};

use crate::{
    app::App,
    forms::{checkpoint, message, snapshot},
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
};

/// The most checkpoints that are looked at, newest first.
const CHECKPOINTS: usize = 1000;

/// The most differences between two states.
const DIFFERENCES: usize = 1000;

/// `GET /threads/{id}/branches`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(&caller, &id).await?;
    let Some(graph) = record.graph() else {
        return Ok(answer(&json!([])));
    };
    let hosted = app.registry.graph(graph)?;
    let query = HistoryQuery {
        limit: Some(CHECKPOINTS),
        ..HistoryQuery::default()
    };
    let root = GraphPath::default();
    let thread = record.thread(&id);
    let history = hosted.graph.history(&thread, &root, &query).await?;
    Ok(answer(&branches(&history)))
}

/// The two states to compare.
#[derive(Debug, Deserialize)]
pub(crate) struct Pair {
    a: String,
    b: String,
}

/// `GET /threads/{id}/compare`
pub(crate) async fn compare(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    Query(pair): Query<Pair>,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(&caller, &id).await?;
    let thread = record.thread(&id);
    let hosted = app.registry.graph(record.graph().unwrap_or_default())?;
    let mut both = [Json::Null, Json::Null];
    for (values, id) in both.iter_mut().zip([&pair.a, &pair.b]) {
        let at = CheckpointRef::root(checkpoint::read(id)?);
        let state = hosted.graph.state(&thread, Some(&at), Depth::Here).await?;
        *values = message::shown(state.values.to_json());
    }
    let [a, b] = &both;
    let mut found = Vec::new();
    differences("", a, b, &mut found);
    let is_cut = found.len() > DIFFERENCES;
    found.truncate(DIFFERENCES);
    Ok(answer(&json!({ "differences": found, "is_cut": is_cut })))
}

/// The ends of a history, the newest first. A branch begins behind the checkpoint at which the thread was forked.
fn branches(history: &[Snapshot]) -> Json {
    let mut children: HashMap<CheckpointId, usize> = HashMap::new();
    for parent in history.iter().filter_map(|state| state.parent) {
        *children.entry(parent).or_default() += 1;
    }
    let states = history.iter();
    let states = states.filter_map(|state| Some((state.checkpoint?, state)));
    let by_id: HashMap<CheckpointId, &Snapshot> = states.collect();
    let newest = history.first().and_then(|state| state.checkpoint);
    let mut rows = Vec::new();
    for end in history {
        let Some(id) = end.checkpoint.filter(|id| !children.contains_key(id)) else {
            continue;
        };
        let (mut at, mut steps, mut fork) = (end, 1_u64, None);
        while let Some(parent) = at.parent {
            if children.get(&parent).is_some_and(|count| *count > 1) {
                fork = Some(parent.to_string());
                break;
            }
            let Some(before) = by_id.get(&parent) else {
                break;
            };
            (at, steps) = (before, steps + 1);
        }
        rows.push(json!({
            "checkpoint_id": id.to_string(),
            "fork_id": fork,
            "steps": steps,
            "is_head": newest == Some(id),
            "next": end.next,
            "run_id": end.run.map(|run| run.to_string()),
            "created_at": snapshot::created(id),
        }));
    }
    Json::from(rows)
}

/// What two values differ in, by JSON pointers. One more than the most is found, to know that there are more.
fn differences(path: &str, a: &Json, b: &Json, found: &mut Vec<Json>) {
    if a == b || found.len() > DIFFERENCES {
        return;
    }
    let place = |name: &dyn std::fmt::Display| {
        let name = name.to_string().replace('~', "~0").replace('/', "~1");
        format!("{path}/{name}")
    };
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                let [a, b] = [a, b].map(|of| of.get(name).unwrap_or(&Json::Null));
                differences(&place(name), a, b, found);
            }
        }
        (Json::Array(a), Json::Array(b)) => {
            for at in 0..a.len().max(b.len()) {
                let [a, b] = [a, b].map(|of| of.get(at).unwrap_or(&Json::Null));
                differences(&place(&at), a, b, found);
            }
        }
        _ => found.push(json!({ "path": path, "a": a, "b": b })),
    }
}
