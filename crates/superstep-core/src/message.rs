//! Chat messages as data: appended, replaced by id, removed by id.
//!
//! A message is an object with `type`, `content` and `id`; the model layer has the typed form.

use std::{collections::HashMap, collections::HashSet, sync::Arc};

use crate::{
    error::Failure,
    reducer::{Reduced, append, misfit},
    value::Value,
};

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

fn is_removal(message: &Value) -> bool {
    message.get("type").and_then(Value::as_str) == Some("remove")
}

/// Where each message id stands, kept beside a channel so that appending costs what is appended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index(HashMap<Arc<str>, usize>);

impl Index {
    fn of(messages: &[Value]) -> Self {
        Self(
            messages
                .iter()
                .enumerate()
                .filter_map(|(at, m)| Some((shared_id(m)?, at)))
                .collect(),
        )
    }
}

fn shared_id(message: &Value) -> Option<Arc<str>> {
    match message.get("id") {
        Some(Value::Str(id)) => Some(id.clone()),
        _ => None,
    }
}

pub(crate) fn add(
    left: Value,
    right: Value,
    unknown: Unknown,
    index: &mut Option<Index>,
) -> Result<Reduced, Failure> {
    let incoming = match right {
        Value::List(items) => items,
        one @ Value::Map(_) => Arc::new(vec![one]),
        other => return Err(misfit("add messages to", &left, &other)),
    };
    let Value::List(present) = &left else {
        return Err(misfit("add messages to", &left, &Value::List(incoming)));
    };
    if unknown == Unknown::Refuse {
        let all = incoming
            .iter()
            .rposition(|m| is_removal(m) && id(m) == Some(REMOVE_ALL));
        if let Some(at) = all {
            *index = None;
            let rest = incoming.iter().skip(at + 1).cloned().collect();
            return Ok(Reduced {
                value: Value::List(Arc::new(rest)),
                appended: None,
            });
        }
    }
    let mut places = index.take().unwrap_or_else(|| Index::of(present)).0;
    let (base, known) = (present.len(), places.len());
    let mut fresh = 0;
    let plain = incoming.iter().enumerate().all(|(n, message)| {
        let Some(id) = shared_id(message) else {
            return !is_removal(message);
        };
        fresh += 1;
        !is_removal(message) && places.insert(id, base + n).is_none()
    });
    if plain && places.len() == known + fresh {
        *index = Some(Index(places));
        return append(left, incoming);
    }
    splice(present, &incoming, unknown)
}

/// The list with new messages behind it, if that is all the writes do to it.
pub(crate) fn appended(present: &Value, index: &Index, writes: &[&Value]) -> Option<Value> {
    let messages = || writes.iter().flat_map(|write| each(write));
    let mut fresh = HashSet::new();
    let plain = messages().all(|message| {
        let unseen = id(message).is_none_or(|id| !index.0.contains_key(id) && fresh.insert(id));
        matches!(message, Value::Map(_)) && !is_removal(message) && unseen
    });
    let present = present.as_list().filter(|_| plain)?;
    let mut all = Vec::with_capacity(present.len() + messages().count());
    all.extend_from_slice(present);
    all.extend(messages().cloned());
    Some(Value::List(Arc::new(all)))
}

/// The general case: replacements and removals rewrite the list.
fn splice(present: &[Value], incoming: &[Value], unknown: Unknown) -> Result<Reduced, Failure> {
    let mut places = Index::of(present).0;
    let mut merged: Vec<Value> = present.to_vec();
    let mut removed: HashSet<Arc<str>> = HashSet::new();
    for message in incoming {
        let id = shared_id(message);
        let place = id.as_ref().and_then(|id| places.get(id).copied());
        match (id, place, is_removal(message)) {
            (Some(id), Some(_), true) => {
                removed.insert(id);
            }
            (Some(id), Some(at), false) => {
                removed.remove(&id);
                if let Some(slot) = merged.get_mut(at) {
                    *slot = message.clone();
                }
            }
            (_, _, true) if unknown == Unknown::Ignore => {}
            (id, _, true) => {
                let id = id.unwrap_or_default();
                let why = format!("cannot remove message `{id}`: no message has that id");
                return Err(Failure::new("ValueError", why).permanent());
            }
            (id, _, false) => {
                places.extend(id.map(|id| (id, merged.len())));
                merged.push(message.clone());
            }
        }
    }
    merged.retain(|m| shared_id(m).is_none_or(|id| !removed.contains(&id)));
    Ok(Reduced {
        value: Value::List(Arc::new(merged)),
        appended: None,
    })
}
