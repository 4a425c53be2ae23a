//! `superstep threads show`.

use serde_json::{Value as Json, json};
use superstep::dynamic::{Snapshot, SubState};

use super::{Status, ThreadReader, ago};
use crate::{
    app::App,
    args::At,
    error::Error,
    output::{Form, Output, bad, faint, plain, shown, strong},
    running,
};

/// How much of a long text is shown.
const MOST_LETTERS: usize = 400;

pub(super) async fn run(reader: &ThreadReader, at: &At, app: &App<'_>) -> Result<(), Error> {
    let output = app.output;
    let graph = reader.graph(&at.thread).await?;
    let snapshot = reader
        .snapshot(&graph, &at.thread, at.at.as_deref())
        .await?;
    let status = match at.at {
        // As it was then, whatever became of it.
        Some(_) => Status::of(&snapshot),
        None => reader.status(&graph, &snapshot).await?,
    };
    let state = serde_json::to_value(&snapshot.values).map_err(std::io::Error::from)?;
    let import = reader.imports()?.find(&at.thread.as_str().into()).await?;
    if output.form == Form::Json {
        return output.json(&json!({
            "thread": at.thread,
            "status": status,
            "checkpoint": snapshot.checkpoint.map(|id| id.to_string()),
            "step": snapshot.origin.map(|(_, step)| step),
            "imported": import.as_ref().map(|it| json!({"trusted": it.is_trusted})),
            "next": snapshot.next,
            "asks": snapshot.asks().map(ask).collect::<Vec<_>>(),
            "errors": errors(&snapshot),
            "state": state,
            "unfinished": unfinished(&snapshot),
        }));
    }
    let when = snapshot.checkpoint.map(ago).unwrap_or_default();
    let step = snapshot.origin.map_or(0, |(_, step)| step);
    output.data(&[
        strong(shown(&at.thread)),
        plain(format!("  {}", status.as_str())),
        faint(format!("  step {step}, {when}")),
    ])?;
    if let Some(import) = import {
        let text = match import.is_trusted {
            true => "imported; you agreed to run it",
            false => "imported: what it holds was not made here, and nobody agreed to run it",
        };
        output.data(&[bad(text)])?;
    }
    if !snapshot.next.is_empty() {
        output.data(&[faint("next: "), plain(snapshot.next.join(", "))])?;
    }
    for error in errors(&snapshot) {
        output.data(&[
            bad("failed: "),
            plain(error.get("node").and_then(Json::as_str).unwrap_or("")),
            plain(": "),
            plain(error.get("message").and_then(Json::as_str).unwrap_or("")),
        ])?;
    }
    fields(&state, output)?;
    for message in unfinished(&snapshot) {
        let text = self::message(&message).unwrap_or_else(|| message.to_string());
        output.data(&[faint("under way: "), plain(short(&text))])?;
    }
    for ask in snapshot.asks() {
        let value = serde_json::to_value(&ask.value).unwrap_or_default();
        // Inboxes put what it is about into a list of one.
        let about = value
            .get("query")
            .or_else(|| value.pointer("/0/description"));
        let text = about.and_then(Json::as_str);
        let text = text.map_or_else(|| value.to_string(), str::to_owned);
        output.data(&[strong("asks: "), plain(short(&text))])?;
    }
    if status == Status::Waiting {
        let how = match snapshot.asks().next() {
            Some(_) => "answer it with ",
            None => "it was copied at a question; it asks again with ",
        };
        let agent = reader.agent(&at.thread).await?;
        let line = running::of(agent).resume_command(&at.thread, &snapshot, app.global);
        output.say(&[faint(how), plain(shown(&line))]);
    }
    Ok(())
}

fn ask(ask: &superstep::dynamic::DynAsk) -> Json {
    json!({"id": ask.id.to_string(), "value": ask.value, "kind": ask.kind})
}

fn errors(snapshot: &Snapshot) -> Vec<Json> {
    let failed = snapshot.tasks.iter().filter_map(|task| {
        let error = task.error.as_ref()?;
        Some(json!({"node": &*task.name, "code": error.code, "message": error.message}))
    });
    failed.collect()
}

/// The messages of subgraphs that are not finished, which the state does not have yet: calls that were
/// made are among them.
fn unfinished(snapshot: &Snapshot) -> Vec<Json> {
    let mut messages = Vec::new();
    for task in &snapshot.tasks {
        let Some(SubState::Snapshot(inner)) = &task.state else {
            continue;
        };
        let state = serde_json::to_value(&inner.values).unwrap_or_default();
        let known = state.get("inherited").and_then(Json::as_u64).unwrap_or(0);
        let all = state.get("messages").and_then(Json::as_array);
        let new = all.into_iter().flatten();
        messages.extend(new.skip(usize::try_from(known).unwrap_or(0)).cloned());
        messages.extend(unfinished(inner));
    }
    messages
}

/// The state, a field a line; what is empty is left out. `--json` has all of it.
fn fields(state: &Json, output: &Output) -> Result<(), Error> {
    let Some(fields) = state.as_object() else {
        return Ok(());
    };
    for (name, value) in fields {
        let text = match value {
            Json::Null => continue,
            Json::String(text) if text.is_empty() => continue,
            Json::Array(items) if items.is_empty() => continue,
            Json::Object(items) if items.is_empty() => continue,
            Json::String(text) => text.clone(),
            Json::Array(items) => format!("{} entries", items.len()),
            Json::Object(fields) => {
                let names: Vec<&str> = fields.keys().map(String::as_str).collect();
                format!("{{{}}}", names.join(", "))
            }
            other => other.to_string(),
        };
        output.data(&[faint(format!("{name}: ")), plain(short(&text))])?;
        let Json::Array(items) = value else { continue };
        for item in items {
            let text = message(item).unwrap_or_else(|| item.to_string());
            output.data(&[plain("  "), plain(short(&text))])?;
        }
    }
    Ok(())
}

/// A message of a conversation: role and text.
fn message(item: &Json) -> Option<String> {
    let who = item.get("type").or_else(|| item.get("role"))?.as_str()?;
    let text = item.get("content")?.as_str()?;
    Some(format!("{who}: {text}"))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}
