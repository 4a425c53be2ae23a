//! ARCHITECTURE.md names files that exist.
//!
//! In its tables a path such as `core/plan` is short for `crates/superstep-core/src/plan`: a crate
//! without its prefix, then a module, with or without `.rs`.

use super::problem::Problem;
use crate::tree::{File, Tree};

const PAGE: &str = "ARCHITECTURE.md";

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let Some(page) = tree.get(PAGE) else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    for (number, line) in page.lines().filter(|(_, line)| line.starts_with('|')) {
        for path in paths(line).filter(|path| !exists(path, tree)) {
            problems.push(Problem::new(
                PAGE,
                number,
                format!("there is no `{path}`"),
                "name the file where it is now",
            ));
        }
    }
    problems
}

/// What is in backticks and has a slash, if it is made of names alone.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(move |text| text.contains('/') && text.chars().all(is_name))
}

fn exists(path: &str, tree: &Tree) -> bool {
    let path = path.trim_end_matches('/');
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let places = [
        path.to_owned(),
        format!("crates/superstep-{first}/src/{rest}"),
        format!("crates/superstep-{first}/{rest}"),
        format!("crates/{first}/src/{rest}"),
        format!("agents/{first}/src/{rest}"),
        format!("{first}/src/{rest}"),
    ];
    let is_at = |file: &File, place: &str| {
        let rest = file.path.strip_prefix(place.trim_end_matches('/'));
        rest.is_some_and(|rest| matches!(rest, "" | ".rs") || rest.starts_with('/'))
    };
    tree.files
        .iter()
        .any(|file| places.iter().any(|place| is_at(file, place)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(row: &str) -> Vec<String> {
        let page = format!("# Page\n\n`prose/is/free`\n\n{row}\n");
        let tree = tree::of(&[
            (PAGE, &page),
            ("crates/superstep-core/src/plan/route.rs", ""),
            ("crates/superstep-core/src/ask.rs", ""),
            ("crates/superstep/src/lib.rs", ""),
            ("agents/mail/src/graph.rs", ""),
            ("cli/src/args/db.rs", ""),
            ("conformance/cases/a.json", ""),
        ]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_modules_and_folders_are_found_under_their_short_names() {
        for path in [
            "core/plan", "core/plan/", "core/plan/route.rs", "core/ask", "superstep/lib.rs",
            "mail/graph", "cli/args/db.rs", "conformance/cases", "crates/superstep-core",
        ] {
            assert!(found(&format!("| a | `{path}` |")).is_empty(), "{path}");
        }
        assert!(found("| `x` | `Command(resume=…)`, `#[tool(a/b)]` |").is_empty());
    }

    #[test]
    fn a_file_that_moved_is_reported_with_its_line() {
        assert_eq!(
            found("| a | `core/plans` and `core/ask` |"),
            ["ARCHITECTURE.md:5: there is no `core/plans`; name the file where it is now"]
        );
    }
}
