//! A snapshot of a thread as clients see it.

use serde_json::{Map, Value as Json, json};
use superstep::{
    CheckpointId, ThreadId,
    clock::made_at,
    dynamic::{DynAsk, GraphPath, Snapshot, SubState},
};

use super::{message, thread_name::public};
use crate::time;

/// A state of a thread, in the form of LangGraph's `StateSnapshot`.
pub(crate) fn state(snapshot: &Snapshot, graph: &str) -> Json {
    let place = |id: Option<CheckpointId>| match (&snapshot.thread, id) {
        (Some(thread), Some(id)) => checkpoint(thread, &snapshot.namespace, id),
        _ => Json::Null,
    };
    let text = |id: Option<CheckpointId>| id.map(|id| id.to_string());
    json!({
        "values": message::shown(snapshot.values.to_json()),
        "next": snapshot.next,
        "tasks": tasks(snapshot, graph),
        "metadata": metadata(snapshot, graph),
        "created_at": snapshot.checkpoint.map_or(Json::Null, created),
        "checkpoint": place(snapshot.checkpoint),
        "parent_checkpoint": place(snapshot.parent),
        "interrupts": snapshot.asks().map(interrupt).collect::<Vec<_>>(),
        "checkpoint_id": text(snapshot.checkpoint),
        "parent_checkpoint_id": text(snapshot.parent),
    })
}

/// The open questions of a thread, by task.
pub(crate) fn interrupts(snapshot: &Snapshot) -> Json {
    let open = snapshot.tasks.iter().filter(|task| !task.asks.is_empty());
    let asked = open.map(|task| {
        let asks: Vec<Json> = task.asks.iter().map(interrupt).collect();
        (task.id.to_string(), Json::from(asks))
    });
    Json::Object(asked.collect::<Map<_, _>>())
}

/// The address of a checkpoint.
pub(crate) fn checkpoint(thread: &ThreadId, namespace: &GraphPath, id: CheckpointId) -> Json {
    json!({
        "checkpoint_id": id.to_string(),
        "thread_id": public(thread),
        "checkpoint_ns": namespace.as_str(),
    })
}

/// When a checkpoint was made.
pub(crate) fn created(id: CheckpointId) -> Json {
    i64::try_from(made_at(id)).map_or(Json::Null, time::text)
}

fn interrupt(ask: &DynAsk) -> Json {
    let mut shown = json!({ "id": ask.id.to_string(), "value": ask.value.to_json() });
    if let (Some(schema), Json::Object(fields)) = (&ask.schema, &mut shown) {
        fields.insert("schema".to_owned(), schema.to_json());
    }
    if let (Some(deadline), Json::Object(fields)) = (ask.deadline, &mut shown) {
        let deadline = time::text(deadline.saturating_mul(1000));
        fields.insert("deadline".to_owned(), deadline);
    }
    shown
}

fn tasks(snapshot: &Snapshot, graph: &str) -> Vec<Json> {
    let thread = snapshot.thread.as_ref().map(public);
    let show = snapshot.tasks.iter().map(|task| {
        let (place, inner) = match &task.state {
            None => (Json::Null, Json::Null),
            Some(SubState::At(path)) => (
                json!({ "thread_id": thread, "checkpoint_ns": path.as_str() }),
                Json::Null,
            ),
            Some(SubState::Snapshot(inner)) => (Json::Null, state(inner, graph)),
        };
        json!({
            "id": task.id.to_string(),
            "name": task.name,
            "path": ["__pregel_pull", task.name],
            "error": task.error.as_ref().map(|error| &error.message),
            "interrupts": task.asks.iter().map(interrupt).collect::<Vec<_>>(),
            "checkpoint": place,
            "state": inner,
            "result": task.result.as_ref().map(|result| result.to_json()),
        })
    });
    show.collect()
}

fn metadata(snapshot: &Snapshot, graph: &str) -> Json {
    let mut metadata = origin(snapshot);
    if let Json::Object(fields) = &mut metadata {
        let thread = snapshot.thread.as_ref().map(public);
        fields.insert("graph_id".to_owned(), graph.into());
        fields.insert("thread_id".to_owned(), thread.into());
    }
    metadata
}

/// Where a checkpoint comes from.
pub(crate) fn origin(snapshot: &Snapshot) -> Json {
    let Some((source, step)) = snapshot.origin else {
        return Json::Null;
    };
    let parents = snapshot.parents.iter();
    let parents = parents.map(|(path, id)| (path.as_str().to_owned(), id.to_string().into()));
    json!({
        "source": source,
        "step": step,
        "parents": parents.collect::<Map<String, Json>>(),
    })
}
