//! `/threads/{id}/state` and `/threads/{id}/history`: what a thread holds, held, and is made to
//! hold.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep::{
    CheckpointRef, HistoryQuery,
    dynamic::{DynUpdate, END, GraphPath, Output, Snapshot, state::Depth},
};

use crate::{
    app::App,
    forms::{checkpoint, snapshot},
    owners::visitor::Visitor,
    presentation::question::{add_views, questions},
    refusal::{REPEATS, Refusal, answer},
    registry::Hosted,
    request::{matching::has_all, payload::Payload},
};

/// The most states of a history.
const MOST: usize = 1000;

/// An update of the state in the name of a node.
#[derive(Debug, Deserialize)]
pub(crate) struct StateUpdate {
    #[serde(default)]
    values: Json,
    as_node: Option<String>,
}

/// An update as a graph takes it.
pub(super) fn update_of(update: StateUpdate) -> Result<DynUpdate, Refusal> {
    let output = match update.values {
        Json::Null => Output::Nothing,
        Json::Object(values) => Output::Update(Json::Object(values).into()),
        Json::Array(many) => Output::Many(
            many.into_iter()
                .map(|one| Output::Update(one.into()))
                .collect(),
        ),
        _ => {
            return Err(Refusal::invalid(
                "`values` must be an object, a list or null",
            ));
        }
    };
    Ok(DynUpdate {
        output,
        as_node: update.as_node.map(Into::into),
    })
}

/// What a query asks of a state.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct StateQuery {
    subgraphs: Option<String>,
}

impl StateQuery {
    fn depth(&self) -> Depth {
        depth(matches!(
            self.subgraphs.as_deref(),
            Some("true" | "True" | "1")
        ))
    }
}

/// `GET /threads/{id}/state`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    Query(look): Query<StateQuery>,
) -> Result<Response, Refusal> {
    shown(
        &app,
        (&caller, &id),
        &CheckpointRef::default(),
        look.depth(),
    )
    .await
}

/// `GET /threads/{id}/state/{checkpoint}`
pub(crate) async fn get_at(
    State(app): State<Arc<App>>,
    Path((id, checkpoint)): Path<(String, String)>,
    caller: Visitor,
    Query(look): Query<StateQuery>,
) -> Result<Response, Refusal> {
    let at = CheckpointRef::root(checkpoint::read(&checkpoint)?);
    shown(&app, (&caller, &id), &at, look.depth()).await
}

/// `POST /threads/{id}/state/checkpoint`
pub(crate) async fn post_at(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let at: Option<Json> = body.field("checkpoint")?;
    let is_deep = body.field("subgraphs")?.unwrap_or(false);
    shown(
        &app,
        (&caller, &id),
        &checkpoint::named(at.as_ref())?,
        depth(is_deep),
    )
    .await
}

/// `POST /threads/{id}/state`
pub(crate) async fn update(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    app.check_files(&caller, &body.look("values")).await?;
    let (id, record) = app.find_thread(&caller, &id).await?;
    let at: Option<Json> = body.field("checkpoint")?;
    let at = match (at, body.field::<String>("checkpoint_id")?) {
        (None, Some(id)) => CheckpointRef::root(checkpoint::read(&id)?),
        (at, _) => checkpoint::named(at.as_ref())?,
    };
    let at = CheckpointRef {
        repeats: body.field(REPEATS)?.unwrap_or(false),
        ..at
    };
    let update = update_of(StateUpdate {
        values: body.field("values")?.unwrap_or_default(),
        as_node: body.field("as_node")?,
    })?;
    let Some(graph) = record.graph() else {
        let why = format!("Thread {id} has no graph: run it, or set `graph_id` in its metadata");
        return Err(Refusal::new(StatusCode::BAD_REQUEST, why));
    };
    let hosted = app.registry.graph_for(graph, caller.owner().as_deref())?;
    let thread = record.thread(&id);
    // Ending a thread writes nothing and runs nothing.
    let ends = update.as_node.as_deref() == Some(END)
        && update.output == Output::Nothing
        && at.id.is_none();
    if !ends {
        hosted.graph.check_update(Some(&at), &update)?;
        let on = (&hosted.graph, &thread);
        app.check_edit(&caller, on, Some(&at)).await?;
        app.mark_edited(&thread).await?;
    }
    let made = hosted
        .graph
        .update_state(&thread, Some(&at), update)
        .await?;
    // The thread may have been deleted, with its mark, before the edit made it anew.
    if !ends {
        app.mark_edited(&thread).await?;
    }
    app.events.change(&thread, record.owner.as_deref());
    let made_id = made.id.map(|id| id.to_string());
    let place = json!({
        "thread_id": id,
        "checkpoint_ns": made.namespace.as_str(),
        "checkpoint_id": made_id,
    });
    Ok(answer(&json!({
        "checkpoint": place,
        "configurable": place,
        "checkpoint_id": made_id,
    })))
}

