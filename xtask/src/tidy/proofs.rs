//! Pages that name a test as their proof name one that exists.

use std::collections::BTreeSet;

use super::problem::Problem;
use crate::tree::Tree;

/// The pages, whose tables have tests in their last column.
const PAGES: [&str; 1] = ["docs/threat-model.md"];

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let functions: BTreeSet<&str> = tree
        .rust()
        .flat_map(|file| file.text.lines())
        .filter_map(function)
        .collect();
    let mut problems = Vec::new();
    for file in tree
        .files
        .iter()
        .filter(|file| PAGES.contains(&&*file.path))
    {
        for (line, text) in file.lines() {
            for name in proofs(text).filter(|name| !functions.contains(name)) {
                problems.push(Problem::new(
                    &file.path,
                    line,
                    format!("there is no test `{name}`"),
                    "name the test that shows it, or take the row out",
                ));
            }
        }
    }
    problems
}

/// The function that a line begins to define.
fn function(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("fn ")?;
    rest.split(['(', '<']).next()
}

/// The names in the last column of a row.
fn proofs(line: &str) -> impl Iterator<Item = &str> {
    let row = line.strip_suffix('|').unwrap_or_default();
    let last = row.rsplit('|').next().unwrap_or_default();
    let quoted = last.split('`').skip(1).step_by(2);
    // Names of tests are sentences.
    quoted.filter(|name| name.matches('_').count() > 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    #[test]
    fn a_test_that_is_not_there_is_reported_at_its_row() {
        let page = "# T\n\n| a | b |\n|---|---|\n| x | `a_b_c_d`, `gone_is_the_test` |\n";
        let tree = tree::of(&[
            (PAGES[0], page),
            ("a/tests/it/b.rs", "#[test]\nasync fn a_b_c_d() {}\n"),
        ]);
        let found: Vec<_> = check(&tree).iter().map(Problem::to_string).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("docs/threat-model.md:5: there is no test `gone_is_the_test`")
        );
    }
}
