//! What happens in a run, as server-sent events.

use axum::body::Bytes;
use serde_json::{Value as Json, json};
use superstep::{
    StoredError,
    dynamic::{Ask, Event, EventKind},
};

/// What tells the events of one run from those of others.
pub(crate) struct RunPlace {
    pub(crate) run: String,
    pub(crate) thread: String,
    pub(crate) graph: String,
    pub(crate) assistant: String,
}

/// One event on the wire. JSON has no line breaks.
pub(crate) fn frame(event: &str, data: &Json) -> Bytes {
    format!("event: {event}\r\ndata: {data}\r\n\r\n").into()
}

/// The frame of an event; nothing for those that no mode of clients shows.
pub(crate) fn shown(event: Event, place: &RunPlace) -> Option<Bytes> {
    let path = event.namespace.as_str();
    let (mode, data) = match event.kind {
        EventKind::Values { values, asks } => {
            let asks = asks.unwrap_or_default();
            ("values", with_interrupts(values.to_json(), &asks))
        }
        EventKind::Update { node, update, .. } => {
            ("updates", json!({ (&*node): update.to_json() }))
        }
        EventKind::Asked(asks) => ("updates", json!({ "__interrupt__": interrupts(&asks) })),
        EventKind::Custom(data) => ("custom", data.to_json()),
        EventKind::Message { message, node } => {
            let metadata = json!({
                "graph_id": place.graph,
                "assistant_id": place.assistant,
                "thread_id": place.thread,
                "run_id": place.run,
                "langgraph_node": node,
                "langgraph_step": event.step,
                "langgraph_checkpoint_ns": path,
            });
            ("messages", json!([message.to_json(), metadata]))
        }
        _ => return None,
    };
    Some(match event.namespace.is_root() {
        true => frame(mode, &data),
        false => frame(&format!("{mode}|{path}"), &data),
    })
}

/// The values of a state, with the questions that were just asked.
pub(crate) fn with_interrupts(mut values: Json, asks: &[Ask]) -> Json {
    if let (Json::Object(fields), false) = (&mut values, asks.is_empty()) {
        fields.insert("__interrupt__".to_owned(), interrupts(asks));
    }
    values
}

/// Why a run failed.
pub(crate) fn failure(error: &superstep::Error) -> Json {
    let error = StoredError::from(error);
    json!({ "error": error.class, "message": error.message })
}

fn interrupts(asks: &[Ask]) -> Json {
    let show = |ask: &Ask| {
        let schema = ask.schema.as_ref().map(|schema| schema.to_json());
        json!({ "value": ask.value.to_json(), "id": ask.id.to_string(), "response_schema": schema })
    };
    asks.iter().map(show).collect()
}
