//! `/threads/{id}/runs`: which runs a thread has, joining them, ending them, and forgetting them.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    http::{
        HeaderMap, StatusCode,
        header::{CONTENT_LOCATION, CONTENT_TYPE, LOCATION},
    },
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep::{
    Cancel, CancelRequest, RunId, RunQuery, RunRecord,
    clock::{Clock as _, SystemClock},
    dynamic::Repeated,
};
use tokio::sync::mpsc;

use super::{
    kwargs::RunKwargs,
    sse,
    stream::{Along, EventId, Over, Since},
    stream_mode::Mode,
    view::{self, is_taken_back},
    waiting::{AHEAD, waiting},
};
use crate::{
    app::App,
    forms::thread_name::public,
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
    registry::Hosted,
    request::{payload::Payload, query::Params},
};

const STATUSES: &[&str] = &[
    "pending", "running", "error", "success", "timeout", "interrupted",
];

/// `GET /threads/{id}/runs`
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    params: Params,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(&caller, &id).await?;
    let limit = params.number("limit")?.unwrap_or(10);
    let offset = params.number("offset")?.unwrap_or(0);
    let status = params.word("status", STATUSES)?;
    let select = params.all("select");
    let thread = record.thread(&id);
    let (mut rows, enough) = (Vec::new(), offset.saturating_add(limit));
    let mut pages = app.run_pages(&thread);
    while rows.len() < enough {
        let runs = pages.next().await?;
        if runs.is_empty() {
            break;
        }
        for run in &runs {
            let is_wanted = status.is_none_or(|wanted| wanted == view::status(run));
            if is_wanted && !app.is_forgotten(run).await? {
                rows.push(view::shown(run));
            }
        }
    }
    let rows = rows.into_iter().skip(offset).take(limit);
    let rows = rows.map(|row| match (select.is_empty(), row) {
        (false, Json::Object(row)) => {
            let wanted = |(key, _): &(String, Json)| select.contains(&&**key);
            Json::Object(row.into_iter().filter(wanted).collect::<Map<_, _>>())
        }
        (_, row) => row,
    });
    Ok(answer(&rows.collect()))
}

/// `GET /threads/{id}/runs/{run}`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path((id, run)): Path<(String, String)>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    Ok(answer(&view::shown(
        &app.find_run(&caller, &id, &run).await?.0,
    )))
}

