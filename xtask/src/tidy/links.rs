//! Links between pages lead to files and headings that exist. Addresses on the web are not asked.

use super::problem::Problem;
use crate::markdown;
use crate::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let pages = tree.files.iter().filter(|file| is_page(file));
    pages.flat_map(|page| dead_links(page, tree)).collect()
}

/// Whether links of a file are for people. Prompts and inputs of tests are not.
fn is_page(file: &File) -> bool {
    let is_data = ["fixtures", "prompts", "tests", "documents"];
    file.extension() == Some("md") && !is_data.iter().any(|folder| file.is_below(folder))
}

fn dead_links(page: &File, tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for link in markdown::links(&page.text) {
        let Some((path, anchor)) = markdown::destination(&page.path, link.target) else {
            continue;
        };
        let (what, hint) = if !exists(&path, tree) {
            (format!("there is no `{path}`"), "name the file where it is")
        } else if !has_anchor(&path, anchor, tree) {
            let what = format!("`{path}` has no heading `#{anchor}`");
            (what, "name the heading as it is now")
        } else {
            continue;
        };
        problems.push(Problem::new(&page.path, link.line, what, hint));
    }
    problems
}

fn exists(path: &str, tree: &Tree) -> bool {
    let folder = format!("{path}/");
    let is_it = |file: &File| file.path == path || file.path.starts_with(&folder);
    tree.files.iter().any(is_it)
}

fn has_anchor(path: &str, anchor: &str, tree: &Tree) -> bool {
    let page = tree.get(path).filter(|file| file.extension() == Some("md"));
    let has = |file: &File| markdown::anchors(&file.text).iter().any(|it| it == anchor);
    anchor.is_empty() || page.is_none_or(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(text: &str) -> Vec<String> {
        let tree = tree::of(&[
            ("docs/a.md", text),
            ("docs/b.md", "# B\n\n## Two words\n"),
            ("crates/x/src/lib.rs", ""),
        ]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_to_files_folders_and_headings_are_fine() {
        let text = "# A\n\n[b](b.md), [two](b.md#two-words), [a](#a), [x](../crates/x), [web](https://a.b/c), \
                    [item](crate::Graph), `[code](none.md)`\n";
        assert!(found(text).is_empty());
    }

    #[test]
    fn a_link_to_no_file_and_one_to_no_heading_are_reported() {
        assert_eq!(
            found("[c](c.md) and\n[b](b.md#three)\n"),
            [
                "docs/a.md:1: there is no `docs/c.md`; name the file where it is",
                "docs/a.md:2: `docs/b.md` has no heading `#three`; name the heading as it is now",
            ]
        );
    }

    #[test]
    fn prompts_and_fixtures_are_no_pages() {
        for path in ["a/prompts/b.md", "a/tests/fixtures/b.md"] {
            assert_eq!(check(&tree::of(&[(path, "[c](c.md)\n")])), [], "{path}");
        }
    }
}
