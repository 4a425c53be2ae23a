//! Nothing unfinished, nothing switched off, nothing that waits by the clock.
//!
//! The words looked for are put together from halves, so that this file is no finding of its own.

use super::problem::Problem;
use super::words;
use crate::tree::{File, Tree};

/// A word that no source may hold, and what to do instead.
const MARKS: [(&str, &str); 6] = [
    (concat!("TO", "DO"), "do it, or open an issue"),
    (concat!("FIX", "ME"), "fix it, or open an issue"),
    (
        concat!("XX", "X"),
        "say what is odd and why, or open an issue",
    ),
    (concat!("todo", "!"), "finish it, or leave it out"),
    (concat!("unimplemented", "!"), "finish it, or leave it out"),
    (
        concat!("dbg", "!"),
        "remove it, or emit an event worth having",
    ),
];

const IGNORED: &str = concat!("#[", "ignore");
const CONDITIONAL: &str = concat!("#[", "cfg_attr(");

/// Kinds of files that count as sources.
const SOURCES: [&str; 8] = ["rs", "toml", "sh", "py", "js", "css", "html", "sql"];

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files.iter().filter(|file| is_source(file)) {
        for (number, line) in file.lines() {
            for (mark, hint) in MARKS.iter().filter(|(mark, _)| words::has(line, mark)) {
                let what = format!("`{mark}` in a source");
                problems.push(Problem::new(&file.path, number, what, *hint));
            }
            if is_ignored(line) {
                problems.push(Problem::new(
                    &file.path, number, "a test that does not run", "make it run, or remove it",
                ));
            }
            if file.extension() == Some("rs") && file.is_test() && sleeps(line) {
                problems.push(Problem::new(
                    &file.path,
                    number,
                    "a sleep in a test",
                    "wait for the event itself, or advance a paused clock",
                ));
            }
        }
    }
    problems
}

fn is_source(file: &File) -> bool {
    file.extension().is_some_and(|kind| SOURCES.contains(&kind)) || file.is_below(".ci")
}

fn is_ignored(line: &str) -> bool {
    line.contains(IGNORED) || (line.contains(CONDITIONAL) && words::has(line, "ignore"))
}

fn sleeps(line: &str) -> bool {
    let is_imported = line.contains("time::{") && words::has(line, "sleep");
    is_imported || words::has(line, "thread::sleep") || words::has(line, "time::sleep")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&tree::of(&[(path, text)]))
            .into_iter()
            .map(|p| format!("{}: {}", p.line, p.what))
            .collect()
    }

    #[test]
    fn every_mark_is_found_and_longer_words_are_not() {
        for (mark, _) in MARKS {
            let text = format!("fn a() {{}}\n    {mark}(a) // b\n");
            assert_eq!(
                found("a.rs", &text),
                [format!("2: `{mark}` in a source")],
                "{mark}"
            );
            assert!(found("a.rs", &format!("my_{mark}\n")).is_empty(), "{mark}");
            assert!(found("a.md", &text).is_empty(), "{mark}");
        }
        assert!(found("a.sh", &format!("mktemp x.{}\n", "X".repeat(6))).is_empty());
    }

    #[test]
    fn a_test_that_is_switched_off_is_reported() {
        for text in [
            format!("{IGNORED}]\n"),
            format!("    {IGNORED} = \"slow\"]\n"),
            format!("{CONDITIONAL}miri, ignore)]\n"),
        ] {
            assert_eq!(found("a.rs", &text), ["1: a test that does not run"]);
        }
        assert!(found("a.rs", "// ignore what follows\n").is_empty());
    }

    #[test]
    fn a_sleep_is_reported_in_tests_and_nowhere_else() {
        for text in [
            "std::thread::sleep(a);\n",
            "tokio::time::sleep(a).await;\n",
            "use tokio::time::{sleep, timeout};\n",
        ] {
            assert_eq!(found("a/tests/b.rs", text), ["1: a sleep in a test"]);
            assert!(found("a/src/b.rs", text).is_empty());
        }
        assert!(found("a/tests/b.rs", "tokio::time::advance(a).await;\n").is_empty());
    }

    #[test]
    fn this_file_is_no_finding_of_its_own() {
        assert_eq!(
            found("leftovers.rs", include_str!("leftovers.rs")),
            [] as [String; 0]
        );
    }
}
