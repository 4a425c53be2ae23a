//! A state as people read it: what was said, and the rest by name. `--json` has all of it.
//!
//! Texts of others are indented, so that no line of theirs can be taken for one of ours.

use serde_json::{Map, Value as Json};
use superstep::text::single_line;

/// How many letters of a message are shown.
const MOST_LETTERS: usize = 2_000;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Utterance {
    pub(super) who: String,
    pub(super) text: String,
}

impl Utterance {
    /// A message of a state, if it is one; a long one is cut.
    pub(super) fn of(item: &Json, agent: &str) -> Option<Self> {
        let whole = Self::whole(item, agent)?;
        Some(Self {
            text: shortened(&whole.text, MOST_LETTERS),
            ..whole
        })
    }

    fn whole(item: &Json, agent: &str) -> Option<Self> {
        let kind = item.get("type").or_else(|| item.get("role"))?.as_str()?;
        let content = item.get("content")?;
        let mut text = match content {
            Json::String(text) => text.clone(),
            Json::Array(parts) => {
                let parts = parts.iter();
                let texts = parts.filter_map(|part| part.get("text").and_then(Json::as_str));
                texts.collect::<Vec<_>>().join("\n")
            }
            Json::Null => String::new(),
            _ => return None,
        };
        for call in calls(item) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&call);
        }
        let who = match kind {
            "human" | "user" => "you",
            "ai" | "assistant" => agent,
            "tool" => item.get("name").and_then(Json::as_str).unwrap_or("tool"),
            other => other,
        };
        Some(Self {
            who: single_line(who),
            text,
        })
    }

    /// Who, and the first words, on one line.
    pub(super) fn brief(&self) -> String {
        const MOST: usize = 60;
        format!(
            "{}: {}",
            self.who,
            shortened(&single_line(&self.text), MOST)
        )
    }
}

/// The calls of a message.
fn calls(item: &Json) -> Vec<String> {
    let calls = item.get("tool_calls").and_then(Json::as_array);
    let named = calls.into_iter().flatten().filter_map(|call| {
        let name = call.get("name")?.as_str()?;
        let args = call.get("args").and_then(Json::as_object);
        let args = args.map(brief_fields).unwrap_or_default();
        Some(format!("→ {}({args})", single_line(name)))
    });
    named.collect()
}

/// The conversation of a state: the longest list of messages that it has.
pub(super) fn conversation(state: &Json, agent: &str) -> (Option<String>, Vec<Utterance>) {
    longest(state, |item| Utterance::of(item, agent))
}

/// The same conversation, whole.
pub(super) fn said(state: &Json, agent: &str) -> Vec<Utterance> {
    longest(state, |item| Utterance::whole(item, agent)).1
}

fn longest(
    state: &Json,
    read: impl Fn(&Json) -> Option<Utterance>,
) -> (Option<String>, Vec<Utterance>) {
    let mut longest = (None, Vec::new());
    for (name, value) in state.as_object().into_iter().flatten() {
        let Some(items) = value.as_array() else {
            continue;
        };
        let said: Vec<Utterance> = items.iter().filter_map(&read).collect();
        if said.len() == items.len() && said.len() > longest.1.len() {
            longest = (Some(name.clone()), said);
        }
    }
    longest
}

/// A few fields on one line.
fn brief_fields(object: &Map<String, Json>) -> String {
    const MOST: usize = 160;
    let parts = object.iter().filter(|(_, value)| !value.is_null());
    let parts = parts.map(|(name, value)| format!("{name}: {}", scalar(value)));
    let parts: Vec<String> = parts.collect();
    shortened(&single_line(&parts.join(", ")), MOST)
}

/// A value without the quotes of JSON; lists are apart by commas.
pub(super) fn scalar(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(scalar).collect();
            items.join(", ")
        }
        Json::Object(fields) => brief_fields(fields),
        other => other.to_string(),
    }
}

/// The lines of a text of somebody else, without the empty ones at its end.
pub(super) fn lines(text: &str) -> Vec<String> {
    let text = shortened(text.trim_end(), MOST_LETTERS * 4);
    text.split('\n').map(str::to_owned).collect()
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_conversation_is_told_by_who_said_what() {
        let state = json!({"usage": [{"turn": 1}], "messages": [
            {"type": "human", "content": "one"},
            {"type": "ai", "content": "", "tool_calls": [{"name": "look", "args": {"day": "mon"}}]},
            {"type": "tool", "name": "look", "content": "free"},
        ]});
        let (name, said) = conversation(&state, "mail");
        assert_eq!(name.as_deref(), Some("messages"));
        let said: Vec<String> = said.iter().map(Utterance::brief).collect();
        assert_eq!(said, ["you: one", "mail: → look(day: mon)", "look: free"]);
    }
}
