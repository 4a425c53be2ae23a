//! Rust on a page is compiled, or says why not: `rust,ignore (a fragment)`.
//!
//! A page is compiled if a crate includes it into its docs with `include_str!`.

use std::collections::BTreeSet;

use super::problem::Problem;
use super::publish::included;
use crate::contents;
use crate::markdown::{self, Fence};
use crate::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let compiled: BTreeSet<String> = tree
        .rust()
        .flat_map(|file| file.lines().map(move |(_, line)| (file, line)))
        .filter(|(_, line)| line.contains("doc = "))
        .filter_map(|(file, line)| Some(markdown::resolved(&file.path, included(line)?)))
        .collect();
    let mut problems = Vec::new();
    for page in contents::pages(tree)
        .iter()
        .filter_map(|path| tree.get(path))
    {
        let is_compiled = compiled.contains(&page.path);
        for fence in markdown::fences(&page.text) {
            let Some((what, hint)) = problem(&fence, is_compiled) else {
                continue;
            };
            problems.push(Problem::new(&page.path, fence.line, what, hint));
        }
    }
    problems
}

fn problem(fence: &Fence<'_>, is_compiled: bool) -> Option<(&'static str, &'static str)> {
    let (words, reason) = fence.info.split_once('(').unwrap_or((fence.info, ""));
    let mut words = words.split(',').map(str::trim);
    let language = words.next().unwrap_or_default();
    // Rustdoc takes code without a language for Rust.
    let is_rust = language == "rust" || is_compiled && matches!(language, "" | "no_run");
    if language.is_empty() && !is_compiled {
        return Some(("code without a language", "name it, or `text`"));
    }
    if !is_rust {
        return None;
    }
    match words.any(|word| word == "ignore") {
        true if reason.is_empty() => Some((
            "Rust that is not compiled, without a reason",
            "write `rust,ignore (why)`",
        )),
        false if !is_compiled => Some((
            "Rust that nothing compiles",
            "include the page below `guide` in crates/superstep/src/lib.rs, or write `rust,ignore (why)`",
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(page: &str) -> Vec<String> {
        let contents = "- [A](a.md)\n- [B](b.md)\n";
        let lib = "#[doc = include_str!(\"../../docs/b.md\")]\nstruct B;\n";
        let tree = tree::of(&[
            (contents::PAGE, contents),
            ("docs/a.md", page),
            ("docs/b.md", "```rust\n```\n\n```\n```\n"),
            ("superstep/src/lib.rs", lib),
        ]);
        let problems = check(&tree);
        problems.into_iter().map(|problem| problem.what).collect()
    }

    #[test]
    fn rust_on_a_page_is_compiled_or_has_a_reason() {
        assert_eq!(found("```rust\n```\n"), ["Rust that nothing compiles"]);
        let without = "Rust that is not compiled, without a reason";
        assert_eq!(found("```rust,ignore\n```\n"), [without]);
        assert!(found("```rust,ignore (a fragment)\n```\n").is_empty());
    }

    #[test]
    fn code_of_other_languages_names_its_language() {
        assert!(found("```sh\nls\n```\n\n```text\n```\n").is_empty());
        assert_eq!(found("```\nls\n```\n"), ["code without a language"]);
    }
}
