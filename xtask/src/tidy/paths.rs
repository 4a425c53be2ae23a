//! No file names a folder that exists on one machine only.
//!
//! The folders are kept without their leading slash, so that this file is no finding of its own.

use super::problem::Problem;
use crate::tree::Tree;

const FOLDERS: [&str; 4] = ["home/", "root/", "work/", "tmp/bash"];

/// How much of a path is shown.
const SHOWN: usize = 40;

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files.iter().filter(|file| file.name() != "Cargo.lock") {
        for (number, line) in file.lines() {
            let Some(path) = find(line) else {
                continue;
            };
            problems.push(Problem::new(
                &file.path,
                number,
                format!("`{path}` is a path of one machine"),
                "name it relative to the repository",
            ));
        }
    }
    problems
}

/// The first such path of a line, cut to a length that can be shown.
fn find(line: &str) -> Option<String> {
    line.match_indices('/').find_map(|(at, _)| {
        let (before, path) = line.split_at_checked(at)?;
        let inside = path.strip_prefix('/')?;
        let is_listed = FOLDERS.iter().any(|folder| inside.starts_with(folder));
        (is_listed && !is_continued(before)).then(|| shown(path))
    })
}

/// Whether the slash continues with a longer path or address: `docs/home/`, `$DIR/home/`.
fn is_continued(before: &str) -> bool {
    let last = before.chars().next_back();
    last.is_some_and(|c| c.is_alphanumeric() || "_-.~})".contains(c))
}

fn shown(path: &str) -> String {
    path.chars()
        .take_while(|c| !c.is_whitespace() && !c.is_control() && !"\"'`<>()".contains(*c))
        .take(SHOWN)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    #[test]
    fn a_path_of_a_machine_is_reported_in_any_kind_of_file() {
        for folder in FOLDERS {
            let text = format!("one\nsee \"/{folder}ann/x\" there\n");
            let tree = tree::of(&[("docs/a.md", &text), ("Cargo.lock", &text)]);
            let found = check(&tree);
            assert_eq!(found.len(), 1, "{folder}");
            assert_eq!((found[0].path.as_str(), found[0].line), ("docs/a.md", 2));
            let what = format!("`/{folder}ann/x` is a path of one machine");
            assert_eq!(found[0].what, what);
        }
    }

    #[test]
    fn a_longer_path_or_address_is_not_one() {
        for folder in FOLDERS {
            for before in ["https://example.org", "docs", "~", "${DIR}", ".."] {
                assert_eq!(find(&format!("{before}/{folder}x")), None, "{before}");
            }
            assert!(find(&format!("file:///{folder}x")).is_some());
        }
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let line = format!("/{}{}", FOLDERS[0], "x".repeat(5_000));
        assert_eq!(find(&line).unwrap().len(), SHOWN);
    }

    #[test]
    fn this_file_is_no_finding_of_its_own() {
        let tree = tree::of(&[("paths.rs", include_str!("paths.rs"))]);
        assert_eq!(check(&tree), []);
    }
}
