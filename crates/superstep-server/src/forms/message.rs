//! Messages in the form that clients know: they look for fields that a message of the engine has only when
//! there is something in them.

use serde_json::{Map, Value as Json, json};

/// The values of a state, or an update, as clients see them: messages with all their fields.
pub(crate) fn shown(mut values: Json) -> Json {
    if let Json::Object(fields) = &mut values {
        for value in fields.values_mut() {
            match value {
                Json::Array(many) => many.iter_mut().for_each(complete),
                one => complete(one),
            }
        }
    }
    values
}

/// Adds to a message what clients look for. What is no message stays as it is.
pub(crate) fn complete(message: &mut Json) {
    let Json::Object(fields) = message else {
        return;
    };
    let kind = fields.get("type").and_then(Json::as_str).unwrap_or("");
    let kind = kind.to_owned();
    if !matches!(
        &*kind,
        "human" | "ai" | "system" | "tool" | "AIMessageChunk"
    ) || !fields.contains_key("content")
    {
        return;
    }
    let mut add = |name: &str, value: Json| {
        fields.entry(name).or_insert(value);
    };
    add("additional_kwargs", json!({}));
    add("response_metadata", json!({}));
    add("name", Json::Null);
    match &*kind {
        "ai" | "AIMessageChunk" => {
            add("tool_calls", json!([]));
            add("invalid_tool_calls", json!([]));
            add("usage_metadata", Json::Null);
        }
        "tool" => {
            add("artifact", Json::Null);
            add("status", "success".into());
        }
        _ => {}
    }
    if kind == "AIMessageChunk" {
        add("tool_call_chunks", json!([]));
        add("chunk_position", Json::Null);
    }
    if let Some(Json::Array(calls)) = fields.get_mut("tool_calls") {
        for call in calls.iter_mut().filter_map(Json::as_object_mut) {
            call.entry("type").or_insert("tool_call".into());
        }
    }
}

/// A message that was emitted, as a piece: what clients add up to the whole.
pub(crate) fn piece(mut message: Json) -> Json {
    if let Json::Object(fields) = &mut message
        && fields.get("type").is_some_and(|kind| kind == "ai")
    {
        fields.insert("type".to_owned(), "AIMessageChunk".into());
        let calls = fields.get("tool_calls").and_then(Json::as_array);
        let chunks: Vec<Json> = calls.into_iter().flatten().enumerate().map(chunk).collect();
        fields.entry("tool_call_chunks").or_insert(chunks.into());
    }
    complete(&mut message);
    message
}

fn chunk((index, call): (usize, &Json)) -> Json {
    let args = call.get("args").map(Json::to_string).unwrap_or_default();
    json!({
        "name": call.get("name"),
        "args": args,
        "id": call.get("id"),
        "index": index,
        "type": "tool_call_chunk",
    })
}

/// Pieces of a message, added up.
#[derive(Debug, Default)]
pub(crate) struct Sum(Map<String, Json>);

impl Sum {
    /// Adds a piece, and returns the message as far as it has come.
    pub(crate) fn add(&mut self, piece: &Json) -> Json {
        for (name, value) in piece.as_object().into_iter().flatten() {
            match (self.0.get_mut(name), value) {
                (Some(Json::String(text)), Json::String(more)) if name == "content" => {
                    text.push_str(more);
                }
                (Some(Json::Array(list)), Json::Array(more)) if name != "content" => {
                    list.extend(more.iter().cloned());
                }
                (Some(_), Json::Null) => {}
                _ => {
                    self.0.insert(name.clone(), value.clone());
                }
            }
        }
        let mut whole = self.0.clone();
        if whole
            .get("type")
            .is_some_and(|kind| kind == "AIMessageChunk")
        {
            whole.insert("type".to_owned(), "ai".into());
        }
        whole.remove("tool_call_chunks");
        whole.remove("chunk_position");
        Json::Object(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_to_a_message() {
        let mut sum = Sum::default();
        sum.add(&piece(json!({ "type": "ai", "content": "one", "id": "m" })));
        let whole = sum.add(&piece(
            json!({ "type": "ai", "content": " two", "id": "m" }),
        ));
        assert_eq!(
            (&whole["type"], &whole["content"]),
            (&json!("ai"), &json!("one two"))
        );
        assert_eq!(whole["tool_calls"], json!([]));
    }

    #[test]
    fn what_is_no_message_is_shown_as_it_is() {
        let values =
            json!({ "items": [1, { "type": "human" }], "n": { "type": "other", "content": 1 } });
        assert_eq!(shown(values.clone()), values);
        let shown = shown(json!({ "m": [{ "type": "tool", "content": "5" }] }));
        assert_eq!(shown["m"][0]["status"], "success");
    }
}
