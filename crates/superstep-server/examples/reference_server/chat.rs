//! A chat whose model is scripted: it answers word by word, and calls a tool that adds.

use serde_json::{Value as Json, json};
use superstep::{
    BuildErrors,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynReducer, END, Halt, START, Unknown},
};

/// What the model says: text, or a tool call.
enum Said {
    Text(String),
    Call(Json),
}

fn text(content: &Json) -> String {
    let first = || content.get(0)?.get("text")?.as_str();
    let text = content.as_str().or_else(first);
    text.unwrap_or_default().to_owned()
}

fn say(messages: &[Json]) -> Said {
    let last = messages.last().cloned().unwrap_or_default();
    let said = text(&last["content"]);
    if last["type"] == "tool" {
        return Said::Text(format!("The sum is {said}"));
    }
    let numbers = said.strip_prefix("add ").and_then(|rest| {
        let (a, b) = rest.split_once(' ')?;
        Some((a.parse::<i64>().ok()?, b.parse::<i64>().ok()?))
    });
    match numbers {
        Some((a, b)) => Said::Call(json!({
            "name": "add",
            "args": { "a": a, "b": b },
            "id": format!("call_{}", messages.len()),
            "type": "tool_call",
        })),
        None => Said::Text(format!("You said: {said}")),
    }
}

async fn call_model(ctx: DynCtx) -> Result<Json, Halt> {
    let messages: Vec<Json> = ctx.read("messages")?;
    let id = format!("run-{}", ctx.task_id());
    let piece = |content: &str, last: bool| {
        json!({
            "type": "AIMessageChunk",
            "content": content,
            "id": id,
            "chunk_position": if last { json!("last") } else { json!(null) },
        })
    };
    let whole = match say(&messages) {
        Said::Text(text) => {
            for (n, word) in text.split(' ').enumerate() {
                let word = match n {
                    0 => word.to_owned(),
                    _ => format!(" {word}"),
                };
                ctx.emit_message(piece(&word, false).into()).await;
            }
            json!({ "type": "ai", "content": text, "id": id, "tool_calls": [] })
        }
        Said::Call(call) => {
            let mut asks = piece("", false);
            asks["tool_calls"] = json!([call]);
            asks["tool_call_chunks"] = json!([{
                "name": call["name"],
                "args": call["args"].to_string(),
                "id": call["id"],
                "index": 0,
                "type": "tool_call_chunk",
            }]);
            ctx.emit_message(asks.into()).await;
            json!({ "type": "ai", "content": "", "id": id, "tool_calls": [call] })
        }
    };
    ctx.emit_message(piece("", true).into()).await;
    Ok(json!({ "messages": [whole] }))
}

async fn tools(ctx: DynCtx) -> Result<Json, Halt> {
    let messages: Vec<Json> = ctx.read("messages")?;
    let last = messages.last().cloned().unwrap_or_default();
    let mut results = Vec::new();
    for call in last["tool_calls"].as_array().into_iter().flatten() {
        let name = call["name"].as_str().unwrap_or_default();
        ctx.emit(json!({ "progress": format!("running {name}") }))
            .await;
        let number = |key: &str| call["args"][key].as_i64().unwrap_or_default();
        results.push(json!({
            "type": "tool",
            "id": format!("run-{}-{}", ctx.task_id(), results.len()),
            "content": (number("a") + number("b")).to_string(),
            "name": name,
            "tool_call_id": call["id"],
        }));
    }
    Ok(json!({ "messages": results }))
}

pub(crate) fn agent() -> Result<DynGraph, BuildErrors> {
    DynGraphBuilder::new()
        .reduce("messages", DynReducer::Messages(Unknown::Refuse), json!([]))
        .node("call_model", call_model)
        .node("tools", tools)
        .edge(START, "call_model")
        .route_map(
            "call_model",
            [("tools", "tools"), (END, END)],
            |state| -> Result<_, superstep::Failure> {
                let messages = state.get("messages")?;
                let last = messages.as_list().and_then(|all| all.last());
                let calls = last.and_then(|last| last.get("tool_calls")?.as_list());
                Ok(match calls.is_some_and(|calls| !calls.is_empty()) {
                    true => "tools",
                    false => END,
                })
            },
        )
        .edge("tools", "call_model")
        .build()
}
