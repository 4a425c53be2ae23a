//! A request as it is recorded: what the model gets to read, and nothing that differs from run to
//! run.
//!
//! Keys are sorted. Ids of messages and calls become ordinals. What earlier replies cost and who gave
//! them is left out, and so is the time of the request; the bytes of pictures are their hash.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use superstep_text::{Redactor, hex};

use super::scrub;
use crate::{message::MOMENT, model_id::ModelId, request::Request};

/// The canonical form of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Canonical(Json);

impl Canonical {
    pub(super) fn of(model: &ModelId, request: &Request) -> Self {
        // A request of text and JSON always has a form as JSON.
        let mut form = serde_json::to_value(request).unwrap_or_default();
        let mut ids = Ids::default();
        if let Some(messages) = form.get_mut("messages").and_then(Json::as_array_mut) {
            for message in messages {
                ids.message(message);
            }
        }
        if let Json::Object(fields) = &mut form {
            fields.insert("model".into(), json!(model.to_string()));
        }
        Self(sorted(form))
    }

    /// The same request without secrets.
    pub(super) fn scrubbed(mut self, redactor: &Redactor) -> Self {
        scrub::request(&mut self.0, redactor);
        self
    }

    /// The same request as earlier versions recorded it.
    pub(super) fn former(mut self, secrets: &[String]) -> Self {
        scrub::former(&mut self.0, secrets);
        self
    }

    pub(super) fn key(&self) -> String {
        hex(&Sha256::digest(self.0.to_string().as_bytes()))
    }

    /// The same form, whatever order its keys were read in.
    pub(super) fn normal(self) -> Self {
        Self(sorted(self.0))
    }

    pub(super) fn json(&self) -> &Json {
        &self.0
    }
}

/// Ordinals in place of ids, in the order in which ids occur.
#[derive(Default)]
struct Ids {
    messages: HashMap<String, usize>,
    calls: HashMap<String, usize>,
}

impl Ids {
    fn message(&mut self, message: &mut Json) {
        let Json::Object(fields) = message else {
            return;
        };
        fields.remove("usage_metadata");
        fields.remove("response_metadata");
        if fields.get("id").and_then(Json::as_str) == Some(MOMENT) {
            fields.insert("content".into(), json!(""));
        }
        if let Some(id) = fields.get_mut("id") {
            ordinal(&mut self.messages, "m", id);
        }
        if let Some(id) = fields.get_mut("tool_call_id") {
            ordinal(&mut self.calls, "c", id);
        }
        for list in ["tool_calls", "invalid_tool_calls"] {
            let calls = fields.get_mut(list).and_then(Json::as_array_mut);
            for call in calls.into_iter().flatten() {
                if let Some(id) = call.get_mut("id") {
                    ordinal(&mut self.calls, "c", id);
                }
            }
        }
        let parts = fields.get_mut("content").and_then(Json::as_array_mut);
        for part in parts.into_iter().flatten() {
            if let Some(Json::String(data)) = part.get_mut("data") {
                *data = format!("sha256:{}", hex(&Sha256::digest(data.as_bytes())));
            }
        }
    }
}

fn ordinal(known: &mut HashMap<String, usize>, letter: &str, id: &mut Json) {
    if let Json::String(id) = id {
        let next = known.len();
        let number = *known.entry(std::mem::take(id)).or_insert(next);
        *id = format!("{letter}{number}");
    }
}

/// Whether maps keep the order of their keys is a feature that any crate of a build may switch on, so
/// the order is made here.
fn sorted(json: Json) -> Json {
    match json {
        Json::Object(fields) => {
            let mut fields: Vec<(String, Json)> = fields.into_iter().collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            let fields = fields.into_iter().map(|(key, value)| (key, sorted(value)));
            Json::Object(fields.collect::<Map<_, _>>())
        }
        Json::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}
