//! Words that the field has a better word for stay out of sources, help texts and documents.
//!
//! ARCHITECTURE.md has the glossary. A word in quotes or backticks of its own is a name: of a stored
//! field, on the wire, or of the thing that is talked about. Tests may use any words.

use super::problem::Problem;
use super::words;
use crate::tree::{File, Tree};

/// What not to write, put together from halves so that this file is no finding of its own, and what to
/// write instead.
const REPLACED: [(&str, &str); 25] = [
    (concat!("goes", " on"), "continues, or resumes"),
    (concat!("go", " on"), "continue, or resume"),
    (concat!("of no", " use"), "invalid, and why"),
    (concat!("what is", " so"), "the environment"),
    (concat!("on the", " disk"), "durable, fsync'd, or written"),
    (concat!("me", "nd"), "repair, or fix"),
    (concat!("pat", "ience"), "backoff, a timeout, or a limit"),
    (concat!("rec", "kon"), "estimate"),
    (concat!("rec", "koned"), "estimated"),
    (concat!("when", "ce"), "source, or endpoint"),
    (concat!("de", "ed"), "action, or call"),
    (concat!("she", "lf"), "the thing it holds"),
    (concat!("se", "ats"), "permits"),
    (concat!("wit", "ness"), "recording saver"),
    (concat!("honours", "_key"), "idempotent"),
    (concat!("once", "_by_key"), "once_idempotent"),
    (concat!("out", "ran"), "fenced, or stale"),
    // One spelling: that of the United States.
    (concat!("col", "our"), "color"),
    (concat!("hon", "ours"), "honors"),
    (concat!("label", "led"), "labeled"),
    (concat!("neigh", "bour"), "neighbor"),
    (concat!("recogn", "ise"), "recognize"),
    (concat!("sanit", "ised"), "sanitized"),
    (concat!("serial", "ise"), "serialize"),
    (concat!("summar", "ise"), "summarize"),
];

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files.iter().filter(|file| is_prose(file)) {
        for (number, line) in file.product_lines() {
            let lower = line.to_lowercase();
            for (word, instead) in REPLACED.iter().filter(|(word, _)| is_used(&lower, word)) {
                problems.push(Problem::new(
                    &file.path,
                    number,
                    format!("`{word}` is not the field's word"),
                    format!("say: {instead}"),
                ));
            }
        }
    }
    problems
}

/// Whether people read a file. Prompts are for models, and recordings hold to them letter by letter.
fn is_prose(file: &File) -> bool {
    matches!(file.extension(), Some("rs" | "md")) && !file.path.contains("/prompts/")
}

fn is_used(line: &str, word: &str) -> bool {
    // Most lines have none of the words, and a copy of each costs seconds.
    if !line.contains(word) {
        return false;
    }
    let quoted = ['"', '`'].map(|quote| format!("{quote}{word}{quote}"));
    let rest = quoted.iter().fold(line.to_owned(), |line, name| {
        line.replace(name.as_str(), "")
    });
    words::has(&rest, word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&tree::of(&[(path, text)]))
            .into_iter()
            .map(|problem| format!("{}: {}", problem.line, problem.what))
            .collect()
    }

    #[test]
    fn every_word_is_found_in_sources_and_documents() {
        for (word, _) in REPLACED {
            let text = format!("A line.\n// A run {word}.\n");
            let expected = [format!("2: `{word}` is not the field's word")];
            assert_eq!(found("a/src/b.rs", &text), expected, "{word}");
            assert_eq!(found("docs/b.md", &text), expected, "{word}");
        }
    }

    #[test]
    fn names_longer_words_tests_and_data_are_left_alone() {
        for (word, _) in REPLACED {
            for text in [
                format!("#[serde(rename = \"{word}\")]\n"),
                format!("The field `{word}`.\n"),
                format!("my{word}s\n"),
            ] {
                assert!(found("a/src/b.rs", &text).is_empty(), "{text}");
            }
            assert!(found("a/tests/b.rs", word).is_empty(), "{word}");
            assert!(found("a/b.json", word).is_empty(), "{word}");
        }
    }

    #[test]
    fn this_file_is_no_finding_of_its_own() {
        let own = include_str!("vocabulary.rs");
        assert!(found("vocabulary.rs", own).is_empty());
    }
}
