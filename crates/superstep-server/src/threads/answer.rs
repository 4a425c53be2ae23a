//! `POST /threads/{id}/answer`: a typed line as an answer to an open question, as the agent reads it.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value as Json, json};
use superstep::{OpenAsk, dynamic::state::Depth};
use superstep_agent::{Notice, Reading, names_question};

use crate::{
    app::App,
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
    request::payload::Payload,
};

/// `POST /threads/{id}/answer`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let missing = |name: &str| Refusal::invalid(format!("`{name}` is missing"));
    let question: String = body.field("question")?.ok_or_else(|| missing("question"))?;
    let text: String = body.field("text")?.ok_or_else(|| missing("text"))?;
    let (id, record) = app.find_thread(&caller, &id).await?;
    let graph = record.graph().unwrap_or_default();
    let hosted = app.registry.graph_for(graph, caller.owner().as_deref())?;
    let state = hosted
        .graph
        .state(&record.thread(&id), None, Depth::Here)
        .await?;
    let mut asks = state.asks();
    let Some(ask) = asks.find(|ask| names_question(&question, ask.id)) else {
        let why = "the thread does not wait for an answer to this question any more";
        return Err(Refusal::new(StatusCode::CONFLICT, why));
    };
    let reading = hosted.agent().await.read(&OpenAsk::from(ask), &text);
    let reading = reading.map_err(|error| {
        let code = error.get().code();
        Refusal::invalid(format!("[{code}] {error}"))
    })?;
    let read = match reading {
        Reading::Answer(read) => read,
        Reading::Empty => return Ok(unclear("the answer is empty", &[])),
        Reading::Unclear(expected) => return Ok(unclear(&expected, &[])),
        Reading::Refused(notice) => {
            return Ok(unclear("this cannot be answered here", &[notice]));
        }
    };
    let assistant = record.metadata.get("assistant_id").cloned();
    let resume = Map::from_iter([(read.id.to_string(), read.value.clone())]);
    let fields = Map::from_iter([
        ("assistant_id".to_owned(), assistant.unwrap_or(graph.into())),
        ("command".to_owned(), json!({ "resume": resume })),
        // Of two answers at a time one is taken, and the other one's sender is told.
        ("multitask_strategy".to_owned(), "reject".into()),
    ]);
    let mut fields = Payload::of(fields);
    let accepted = app.submit(&caller, Some(&id), &mut fields).await?;
    Ok(answer(&json!({
        "answer": read.value,
        "run_id": accepted.run.id.to_string(),
        "notices": read.after,
    })))
}

/// What the agent did not understand, and what it expects.
fn unclear(expected: &str, notices: &[Notice]) -> Response {
    let body: Json = json!({ "detail": expected, "unclear": expected, "notices": notices });
    (StatusCode::UNPROCESSABLE_ENTITY, answer(&body)).into_response()
}
