//! Answers of inboxes: a list of one `{type, args}`, without the id of the question it is for.
//!
//! A thread with several open questions takes such an answer for the first one that it fits, which is the one that
//! inboxes show. Any other answer to several questions must name them, as everywhere. For questions in other forms see
//! `interop::inbox`.

use serde_json::Value as Json;
use superstep::dynamic::Snapshot;

const KINDS: &[&str] = &["accept", "edit", "ignore", "response"];

/// An answer of an inbox.
pub(crate) struct InboxAnswer<'a> {
    /// As it came.
    pub(crate) whole: &'a Json,
    pub(crate) kind: &'a str,
    pub(crate) args: &'a Json,
    /// The action that it is about, if it names one.
    pub(crate) about: Option<&'a str>,
}

impl<'a> InboxAnswer<'a> {
    /// Reads one; nothing if it is something else.
    pub(crate) fn of(whole: &'a Json) -> Option<Self> {
        let [answer] = whole.as_array()?.as_slice() else {
            return None;
        };
        let kind = answer.get("type")?.as_str()?;
        let args = answer.get("args")?;
        KINDS.contains(&kind).then(|| Self {
            whole,
            kind,
            args,
            about: args.get("action").and_then(Json::as_str),
        })
    }
}

/// The id of the question that the answer of an inbox is for, if several are open and it names none.
pub(crate) fn meant(answer: &Json, state: &Snapshot) -> Option<String> {
    let answer = InboxAnswer::of(answer)?;
    let open: Vec<(String, Json)> = state
        .asks()
        .map(|ask| (ask.id.to_string(), ask.value.to_json()))
        .collect();
    let is_shown = |(_, asked): &(String, Json)| action(asked).is_some();
    if open.len() < 2 || !open.iter().all(is_shown) {
        return None;
    }
    let fits = |(_, asked): &&(String, Json)| {
        let about = answer.about;
        about.is_none_or(|about| action(asked) == Some(about))
    };
    open.iter().find(fits).map(|(id, _)| id.clone())
}

/// What a question in the form of inboxes is about.
pub(crate) fn action(asked: &Json) -> Option<&str> {
    let item = match asked {
        Json::Array(items) => items.first()?,
        item => item,
    };
    item.pointer("/action_request/action")?.as_str()
}
