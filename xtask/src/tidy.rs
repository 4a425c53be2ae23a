//! `cargo xtask tidy`: the rules of the tree that the compiler does not know.
//!
//! Each rule is a module: a pure function from what was read to the problems found. All problems
//! are reported at once, one a line, as `path:line: what; hint`.

mod arrows;
mod circles;
mod codes;
mod contents;
mod docs;
mod inherit;
mod leftovers;
mod length;
mod links;
mod manifest;
mod names;
mod paths;
mod problem;
mod proofs;
mod publish;
mod sentences;
mod signposts;
mod skips;
mod snippets;
mod vocabulary;
mod words;

use crate::error::Error;
use crate::tree::Tree;
use crate::workspace::Workspace;
use problem::Problem;

/// Checks everything; the closing line carries the counts.
pub(crate) fn run(workspace: &Workspace) -> Result<String, Error> {
    let tree = Tree::load(&workspace.root)?;
    let seen = summary(workspace, &tree);
    report("tidy", &problems(workspace, &tree), &seen)?;
    Ok(format!("tidy: clean: {seen}"))
}

/// Checks the pages of the docs site alone.
pub(crate) fn run_pages(tree: &Tree) -> Result<(), Error> {
    report("docs", &pages(tree), "the pages")
}

fn report(chore: &str, problems: &[Problem], seen: &str) -> Result<(), Error> {
    for problem in problems {
        println!("{problem}");
    }
    let found = match problems.len() {
        0 => return Ok(()),
        1 => "1 problem".to_owned(),
        more => format!("{more} problems"),
    };
    Err(Error::failed(chore, format!("{found} in {seen}")))
}

fn problems(workspace: &Workspace, tree: &Tree) -> Vec<Problem> {
    let mut problems = arrows::check(&workspace.crates, tree);
    problems.extend(circles::check(&workspace.crates, tree));
    problems.extend(names::check(&workspace.crates, tree));
    problems.extend(inherit::check(&workspace.crates, tree));
    problems.extend(length::check(tree));
    problems.extend(docs::check(tree));
    problems.extend(leftovers::check(tree));
    problems.extend(paths::check(tree));
    problems.extend(codes::check(tree));
    problems.extend(proofs::check(tree));
    problems.extend(publish::check(&workspace.crates, tree));
    problems.extend(signposts::check(tree));
    problems.extend(skips::check(tree));
    problems.extend(vocabulary::check(tree));
    problems.extend(pages(tree));
    problems.sort();
    problems
}

/// What is wrong with the pages of the docs site.
fn pages(tree: &Tree) -> Vec<Problem> {
    let mut problems = contents::check(tree);
    problems.extend(links::check(tree));
    problems.extend(sentences::check(tree));
    problems.extend(snippets::check(tree));
    problems
}

fn summary(workspace: &Workspace, tree: &Tree) -> String {
    format!(
        "{} crates, {} files, {} Rust files (median {} lines without tests), {} error codes",
        workspace.crates.len(),
        tree.files.len(),
        tree.rust().count(),
        length::median(tree),
        codes::count(tree),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;
    use crate::workspace::Package;
    use std::path::PathBuf;

    fn workspace() -> Workspace {
        Workspace {
            root: PathBuf::from("."),
            target: PathBuf::from("target"),
            crates: vec![Package {
                name: "superstep-core".to_owned(),
                manifest: "crates/core/Cargo.toml".to_owned(),
                dependencies: Vec::new(),
                features: Vec::new(),
            }],
        }
    }

    const MANIFEST: (&str, &str) = (
        "crates/core/Cargo.toml",
        "[package]\npublish = false\nedition.workspace = true\nrust-version.workspace = true\n\
         license.workspace = true\n[lints]\nworkspace = true\n",
    );

    #[test]
    fn a_tree_that_keeps_every_rule_has_no_problems() {
        let tree = tree::of(&[MANIFEST, ("crates/core/src/lib.rs", "//! The core.\n")]);
        let found = problems(&workspace(), &tree);
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(
            summary(&workspace(), &tree),
            "1 crates, 2 files, 1 Rust files (median 1 lines without tests), 0 error codes"
        );
    }

    #[test]
    fn problems_of_several_rules_are_reported_together_in_the_order_of_the_files() {
        let tree = tree::of(&[
            MANIFEST,
            ("crates/core/src/b.rs", "pub fn b() {}\n"),
            (
                "crates/core/src/a.rs",
                concat!("//! A.\n\n// TO", "DO later\n"),
            ),
        ]);
        let found = problems(&workspace(), &tree);
        let seen: Vec<_> = found.iter().map(|p| (p.path.as_str(), p.line)).collect();
        assert_eq!(
            seen,
            [("crates/core/src/a.rs", 3), ("crates/core/src/b.rs", 1)]
        );
    }
}
