//! Rendering of engine results in the form of the recordings.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use superstep_core::{
    ask::Ask,
    event::{Event, EventKind},
    id::{CheckpointId, GraphPath},
    record::Source,
    snapshot::{Snapshot, SubState, TaskView},
    value::Value,
};

use crate::errors::render_stored;

/// Checkpoint ids by namespace, in order of creation.
pub type Ordinals = HashMap<GraphPath, Vec<CheckpointId>>;

/// A value; an overwrite shows as the recordings write it.
pub fn value(value: &Value) -> Json {
    plain(value.to_json())
}

fn plain(json: Json) -> Json {
    match json {
        Json::Object(map) => {
            if let (1, Some(inner)) = (map.len(), map.get("__overwrite__")) {
                return json!({ "$overwrite": plain(inner.clone()) });
            }
            map.into_iter().map(|(k, v)| (k, plain(v))).collect()
        }
        Json::Array(items) => items.into_iter().map(plain).collect(),
        other => other,
    }
}

/// Open questions.
pub fn asks(asks: &[Ask]) -> Json {
    let one = |ask: &Ask| {
        let mut out = json!({ "value": value(&ask.value), "id": ask.id.to_string() });
        if let (Some(schema), Some(map)) = (&ask.schema, out.as_object_mut()) {
            map.insert("schema".into(), value(schema));
        }
        out
    };
    asks.iter().map(one).collect()
}

fn ordinal(ordinals: &Ordinals, namespace: &GraphPath, id: Option<CheckpointId>) -> Json {
    let found = id.and_then(|id| {
        ordinals
            .get(namespace)?
            .iter()
            .position(|other| *other == id)
    });
    found.map_or(Json::Null, Json::from)
}

/// A snapshot.
pub fn snapshot(snapshot: &Snapshot, ordinals: &Ordinals) -> Json {
    render_snapshot(snapshot, ordinals, |task| {
        let mut out = Map::new();
        out.insert("name".into(), (&*task.name).into());
        out.extend(
            task.error
                .as_ref()
                .map(|error| ("error".into(), render_stored(error))),
        );
        if !task.asks.is_empty() {
            out.insert("interrupts".into(), asks(&task.asks));
        }
        out.extend(
            task.result
                .as_ref()
                .map(|result| ("result".into(), value(result))),
        );
        out.extend(task.state.as_ref().map(|state| {
            let state = match state {
                SubState::At(_) => json!("ref"),
                SubState::Snapshot(inner) => self::snapshot(inner, ordinals),
            };
            ("state".into(), state)
        }));
        out.into()
    })
}

/// A snapshot in a checkpoint event, which leaves out what is empty.
fn checkpoint_event(snapshot: &Snapshot, ordinals: &Ordinals) -> Json {
    render_snapshot(snapshot, ordinals, |task| {
        let mut out = Map::new();
        out.insert("name".into(), (&*task.name).into());
        if let Some(error) = &task.error {
            out.insert("error".into(), render_stored(error));
        } else {
            if !task.asks.is_empty() {
                out.insert("interrupts".into(), asks(&task.asks));
            }
            let result = task.result.as_ref().map(value).filter(truthy);
            out.extend(result.map(|result| ("result".into(), result)));
        }
        if task.state.is_some() {
            out.insert("state".into(), json!("ref"));
        }
        out.into()
    })
}

fn truthy(json: &Json) -> bool {
    match json {
        Json::Null => false,
        Json::Bool(b) => *b,
        Json::Number(n) => n.as_f64() != Some(0.0),
        Json::String(text) => !text.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(map) => !map.is_empty(),
    }
}

