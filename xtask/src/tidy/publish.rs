//! A crate that is published depends on published crates only, and includes files of its own folder only; its tests may use any.

use std::collections::BTreeSet;

use super::manifest::Manifest;
use super::problem::Problem;
use crate::markdown;
use crate::tree::Tree;
use crate::workspace::{Kind, Package};

/// What a registry shows of a crate.
const SHOWN: [&str; 5] = [
    "description", "keywords", "categories", "readme", "repository",
];

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
        problems.extend(foreign_files(package, crates, tree));
        for key in SHOWN {
            let key = format!("package.{key}");
            let has = |entry: &str| entry.starts_with(&format!("{key}="));
            let manifest = manifest(package);
            if !manifest.inherits(&key) && manifest.line_of(has).is_none() {
                problems.push(Problem::new(
                    &package.manifest,
                    1,
                    format!("{} is published without `{key}`", package.name),
                    "registries show it; CONTRIBUTING.md, Add a crate",
                ));
            }
        }
    }
    problems
}

/// Files that sources include from outside of their package: an archive of it would not have them. Doctests are not run
/// from one.
fn foreign_files(package: &Package, crates: &[Package], tree: &Tree) -> Vec<Problem> {
    let folder = |package: &Package| {
        package
            .manifest
            .strip_suffix("Cargo.toml")
            .map(str::to_owned)
    };
    let Some(own) = folder(package) else {
        return Vec::new();
    };
    let below: Vec<String> = crates.iter().filter_map(folder).collect();
    let is_of_other = |path: &str| {
        let inner = below.iter().filter(|it| it.len() > own.len());
        inner.into_iter().any(|it| path.starts_with(it.as_str()))
    };
    let mut problems = Vec::new();
    for file in tree.rust() {
        if !file.path.starts_with(&own) || is_of_other(&file.path) {
            continue;
        }
        let mut before = "";
        for (line, text) in file.product_lines() {
            let included = included(text).filter(|_| !before.contains("doctest"));
            before = text;
            let Some(name) = included else { continue };
            let place = markdown::resolved(&file.path, name);
            if !place.starts_with(&own) {
                problems.push(Problem::new(
                    &file.path,
                    line,
                    format!("{} is published without {place}", package.name),
                    "put the file, or a link to it, into the folder of the crate",
                ));
            }
        }
    }
    problems
}

/// The name that a line includes.
pub(super) fn included(line: &str) -> Option<&str> {
    let (_, rest) = line
        .split_once("include_str!(\"")
        .or_else(|| line.split_once("include_bytes!(\""))?;
    Some(rest.split_once('"')?.0)
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
            ("tool/Cargo.toml", with_about(manifest).as_str()),
            ("fake/Cargo.toml", "[package]\npublish = false\n"),
        ]);
        let problems = check(&crates, &tree);
        problems.iter().map(ToString::to_string).collect()
    }

    const ABOUT: &str = "description = \"A tool\"\nkeywords = [\"a\"]\ncategories = [\"b\"]\nreadme = \"README.md\"\nrepository.workspace = true\n";

    fn with_about(manifest: &str) -> String {
        manifest.replacen("[package]\n", &format!("[package]\n{ABOUT}"), 1)
    }

    const MANIFEST: &str = "[package]\nname = \"tool\"\n[dependencies]\nfake = \"1\"\n";

    #[test]
    fn a_published_crate_says_what_registries_show() {
        let problems = check(
            &[Package {
                name: "tool".to_owned(),
                manifest: "tool/Cargo.toml".to_owned(),
                dependencies: Vec::new(),
                features: Vec::new(),
            }],
            &tree::of(&[("tool/Cargo.toml", "[package]\ndescription = \"A tool\"\n")]),
        );
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert!(
            problems[0].contains("published without `package.keywords`"),
            "{problems:?}"
        );
    }

    #[test]
    fn a_published_crate_needs_no_private_one() {
        assert_eq!(
            found(MANIFEST, Kind::Normal),
            [
                "tool/Cargo.toml:9: tool is published and depends on fake, which is not; publish \
                 both, or use it in tests only"
            ]
        );
        assert_eq!(found(MANIFEST, Kind::Build).len(), 1);
    }

    #[test]
    fn a_published_crate_includes_what_is_in_its_folder() {
        let included = |text: &str| {
            let package = Package {
                name: "tool".to_owned(),
                manifest: "tool/Cargo.toml".to_owned(),
                dependencies: Vec::new(),
                features: Vec::new(),
            };
            let tree = tree::of(&[
                (
                    "tool/Cargo.toml",
                    with_about("[package]\nname = \"tool\"\n").as_str(),
                ),
                ("tool/src/a/b.rs", text),
            ]);
            let problems = check(&[package], &tree);
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            included("const A: &str = include_str!(\"../../../docs/a.md\");\n"),
            [
                "tool/src/a/b.rs:1: tool is published without docs/a.md; put the file, or a link to \
                 it, into the folder of the crate"
            ]
        );
        assert!(included("const A: &[u8] = include_bytes!(\"../../README.md\");\n").is_empty());
        assert!(included("#[cfg(doctest)]\n#[doc = include_str!(\"../../../a.md\")]\n").is_empty());
    }

    #[test]
    fn tests_and_private_crates_use_what_they_like() {
        assert!(found(MANIFEST, Kind::Dev).is_empty());
        let private = MANIFEST.replace("[dep", "publish = false\n[dep");
        assert!(found(&private, Kind::Normal).is_empty());
    }
}
