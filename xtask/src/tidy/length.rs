//! No Rust file is longer than [`CAP`] lines, tests not counted.

use super::problem::Problem;
use crate::tree::{File, Tree};

const CAP: usize = 800;

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    counted(tree)
        .filter(|(_, lines)| *lines > CAP)
        .map(|(file, lines)| {
            Problem::new(
                &file.path,
                CAP + 1,
                format!("{lines} lines without tests, the cap is {CAP}"),
                "one concept a file: split it",
            )
        })
        .collect()
}

/// The middle length of all files that are counted; 0 if there are none.
pub(super) fn median(tree: &Tree) -> usize {
    let mut lengths: Vec<usize> = counted(tree).map(|(_, lines)| lines).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or_default()
}

fn counted(tree: &Tree) -> impl Iterator<Item = (&File, usize)> {
    tree.rust()
        .filter(|file| !file.is_test())
        .map(|file| (file, file.product_lines().count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    #[test]
    fn a_file_one_line_over_the_cap_is_reported() {
        let full = "x\n".repeat(CAP);
        let over = "x\n".repeat(CAP + 1);
        let tree = tree::of(&[("a/src/full.rs", &full), ("a/src/over.rs", &over)]);
        let found = check(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "a/src/over.rs");
        assert_eq!(found[0].what, "801 lines without tests, the cap is 800");
    }

    #[test]
    fn tests_may_be_as_long_as_they_like() {
        let long = "x\n".repeat(CAP * 2);
        let inline = format!("fn a() {{}}\n\n#[cfg(test)]\nmod tests {{\n{long}}}\n");
        let tree = tree::of(&[
            ("a/src/inline.rs", &inline),
            ("a/src/b/tests.rs", &long),
            ("a/tests/it/main.rs", &long),
            ("a/data.json", &long),
        ]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn the_median_is_of_product_files_only() {
        let tree = tree::of(&[
            ("a.rs", "1\n"),
            ("b.rs", "1\n2\n"),
            ("c.rs", "1\n2\n3\n4\n"),
            ("tests/d.rs", "1\n2\n3\n4\n5\n6\n"),
            ("tests/e.rs", "1\n2\n3\n4\n5\n6\n"),
        ]);
        assert_eq!(median(&tree), 2);
        assert_eq!(median(&tree::of(&[])), 0);
    }
}
