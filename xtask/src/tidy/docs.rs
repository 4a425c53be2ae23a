//! Every Rust file begins with `//!` and says what it is for.

use super::problem::Problem;
use crate::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust()
        .filter(|file| !is_fixture(file) && !is_told(file))
        .map(|file| {
            Problem::new(
                &file.path,
                1,
                "the file does not begin with `//!` docs",
                "say what it is for and where to read next",
            )
        })
        .collect()
}

/// Input of a test, such as a program that must not compile, is no module of ours.
fn is_fixture(file: &File) -> bool {
    file.is_below("fixtures") || (file.is_below("tests") && file.is_below("ui"))
}

fn is_told(file: &File) -> bool {
    let first = file.text.lines().next().unwrap_or_default();
    first
        .strip_prefix("//!")
        .is_some_and(|words| !words.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    #[test]
    fn a_file_without_a_word_on_itself_is_reported() {
        let tree = tree::of(&[
            ("a/src/lib.rs", "//! What A is for.\n"),
            ("a/src/bare.rs", "use std::fmt;\n"),
            ("a/src/late.rs", "use std::fmt;\n//! Too late.\n"),
            ("a/src/mute.rs", "//!\n"),
            ("a/src/void.rs", ""),
            ("a/tests/it/main.rs", "mod a;\n"),
            ("a/README.md", "words\n"),
        ]);
        let found = check(&tree);
        let seen: Vec<_> = found.iter().map(|p| p.path.as_str()).collect();
        assert_eq!(
            seen,
            [
                "a/src/bare.rs", "a/src/late.rs", "a/src/mute.rs", "a/src/void.rs",
                "a/tests/it/main.rs",
            ]
        );
    }

    #[test]
    fn input_of_a_test_needs_no_docs() {
        let tree = tree::of(&[
            ("a/tests/ui/wrong.rs", "fn main() {}\n"),
            ("a/fixtures/b.rs", "fn main() {}\n"),
        ]);
        assert_eq!(check(&tree), []);
    }
}
