//! Every crate takes its lints, edition, Rust version and license from the workspace.

use super::manifest::Manifest;
use super::problem::Problem;
use crate::tree::Tree;
use crate::workspace::Package;

/// A key and the line that inherits it, with the table it is in.
const INHERITED: [(&str, &str); 4] = [
    ("lints", "`workspace = true` in `[lints]`"),
    (
        "package.edition",
        "`edition.workspace = true` in `[package]`",
    ),
    (
        "package.rust-version",
        "`rust-version.workspace = true` in `[package]`",
    ),
    (
        "package.license",
        "`license.workspace = true` in `[package]`",
    ),
];

/// What a crate may say itself: the first is called by SQLite, the second maps files; both take
/// `unsafe`.
const OWN: [(&str, &str); 2] = [("superstep-crash", "lints"), ("superstep-local", "lints")];

pub(super) fn check(crates: &[Package], tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in crates {
        let Some(file) = tree.get(&package.manifest) else {
            problems.push(Problem::new(
                &package.manifest,
                1,
                format!("the manifest of {} is not in git", package.name),
                "is it ignored?",
            ));
            continue;
        };
        let manifest = Manifest::parse(&file.text);
        for (key, inheriting) in INHERITED {
            if manifest.inherits(key) || OWN.contains(&(package.name.as_str(), key)) {
                continue;
            }
            let table = key.split('.').next().unwrap_or(key);
            let line = manifest
                .line_of(|entry| entry.starts_with(key))
                .or_else(|| manifest.line_of(|entry| entry == table))
                .unwrap_or(1);
            problems.push(Problem::new(
                &file.path,
                line,
                format!("`{key}` is not inherited"),
                format!("write {inheriting}"),
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(text: &str) -> Vec<(usize, String)> {
        let package = Package {
            name: "a".to_owned(),
            manifest: "a/Cargo.toml".to_owned(),
            dependencies: Vec::new(),
            features: Vec::new(),
        };
        check(&[package], &tree::of(&[("a/Cargo.toml", text)]))
            .into_iter()
            .map(|p| (p.line, p.what))
            .collect()
    }

    #[test]
    fn a_crate_with_its_own_edition_and_no_lints_is_reported() {
        let text = "[package]\nname = \"a\"\nedition = \"2024\"\nrust-version.workspace = true\n\
                    license.workspace = true\n";
        assert_eq!(
            found(text),
            [
                (1, "`lints` is not inherited".to_owned()),
                (3, "`package.edition` is not inherited".to_owned()),
            ]
        );
    }

    #[test]
    fn a_crate_that_inherits_all_four_is_fine() {
        let text = "[package]\nedition.workspace = true\nrust-version.workspace = true\n\
                    license = { workspace = true }\n\n[lints]\nworkspace = true\n";
        assert_eq!(found(text), []);
    }

    #[test]
    fn the_crate_that_sqlite_calls_has_lints_of_its_own_and_nothing_else() {
        let text = "[package]\nedition = \"2024\"\nrust-version.workspace = true\n\
                    license.workspace = true\n[lints.rust]\nunsafe_code = \"deny\"\n";
        let package = Package {
            name: "superstep-crash".to_owned(),
            manifest: "a/Cargo.toml".to_owned(),
            dependencies: Vec::new(),
            features: Vec::new(),
        };
        let found = check(&[package], &tree::of(&[("a/Cargo.toml", text)]));
        let found: Vec<_> = found.into_iter().map(|p| p.what).collect();
        assert_eq!(found, ["`package.edition` is not inherited"]);
    }

    #[test]
    fn a_manifest_that_git_does_not_know_is_reported() {
        let package = Package {
            name: "a".to_owned(),
            manifest: "a/Cargo.toml".to_owned(),
            dependencies: Vec::new(),
            features: Vec::new(),
        };
        assert_eq!(check(&[package], &tree::of(&[])).len(), 1);
    }
}
