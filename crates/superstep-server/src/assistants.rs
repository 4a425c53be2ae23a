//! `/assistants`: one for each hosted graph.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    app::App,
    drawing,
    matching::has_all,
    page::Page,
    payload::Payload,
    refusal::{Refusal, answer},
};

const SORTABLE: &[&str] = &[
    "assistant_id",
    "created_at",
    "graph_id",
    "name",
    "updated_at",
];

/// `GET /assistants/{id}`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    Ok(answer(&app.registry.of_assistant(&id)?.assistant()))
}

/// `POST /assistants/search`
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let page = Page::of(&mut body, SORTABLE)?;
    Ok(page.answer(found(&app, &mut body)?))
}

/// `POST /assistants/count`
pub(crate) async fn count(
    State(app): State<Arc<App>>,
    mut body: Payload,
) -> Result<Response, Refusal> {
    Ok(answer(&found(&app, &mut body)?.len().into()))
}

/// `GET /assistants/{id}/schemas`
pub(crate) async fn schemas(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let hosted = app.registry.of_assistant(&id)?;
    let schemas = &hosted.schemas;
    Ok(answer(&json!({
        "graph_id": hosted.id,
        "input_schema": schemas.input,
        "output_schema": schemas.state,
        "state_schema": schemas.state,
        "config_schema": schemas.context.clone().unwrap_or_else(|| json!({})),
        "context_schema": schemas.context,
    })))
}

/// How a graph is to be shown.
#[derive(Debug, Deserialize)]
pub(crate) struct GraphQuery {
    xray: Option<String>,
}

/// `GET /assistants/{id}/graph`, also by the id of the graph.
pub(crate) async fn graph(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(look): Query<GraphQuery>,
) -> Result<Response, Refusal> {
    let hosted = app.registry.named(&id)?;
    let depth = match look.xray.as_deref() {
        None | Some("false" | "False") => 0,
        Some("true" | "True") => usize::MAX,
        Some(depth) => {
            let wrong = |_| Refusal::invalid("`xray` must be true, false or a number");
            depth.parse().map_err(wrong)?
        }
    };
    Ok(answer(&drawing::shown(&hosted.graph.drawing(), depth)))
}

fn found(app: &App, body: &mut Payload) -> Result<Vec<Json>, Refusal> {
    let graph: Option<String> = body.field("graph_id")?;
    let name: Option<String> = body.field("name")?;
    let name = name.unwrap_or_default().to_lowercase();
    let metadata = Json::Object(body.object("metadata")?);
    let text = |row: &Json, key: &str| row.get(key).and_then(Json::as_str).map(str::to_owned);
    let is_wanted = |row: &Json| graph.is_none() || text(row, "graph_id") == graph;
    let is_named = |row: &Json| {
        let own = text(row, "name").unwrap_or_default();
        own.to_lowercase().contains(&name)
    };
    let is_marked = |row: &Json| {
        row.get("metadata")
            .is_some_and(|own| has_all(own, &metadata))
    };
    let rows = app.registry.all().iter().map(|hosted| hosted.assistant());
    let wanted = rows.filter(|row| is_wanted(row) && is_named(row) && is_marked(row));
    Ok(wanted.collect())
}
