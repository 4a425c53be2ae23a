//! One meaning per name: no two types of a crate have the same name.
//!
//! A type is what a line without indentation declares: a struct, an enum, a union, a trait or an
//! alias. Tests in the sources count too; further programs of a crate (`src/bin`) are their own.

use std::collections::BTreeMap;

use super::problem::Problem;
use crate::tree::{File, Tree};
use crate::workspace::Package;

const DECLARES: [&str; 5] = ["struct ", "enum ", "union ", "trait ", "type "];

pub(super) fn check(crates: &[Package], tree: &Tree) -> Vec<Problem> {
    crates
        .iter()
        .filter_map(|package| package.manifest.strip_suffix("Cargo.toml"))
        .flat_map(|folder| twice(&format!("{folder}src/"), tree))
        .collect()
}

fn twice(src: &str, tree: &Tree) -> Vec<Problem> {
    let mut first: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    let mut problems = Vec::new();
    for file in tree.rust().filter(|file| is_of(file, src)) {
        for (number, line) in file.lines() {
            let Some(name) = declared(line) else { continue };
            match first.get(name) {
                None => {
                    first.insert(name, (&file.path, number));
                }
                Some((path, line)) => problems.push(Problem::new(
                    &file.path,
                    number,
                    format!("`{name}` is the name of another type of this crate"),
                    format!("give one of them a name of its own (the other is at {path}:{line})"),
                )),
            }
        }
    }
    problems
}

fn is_of(file: &File, src: &str) -> bool {
    file.path
        .strip_prefix(src)
        .is_some_and(|rest| !rest.starts_with("bin/"))
}

/// The name of the type that a line declares.
fn declared(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.strip_prefix(' ')?,
        None => line,
    };
    let line = line.strip_prefix("unsafe ").unwrap_or(line);
    let rest = DECLARES.iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let (name, _) = rest.split_at(end.unwrap_or(rest.len()));
    // `const _` and the like have no name.
    (!name.is_empty() && name != "_").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn packages() -> Vec<Package> {
        ["a", "b"]
            .map(|name| Package {
                name: name.to_owned(),
                manifest: format!("crates/{name}/Cargo.toml"),
                dependencies: Vec::new(),
                features: Vec::new(),
            })
            .into()
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        check(&packages(), &tree::of(files))
            .into_iter()
            .map(|it| it.to_string())
            .collect()
    }

    #[test]
    fn two_types_of_a_crate_with_one_name_are_reported_with_both_places() {
        let problems = found(&[
            ("crates/a/src/lib.rs", "//! A.\n\npub struct Page;\n"),
            ("crates/a/src/page.rs", "//! B.\npub(crate) enum Page {}\n"),
        ]);
        let [problem] = &problems[..] else {
            panic!("{problems:?}")
        };
        assert!(
            problem.starts_with("crates/a/src/page.rs:2: `Page` is the name of another type"),
            "{problem}"
        );
        assert!(problem.contains("crates/a/src/lib.rs:3"), "{problem}");
    }

    #[test]
    fn every_kind_of_type_counts() {
        for line in [
            "struct X<T>(T);", "pub struct X {", "enum X {", "pub(super) trait X: Send {",
            "pub unsafe trait X {}", "type X = u8;", "pub(crate) union X {",
        ] {
            assert_eq!(declared(line), Some("X"), "{line}");
        }
        for line in [
            "    type Output = X;", "impl X for Y {", "// struct X", "pub use x::X;",
            "fn structure() {}",
        ] {
            assert_eq!(declared(line), None, "{line}");
        }
    }

    #[test]
    fn other_crates_their_tests_and_further_programs_may_use_a_name_too() {
        let problems = found(&[
            ("crates/a/src/lib.rs", "pub struct Page;\n"),
            ("crates/a/src/bin/other.rs", "struct Page;\n"),
            ("crates/a/tests/it.rs", "struct Page;\n"),
            ("crates/b/src/lib.rs", "pub struct Page;\n"),
        ]);
        assert!(problems.is_empty(), "{problems:?}");
    }
}
