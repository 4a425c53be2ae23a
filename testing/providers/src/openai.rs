//! Replies as a chat completions server sends them.

use serde_json::{Value as Json, json};
use superstep_model::{Finish, Reply, ToolCall};

/// A reply as a stream of events, its text and its arguments in several pieces.
pub fn stream(model: &str, reply: &Reply) -> String {
    let mut text: String = chunks(model, reply)
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    text.push_str("data: [DONE]\n\n");
    text
}

/// The chunks of a reply.
pub fn chunks(model: &str, reply: &Reply) -> Vec<Json> {
    let chunk = |delta: Json, finish: Json| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": null,
        })
    };
    let said = |delta: Json| chunk(delta, Json::Null);
    let mut chunks = vec![said(json!({"role": "assistant", "content": ""}))];
    for thought in &reply.reasoning {
        chunks.push(said(json!({"reasoning_content": thought.text})));
    }
    for piece in pieces(&reply.content.text()) {
        chunks.push(said(json!({"content": piece})));
    }
    for (index, call) in reply.tool_calls.iter().enumerate() {
        let begin = json!({
            "index": index, "id": call.id, "type": "function",
            "function": {"name": call.name, "arguments": ""},
        });
        chunks.push(said(json!({"tool_calls": [begin]})));
        for piece in pieces(&arguments(call)) {
            let more = json!({"index": index, "function": {"arguments": piece}});
            chunks.push(said(json!({"tool_calls": [more]})));
        }
    }
    chunks.push(chunk(json!({}), json!(finish(reply))));
    let mut last = chunk(json!({}), Json::Null);
    if let Json::Object(fields) = &mut last {
        fields.insert("choices".into(), json!([]));
        fields.insert("usage".into(), usage(reply));
    }
    chunks.push(last);
    chunks
}

/// A reply in one piece.
pub fn whole(model: &str, reply: &Reply) -> Json {
    let calls: Vec<Json> = reply
        .tool_calls
        .iter()
        .map(|call| {
            json!({
                "id": call.id, "type": "function",
                "function": {"name": call.name, "arguments": arguments(call)},
            })
        })
        .collect();
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
        "choices": [{
            "index": 0, "finish_reason": finish(reply),
            "message": {"role": "assistant", "content": reply.content.text(), "tool_calls": calls},
        }],
        "usage": usage(reply),
    })
}

/// The error a server gives.
pub fn error(code: &str, message: &str) -> Json {
    json!({"error": {"message": message, "type": code, "param": null, "code": code}})
}

/// A text in a few pieces, cut between characters.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    let size = all.len().div_ceil(3).max(1);
    all.chunks(size)
        .map(|piece| piece.iter().collect())
        .collect()
}

pub(crate) fn arguments(call: &ToolCall) -> String {
    Json::Object(call.args.clone()).to_string()
}

fn finish(reply: &Reply) -> String {
    let given = reply.answered.as_ref().map(|answered| &answered.finish);
    match given {
        Some(Finish::Length) => "length".into(),
        Some(Finish::Filtered) => "content_filter".into(),
        Some(Finish::Other(reason)) => reason.clone(),
        _ if reply.tool_calls.is_empty() => "stop".into(),
        _ => "tool_calls".into(),
    }
}

fn usage(reply: &Reply) -> Json {
    let usage = reply.usage.unwrap_or_default();
    json!({
        "prompt_tokens": usage.input, "completion_tokens": usage.output,
        "total_tokens": usage.total(),
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    })
}
