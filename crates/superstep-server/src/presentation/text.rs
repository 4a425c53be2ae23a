//! `GET /threads/{id}/text?name=…`: a document that a thread read or a page that it wrote, as its agent gives it.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
    response::{IntoResponse, Response},
};
use superstep::dynamic::state::Depth;

use crate::{
    app::App,
    owners::{graphs::of_owner, visitor::Visitor},
    refusal::Refusal,
    request::query::Params,
};

/// `GET /threads/{id}/text?name=…`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    params: Params,
) -> Result<Response, Refusal> {
    let name = params.get("name").unwrap_or_default();
    let (id, record) = app.find_thread(&caller, &id).await?;
    let missing = || Refusal::missing(format!("this thread names no text `{name}`"));
    let hosted = record
        .graph()
        .and_then(|graph| app.registry.graph(graph).ok());
    let hosted = hosted.ok_or_else(missing)?;
    let graph = of_owner(&hosted.graph, record.owner.as_deref())?;
    let state = graph.state(&record.thread(&id), None, Depth::Here).await?;
    let values = state.values.to_json();
    let store = graph.backends().store.clone();
    let text = hosted.agent().await.text(name, &values, store).await;
    let text = text.map_err(|error| Refusal::invalid(error.to_string()))?;
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, text.ok_or_else(missing)?).into_response())
}