/// `DELETE /threads/{id}/runs/{run}`: its record is shown no more; what it stored stays.
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Path((id, run)): Path<(String, String)>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    let (run, _) = app.find_run(&caller, &id, &run).await?;
    app.cancel_run(run.id, Cancel::Now, "a client deleted it")
        .await?;
    app.deleted_runs
        .make(&run.id.to_string(), &json!({}))
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GET /threads/{id}/runs/{run}/join`
pub(crate) async fn join(
    State(app): State<Arc<App>>,
    Path((id, run)): Path<(String, String)>,
    caller: Visitor,
    params: Params,
) -> Result<Response, Refusal> {
    let (run, hosted) = app.find_run(&caller, &id, &run).await?;
    let place = format!("/threads/{}/runs/{}", public(&run.thread), run.id);
    let headers = [
        (CONTENT_TYPE, "application/json".to_owned()),
        (LOCATION, format!("{place}/join")),
        (CONTENT_LOCATION, place),
    ];
    let graph = hosted.graph.clone();
    let reader = app.read_along(&run).await?;
    let (id, cancels) = (run.id, params.flag("cancel_on_disconnect"));
    let gone = {
        let app = app.clone();
        move || {
            if cancels {
                tokio::spawn(async move { app.cancel_left(id).await });
            }
        }
    };
    let end = async move {
        let end = app.end_of(&graph, id).await;
        drop(reader);
        end
    };
    Ok((headers, waiting(end, gone)).into_response())
}

/// `GET /threads/{id}/runs/{run}/stream`
pub(crate) async fn join_stream(
    State(app): State<Arc<App>>,
    Path((id, run)): Path<(String, String)>,
    caller: Visitor,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (run, hosted) = app.find_run(&caller, &id, &run).await?;
    let place = format!("/threads/{}/runs/{}", public(&run.thread), run.id);
    joined(&app, &run, hosted, place, &params, &headers).await
}

/// `GET /runs/{run}/stream`
pub(crate) async fn join_stream_alone(
    State(app): State<Arc<App>>,
    Path(run): Path<String>,
    caller: Visitor,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (run, hosted) = app.find_any_run(&caller, &run).await?;
    let place = format!("/runs/{}", run.id);
    joined(&app, &run, hosted, place, &params, &headers).await
}

async fn joined(
    app: &Arc<App>,
    run: &RunRecord,
    hosted: &Hosted,
    place: String,
    params: &Params,
    headers: &HeaderMap,
) -> Result<Response, Refusal> {
    let since = match headers.get("last-event-id").map(|id| id.to_str()) {
        None => Since::Now,
        Some(id) => {
            let id = id.ok().and_then(|id| id.parse().ok());
            let wrong = || Refusal::invalid("`Last-Event-ID` is not an id of this stream");
            match id.ok_or_else(wrong)? {
                EventId::ZERO => Since::Start,
                id => Since::After(id),
            }
        }
    };
    let kwargs = RunKwargs::of(run);
    // Clients that leave it to the server send an empty one.
    let mut wanted = params.all("stream_mode");
    wanted.retain(|mode| !mode.is_empty());
    let modes = match wanted.is_empty() {
        true if kwargs.stream_mode.is_empty() => vec![Mode::Values],
        true => kwargs.stream_mode.clone(),
        false => Mode::read(Some(wanted.into_iter().map(Json::from).collect()))?,
    };
    // Who joins only for some kinds does not want the frame that names the run.
    let along = Along::new((&hosted.graph, hosted.name()), run, &kwargs, modes, since);
    let reader = app.read_along(run).await?;
    let (out, frames) = mpsc::channel(AHEAD);
    let (app, run, cancels) = (app.clone(), run.id, params.flag("cancel_on_disconnect"));
    tokio::spawn(async move {
        let over = along.pass(&app, &out).await;
        if over == Over::Client && cancels {
            app.cancel_left(run).await;
        }
        drop(reader);
    });
    let places = [
        (LOCATION, format!("{place}/stream")),
        (CONTENT_LOCATION, place),
    ];
    Ok((places, sse(frames)).into_response())
}

/// How a run is to be cancelled.
#[derive(Debug, Deserialize)]
pub(crate) struct How {
    wait: Option<String>,
    action: Option<String>,
    repeat_effects: Option<String>,
}

fn is_yes(given: Option<&str>) -> bool {
    matches!(given, Some("1" | "true" | "True"))
}

impl How {
    fn cancel(&self) -> Result<Cancel, Refusal> {
        match self.action.as_deref() {
            None | Some("interrupt") => Ok(Cancel::Now),
            Some("rollback") if is_yes(self.repeat_effects.as_deref()) => {
                Ok(Cancel::RollbackRepeating)
            }
            Some("rollback") => Ok(Cancel::Rollback),
            _ => Err(Refusal::invalid("`action` must be interrupt or rollback")),
        }
    }
}

/// Why a run ends that a client cancels.
const BY_CLIENT: &str = "a client cancelled it";

/// What became of a client's wish to cancel a run.
enum Cancelled {
    /// The run had ended before.
    Before,
    /// It ends, as it was wanted.
    Asked,
    /// It has ended; what it stored was to be undone and is kept, because of these.
    Kept(Vec<Repeated>),
}

/// `POST /threads/{id}/runs/{run}/cancel`
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Path((id, run)): Path<(String, String)>,
    caller: Visitor,
    Query(how): Query<How>,
) -> Result<Response, Refusal> {
    let cancel = how.cancel()?;
    let (run, hosted) = app.find_run(&caller, &id, &run).await?;
    let waits = is_yes(how.wait.as_deref());
    let cancelled = app.cancel_by_client(&run, hosted, cancel, waits).await?;
    match cancelled {
        Cancelled::Before => Err(Refusal::missing(
            "No matching runs to cancel: the run has ended.",
        )),
        Cancelled::Kept(effects) => Err(Refusal::kept(effects)),
        Cancelled::Asked if waits => Ok(answer(&json!({}))),
        Cancelled::Asked => Ok(StatusCode::ACCEPTED.into_response()),
    }
}

/// `POST /runs/cancel`: runs of a thread by their ids, or all of it with a status.
pub(crate) async fn cancel_many(
    State(app): State<Arc<App>>,
    caller: Visitor,
    Query(mut how): Query<How>,
    mut body: Payload,
) -> Result<Response, Refusal> {
    // What is said beside the runs counts as what is said in the address.
    how.action = how.action.or(body.field("action")?);
    let cancel = how.cancel()?;
    let thread: Option<String> = body.field("thread_id")?;
    let ids: Option<Vec<String>> = body.field("run_ids")?;
    let status = body.word("status", &["pending", "running", "all"])?;
    let mut found = Vec::new();
    match (thread, ids) {
        (Some(thread), Some(ids)) => {
            for id in ids {
                found.push(app.find_run(&caller, &thread, &id).await?.0);
            }
        }
        (Some(thread), None) => {
            let (thread, record) = app.find_thread(&caller, &thread).await?;
            let thread = record.thread(&thread);
            let runs = app.saver.runs();
            found = runs.load_runs(&thread, &RunQuery::default()).await?;
        }
        (None, Some(_)) => return Err(Refusal::invalid("`run_ids` need a `thread_id`")),
        (None, None) if status.is_none() => {
            let why = "`thread_id` with `run_ids`, or `status`, is missing";
            return Err(Refusal::invalid(why));
        }
        (None, None) => {
            let mut after = None;
            loop {
                let (page, next) = app.threads_of(&caller, None, after).await?;
                for (thread, record) in page {
                    let thread = record.thread(&thread);
                    let runs = app.saver.runs();
                    found.extend(runs.load_runs(&thread, &RunQuery::default()).await?);
                }
                if next.is_none() {
                    break;
                }
                after = next;
            }
        }
    }
    let is_meant = |run: &RunRecord| match status {
        Some("pending" | "running") => status == Some(view::status(run)),
        _ => matches!(view::status(run), "pending" | "running"),
    };
    let (mut is_any, mut kept) = (false, Vec::new());
    for run in found.iter().filter(|run| is_meant(run)) {
        let cancelled = match app.registry.of_run(run) {
            Some(hosted) => app.cancel_by_client(run, hosted, cancel, false).await?,
            None => match app.cancel_run(run.id, cancel, BY_CLIENT).await? {
                true => Cancelled::Asked,
                false => Cancelled::Before,
            },
        };
        is_any |= !matches!(cancelled, Cancelled::Before);
        if let Cancelled::Kept(effects) = cancelled {
            kept.extend(effects);
        }
    }
    if !kept.is_empty() {
        return Err(Refusal::kept(kept));
    }
    match is_any {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(Refusal::missing("No runs found to cancel.")),
    }
}

impl App {
    /// A run of a thread, and its graph.
    pub(crate) async fn find_run(
        &self,
        caller: &Visitor,
        thread: &str,
        run: &str,
    ) -> Result<(RunRecord, &Hosted), Refusal> {
        let (thread, record) = self.find_thread(caller, thread).await?;
        let wrong = |_| Refusal::invalid("Invalid run ID: must be a UUID");
        let run: RunId = run.parse().map_err(wrong)?;
        let found = self.saver.runs().load_run(run).await?;
        let found = found.filter(|run| run.thread == record.thread(&thread));
        let found = found.ok_or_else(Refusal::no_run)?;
        if self.is_forgotten(&found).await? {
            return Err(Refusal::no_run());
        }
        let hosted = match self.registry.of_run(&found) {
            Some(hosted) => hosted,
            None => self.registry.graph(record.graph().unwrap_or_default())?,
        };
        Ok((found, hosted))
    }

    /// A run, whatever its thread.
    async fn find_any_run(
        &self,
        caller: &Visitor,
        run: &str,
    ) -> Result<(RunRecord, &Hosted), Refusal> {
        let wrong = |_| Refusal::invalid("Invalid run ID: must be a UUID");
        let id: RunId = run.parse().map_err(wrong)?;
        let found = self.saver.runs().load_run(id).await?;
        let found = found.ok_or_else(Refusal::no_run)?;
        let found = self.find_run(caller, &public(&found.thread), run).await;
        // The refusal of a thread would name it.
        found.map_err(|refused| match refused.is_missing() {
            true => Refusal::no_run(),
            false => refused,
        })
    }

    /// Whether a run is shown no more.
    pub(super) async fn is_forgotten(&self, run: &RunRecord) -> Result<bool, Refusal> {
        let deleted = self.deleted_runs.find(&run.id.to_string()).await?;
        Ok(is_taken_back(run) || deleted.is_some())
    }

    /// Cancels a run for a client. One that is to be taken back and made effects is stopped only.
    async fn cancel_by_client(
        self: &Arc<Self>,
        run: &RunRecord,
        hosted: &Hosted,
        how: Cancel,
        waits: bool,
    ) -> Result<Cancelled, Refusal> {
        let effects = match how {
            Cancel::Rollback => hosted.graph.effects_of_run(run.id).await?,
            _ => Vec::new(),
        };
        let is_kept = !effects.is_empty();
        let asked = if is_kept { Cancel::Now } else { how };
        let is_open = hosted.graph.cancel_with(run.id, asked, BY_CLIENT).await?;
        self.readers.wake.notify_one();
        if !is_open {
            return Ok(Cancelled::Before);
        }
        self.events.end(&run.thread, run.id);
        if is_kept {
            self.to_end(run.id).await?;
            return Ok(Cancelled::Kept(effects));
        }
        if waits {
            let ended = self.to_end(run.id).await?;
            // It may have made effects meanwhile.
            if how == Cancel::Rollback && !is_taken_back(&ended) {
                let effects = hosted.graph.effects_of_run(run.id).await?;
                if !effects.is_empty() {
                    return Ok(Cancelled::Kept(effects));
                }
            }
        }
        Ok(Cancelled::Asked)
    }

    /// Asks to cancel a run; says whether it had not ended.
    pub(crate) async fn cancel_run(
        self: &Arc<Self>,
        run: RunId,
        how: Cancel,
        reason: &str,
    ) -> Result<bool, Refusal> {
        let request = CancelRequest {
            how,
            reason: reason.to_owned(),
            at: SystemClock.now(),
        };
        let is_open = self.saver.runs().request_cancel(run, request).await?;
        // One that waited is over with that.
        self.readers.wake.notify_one();
        Ok(is_open)
    }
}
