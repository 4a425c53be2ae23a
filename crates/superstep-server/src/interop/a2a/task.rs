//! A run as a task: what it was told, what it says, and how it stands.

use serde_json::{Value as Json, json};
use superstep::RunRecord;

use super::task_id;
use crate::time;

/// A run as a task.
pub(super) struct Task {
    id: String,
    context: String,
    assistant: String,
}

impl Task {
    pub(super) fn new(run: &RunRecord, assistant: &str) -> Self {
        let (id, context) = task_id(run);
        Self {
            id,
            context,
            assistant: assistant.to_owned(),
        }
    }

    /// A task that was accepted.
    pub(super) fn submitted(&self, message: &Json) -> Json {
        let history = vec![self.owned(message.clone())];
        self.whole(&json!({ "state": "submitted" }), history, None)
    }

    /// A task that continues.
    pub(super) fn going(&self) -> Json {
        self.whole(&json!({ "state": "working" }), Vec::new(), None)
    }

    pub(super) fn canceled(&self) -> Json {
        self.whole(&json!({ "state": "canceled" }), Vec::new(), None)
    }

    /// A task that has ended, with what its run left.
    pub(super) fn ended(&self, end: &Json, message: Option<&Json>) -> Json {
        let mut history = self.history(end);
        if history.is_empty() {
            history.extend(message.map(|message| self.owned(message.clone())));
        }
        self.whole(&self.status(end), history, self.artifact(end))
    }

    /// What a stream says of a run that says something.
    pub(super) fn working(&self, text: &str) -> Json {
        let status = json!({ "state": "working", "message": self.said(text) });
        self.update(&status, false)
    }

    /// What a stream ends with.
    pub(super) fn updates(&self, end: &Json) -> Vec<Json> {
        let mut updates = Vec::new();
        if let Some(artifact) = self.artifact(end) {
            updates.push(json!({
                "kind": "artifact-update",
                "taskId": self.id,
                "contextId": self.context,
                "artifact": artifact,
                "append": false,
                "lastChunk": true,
            }));
        }
        updates.push(self.update(&self.status(end), true));
        updates
    }

    fn update(&self, status: &Json, is_last: bool) -> Json {
        json!({
            "kind": "status-update",
            "taskId": self.id,
            "contextId": self.context,
            "status": timed(status),
            "final": is_last,
        })
    }

    fn whole(&self, status: &Json, history: Vec<Json>, artifact: Option<Json>) -> Json {
        let mut task = json!({
            "kind": "task",
            "id": self.id,
            "contextId": self.context,
            "history": history,
            "status": timed(status),
        });
        if let (Json::Object(fields), Some(artifact)) = (&mut task, artifact) {
            fields.insert("artifacts".to_owned(), json!([artifact]));
        }
        task
    }

    fn status(&self, end: &Json) -> Json {
        if let Some(failure) = end.get("__error__") {
            let text = |name: &str| failure.get(name).and_then(Json::as_str).unwrap_or("");
            let why = format!("{}: {}", text("error"), text("message"));
            return json!({ "state": "failed", "message": self.said(&why) });
        }
        match end.get("__interrupt__") {
            Some(_) => json!({ "state": "input-required" }),
            None => json!({ "state": "completed" }),
        }
    }

    /// What the run has to show: its questions, its last words, or its values.
    fn artifact(&self, end: &Json) -> Option<Json> {
        if end.get("__error__").is_some() {
            return None;
        }
        if let Some(asked) = end.get("__interrupt__").and_then(Json::as_array) {
            let part = |ask: &Json| {
                let data = json!({ "id": ask.get("id"), "value": ask.get("value") });
                json!({ "kind": "data", "data": data })
            };
            let parts: Vec<Json> = asked.iter().map(part).collect();
            return Some(json!({
                "artifactId": format!("{}-interrupt", self.id),
                "name": "Interrupt",
                "description": "Agent requires input to continue",
                "parts": parts,
            }));
        }
        let messages = end.get("messages").and_then(Json::as_array);
        let last = messages.and_then(|all| all.iter().rev().find_map(words));
        let part = match last {
            Some(text) => json!({ "kind": "text", "text": text }),
            None => json!({ "kind": "data", "data": end }),
        };
        Some(json!({
            "artifactId": format!("{}-response", self.id),
            "name": "Assistant Response",
            "description": format!("Response from assistant {}", self.assistant),
            "parts": [part],
        }))
    }

    /// The messages of the thread.
    fn history(&self, end: &Json) -> Vec<Json> {
        let messages = end.get("messages").and_then(Json::as_array);
        let messages = messages.map(Vec::as_slice).unwrap_or_default();
        let shown = messages.iter().filter_map(|message| {
            let kind = message.get("type").and_then(Json::as_str)?;
            let role = if kind == "human" { "user" } else { "agent" };
            let part = match (kind, words(message)) {
                ("tool", _) => {
                    let result = json!({
                        "toolCallId": message.get("tool_call_id"),
                        "content": message.get("content"),
                        "name": message.get("name"),
                        "status": message.get("status"),
                    });
                    json!({ "kind": "data", "data": { "tool_results": [result] } })
                }
                (_, Some(text)) => json!({ "kind": "text", "text": text }),
                (_, None) => return None,
            };
            let id = message.get("id").cloned().unwrap_or_default();
            let message = json!({ "role": role, "parts": [part], "messageId": id });
            Some(self.owned(message))
        });
        shown.collect()
    }

    fn said(&self, text: &str) -> Json {
        let id = format!("{}-said", self.id);
        let part = json!({ "kind": "text", "text": text });
        self.owned(json!({ "role": "agent", "parts": [part], "messageId": id }))
    }

    /// A message of this task.
    fn owned(&self, mut message: Json) -> Json {
        if let Json::Object(fields) = &mut message {
            fields.insert("kind".to_owned(), "message".into());
            fields.insert("taskId".to_owned(), (&*self.id).into());
            fields.insert("contextId".to_owned(), (&*self.context).into());
        }
        message
    }
}

fn timed(status: &Json) -> Json {
    let mut status = status.clone();
    if let Json::Object(fields) = &mut status {
        fields.insert("timestamp".to_owned(), time::text(time::now()));
    }
    status
}

/// The words of a message: its text, or those of its blocks.
fn words(message: &Json) -> Option<String> {
    let text = match message.get("content")? {
        Json::String(text) => text.clone(),
        Json::Array(blocks) => {
            let texts = blocks
                .iter()
                .filter_map(|block| block.get("text")?.as_str());
            texts.collect()
        }
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}
