//! Redaction of recordings.
//!
//! What is recorded goes through the same [`Redactor`] as traces. Recordings of earlier versions were only
//! cleaned of known secrets and of texts with the shape of a key; requests are still known by that form
//! too ([`former`]), so that those recordings can be replayed.

use serde_json::Value as Json;
use superstep_core::value::Value;
use superstep_text::Redactor;

/// What stands in place of a secret.
pub const MARK: &str = "[secret]";

/// Beginnings of keys that providers give out, and how much must follow.
const SHAPES: &[(&str, usize)] = &[
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("AIza", 30),
    ("AKIA", 16),
    ("ghp_", 30),
    ("gho_", 30),
    ("github_pat_", 30),
    ("glpat-", 16),
    ("hf_", 30),
    ("gsk_", 30),
    ("xai-", 30),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("lsv2_", 20),
];

/// Whether a text holds something with the shape of a key.
pub fn looks_secret(text: &str) -> bool {
    let mut words = text.to_owned();
    former_text(&mut words, &[]);
    words != text
}

/// Takes secrets out of a request. What was said is data: what is behind a name that secrets have
/// goes. Elsewhere, as in the schema of a tool, such a name has no secret behind it.
pub(super) fn request(form: &mut Json, redactor: &Redactor) {
    let Json::Object(fields) = form else {
        return texts(form, redactor);
    };
    for (name, field) in fields {
        match name.as_str() {
            "messages" => *field = redactor.value(&Value::from(field.take())).to_json(),
            _ => texts(field, redactor),
        }
    }
}

fn texts(value: &mut Json, redactor: &Redactor) {
    match value {
        Json::String(words) => *words = text(words, redactor),
        Json::Array(items) => items.iter_mut().for_each(|item| texts(item, redactor)),
        Json::Object(fields) => fields.values_mut().for_each(|field| texts(field, redactor)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

pub(super) fn text(words: &str, redactor: &Redactor) -> String {
    redactor.text(words).into_owned()
}

/// Arguments of a call without secrets. They come back with the next request as data, so they are
/// searched as data here too.
pub(super) fn args(json: &str, redactor: &Redactor) -> String {
    let Ok(data) = serde_json::from_str::<Json>(json) else {
        return text(json, redactor);
    };
    let data = Value::from(data);
    match redactor.value(&data) {
        clean if clean == data => json.to_owned(),
        clean => clean.to_json().to_string(),
    }
}

/// Takes out what earlier versions took out.
pub(super) fn former(value: &mut Json, secrets: &[String]) {
    match value {
        Json::String(words) => former_text(words, secrets),
        Json::Array(items) => items.iter_mut().for_each(|item| former(item, secrets)),
        Json::Object(fields) => fields.values_mut().for_each(|field| former(field, secrets)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn former_text(words: &mut String, secrets: &[String]) {
    for secret in secrets {
        if words.contains(secret.as_str()) {
            *words = words.replace(secret.as_str(), MARK);
        }
    }
    let mut clean = String::new();
    let mut rest = words.as_str();
    while let Some(start) = rest.find(is_of_key) {
        let (before, run) = rest.split_at_checked(start).unwrap_or_default();
        let length = run_length(run);
        let (word, after) = run.split_at_checked(length).unwrap_or_default();
        clean.push_str(before);
        rest = match secret_length(word, after) {
            Some(length) => {
                clean.push_str(MARK);
                run.get(length..).unwrap_or_default()
            }
            None => {
                clean.push_str(word);
                after
            }
        };
    }
    clean.push_str(rest);
    *words = clean;
}

/// The length of what has the shape of a key: this word, or it and the next one behind a point.
fn secret_length(word: &str, after: &str) -> Option<usize> {
    if is_key(word) {
        return Some(word.len());
    }
    let next = after.strip_prefix('.').filter(|_| word == "ya29")?;
    let next = next.get(..run_length(next))?;
    (next.len() >= 20 && !is_key(next)).then_some(word.len() + 1 + next.len())
}

fn is_key(word: &str) -> bool {
    let shapes = SHAPES.iter();
    shapes
        .filter_map(|(begin, least)| Some((word.strip_prefix(begin)?, least)))
        .any(|(rest, least)| rest.len() >= *least)
}

fn run_length(text: &str) -> usize {
    text.find(|c| !is_of_key(c)).unwrap_or(text.len())
}

fn is_of_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrubbed(text_in: &str, secrets: &[&str]) -> String {
        let secrets: Vec<String> = secrets.iter().map(|secret| (*secret).into()).collect();
        let mut words = text_in.to_owned();
        former_text(&mut words, &secrets);
        words
    }

    #[test]
    fn known_values_and_shapes_of_keys_are_taken_out() {
        let key = ["sk-", &"a1".repeat(20)].concat();
        assert_eq!(
            scrubbed(&format!("use {key}, or tiger-hill-4"), &["tiger-hill-4"]),
            "use [secret], or [secret]"
        );
        assert!(looks_secret(&format!("({key})")));
    }

    #[test]
    fn a_token_of_two_words_is_taken_out_whole() {
        let token = format!("ya29.{}", "a0".repeat(12));
        assert_eq!(scrubbed(&format!("{token} b"), &[]), "[secret] b");
        assert_eq!(scrubbed("ya29.short", &[]), "ya29.short");
    }

    #[test]
    fn words_that_only_begin_like_keys_stay() {
        for words in [
            "task-force-of-twenty-people-or-more",
            "sk-short",
            "AKIA",
            "",
        ] {
            assert_eq!(scrubbed(words, &[]), words);
        }
    }
}
