//! What starts and ends in a run, as LangChain's `astream_events` names it: the graph, its nodes, and what
//! these say about models and tools.

use std::collections::HashMap;

use serde_json::{Value as Json, json};
use superstep::{
    SpanKind, SpanPhase,
    dynamic::{DynEvent, EventKind},
};

use super::{Frame, RunPlace};
use crate::forms;

/// What is open in a run.
#[derive(Default)]
pub(super) struct Trace {
    input: Json,
    /// What tasks got, by their id.
    inputs: HashMap<String, Json>,
    /// The models that are being called, by their task's path: where pieces of messages belong.
    models: HashMap<String, (String, String)>,
}

/// One event.
struct About<'a> {
    event: &'a str,
    name: &'a str,
    run: String,
    tags: Json,
    metadata: Json,
    parents: Json,
}

impl About<'_> {
    fn with(self, data: Json) -> Frame {
        let data = json!({
            "event": self.event,
            "data": data,
            "name": self.name,
            "run_id": self.run,
            "tags": self.tags,
            "metadata": self.metadata,
            "parent_ids": self.parents,
        });
        Frame::new("events", data)
    }
}

impl Trace {
    /// The graph starts.
    pub(super) fn begin(&mut self, place: &RunPlace, input: &Json) -> Frame {
        self.input = input.clone();
        of_graph(place, "on_chain_start").with(json!({ "input": input }))
    }

    /// The graph ends.
    pub(super) fn end(&mut self, place: &RunPlace, output: &Json) -> Frame {
        let data = json!({ "output": output, "input": self.input });
        of_graph(place, "on_chain_end").with(data)
    }

    /// The frames of an event.
    pub(super) fn frames(&mut self, place: &RunPlace, event: &DynEvent) -> Vec<Frame> {
        let path = event.namespace.as_str();
        let of_node = |kind, node, run| About {
            event: kind,
            name: node,
            run,
            tags: json!([format!("graph:step:{}", event.step)]),
            metadata: place.of_node(node, event.step, path),
            parents: json!([place.run]),
        };
        match &event.kind {
            EventKind::TaskStart {
                id, name, input, ..
            } => {
                let input = forms::message::shown(input.to_json());
                self.inputs.insert(id.to_string(), input.clone());
                let about = of_node("on_chain_start", name, id.to_string());
                vec![about.with(json!({ "input": input }))]
            }
            EventKind::TaskEnd {
                id,
                name,
                result,
                error,
                asks,
            } => {
                let input = self.inputs.remove(&id.to_string()).unwrap_or_default();
                if error.is_some() || !asks.is_empty() {
                    return Vec::new();
                }
                let output = forms::message::shown(result.to_json());
                let piece = of_node("on_chain_stream", name, id.to_string());
                let end = of_node("on_chain_end", name, id.to_string());
                vec![
                    piece.with(json!({ "chunk": output })),
                    end.with(json!({ "output": output, "input": input })),
                ]
            }
            EventKind::Update { node, update, .. } if event.namespace.is_root() => {
                let update = forms::message::shown(update.to_json());
                let about = of_graph(place, "on_chain_stream");
                vec![about.with(json!({ "chunk": { (&**node): update } }))]
            }
            EventKind::Message { message, node } => {
                let piece = forms::message::piece(message.to_json());
                if piece
                    .get("type")
                    .is_none_or(|kind| kind != "AIMessageChunk")
                {
                    return Vec::new();
                }
                let own = piece.get("id").and_then(Json::as_str).unwrap_or_default();
                let key = format!("{path}/{node}");
                let open = self.models.get(&key).cloned();
                let (run, name) = open.unwrap_or_else(|| (own.to_owned(), "model".to_owned()));
                let mut about = of_node("on_chat_model_stream", node, run);
                about.name = &name;
                vec![about.with(json!({ "chunk": piece }))]
            }
            EventKind::Span(span) => {
                let words = match span.kind {
                    SpanKind::Model => ("on_chat_model_start", "on_chat_model_end"),
                    SpanKind::Tool => ("on_tool_start", "on_tool_end"),
                    SpanKind::Retriever => ("on_retriever_start", "on_retriever_end"),
                    SpanKind::Prompt => ("on_prompt_start", "on_prompt_end"),
                    SpanKind::Parser => ("on_parser_start", "on_parser_end"),
                    SpanKind::Chain => ("on_chain_start", "on_chain_end"),
                    _ => return Vec::new(),
                };
                let key = format!("{path}/{}", span.node);
                let (word, data) = match &span.phase {
                    SpanPhase::Started(start) => {
                        if span.kind == SpanKind::Model {
                            let open = (span.id.to_string(), span.name.to_string());
                            self.models.insert(key, open);
                        }
                        (words.0, json!({ "input": start.inputs.to_json() }))
                    }
                    SpanPhase::Ended(end) => {
                        if span.kind == SpanKind::Model {
                            self.models.remove(&key);
                        }
                        (words.1, json!({ "output": end.outputs.to_json() }))
                    }
                };
                let mut about = of_node(word, &span.node, span.id.to_string());
                about.name = &span.name;
                about.parents = json!([place.run, span.task.to_string()]);
                vec![about.with(data)]
            }
            _ => Vec::new(),
        }
    }
}

fn of_graph<'a>(place: &'a RunPlace, event: &'a str) -> About<'a> {
    About {
        event,
        name: &place.name,
        run: place.run.clone(),
        tags: json!([]),
        metadata: Json::Object(place.metadata()),
        parents: json!([]),
    }
}
