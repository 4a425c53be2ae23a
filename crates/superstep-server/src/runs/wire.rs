//! What happens in a run, as clients of its stream see it: frames with a name and data.
//!
//! Which frames an event becomes depends on the kinds that the client asked for. Those that need to know
//! what came before are in `partial` (messages as far as they have come) and `trace` (what starts and
//! ends).

mod partial;
mod trace;

use axum::body::Bytes;
use serde_json::{Map, Value as Json, json};
use superstep::{
    StoredError,
    dynamic::{DynAsk, DynEvent, EventKind, Snapshot},
};

use super::{
    end::{interrupts, with_interrupts},
    kwargs::RunKwargs,
    stream_mode::Mode,
};
use crate::{
    forms::{self, snapshot, thread_name::public},
    time,
};

use partial::Partials;
use trace::Trace;

/// One frame of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) event: String,
    pub(crate) data: Json,
}

impl Frame {
    pub(crate) fn new(event: impl Into<String>, data: Json) -> Self {
        let event = event.into();
        Self { event, data }
    }

    /// As a server-sent event, with an id if the client may come back. JSON has no line breaks.
    pub(crate) fn bytes(&self, id: Option<&str>) -> Bytes {
        let Self { event, data } = self;
        match id {
            Some(id) => format!("event: {event}\r\ndata: {data}\r\nid: {id}\r\n\r\n").into(),
            None => format!("event: {event}\r\ndata: {data}\r\n\r\n").into(),
        }
    }
}

/// What tells the events of one run from those of others.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunPlace {
    pub(crate) run: String,
    pub(crate) thread: String,
    pub(crate) graph: String,
    pub(crate) assistant: String,
    /// What the graph is called.
    pub(crate) name: String,
    pub(crate) attempt: u32,
}

impl RunPlace {
    pub(crate) fn new(run: &superstep::RunRecord, kwargs: &RunKwargs, name: &str) -> Self {
        Self {
            run: run.id.to_string(),
            thread: public(&run.thread),
            graph: kwargs.graph_id.clone(),
            assistant: kwargs.assistant_id.clone(),
            name: name.to_owned(),
            attempt: run.attempt.max(1),
        }
    }

    /// What is known about every event of the run.
    fn metadata(&self) -> Map<String, Json> {
        let pairs = [
            ("graph_id", Json::from(&*self.graph)),
            ("assistant_id", Json::from(&*self.assistant)),
            ("run_attempt", self.attempt.into()),
            ("thread_id", Json::from(&*self.thread)),
            ("run_id", Json::from(&*self.run)),
        ];
        let pairs = pairs.into_iter();
        pairs
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// What is known about events of a node.
    fn of_node(&self, node: &str, step: i64, path: &str) -> Json {
        let mut metadata = self.metadata();
        let more = json!({
            "langgraph_step": step,
            "langgraph_node": node,
            "langgraph_triggers": [trigger(node)],
            "langgraph_path": ["__pregel_pull", node],
            "langgraph_checkpoint_ns": path,
            "checkpoint_ns": path,
        });
        metadata.extend(more.as_object().cloned().unwrap_or_default());
        Json::Object(metadata)
    }
}

/// What makes a node run, by the name that clients know.
fn trigger(node: &str) -> String {
    format!("branch:to:{node}")
}

/// Makes frames of events.
pub(crate) struct Wire {
    place: RunPlace,
    modes: Vec<Mode>,
    subgraphs: bool,
    partials: Partials,
    trace: Trace,
}

impl Wire {
    pub(crate) fn new(place: RunPlace, modes: Vec<Mode>, subgraphs: bool) -> Self {
        Self {
            place,
            modes,
            subgraphs,
            partials: Partials::default(),
            trace: Trace::default(),
        }
    }

    /// The first frames.
    pub(crate) fn begin(&mut self, input: &Json) -> Vec<Frame> {
        let first = json!({ "run_id": self.place.run, "attempt": self.place.attempt });
        let mut frames = vec![Frame::new("metadata", first)];
        if self.has(Mode::Events) {
            frames.push(self.trace.begin(&self.place, input));
        }
        frames
    }

    /// The last frames of a run that did not fail.
    pub(crate) fn end(&mut self, output: &Json) -> Vec<Frame> {
        match self.has(Mode::Events) {
            true => vec![self.trace.end(&self.place, output)],
            false => Vec::new(),
        }
    }

    fn has(&self, mode: Mode) -> bool {
        self.modes.contains(&mode)
    }

