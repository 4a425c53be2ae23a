//! Replies as the Messages API sends them.

use serde_json::{Value as Json, json};
use superstep_model::{Finish, Reply};

use crate::openai::{arguments, pieces};

/// A reply as a stream of events, its text and its arguments in several pieces.
pub fn stream(model: &str, reply: &Reply) -> String {
    let event = |event: &Json| {
        let name = event.get("type").and_then(Json::as_str).unwrap_or_default();
        format!("event: {name}\ndata: {event}\n\n")
    };
    events(model, reply).iter().map(event).collect()
}

/// The events of a reply.
pub fn events(model: &str, reply: &Reply) -> Vec<Json> {
    let mut events = vec![
        json!({"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage(reply, 1),
        }}),
        json!({"type": "ping"}),
    ];
    let mut index = 0;
    let mut block = |opened: Json, deltas: Vec<Json>| {
        events.push(json!({
            "type": "content_block_start", "index": index, "content_block": opened,
        }));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
        index += 1;
    };
    for thought in &reply.reasoning {
        if let Some(hidden) = &thought.hidden {
            block(
                json!({"type": "redacted_thinking", "data": hidden}),
                Vec::new(),
            );
            continue;
        }
        let mut deltas: Vec<Json> = pieces(&thought.text)
            .iter()
            .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
            .collect();
        let signature = thought.signature.clone().unwrap_or_default();
        deltas.push(json!({"type": "signature_delta", "signature": signature}));
        block(
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            deltas,
        );
    }
    let text = reply.content.text();
    if !text.is_empty() {
        let deltas = pieces(&text)
            .iter()
            .map(|piece| json!({"type": "text_delta", "text": piece}))
            .collect();
        block(json!({"type": "text", "text": ""}), deltas);
    }
    for call in &reply.tool_calls {
        let deltas = pieces(&arguments(call))
            .iter()
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
            .collect();
        let opened = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
        block(opened, deltas);
    }
    let output = reply.usage.unwrap_or_default().output;
    events.push(json!({
        "type": "message_delta", "delta": {"stop_reason": stop(reply), "stop_sequence": null},
        "usage": {"output_tokens": output},
    }));
    events.push(json!({"type": "message_stop"}));
    events
}

/// A reply in one piece.
pub fn whole(model: &str, reply: &Reply) -> Json {
    let mut content = Vec::new();
    let text = reply.content.text();
    if !text.is_empty() {
        content.push(json!({"type": "text", "text": text}));
    }
    for call in &reply.tool_calls {
        content.push(json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": call.args,
        }));
    }
    let output = reply.usage.unwrap_or_default().output;
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": stop(reply), "stop_sequence": null, "usage": usage(reply, output),
    })
}

/// The error the provider gives.
pub fn error(kind: &str, message: &str) -> Json {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
}

fn stop(reply: &Reply) -> String {
    let given = reply.answered.as_ref().map(|answered| &answered.finish);
    match given {
        Some(Finish::Length) => "max_tokens".into(),
        Some(Finish::Refusal) => "refusal".into(),
        Some(Finish::Other(reason)) => reason.clone(),
        _ if reply.tool_calls.is_empty() => "end_turn".into(),
        _ => "tool_use".into(),
    }
}

fn usage(reply: &Reply, output: u64) -> Json {
    let usage = reply.usage.unwrap_or_default();
    json!({
        "input_tokens": usage.input.saturating_sub(usage.cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": output,
    })
}
