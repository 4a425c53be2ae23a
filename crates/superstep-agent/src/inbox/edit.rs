//! Arguments of a call as editable text, and back.
//!
//! Each argument has a line `=== NAME`, and its value below: texts as they are, lists of texts one a
//! line, everything else as JSON. Texts that would be mistaken for such a line, or that hold what a
//! terminal would obey, make all of it JSON.

use serde_json::{Map, Value as Json};
use superstep::text::{escaped_json, sanitize};

use super::question::InboxQuestion;

const MARK: &str = "=== ";

impl InboxQuestion {
    /// Arguments as text to edit.
    pub fn edit_text(args: &Map<String, Json>) -> String {
        text(args)
    }

    /// Parses the edited text of [`InboxQuestion::edit_text`].
    pub fn read_edit(&self, text: &str) -> Result<Map<String, Json>, String> {
        read(text, &self.asked, self.lists)
    }

    /// The value of an argument that is written as text.
    pub fn edit_value(&self, key: &str, text: &str) -> Result<Json, String> {
        value(key, text, self.args().get(key), self.lists)
    }
}

/// The text to change.
fn text(args: &Map<String, Json>) -> String {
    if !is_plain(args) {
        let json = serde_json::to_string_pretty(args).unwrap_or_default();
        return escaped_json(&json);
    }
    let mut text = String::from("Edit the values below the names; save and leave.\n\n");
    for (key, value) in args {
        text.push_str(&format!("{MARK}{key}\n"));
        match (value, texts(value)) {
            (Json::String(value), _) => text.push_str(value),
            (_, Some(items)) => text.push_str(&items.join("\n")),
            (other, None) => text.push_str(&other.to_string()),
        }
        text.push_str("\n\n");
    }
    text
}

/// Parses the edited text.
fn read(text: &str, old: &Map<String, Json>, lists: &[&str]) -> Result<Map<String, Json>, String> {
    if !is_plain(old) {
        return read_object(text);
    }
    let mut args = Map::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    let mut close = |open: Option<(String, Vec<&str>)>| -> Result<(), String> {
        let Some((key, lines)) = open else {
            return Ok(());
        };
        if args.contains_key(&key) {
            return Err(format!("`{key}` is there twice"));
        }
        let written = lines.join("\n");
        let was = old.get(&key);
        // The empty line before the next name is no part of a text.
        let value = match was {
            Some(Json::String(was)) if written.trim_end() == was.trim_end() => {
                Json::String(was.clone())
            }
            _ if is_list(&key, was, lists) => list(&written, '\n'),
            _ => value(&key, written.trim_end(), was, lists)?,
        };
        args.insert(key, value);
        Ok(())
    };
    for line in text.lines() {
        match line.strip_prefix(MARK) {
            Some(key) => {
                close(open.take())?;
                open = Some((key.trim().to_owned(), Vec::new()));
            }
            None => {
                if let Some((_, lines)) = &mut open {
                    lines.push(line);
                }
            }
        }
    }
    close(open)?;
    match args.is_empty() {
        true => Err(format!("there is no line that begins with `{MARK}`")),
        false => Ok(args),
    }
}

/// The value of an argument, written as text.
fn value(key: &str, text: &str, was: Option<&Json>, lists: &[&str]) -> Result<Json, String> {
    if is_list(key, was, lists) {
        return Ok(match serde_json::from_str(text) {
            Ok(read @ Json::Array(_)) => read,
            _ => list(text, ','),
        });
    }
    match was {
        None | Some(Json::String(_) | Json::Null) => Ok(Json::String(text.to_owned())),
        Some(_) => serde_json::from_str(text).map_err(|error| error.to_string()),
    }
}

/// A JSON object.
fn read_object(text: &str) -> Result<Map<String, Json>, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn is_list(key: &str, was: Option<&Json>, lists: &[&str]) -> bool {
    match was {
        Some(was) => texts(was).is_some(),
        None => lists.contains(&key),
    }
}

fn list(text: &str, apart: char) -> Json {
    let items = text.split(apart).map(str::trim);
    items.filter(|item| !item.is_empty()).collect()
}

/// The texts of a list of texts.
fn texts(value: &Json) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Json::as_str).collect()
}

fn is_plain(args: &Map<String, Json>) -> bool {
    let is_plain = |text: &str| {
        let is_mark = text.lines().any(|line| line.starts_with(MARK));
        !is_mark && sanitize(text) == text
    };
    let one_line = |text: &str| is_plain(text) && !text.contains('\n');
    args.iter().all(|(key, value)| {
        let has_plain_value = match (value, texts(value)) {
            (Json::String(text), _) => is_plain(text),
            (_, Some(items)) => items.into_iter().all(one_line),
            (other, None) => is_plain(&other.to_string()),
        };
        one_line(key) && has_plain_value
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LISTS: &[&str] = &["additional_recipients", "attendees"];

    fn args(json: Json) -> Map<String, Json> {
        json.as_object().unwrap().clone()
    }

    #[test]
    fn what_nobody_changed_is_as_it_was() {
        for old in [
            json!({"response_text": "Hi\n\n- a\n", "additional_recipients": ["a@b", "c@d"]}),
            json!({"done": true, "n": 3, "text": ""}),
            json!({"text": "=== text\nmine"}),
            json!({"text": "a\u{1b}[31mb"}),
            json!({"list": []}),
        ] {
            let old = args(old);
            assert_eq!(read(&text(&old), &old, LISTS).unwrap(), old);
        }
    }

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        let text = text(&args(json!({"text": "a\u{1b}[31mb\u{202e}"})));
        assert_eq!(sanitize(&text), text);
    }

    #[test]
    fn texts_and_lists_are_changed_without_quotes() {
        let old = args(json!({"response_text": "Hi", "attendees": ["a@b"]}));
        let text = text(&old)
            .replace("Hi", "Hello\nthere")
            .replace("a@b", "a@b\nc@d");
        let new = read(&text, &old, LISTS).unwrap();
        let wanted = json!({"response_text": "Hello\nthere", "attendees": ["a@b", "c@d"]});
        assert_eq!(new, args(wanted));
    }

    #[test]
    fn values_have_the_form_they_had() {
        let list = json!(["a@b"]);
        assert_eq!(
            value("attendees", "x@y, z@w", Some(&list), LISTS).unwrap(),
            json!(["x@y", "z@w"])
        );
        assert_eq!(
            value("attendees", "[\"x@y\"]", Some(&list), LISTS).unwrap(),
            json!(["x@y"])
        );
        assert_eq!(
            value("additional_recipients", "x@y", None, LISTS).unwrap(),
            json!(["x@y"])
        );
        assert_eq!(
            value("title", "1", Some(&json!("x")), LISTS).unwrap(),
            json!("1")
        );
        assert_eq!(
            value("done", "false", Some(&json!(true)), LISTS).unwrap(),
            json!(false)
        );
        assert!(value("done", "maybe", Some(&json!(true)), LISTS).is_err());
    }
}
