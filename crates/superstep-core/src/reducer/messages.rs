//! The reducer of messages: appended, replaced by id, removed by id.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
    sync::{Arc, OnceLock},
};

use xxhash_rust::xxh3::xxh3_64;

use super::{Reduced, append, misfit};
use crate::{
    error::Failure,
    message::{REMOVE_ALL, Unknown, each, id},
    value::Value,
};

fn is_removal(message: &Value) -> bool {
    message.get("type").and_then(Value::as_str) == Some("remove")
}

/// Which message ids a list has, kept beside a channel so that appending costs what is appended.
///
/// Copies of a channel share it, also when it is made later by one of them. Ids are known by their
/// hashes alone: an id that seems to be there is looked for in the list itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index(Arc<OnceLock<Hashes>>);

type Hashes = HashSet<u64, BuildHasherDefault<Same>>;

impl Index {
    /// The hashes of the ids in the list that it is beside.
    fn of(&self, messages: &[Value]) -> &Hashes {
        self.0.get_or_init(|| hashes(messages).collect())
    }

    /// Follows its list, which has grown; the lists of copies have not.
    pub(crate) fn grow(&mut self, messages: &[Value]) {
        if let Some(alone) = Arc::get_mut(&mut self.0) {
            if let Some(known) = alone.get_mut() {
                known.extend(hashes(messages));
            }
            return;
        }
        let grown = self.0.get().map(|known| {
            let mut grown = known.clone();
            grown.extend(hashes(messages));
            grown
        });
        self.0 = Arc::new(grown.map(OnceLock::from).unwrap_or_default());
    }
}

fn hashes(messages: &[Value]) -> impl Iterator<Item = u64> {
    messages.iter().filter_map(id).map(hash)
}

fn hash(id: &str) -> u64 {
    xxh3_64(id.as_bytes())
}

/// Takes a hash as it is.
#[derive(Clone, Copy, Debug, Default)]
struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
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
    let known = index.get_or_insert_default();
    if only_fresh(known.of(present), incoming.iter()) {
        known.grow(&incoming);
        return append(left, incoming);
    }
    *index = None;
    splice(present, &incoming, unknown)
}

/// The list with new messages behind it, if that is all the writes do to it.
pub(crate) fn appended(present: &Value, index: &Index, writes: &[&Value]) -> Option<Value> {
    let messages = || writes.iter().flat_map(|write| each(write));
    let present = present.as_list()?;
    let plain = messages().all(|message| matches!(message, Value::Map(_)))
        && only_fresh(index.of(present), messages());
    if !plain {
        return None;
    }
    let mut all = Vec::with_capacity(present.len() + messages().count());
    all.extend_from_slice(present);
    all.extend(messages().cloned());
    Some(Value::List(Arc::new(all)))
}

/// Whether messages only add to a list: none replaces or removes one of it, or another of them.
fn only_fresh<'a>(known: &Hashes, mut messages: impl Iterator<Item = &'a Value>) -> bool {
    let mut fresh = Hashes::default();
    messages.all(|message| {
        let unseen = id(message).map(hash);
        let unseen = unseen.is_none_or(|hash| !known.contains(&hash) && fresh.insert(hash));
        unseen && !is_removal(message)
    })
}

/// The general case: replacements and removals rewrite the list.
fn splice(present: &[Value], incoming: &[Value], unknown: Unknown) -> Result<Reduced, Failure> {
    let present_ids = present.iter().enumerate();
    let mut places: HashMap<Arc<str>, usize> = present_ids
        .filter_map(|(at, message)| Some((shared_id(message)?, at)))
        .collect();
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
