//! A crate that is published depends on published crates only; its tests may use any.

use std::collections::BTreeSet;

use super::manifest::Manifest;
use super::problem::Problem;
use crate::tree::Tree;
use crate::workspace::{Kind, Package};

pub(super) fn check(crates: &[Package], tree: &Tree) -> Vec<Problem> {
    let manifest = |package: &Package| {
        let file = tree.get(&package.manifest);
        Manifest::parse(file.map(|file| file.text.as_str()).unwrap_or_default())
    };
    let is_private = |package: &&Package| {
        let no = |entry: &str| entry == "package.publish=false";
        manifest(package).line_of(no).is_some()
    };
    let private: BTreeSet<&str> = crates
        .iter()
        .filter(is_private)
        .map(|package| package.name.as_str())
        .collect();
    let mut problems = Vec::new();
    for package in crates {
        if private.contains(package.name.as_str()) {
            continue;
        }
        let inner = package.dependencies.iter().filter(|dependency| {
            dependency.kind != Kind::Dev && private.contains(dependency.name.as_str())
        });
        for dependency in inner {
            let name = &dependency.name;
            let line = manifest(package).line_of(|entry| entry.contains(name.as_str()));
            problems.push(Problem::new(
                &package.manifest,
                line.unwrap_or(1),
                format!(
                    "{} is published and depends on {name}, which is not",
                    package.name
                ),
                "publish both, or use it in tests only",
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;
    use crate::workspace::Dependency;

    fn found(manifest: &str, kind: Kind) -> Vec<String> {
        let package = |name: &str, dependencies| Package {
            name: name.to_owned(),
            manifest: format!("{name}/Cargo.toml"),
            dependencies,
            features: Vec::new(),
        };
        let dependency = Dependency {
            name: "fake".to_owned(),
            kind,
        };
        let crates = [
            package("tool", vec![dependency]),
            package("fake", Vec::new()),
        ];
        let tree = tree::of(&[
            ("tool/Cargo.toml", manifest),
            ("fake/Cargo.toml", "[package]\npublish = false\n"),
        ]);
        let problems = check(&crates, &tree);
        problems.iter().map(ToString::to_string).collect()
    }

    const MANIFEST: &str = "[package]\nname = \"tool\"\n[dependencies]\nfake = \"1\"\n";

    #[test]
    fn a_published_crate_needs_no_private_one() {
        assert_eq!(
            found(MANIFEST, Kind::Normal),
            [
                "tool/Cargo.toml:4: tool is published and depends on fake, which is not; publish \
                 both, or use it in tests only"
            ]
        );
        assert_eq!(found(MANIFEST, Kind::Build).len(), 1);
    }

    #[test]
    fn tests_and_private_crates_use_what_they_like() {
        assert!(found(MANIFEST, Kind::Dev).is_empty());
        let private = MANIFEST.replace("[dep", "publish = false\n[dep");
        assert!(found(&private, Kind::Normal).is_empty());
    }
}