/// What a client wants of a history.
#[derive(Debug)]
struct Wanted {
    query: HistoryQuery,
    namespace: GraphPath,
    metadata: Json,
}

impl Wanted {
    fn new(limit: Option<usize>, before: Option<&Json>) -> Result<Self, Refusal> {
        let limit = limit.unwrap_or(10);
        if !(1..=MOST).contains(&limit) {
            return Err(Refusal::invalid(format!("`limit` must be 1 to {MOST}")));
        }
        Ok(Self {
            query: HistoryQuery {
                limit: Some(limit),
                before: checkpoint::named(before)?.id,
                ..HistoryQuery::default()
            },
            namespace: GraphPath::default(),
            metadata: Json::Object(Map::new()),
        })
    }
}

/// The query of a history.
#[derive(Debug, Deserialize)]
pub(crate) struct HistoryParams {
    limit: Option<String>,
    before: Option<String>,
}

/// `GET /threads/{id}/history`
pub(crate) async fn get_history(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    Query(params): Query<HistoryParams>,
) -> Result<Response, Refusal> {
    let before = params.before.map(Json::from);
    let limit = params.limit.map(|limit| limit.parse::<usize>()).transpose();
    let limit = limit.map_err(|error| Refusal::invalid(format!("`limit`: {error}")))?;
    history(&app, (&caller, &id), Wanted::new(limit, before.as_ref())?).await
}

/// `POST /threads/{id}/history`
pub(crate) async fn post_history(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let before: Option<Json> = body.field("before")?;
    let mut wanted = Wanted::new(body.field("limit")?, before.as_ref())?;
    wanted.metadata = Json::Object(body.object("metadata")?);
    let at: Option<Json> = body.field("checkpoint")?;
    wanted.namespace = checkpoint::named(at.as_ref())?.namespace;
    history(&app, (&caller, &id), wanted).await
}

async fn history(
    app: &App,
    (caller, id): (&Visitor, &str),
    wanted: Wanted,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(caller, id).await?;
    let Some(hosted) = hosted(app, record.graph())? else {
        return Ok(answer(&json!([])));
    };
    let is_any = wanted.metadata.as_object().is_some_and(Map::is_empty);
    let mut query = wanted.query;
    // What is filtered here is counted here.
    let limit = query.limit.take().unwrap_or(MOST);
    if is_any {
        query.limit = Some(limit);
    }
    let thread = record.thread(&id);
    let states = hosted
        .graph
        .history(&thread, &wanted.namespace, &query)
        .await?;
    let states = states
        .iter()
        .map(|state| snapshot::state(state, &hosted.id));
    let is_wanted = |state: &Json| {
        let metadata = state.get("metadata");
        metadata.is_some_and(|metadata| has_all(metadata, &wanted.metadata))
    };
    let states: Vec<Json> = states.filter(is_wanted).take(limit).collect();
    Ok(answer(&Json::from(states)))
}

async fn shown(
    app: &App,
    (caller, id): (&Visitor, &str),
    at: &CheckpointRef,
    depth: Depth,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(caller, id).await?;
    let thread = record.thread(&id);
    let Some(hosted) = hosted(app, record.graph())? else {
        let empty = Snapshot::empty(Some(thread), GraphPath::default());
        return Ok(answer(&snapshot::state(&empty, "")));
    };
    let state = hosted.graph.state(&thread, Some(at), depth).await?;
    let mut shown = snapshot::state(&state, &hosted.id);
    if state.asks().next().is_some() {
        let asked = questions(&mut **hosted.agent().await, &state);
        add_views(&mut shown, &asked);
    }
    Ok(answer(&shown))
}

/// The graph of a thread; nothing for one that was never run.
fn hosted<'a>(app: &'a App, graph: Option<&str>) -> Result<Option<&'a Hosted>, Refusal> {
    graph.map(|graph| app.registry.graph(graph)).transpose()
}

fn depth(is_deep: bool) -> Depth {
    match is_deep {
        true => Depth::Subgraphs,
        false => Depth::Here,
    }
}
