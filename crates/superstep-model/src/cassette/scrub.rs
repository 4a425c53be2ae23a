//! Redaction of recordings: known secrets, and texts that have the shape of a key.

use serde_json::Value as Json;

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
    ("ya29.", 20),
];

/// Whether a text holds something with the shape of a key.
pub fn looks_secret(text: &str) -> bool {
    find(text).is_some()
}

/// Takes secrets out of all texts of a value. This is the one place where what is recorded is
/// cleaned.
pub(super) fn json(value: &mut Json, secrets: &[String]) {
    match value {
        Json::String(words) => text(words, secrets),
        Json::Array(items) => items.iter_mut().for_each(|item| json(item, secrets)),
        Json::Object(fields) => fields.values_mut().for_each(|field| json(field, secrets)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

pub(super) fn text(words: &mut String, secrets: &[String]) {
    for secret in secrets {
        if words.contains(secret.as_str()) {
            *words = words.replace(secret.as_str(), MARK);
        }
    }
    while let Some((at, length)) = find(words) {
        words.replace_range(at..at + length, MARK);
    }
}

/// Where the first text with the shape of a key is, and how long it is.
fn find(text: &str) -> Option<(usize, usize)> {
    SHAPES
        .iter()
        .flat_map(|(begin, least)| text.match_indices(begin).map(move |found| (found, *least)))
        .filter(|((at, _), _)| {
            let before = text
                .get(..*at)
                .and_then(|before| before.chars().next_back());
            !before.is_some_and(is_of_key)
        })
        .find_map(|((at, begin), least)| {
            let rest = text.get(at + begin.len()..)?;
            let more = rest.find(|c| !is_of_key(c)).unwrap_or(rest.len());
            (more >= least).then_some((at, begin.len() + more))
        })
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
        text(&mut words, &secrets);
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
