//! Arguments of a call as a person edits them.
//!
//! Arguments that the program fills in are not shown, and those of a mail that may be left out are: its recipients and its
//! subject.

use serde_json::{Map, Value as Json, json};

use crate::{Item, memory::feedback::FILLED, tools};

/// The arguments to edit.
pub(super) fn editable(item: &Item, args: &Map<String, Json>) -> Map<String, Json> {
    let mut shown = args.clone();
    shown.retain(|name, _| !FILLED.contains(&name.as_str()));
    for (name, value) in left_out(item) {
        shown.entry(name).or_insert(value);
    }
    shown
}

/// The arguments of the call as a person edited them.
pub(super) fn completed(item: &Item, edited: &Map<String, Json>) -> Map<String, Json> {
    let asked = &item.action_request.args;
    let mut args = edited.clone();
    for (name, value) in left_out(item) {
        if !asked.contains_key(&name) && args.get(&name) == Some(&value) {
            args.remove(&name);
        }
    }
    for (name, value) in asked {
        if FILLED.contains(&name.as_str()) && !args.contains_key(name) {
            args.insert(name.clone(), value.clone());
        }
    }
    args
}

/// What arguments of a mail mean that may be left out.
fn left_out(item: &Item) -> Map<String, Json> {
    let mut all = Map::new();
    let action = item.action_request.action.as_str();
    if action == tools::SEND {
        all.insert("to".into(), json!("all"));
        all.insert("drop".into(), json!([]));
    }
    let letter = item.view.as_ref().and_then(|view| view.letter.as_ref());
    if let (tools::SEND | tools::FORWARD, Some(letter)) = (action, letter) {
        all.insert("subject".into(), json!(letter.subject));
    }
    all
}
