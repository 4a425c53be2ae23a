//! What happens in a run, as events of the protocol.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use superstep::{
    Ending,
    dynamic::{DynEvent, EventKind},
};

use crate::forms::{self, message::Sum};

/// An event without its number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProtocolEvent {
    pub(super) method: &'static str,
    pub(super) namespace: Vec<String>,
    pub(super) data: Json,
}

/// Makes events of the protocol of those of one run.
#[derive(Default)]
pub(super) struct Events {
    name: String,
    /// Graphs within that have started, by their namespace, each with its name.
    inner: HashMap<Vec<String>, String>,
    messages: HashMap<String, Open>,
}

/// A message that has begun.
#[derive(Default)]
struct Open {
    sum: Sum,
    namespace: Vec<String>,
    /// The text block, if there is one: its place.
    text: Option<usize>,
    blocks: usize,
    so_far: String,
    is_done: bool,
}

impl Events {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// The run begins.
    pub(super) fn begin(&self) -> ProtocolEvent {
        self.lifecycle("running", None)
    }

    /// The run has ended; why, if it failed.
    pub(super) fn end(&mut self, ending: &Ending, failure: Option<&str>) -> Vec<ProtocolEvent> {
        let mut emitted = self.finish_messages(&[]);
        emitted.push(match ending {
            Ending::Failed { message, .. } => {
                self.lifecycle("failed", Some(failure.unwrap_or(message)))
            }
            Ending::Done => self.lifecycle("completed", None),
            _ => self.lifecycle("interrupted", None),
        });
        emitted
    }

    fn lifecycle(&self, event: &str, error: Option<&str>) -> ProtocolEvent {
        let mut data = json!({ "event": event, "graph_name": self.name });
        if let (Some(error), Json::Object(fields)) = (error, &mut data) {
            fields.insert("error".to_owned(), error.into());
        }
        ProtocolEvent {
            method: "lifecycle",
            namespace: Vec::new(),
            data,
        }
    }

    /// What an event of the run becomes.
    pub(super) fn of(&mut self, event: &DynEvent) -> Vec<ProtocolEvent> {
        let namespace = segments(event.namespace.as_str());
        let mut emitted = self.enter(&namespace);
        let here = |method, data| ProtocolEvent {
            method,
            namespace: namespace.clone(),
            data,
        };
        match &event.kind {
            EventKind::Values { values, asks } => {
                emitted.extend(self.finish_messages(&namespace));
                // Questions come as events of their own.
                if asks.is_none() {
                    emitted.push(here("values", blocks_in(values.to_json())));
                }
            }
            EventKind::Update { node, update, .. } => {
                let values = forms::message::shown(update.to_json());
                emitted.push(here("updates", json!({ "node": node, "values": values })));
            }
            EventKind::Asked(asks) if namespace.is_empty() => {
                for ask in asks {
                    let value = ask.value.to_json();
                    // Clients of different ages look under either name.
                    let data = json!({
                        "interrupt_id": ask.id.to_string(),
                        "payload": value,
                        "value": value,
                    });
                    emitted.push(here("input.requested", data));
                }
            }
            EventKind::Custom(data) => {
                let data = data.to_json();
                let name = data.get("name").and_then(Json::as_str).map(str::to_owned);
                emitted.push(here("custom", json!({ "name": name, "payload": data })));
            }
            EventKind::TaskStart {
                id, name, input, ..
            } => {
                let input = forms::message::shown(input.to_json());
                let data = json!({
                    "id": id.to_string(),
                    "name": name,
                    "input": input,
                    "triggers": [format!("branch:to:{name}")],
                });
                emitted.push(here("tasks", data));
            }
            EventKind::TaskEnd {
                id,
                name,
                result,
                error,
                asks,
            } => {
                emitted.extend(self.leave(
                    &namespace,
                    name,
                    &id.to_string(),
                    error.is_some(),
                    !asks.is_empty(),
                ));
                let data = json!({
                    "id": id.to_string(),
                    "name": name,
                    "error": error.as_ref().map(|error| &error.message),
                    "result": forms::message::shown(result.to_json()),
                    "interrupts": asks
                        .iter()
                        .map(|ask| json!({ "id": ask.id.to_string(), "value": ask.value.to_json() }))
                        .collect::<Vec<_>>(),
                });
                emitted.push(here("tasks", data));
            }
            EventKind::Checkpoint(state) => {
                let (source, step) = match state.origin {
                    Some((source, step)) => (json!(source), step),
                    None => (Json::Null, event.step),
                };
                let data = json!({
                    "id": state.checkpoint.map(|id| id.to_string()),
                    "parent_id": state.parent.map(|id| id.to_string()),
                    "step": step,
                    "source": source,
                });
                emitted.push(here("checkpoints", data));
            }
            EventKind::Message { message, .. } => {
                let piece = forms::message::piece(message.to_json());
                emitted.extend(self.message(&namespace, &piece));
            }
            _ => {}
        }
        emitted
    }

    /// The graph of a namespace starts with its first event.
    fn enter(&mut self, namespace: &[String]) -> Vec<ProtocolEvent> {
        let Some(last) = namespace.last() else {
            return Vec::new();
        };
        if self.inner.contains_key(namespace) {
            return Vec::new();
        }
        let (name, task) = last.split_once(':').unwrap_or((last, ""));
        self.inner.insert(namespace.to_vec(), name.to_owned());
        let data = json!({
            "event": "started",
            "namespace": namespace,
            "graph_name": name,
            "trigger_call_id": task,
        });
        vec![ProtocolEvent {
            method: "lifecycle",
            namespace: namespace.to_vec(),
            data,
        }]
    }