fn render_snapshot(
    snapshot: &Snapshot,
    ordinals: &Ordinals,
    task: impl Fn(&TaskView) -> Json,
) -> Json {
    let names: Vec<&str> = snapshot.next.iter().map(|name| &**name).collect();
    let mut out = json!({
        "values": value(&snapshot.values),
        "next": names,
        "tasks": snapshot.tasks.iter().map(task).collect::<Vec<_>>(),
        "checkpoint": ordinal(ordinals, &snapshot.namespace, snapshot.checkpoint),
        "parent": ordinal(ordinals, &snapshot.namespace, snapshot.parent),
    });
    if let (Some((source, step)), Some(map)) = (snapshot.origin, out.as_object_mut()) {
        let name = (source != Source::Anchor).then(|| source.as_str());
        map.insert("source".into(), name.into());
        map.insert("step".into(), step.into());
    }
    out
}

/// Which form of stream chunks a caller wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Questions inside the values.
    V1,
    /// Questions beside the values.
    V2,
}

/// What a reader of a stream asked for.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// Names of modes.
    pub modes: &'a [String],
    /// The form of chunks.
    pub version: Version,
    /// Whether events of subgraphs are shown under their names.
    pub subgraphs: bool,
}

/// An event as the chunks that readers of these modes get.
pub fn chunks(event: &Event, reader: &Reader<'_>, ordinals: &Ordinals) -> Vec<Json> {
    let Reader {
        modes,
        version,
        subgraphs,
    } = *reader;
    let path = if subgraphs {
        event.namespace.path()
    } else {
        Vec::new()
    };
    let wants = |mode: &str| modes.iter().any(|wanted| wanted == mode);
    let (mode, data, debug) = match &event.kind {
        EventKind::Values {
            values,
            asks: questions,
        } => {
            if !wants("values") {
                return Vec::new();
            }
            let mut data = value(values);
            if version == Version::V2 {
                let questions = asks(questions.as_deref().unwrap_or_default());
                return vec![json!(["values", path, data, questions])];
            }
            if let Some(questions) = questions {
                match data.as_object_mut() {
                    Some(map) => {
                        map.insert("__interrupt__".into(), asks(questions));
                    }
                    None => data = json!({ "__interrupt__": asks(questions) }),
                }
            }
            ("values", data, None)
        }
        EventKind::Update {
            node,
            update,
            cached,
        } => {
            let mut data = Map::from_iter([(node.to_string(), value(update))]);
            if *cached {
                data.insert("__metadata__".into(), json!({ "cached": true }));
            }
            ("updates", data.into(), None)
        }
        EventKind::Asked(questions) => {
            ("updates", json!({ "__interrupt__": asks(questions) }), None)
        }
        EventKind::Custom(data) => ("custom", value(data), None),
        EventKind::Message { message, node } => {
            let data = json!({ "message": value(message), "node": &**node, "step": event.step });
            ("messages", data, None)
        }
        EventKind::TaskStart { name, input, .. } => {
            let mut input = value(input);
            if event_is_call(&input) {
                input = json!({ "args": input });
            }
            (
                "tasks",
                json!({ "start": &**name, "input": input }),
                Some("task"),
            )
        }
        EventKind::TaskEnd {
            name,
            result,
            error,
            asks: questions,
            ..
        } => {
            let mut data = json!({ "end": &**name, "result": value(result) });
            if let Some(map) = data.as_object_mut() {
                map.extend(
                    error
                        .as_ref()
                        .map(|error| ("error".into(), render_stored(error))),
                );
                if !questions.is_empty() {
                    map.insert("interrupts".into(), asks(questions));
                }
            }
            ("tasks", data, Some("task_result"))
        }
        EventKind::Checkpoint(snapshot) => (
            "checkpoints",
            checkpoint_event(snapshot, ordinals),
            Some("checkpoint"),
        ),
        _ => return Vec::new(),
    };
    let mut out = Vec::new();
    if wants(mode) {
        out.push(json!([mode, path, data]));
    }
    if let (Some(kind), true) = (debug, wants("debug")) {
        let wrapped = json!({ "type": kind, "step": event.step, "payload": data });
        out.push(json!(["debug", path, wrapped]));
    }
    out
}

/// Arguments of a called task are the only task input that is a list.
fn event_is_call(input: &Json) -> bool {
    input.is_array()
}
