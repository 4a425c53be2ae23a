//! A state as people read it: what was said, what is asked, and the rest by name. `--json` has all of it.
//!
//! Texts of others are indented, so that no line of theirs can be taken for one of ours.

use serde_json::{Map, Value as Json};
use superstep::text::single_line;
use superstep_mail::shown_description;

/// How many letters of a message are shown.
const MOST_LETTERS: usize = 2_000;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Utterance {
    pub(super) who: String,
    pub(super) text: String,
}

impl Utterance {
    /// A message of a state, if it is one.
    pub(super) fn of(item: &Json, agent: &str) -> Option<Self> {
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
            text: shortened(&text, MOST_LETTERS),
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
    let mut longest = (None, Vec::new());
    for (name, value) in state.as_object().into_iter().flatten() {
        let Some(items) = value.as_array() else {
            continue;
        };
        let said: Vec<Utterance> = items
            .iter()
            .filter_map(|it| Utterance::of(it, agent))
            .collect();
        if said.len() == items.len() && said.len() > longest.1.len() {
            longest = (Some(name.clone()), said);
        }
    }
    longest
}

/// What is asked, line by line.
pub(super) fn question(value: &Json) -> Vec<String> {
    // Inboxes put what it is about into a list of one.
    let asked = match value {
        Json::Array(items) if items.len() == 1 => items.first().unwrap_or(value),
        other => other,
    };
    let text = |key: &str| asked.get(key).and_then(Json::as_str);
    if let Some(query) = text("query").or(asked.as_str()) {
        return lines(query);
    }
    if let Some(question) = text("question") {
        let mut said = lines(question);
        let options = asked.get("options").and_then(Json::as_array);
        for (number, option) in (1..).zip(options.into_iter().flatten()) {
            said.push(format!("{number}  {}", single_line(&scalar(option))));
        }
        if let Some(understood) = text("understood") {
            said.push(format!("understood so far: {}", single_line(understood)));
        }
        return said;
    }
    let mut said = Vec::new();
    if let Some(action) = asked.get("action_request") {
        let tool = action.get("action").and_then(Json::as_str);
        said.push(format!(
            "May it do this: {}?",
            single_line(tool.unwrap_or("?"))
        ));
        let args = action.get("args").and_then(Json::as_object);
        said.extend(args.map(fields).unwrap_or_default());
    }
    if let Some(description) = text("description") {
        said.extend(lines(&shown_description(description)));
    }
    match (said.is_empty(), asked.as_object()) {
        (false, _) => said,
        (true, Some(all)) => fields(all),
        (true, None) => vec![asked.to_string()],
    }
}

/// The fields of an object, one per line; those of several lines below their name.
pub(super) fn fields(object: &Map<String, Json>) -> Vec<String> {
    let mut all = Vec::new();
    for (name, value) in object {
        let name = single_line(name);
        let text = match value {
            Json::Null => continue,
            Json::Object(fields) => brief_fields(fields),
            other => scalar(other),
        };
        match text.trim_end().contains('\n') {
            true => {
                all.push(format!("{name}:"));
                all.extend(lines(&text).into_iter().map(|line| format!("  {line}")));
            }
            false => all.push(format!("{name}: {}", text.trim_end())),
        }
    }
    all
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
    fn questions_are_what_a_person_reads() {
        assert_eq!(question(&json!({"query": "One?\nTwo?"})), ["One?", "Two?"]);
        let choice = json!({"question": "Which Sol?", "options": ["Sol A", "Sol B"]});
        assert_eq!(question(&choice), ["Which Sol?", "1  Sol A", "2  Sol B"]);
        let approval = json!([{
            "action_request": {"action": "send_email_tool", "args": {"text": "Hi\nAnn"}},
            "config": {"allow_accept": true}, "description": "It goes out.", "digest": "abc",
        }]);
        assert_eq!(
            question(&approval),
            [
                "May it do this: send_email_tool?",
                "text:",
                "  Hi",
                "  Ann",
                "It goes out."
            ]
        );
        assert_eq!(question(&json!({"n": 1, "gone": null})), ["n: 1"]);
    }

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
