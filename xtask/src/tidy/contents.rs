//! Every page is in the contents of the docs site, once.

use super::problem::Problem;
use crate::contents;
use crate::tree::{File, Tree};

/// Where pages are. Others may be listed too.
const FOLDERS: [&str; 2] = ["docs/", "crates/superstep/src/docs/"];

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let listed = contents::pages(tree);
    let mut problems = Vec::new();
    for page in tree.files.iter().filter(|file| is_page(file)) {
        let count = listed.iter().filter(|path| **path == page.path).count();
        let what = match count {
            1 => continue,
            0 => format!("the page is not in {}", contents::PAGE),
            _ => format!("the page is in {} more than once", contents::PAGE),
        };
        let hint = "list it once, below the task that it is for";
        problems.push(Problem::new(&page.path, 1, what, hint));
    }
    problems
}

fn is_page(file: &File) -> bool {
    file.extension() == Some("md")
        && file.path != contents::PAGE
        && FOLDERS.iter().any(|folder| file.path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    #[test]
    fn a_page_that_is_missing_or_listed_twice_is_reported() {
        let contents =
            "# Summary\n\n- [A](a.md)\n- [B](../crates/superstep/src/docs/b.md)\n  - [A](a.md)\n";
        let tree = tree::of(&[
            (contents::PAGE, contents),
            ("docs/a.md", ""),
            ("docs/decisions/c.md", ""),
            ("crates/superstep/src/docs/b.md", ""),
            ("crates/other/src/docs/d.md", ""),
        ]);
        let found: Vec<_> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("docs/a.md:1: the page is in docs/SUMMARY.md more than once"));
        assert!(found[1].starts_with("docs/decisions/c.md:1: the page is not in"));
    }
}
