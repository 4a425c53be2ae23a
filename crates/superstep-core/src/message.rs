//! Chat messages as data: appended, replaced by id, removed by id.
//!
//! A message is an object with `type`, `content` and `id`; the model layer has the typed form.

use std::sync::Arc;

use crate::value::Value;

/// The id of a removal that stands for every message before it.
pub const REMOVE_ALL: &str = "__remove_all__";

/// What to do with a removal whose id is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It is an error, and [`REMOVE_ALL`] is understood.
    Refuse,
    /// It is ignored, and [`REMOVE_ALL`] is an id like any other.
    Ignore,
}

/// Whether a value has the shape of a message.
pub fn is_message(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    match kind {
        Some("remove") => true,
        Some("human" | "ai" | "system" | "tool" | "user" | "assistant") => {
            value.get("content").is_some()
        }
        _ => false,
    }
}

/// The message's id, if it has one.
pub fn id(message: &Value) -> Option<&str> {
    message.get("id").and_then(Value::as_str)
}

/// The messages of a write: one, or a list.
pub fn each(write: &Value) -> &[Value] {
    match write {
        Value::List(items) => items,
        one => std::slice::from_ref(one),
    }
}

/// Gives every message without an id one from `fresh`.
pub fn with_ids(write: Value, fresh: &mut dyn FnMut() -> String) -> Value {
    let lacks = |m: &Value| is_message(m) && id(m).is_none();
    match write {
        Value::List(mut items) => {
            if items.iter().any(lacks) {
                for item in Arc::make_mut(&mut items) {
                    if lacks(item) {
                        set_id(item, fresh());
                    }
                }
            }
            Value::List(items)
        }
        mut one => {
            if lacks(&one) {
                set_id(&mut one, fresh());
            }
            one
        }
    }
}

fn set_id(message: &mut Value, id: String) {
    if let Value::Map(map) = message {
        Arc::make_mut(map).insert("id".into(), id.into());
    }
}
