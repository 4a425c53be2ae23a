//! The contents of the docs site: which pages it has, and in which order.

use crate::markdown;
use crate::tree::Tree;

/// The page that lists all pages, with links as seen from `docs`.
pub(crate) const PAGE: &str = "docs/SUMMARY.md";

/// The paths of the pages, in the order of the contents.
pub(crate) fn pages(tree: &Tree) -> Vec<String> {
    let Some(contents) = tree.get(PAGE) else {
        return Vec::new();
    };
    let links = markdown::links(&contents.text).into_iter();
    links
        .filter_map(|link| Some(markdown::destination(PAGE, link.target)?.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    #[test]
    fn the_contents_are_the_pages_as_seen_from_the_root() {
        let tree = tree::of(&[(PAGE, "# Summary\n\n- [A](a.md)\n- [B](../README.md)\n")]);
        assert_eq!(pages(&tree), ["docs/a.md", "README.md"]);
    }
}
