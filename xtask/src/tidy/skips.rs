//! No test passes by returning early: a test that needs what a machine may lack goes below a module
//! `needs_…`, whose step of CI reports `NOT RUN`.
//!
//! A test that starts itself as a child process calls the child with `return child();`, which is no finding.

use super::problem::Problem;
use crate::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust().flat_map(early_returns).collect()
}

/// Lines of test functions that return without a value. Rustfmt puts the brace that ends a function
/// below the beginning of its attribute.
fn early_returns(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut end_of_test = None;
    for (number, line) in file.lines() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if is_test_attribute(code) {
            end_of_test = Some(indent);
        } else if end_of_test == Some(indent) && code == "}" {
            end_of_test = None;
        } else if end_of_test.is_some() && returns_nothing(code) {
            problems.push(Problem::new(
                &file.path,
                number,
                "a test that passes by returning early",
                "assert what it needs, or move it below a module `needs_…` (`xtask/src/suite.rs`)",
            ));
        }
    }
    problems
}

fn is_test_attribute(code: &str) -> bool {
    code.starts_with("#[test]") || code.starts_with("#[tokio::test")
}

fn returns_nothing(code: &str) -> bool {
    let mut words = code.split_whitespace();
    words.any(|word| word == "return;") || code.contains("{ return }")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(text: &str) -> Vec<usize> {
        let problems = check(&tree::of(&[("a/tests/b.rs", text)]));
        problems.into_iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn a_return_without_a_value_is_reported_in_tests_and_nowhere_else() {
        let body = "    if !is_root() {\n        return;\n    }\n}\n";
        assert_eq!(found(&format!("#[test]\nfn a() {{\n{body}")), [4]);
        let attribute = "#[tokio::test(flavor = \"multi_thread\")]";
        assert_eq!(found(&format!("{attribute}\nasync fn a() {{\n{body}")), [4]);
        assert!(found(&format!("fn a() {{\n{body}")).is_empty());
        let after = format!("#[test]\nfn a() {{\n    b();\n}}\n\nfn b() {{\n{body}");
        assert!(found(&after).is_empty());
    }

    #[test]
    fn a_return_on_the_line_of_its_condition_is_reported() {
        // In halves, so that this file is no finding of its own.
        let text = concat!(
            "#[test]\nfn a() {\n    let Some(b) = c() else { ret",
            "urn };\n}\n"
        );
        assert_eq!(found(text), [3]);
    }

    #[test]
    fn a_test_that_is_its_own_child_process_is_no_finding() {
        let text = "#[test]\nfn a() {\n    if is_child() {\n        return child();\n    }\n}\n";
        assert!(found(text).is_empty());
    }
}