    /// The frames of an event; none if no kind that the client wants shows it.
    pub(crate) fn frames(&mut self, event: &DynEvent, at: Option<u64>) -> Vec<Frame> {
        let mut frames = Vec::new();
        if self.has(Mode::Events) {
            frames.extend(self.trace.frames(&self.place, event));
        }
        if !event.namespace.is_root() && !self.subgraphs {
            return frames;
        }
        let path = event.namespace.as_str();
        let named = |mode: &str| match event.namespace.is_root() {
            true => mode.to_owned(),
            false => format!("{mode}|{path}"),
        };
        let mut add = |name: &str, data: Json| frames.push(Frame::new(named(name), data));
        match &event.kind {
            EventKind::Values { values, asks } if self.has(Mode::Values) => {
                let asks = asks.as_deref().unwrap_or_default();
                add("values", with_interrupts(values.to_json(), asks));
            }
            EventKind::Update { node, update, .. } if self.has(Mode::Updates) => {
                add(
                    "updates",
                    json!({ (&**node): shown_update(update.to_json()) }),
                );
            }
            EventKind::Asked(asks) if self.has(Mode::Updates) => {
                add("updates", json!({ "__interrupt__": interrupts(asks) }));
            }
            EventKind::Custom(data) if self.has(Mode::Custom) => add("custom", data.to_json()),
            EventKind::Message { message, node } => {
                let metadata = self.place.of_node(node, event.step, path);
                let piece = forms::message::piece(message.to_json());
                if self.has(Mode::MessagesTuple) {
                    add("messages", json!([piece, metadata]));
                }
                if self.has(Mode::Messages) {
                    for (name, data) in self.partials.frames(&piece, metadata) {
                        add(name, data);
                    }
                }
            }
            EventKind::TaskStart {
                id, name, input, ..
            } => {
                let payload = json!({
                    "id": id.to_string(),
                    "name": name,
                    "input": forms::message::shown(input.to_json()),
                    "triggers": [trigger(name)],
                    "metadata": self.place.metadata(),
                });
                self.add_task(event, at, "task", payload, &mut add);
            }
            EventKind::TaskEnd {
                id,
                name,
                result,
                error,
                asks,
            } => {
                let payload = json!({
                    "id": id.to_string(),
                    "name": name,
                    "error": error.as_ref().map(repr),
                    "result": shown_update(result.to_json()),
                    "interrupts": asks.iter().map(short).collect::<Vec<_>>(),
                });
                self.add_task(event, at, "task_result", payload, &mut add);
            }
            EventKind::Checkpoint(state) => {
                let payload = self.checkpoint(state);
                if self.has(Mode::Checkpoints) {
                    add("checkpoints", payload.clone());
                }
                if self.has(Mode::Debug) {
                    let step = state.origin.map_or(event.step, |(_, step)| step);
                    add("debug", debug(step, at, "checkpoint", &payload));
                }
            }
            _ => {}
        }
        frames
    }

    fn add_task(
        &self,
        event: &DynEvent,
        at: Option<u64>,
        kind: &str,
        payload: Json,
        add: &mut impl FnMut(&str, Json),
    ) {
        if self.has(Mode::Debug) {
            add("debug", debug(event.step, at, kind, &payload));
        }
        if self.has(Mode::Tasks) {
            add("tasks", payload);
        }
    }

    fn checkpoint(&self, state: &Snapshot) -> Json {
        let place = |id: Option<superstep::CheckpointId>| match id {
            Some(id) => json!({
                "configurable": {
                    "run_id": self.place.run,
                    "graph_id": self.place.graph,
                    "assistant_id": self.place.assistant,
                    "thread_id": self.place.thread,
                    "checkpoint_ns": state.namespace.as_str(),
                    "checkpoint_id": id.to_string(),
                }
            }),
            None => Json::Null,
        };
        let tasks = state.tasks.iter().map(|task| {
            json!({
                "id": task.id.to_string(),
                "name": task.name,
                "interrupts": task.asks.iter().map(short).collect::<Vec<_>>(),
                "state": null,
            })
        });
        json!({
            "config": place(state.checkpoint),
            "parent_config": place(state.parent),
            "values": forms::message::shown(state.values.to_json()),
            "metadata": snapshot::origin(state),
            "next": state.next,
            "tasks": tasks.collect::<Vec<_>>(),
        })
    }
}

/// What a task wrote: an object, or a list of them if it wrote a key twice.
fn shown_update(update: Json) -> Json {
    match update {
        Json::Array(many) => many.into_iter().map(forms::message::shown).collect(),
        one => forms::message::shown(one),
    }
}

fn debug(step: i64, at: Option<u64>, kind: &str, payload: &Json) -> Json {
    let at = at.and_then(|at| i64::try_from(at).ok());
    json!({
        "step": step,
        "timestamp": time::text(at.unwrap_or_else(time::now)),
        "type": kind,
        "payload": payload,
    })
}

fn short(ask: &DynAsk) -> Json {
    json!({ "id": ask.id.to_string(), "value": ask.value.to_json() })
}

/// An error as clients know it from Python.
fn repr(error: &StoredError) -> String {
    format!("{}('{}')", error.class, error.message)
}
