//! `/threads/{id}/runs`: which runs a thread has, how one ends, and ending it.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    http::{
        StatusCode,
        header::{CONTENT_LOCATION, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use superstep::{
    Cancel, CancelRequest, CheckpointRef, Ending, Modes, RunId, RunQuery, RunRecord, RunStatus,
    SaverError, ThreadId,
    clock::{Clock as _, SystemClock},
    dynamic::{Ask, DynGraph, GraphPath, state::Depth},
    saver::At,
};

use crate::{
    app::App,
    refusal::{Refusal, answer},
    run_events::{failure, with_interrupts},
    time,
    waiting::waiting,
};

/// What a client wants of the list of runs.
#[derive(Debug, Deserialize)]
pub(crate) struct Part {
    limit: Option<String>,
    offset: Option<String>,
    status: Option<String>,
}

/// `GET /threads/{id}/runs`
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(part): Query<Part>,
) -> Result<Response, Refusal> {
    let (id, _) = app.find_thread(&id).await?;
    let number = |name: &str, given: Option<String>, default: usize| {
        let wrong = |error| Refusal::invalid(format!("`{name}`: {error}"));
        let given = given.map(|given| given.parse::<usize>());
        Ok::<_, Refusal>(given.transpose().map_err(wrong)?.unwrap_or(default))
    };
    let limit = number("limit", part.limit, 10)?;
    let offset = number("offset", part.offset, 0)?;
    let runs = app.saver.runs();
    let runs = runs
        .load_runs(&ThreadId::from(&*id), &RunQuery::default())
        .await?;
    let is_wanted = |run: &&RunRecord| {
        let status = part.status.as_deref();
        status.is_none_or(|wanted| wanted == status_of(run))
    };
    let wanted = runs.iter().filter(is_wanted).skip(offset).take(limit);
    Ok(answer(&wanted.map(shown).collect()))
}

/// `GET /threads/{id}/runs/{run}`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path((id, run)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    Ok(answer(&shown(&app.find_run(&id, &run).await?.0)))
}

/// `GET /threads/{id}/runs/{run}/join`
pub(crate) async fn join(
    State(app): State<Arc<App>>,
    Path((id, run)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (run, graph) = app.find_run(&id, &run).await?;
    let place = format!("/threads/{}/runs/{}", run.thread, run.id);
    let headers = [
        (CONTENT_TYPE, "application/json".to_owned()),
        (CONTENT_LOCATION, place),
    ];
    let end = async move {
        let end = end_of(&graph, run).await;
        end.unwrap_or_else(|error| json!({ "__error__": failure(&error) }))
    };
    Ok((headers, waiting(end, || ())).into_response())
}

/// How a run is to be cancelled.
#[derive(Debug, Deserialize)]
pub(crate) struct How {
    wait: Option<String>,
    action: Option<String>,
}

/// `POST /threads/{id}/runs/{run}/cancel`
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Path((id, run)): Path<(String, String)>,
    Query(how): Query<How>,
) -> Result<Response, Refusal> {
    if !matches!(how.action.as_deref(), None | Some("interrupt")) {
        return Err(Refusal::invalid("`action` must be interrupt"));
    }
    let (run, graph) = app.find_run(&id, &run).await?;
    let request = CancelRequest {
        how: Cancel::Now,
        reason: "a client cancelled it".to_owned(),
        at: SystemClock.now(),
    };
    if !app.saver.runs().request_cancel(run.id, request).await? {
        return Err(Refusal::missing(
            "No matching runs to cancel: the run has ended.",
        ));
    }
    if !matches!(how.wait.as_deref(), Some("1" | "true" | "True")) {
        return Ok(StatusCode::ACCEPTED.into_response());
    }
    to_end(&graph, run.id).await?;
    Ok(answer(&json!({})))
}

impl App {
    /// A run of a thread, and a graph to read it with.
    async fn find_run(&self, thread: &str, run: &str) -> Result<(RunRecord, DynGraph), Refusal> {
        let (thread, record) = self.find_thread(thread).await?;
        let wrong = |_| Refusal::invalid("Invalid run ID: must be a UUID");
        let run: RunId = run.parse().map_err(wrong)?;
        let found = self.saver.runs().load_run(run).await?;
        let found = found.filter(|run| run.thread.as_str() == thread);
        let found = found.ok_or_else(|| Refusal::missing("Run not found"))?;
        let graph = found
            .metadata
            .get("graph_id")
            .and_then(|graph| graph.as_str());
        let graph = graph.or(record.graph()).unwrap_or_default();
        Ok((found.clone(), self.registry.graph(graph)?.graph.clone()))
    }
}

/// Waits until a run has ended, in whatever process it is.
pub(crate) async fn to_end(graph: &DynGraph, run: RunId) -> Result<(), superstep::Error> {
    let mut reader = graph.follow_run(run, None, Modes::NONE);
    while reader.next().await?.is_some() {}
    Ok(())
}

/// The values that a run left, or why it failed.
async fn end_of(graph: &DynGraph, run: RunRecord) -> Result<Json, superstep::Error> {
    to_end(graph, run.id).await?;
    let ended = graph.find_run(run.id).await?;
    let Some(ended) = ended else {
        // It was deleted with its thread.
        return Err(SaverError::NoRun { run: run.id }.into());
    };
    if let Some(Ending::Failed { code, message }) = &ended.ending {
        return Ok(json!({ "__error__": { "error": code, "message": message } }));
    }
    let saver = graph.backends().saver.as_ref();
    let newest = match saver {
        Some(saver) => {
            saver
                .load(&ended.thread, &GraphPath::default(), At::Latest)
                .await?
        }
        None => None,
    };
    let newest = newest.and_then(|newest| newest.head().map(|head| head.id));
    // While nothing followed, the thread shows what the run left; later the checkpoint does.
    let at = ended.checkpoint.filter(|id| Some(*id) != newest);
    let at = at.map(CheckpointRef::root);
    let state = graph.state(&ended.thread, at.as_ref(), Depth::Here).await?;
    let asks: Vec<Ask> = state.asks().cloned().collect();
    Ok(with_interrupts(state.values.to_json(), &asks))
}

fn status_of(run: &RunRecord) -> &'static str {
    match run.status() {
        RunStatus::Queued => "pending",
        RunStatus::Idle | RunStatus::Running => "running",
        RunStatus::Failed => "error",
        RunStatus::Cancelled | RunStatus::Interrupted => "interrupted",
        // Also one that asks: the next run answers.
        _ => "success",
    }
}

fn shown(run: &RunRecord) -> Json {
    let times = [Some(run.created), run.started, run.ended];
    let updated = times.into_iter().flatten().max().unwrap_or(run.created);
    let micros = |millis: i64| time::text(millis.saturating_mul(1000));
    json!({
        "run_id": run.id.to_string(),
        "thread_id": run.thread.as_str(),
        "assistant_id": run.metadata.get("assistant_id").map(|id| id.to_json()),
        "metadata": run.metadata.to_json(),
        "status": status_of(run),
        "kwargs": {},
        "multitask_strategy": "reject",
        "created_at": micros(run.created),
        "updated_at": micros(updated),
    })
}
