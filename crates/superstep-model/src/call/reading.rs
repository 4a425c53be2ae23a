//! Extraction of the one JSON value in a model's text.
//!
//! Models put answers into code fences, words around them, or a string. That is read as meant. What
//! is not read is anything that leaves a choice: of two different answers, or a fragment of a
//! broken one.

use serde_json::{Deserializer, Value as Json};

/// Longer texts are data or nothing; they are not searched.
const MAX_SEARCHED: usize = 256 << 10;

const FENCE: &str = "```";

/// The value in a text, or why there is none, in words a model can act on.
pub(super) fn read(text: &str) -> Result<Json, String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err("the answer is empty".into());
    }
    let whole = match serde_json::from_str(text) {
        Ok(value) => return Ok(unquoted(value)),
        Err(error) => error,
    };
    if text.len() > MAX_SEARCHED {
        return Err(format!("the answer is no JSON: {whole}"));
    }
    let (fenced, around) = fenced(text);
    let mut found = Vec::new();
    if let Some(value) = fenced {
        found.push(unquoted(value));
        objects(&around, &mut found)?;
    } else {
        objects(text, &mut found)?;
    }
    found.dedup();
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(value), None) => Ok(value),
        (Some(_), Some(_)) => Err("there are several different JSON values, give one".into()),
        (None, _) => Err(format!("the answer is no JSON: {whole}")),
    }
}

/// What a string holds, if that is JSON itself.
fn unquoted(value: Json) -> Json {
    let Json::String(text) = &value else {
        return value;
    };
    match serde_json::from_str(text) {
        Ok(inner @ (Json::Object(_) | Json::Array(_))) => inner,
        _ => value,
    }
}

/// The value in the only code fence, and the text around it.
fn fenced(text: &str) -> (Option<Json>, String) {
    let mut pieces = text.split(FENCE);
    let (Some(before), Some(block), Some(after), None) =
        (pieces.next(), pieces.next(), pieces.next(), pieces.next())
    else {
        return (None, String::new());
    };
    let language = |c: char| c.is_ascii_alphanumeric();
    let bare = block.trim_start_matches(language);
    let value = serde_json::from_str(bare).or_else(|_| serde_json::from_str(block));
    (value.ok(), format!("{before}\n{after}"))
}

/// All whole objects that stand in a text.
fn objects(text: &str, found: &mut Vec<Json>) -> Result<(), String> {
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (_, from) = rest.split_at(at);
        let mut values = Deserializer::from_str(from).into_iter::<Json>();
        match values.next() {
            Some(Ok(value)) => {
                found.push(value);
                rest = from.get(values.byte_offset()..).unwrap_or_default();
            }
            Some(Err(error)) if begins_object(from) => {
                // Its parts are not taken for the whole.
                return Err(format!("the JSON is broken: {error}"));
            }
            _ => rest = from.get(1..).unwrap_or_default(),
        }
    }
    Ok(())
}

/// Whether a brace begins data, and not something in prose.
fn begins_object(from: &str) -> bool {
    let inside = from.trim_start_matches('{').trim_start();
    inside.is_empty() || inside.starts_with(['"', '\''])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_value_is_found_however_it_is_wrapped() {
        let texts = [
            r#"{"a":1}"#,
            "\u{feff} {\"a\":1}\n",
            "```json\n{\"a\":1}\n```",
            "```\n{\"a\":1}```",
            "Here you are:\n```JSON\n{\"a\":1}\n```\nAnything else?",
            r#"The answer is {"a":1}, I think."#,
            r#"With {braces} and so on: {"a":1}"#,
            r#""{\"a\":1}""#,
            "{\"a\":1}\n{\"a\": 1}",
            "\u{1b}[32m{\"a\":1}\u{1b}[0m",
        ];
        for text in texts {
            assert_eq!(read(text), Ok(json!({"a": 1})), "{text}");
        }
        assert_eq!(
            read("```json\n[{\"a\":1},2]\n```"),
            Ok(json!([{"a": 1}, 2]))
        );
        assert_eq!(read("\"plain\""), Ok(json!("plain")));
    }

    #[test]
    fn what_leaves_a_choice_is_not_read() {
        let texts = [
            "",
            " \n",
            "no data here",
            r#"{"a":1} or {"a":2}"#,
            "```json\n{\"a\":1}\n``` or {\"a\":2}",
            "```\n{\"a\":1}\n```\n```\n{\"a\":2}\n```",
            r#"{"a": {"b": 1}"#,
            r#"{"a": nope, "b": {"c": 1}}"#,
            r#"{'a': {"b": 1}}"#,
            r#"{"a": 1e999}"#,
            r#"{"a": NaN}"#,
            "{\"a\": \"\u{0}\"}",
            "{",
        ];
        for text in texts {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn hostile_texts_are_read_in_no_time() {
        let hostile = [
            "{".repeat(MAX_SEARCHED),
            "{\"a\":".repeat(40_000),
            "{x".repeat(100_000),
            "[".repeat(5 << 20),
            format!("{{\"a\":[{}", "{},".repeat(80_000)),
            "x".repeat(5 << 20),
            "```".repeat(80_000),
        ];
        for text in hostile {
            assert!(read(&text).is_err());
        }
    }
}