    /// The graph of a task ends with it.
    fn leave(
        &mut self,
        above: &[String],
        node: &str,
        task: &str,
        is_failed: bool,
        is_asking: bool,
    ) -> Vec<ProtocolEvent> {
        let mut namespace = above.to_vec();
        namespace.push(format!("{node}:{task}"));
        let Some(name) = self.inner.remove(&namespace) else {
            return Vec::new();
        };
        let event = match (is_failed, is_asking) {
            (true, _) => "failed",
            (false, true) => "interrupted",
            (false, false) => "completed",
        };
        let data = json!({ "event": event, "graph_name": name });
        vec![ProtocolEvent {
            method: "lifecycle",
            namespace,
            data,
        }]
    }

    fn message(&mut self, namespace: &[String], piece: &Json) -> Vec<ProtocolEvent> {
        // What tools and people say is in the values.
        if piece
            .get("type")
            .is_none_or(|kind| kind != "AIMessageChunk")
        {
            return Vec::new();
        }
        let id = piece.get("id").and_then(Json::as_str).unwrap_or_default();
        let mut emitted = Vec::new();
        let mut say = |data| {
            emitted.push(ProtocolEvent {
                method: "messages",
                namespace: namespace.to_vec(),
                data,
            });
        };
        let open = self.messages.entry(id.to_owned()).or_insert_with(|| {
            say(json!({ "event": "message-start", "role": "ai", "id": id }));
            Open {
                namespace: namespace.to_vec(),
                ..Open::default()
            }
        });
        open.sum.add(piece);
        let text = text_of(piece.get("content"));
        if !text.is_empty() {
            let index = *open.text.get_or_insert_with(|| {
                let index = open.blocks;
                open.blocks += 1;
                let content = json!({ "type": "text", "text": "" });
                say(json!({ "event": "content-block-start", "index": index, "content": content }));
                index
            });
            open.so_far.push_str(&text);
            let delta = json!({ "type": "text-delta", "text": text });
            say(json!({ "event": "content-block-delta", "index": index, "delta": delta }));
        }
        let calls = piece.get("tool_calls").and_then(Json::as_array);
        for call in calls.into_iter().flatten() {
            let index = open.blocks;
            open.blocks += 1;
            let field = |name: &str| call.get(name).cloned().unwrap_or_default();
            let start = json!({
                "type": "tool_call_chunk",
                "id": field("id"),
                "name": field("name"),
                "args": "",
                "index": index,
            });
            say(json!({ "event": "content-block-start", "index": index, "content": start }));
            let delta = json!({ "type": "tool-call-delta", "args": field("args").to_string() });
            say(json!({ "event": "content-block-delta", "index": index, "delta": delta }));
            let whole = tool_call(call);
            say(json!({ "event": "content-block-finish", "index": index, "content": whole }));
        }
        let is_last = piece.get("chunk_position").is_some_and(|it| it == "last");
        if is_last {
            emitted.extend(finish(open));
        }
        emitted
    }

    /// Ends the messages of a graph that have no end of their own; of all graphs below the root too.
    fn finish_messages(&mut self, namespace: &[String]) -> Vec<ProtocolEvent> {
        let open = self.messages.values_mut();
        let open = open.filter(|open| namespace.is_empty() || open.namespace == namespace);
        open.flat_map(finish).collect()
    }
}

fn finish(open: &mut Open) -> Vec<ProtocolEvent> {
    if std::mem::replace(&mut open.is_done, true) {
        return Vec::new();
    }
    let here = |data| ProtocolEvent {
        method: "messages",
        namespace: open.namespace.clone(),
        data,
    };
    let block = open.text.map(|index| {
        let content = json!({ "type": "text", "text": open.so_far });
        here(json!({ "event": "content-block-finish", "index": index, "content": content }))
    });
    let end = here(json!({ "event": "message-finish" }));
    block.into_iter().chain([end]).collect()
}

/// The graphs that a path leads through.
pub(super) fn segments(path: &str) -> Vec<String> {
    match path {
        "" => Vec::new(),
        path => path.split('|').map(str::to_owned).collect(),
    }
}

/// The text of a content.
fn text_of(content: Option<&Json>) -> String {
    match content {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect()
        }
        _ => String::new(),
    }
}

fn tool_call(call: &Json) -> Json {
    let field = |name: &str| call.get(name).cloned().unwrap_or_default();
    json!({
        "type": "tool_call",
        "id": field("id"),
        "name": field("name"),
        "args": field("args"),
    })
}

/// The values of a state, with what models said as blocks of content.
fn blocks_in(mut values: Json) -> Json {
    if let Json::Object(fields) = &mut values {
        for value in fields.values_mut() {
            if let Json::Array(many) = value {
                many.iter_mut().for_each(as_blocks);
            }
        }
    }
    values
}

fn as_blocks(message: &mut Json) {
    let Json::Object(fields) = message else {
        return;
    };
    if fields.get("type").is_none_or(|kind| kind != "ai") || !fields.contains_key("content") {
        return;
    }
    let mut blocks = Vec::new();
    match fields.get("content") {
        Some(Json::String(text)) if text.is_empty() => {}
        Some(Json::String(text)) => blocks.push(json!({ "type": "text", "text": text })),
        Some(Json::Array(parts)) => blocks.clone_from(parts),
        _ => {}
    }
    let calls = fields.get("tool_calls").and_then(Json::as_array);
    blocks.extend(calls.into_iter().flatten().map(tool_call));
    let mut shown = Map::new();
    for name in ["type", "id", "name"] {
        if let Some(value) = fields.get(name).filter(|value| !value.is_null()) {
            shown.insert(name.to_owned(), value.clone());
        }
    }
    shown.insert("content".to_owned(), blocks.into());
    *fields = shown;
}
