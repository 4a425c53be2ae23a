//! Brings an answer into the form that is compared: notes removed, unordered lists ordered.

use serde_json::{Map, Value as Json};

use super::Level;

/// The canonical form of an answer or a part of one.
pub(super) fn canon(value: &Json, level: Level) -> Json {
    match value {
        Json::Object(map) => {
            let kept = map.iter().filter(|(key, _)| compared(key, level));
            let mut kept: Map<String, Json> = kept
                .map(|(key, value)| (key.clone(), canon(value, level)))
                .collect();
            for key in ["interrupts", "__interrupt__"] {
                if let Some(Json::Array(items)) = kept.get_mut(key) {
                    items.sort_by_cached_key(order_key);
                }
            }
            if level == Level::Normal {
                order_pending(&mut kept);
            }
            Json::Object(kept)
        }
        Json::Array(items) => items.iter().map(|item| canon(item, level)).collect(),
        scalar => scalar.clone(),
    }
}

fn compared(key: &str, level: Level) -> bool {
    !key.starts_with('_') || (level == Level::Exact && key.starts_with("__"))
}

/// Orders what a snapshot lists as pending.
fn order_pending(snapshot: &mut Map<String, Json>) {
    if !(snapshot.contains_key("next") && snapshot.contains_key("tasks")) {
        return;
    }
    if let Some(Json::Array(next)) = snapshot.get_mut("next") {
        next.sort_by_cached_key(|node| match node {
            Json::String(name) => name.clone(),
            other => other.to_string(),
        });
    }
    if let Some(Json::Array(tasks)) = snapshot.get_mut("tasks") {
        tasks.sort_by_cached_key(|task| {
            let name = task.get("name").and_then(Json::as_str);
            (name.unwrap_or_default().to_owned(), order_key(task))
        });
    }
}

/// A text to order by that says the same about both sides: without notes and interrupt ids.
fn order_key(value: &Json) -> String {
    let mut key = String::new();
    write_key(value, &mut key);
    key
}

fn write_key(value: &Json, out: &mut String) {
    match value {
        Json::Object(map) => {
            let asks = map.contains_key("value") && map.contains_key("id");
            let left_out = |key: &str| key.starts_with('_') || (asks && key == "id");
            let entries = map.iter().filter(|(key, _)| !left_out(key));
            let mut entries: Vec<_> = entries.collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Json::from(key.as_str()).to_string());
                out.push(':');
                write_key(value, out);
            }
            out.push('}');
        }
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_key(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}
