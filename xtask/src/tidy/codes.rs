//! Error codes are promises: each one that the sources use is listed in [`LIST`], and each one
//! listed exists, and has one meaning.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::Problem;
use crate::tree::Tree;

const LIST: &str = "docs/errors.md";

const PREFIX: &str = "SS";
const DIGITS: usize = 4;

/// Where a code first is.
struct DefinedAt<'a> {
    path: &'a str,
    line: usize,
}

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let listed = listed(tree);
    let mut problems = Vec::new();
    for (code, at) in used(tree) {
        if listed.contains_key(code) {
            continue;
        }
        problems.push(Problem::new(
            at.path,
            at.line,
            format!("the error code {code} is not listed"),
            format!("tell in {LIST} what it means and what to do"),
        ));
    }
    problems.extend(listed_again(tree));
    let made = made(tree);
    for (code, at) in listed {
        if made.contains_key(code) {
            continue;
        }
        problems.push(Problem::new(
            at.path,
            at.line,
            format!("no source makes the error code {code}"),
            "remove the entry; a code is never given a second meaning",
        ));
    }
    problems
}

/// How many codes the sources make.
pub(super) fn count(tree: &Tree) -> usize {
    made(tree).len()
}

/// Codes in any Rust file; a test that names a code relies on it too.
fn used(tree: &Tree) -> BTreeMap<&str, DefinedAt<'_>> {
    first_places(
        tree.rust()
            .flat_map(|file| file.lines().map(|(line, text)| (&*file.path, line, text))),
    )
}

/// Codes outside tests.
fn made(tree: &Tree) -> BTreeMap<&str, DefinedAt<'_>> {
    first_places(tree.rust().flat_map(|file| {
        file.product_lines()
            .map(|(line, text)| (&*file.path, line, text))
    }))
}

fn listed(tree: &Tree) -> BTreeMap<&str, DefinedAt<'_>> {
    first_places(
        tree.get(LIST)
            .into_iter()
            .flat_map(|file| file.lines().map(|(line, text)| (&*file.path, line, text))),
    )
}

/// Codes with an entry of their own more than once.
fn listed_again(tree: &Tree) -> Vec<Problem> {
    let mut seen = BTreeSet::new();
    let entries = tree.get(LIST).into_iter().flat_map(|file| file.lines());
    let again = entries.filter_map(|(line, text)| {
        let first = text.strip_prefix('|')?.split('|').next()?;
        let code = codes(first).next()?;
        (!seen.insert(code)).then_some((line, code))
    });
    again
        .map(|(line, code)| {
            let what = format!("the error code {code} is listed twice");
            Problem::new(LIST, line, what, "give one of the errors another code")
        })
        .collect()
}

fn first_places<'a>(
    lines: impl Iterator<Item = (&'a str, usize, &'a str)>,
) -> BTreeMap<&'a str, DefinedAt<'a>> {
    let mut places = BTreeMap::new();
    for (path, line, text) in lines {
        for code in codes(text) {
            places.entry(code).or_insert(DefinedAt { path, line });
        }
    }
    places
}

/// The codes of a line: the prefix and exactly four digits, on their own.
fn codes(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| {
            word.strip_prefix(PREFIX).is_some_and(|digits| {
                digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_digit())
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        // The sources of these tests must not use codes themselves: `@` stands for the prefix.
        let texts: Vec<_> = files
            .iter()
            .map(|(path, text)| (*path, text.replace('@', PREFIX)))
            .collect();
        let files: Vec<_> = texts.iter().map(|(p, t)| (*p, t.as_str())).collect();
        check(&tree::of(&files))
            .into_iter()
            .map(|p| format!("{}:{}: {}", p.path, p.line, p.what))
            .map(|text| text.replace(PREFIX, "@"))
            .collect()
    }

    #[test]
    fn codes_that_are_used_and_listed_are_fine() {
        let files = [
            ("a/src/error.rs", "Self::Late => \"@0012\",\n"),
            ("docs/errors.md", "| `@0012` | late |\n"),
        ];
        assert_eq!(found(&files), [] as [String; 0]);
    }

    #[test]
    fn a_code_has_one_entry() {
        let files = [
            ("a/src/error.rs", "Self::Late => \"@0012\",\n"),
            (
                "docs/errors.md",
                "| @0012 | late |\n| @0012 | early |\n| x | @0012 |\n",
            ),
        ];
        assert_eq!(
            found(&files),
            ["docs/errors.md:2: the error code @0012 is listed twice"]
        );
    }

    #[test]
    fn a_code_that_is_not_listed_is_reported_once_where_it_first_stands() {
        let files = [
            ("a/src/error.rs", "\n\"@0012\"\n\"@0012\"\n"),
            ("a/src/other.rs", "\"@0012\"\n"),
        ];
        assert_eq!(
            found(&files),
            ["a/src/error.rs:2: the error code @0012 is not listed"]
        );
    }

    #[test]
    fn a_listed_code_that_only_tests_name_does_not_exist() {
        let files = [
            ("docs/errors.md", "# Errors\n\n## @0012 late\n"),
            ("a/tests/it.rs", "\"@0012\"\n"),
            (
                "a/src/b.rs",
                "#[cfg(test)]\nmod tests {\n    \"@0012\"\n}\n",
            ),
        ];
        assert_eq!(
            found(&files),
            ["docs/errors.md:3: no source makes the error code @0012"]
        );
    }

    #[test]
    fn longer_and_shorter_words_are_not_codes() {
        let files = [("a.rs", "@001 @00123 @00xx X@0001 @0001_A ss0001\n")];
        assert_eq!(found(&files), [] as [String; 0]);
    }
}
