//! Which crate may depend on which: arrows only as drawn in [`ARROWS`].

use std::collections::BTreeSet;

use super::manifest::Manifest;
use super::problem::Problem;
use crate::tree::Tree;
use crate::workspace::{Dependency, Kind, Package};

/// From each crate to those of ours that it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("superstep-coded", &[]),
    ("superstep-contain", &[]),
    ("superstep-core", &["superstep-coded"]),
    ("superstep-derive", &[]),
    ("superstep-fs", &[]),
    ("superstep-recur", &[]),
    ("superstep-schema", &[]),
    ("superstep-http", &[]),
    ("superstep-draw", &["superstep-text"]),
    (
        "superstep-engine",
        &[
            "superstep-core", "superstep-draw", "superstep-schema", "superstep-store",
            "superstep-text",
        ],
    ),
    ("superstep-store", &["superstep-coded", "superstep-core"]),
    ("superstep-text", &["superstep-coded", "superstep-core"]),
    (
        "superstep-sqlite",
        &["superstep-core", "superstep-fs", "superstep-store"],
    ),
    (
        "superstep-model",
        &[
            "superstep-coded", "superstep-core", "superstep-http", "superstep-schema",
            "superstep-store", "superstep-text",
        ],
    ),
    (
        "superstep-local",
        &[
            "superstep-fs", "superstep-coded", "superstep-core", "superstep-http",
            "superstep-model", "superstep-store", "superstep-text",
        ],
    ),
    (
        "superstep-tools",
        &[
            "superstep-core", "superstep-derive", "superstep-engine", "superstep-http",
            "superstep-model", "superstep-schema", "superstep-text",
        ],
    ),
    (
        "superstep-trace",
        &[
            "superstep-coded", "superstep-core", "superstep-http", "superstep-text",
        ],
    ),
    (
        "superstep-workbook",
        &["superstep-coded", "superstep-core", "superstep-fs"],
    ),
    (
        "superstep-sandbox",
        &[
            "superstep-coded", "superstep-contain", "superstep-core", "superstep-workbook",
        ],
    ),
    (
        "superstep",
        &[
            "superstep-coded", "superstep-core", "superstep-derive", "superstep-draw",
            "superstep-engine", "superstep-fs", "superstep-http", "superstep-local",
            "superstep-model", "superstep-schema", "superstep-sqlite", "superstep-store",
            "superstep-text", "superstep-tools", "superstep-trace",
        ],
    ),
    ("superstep-server", &["superstep", "superstep-agent"]),
    ("superstep-agent", &["superstep"]),
    ("superstep-archie", &["superstep", "superstep-agent"]),
    ("superstep-atris", &["superstep", "superstep-agent"]),
    ("superstep-docgen", &["superstep", "superstep-agent"]),
    (
        "superstep-sheets",
        &[
            "superstep", "superstep-agent", "superstep-sandbox", "superstep-workbook",
        ],
    ),
    (
        "superstep-conformance",
        &[
            "superstep", "superstep-core", "superstep-engine", "superstep-sqlite",
            "superstep-store",
        ],
    ),
    (
        "superstep-bench",
        &[
            "superstep", "superstep-core", "superstep-engine", "superstep-sqlite",
        ],
    ),
    (
        "superstep-crash",
        &[
            "superstep-core", "superstep-engine", "superstep-model", "superstep-sqlite",
            "superstep-tools",
        ],
    ),
    (
        "superstep-examples",
        &["superstep", "superstep-core", "superstep-engine"],
    ),
    (
        "superstep-fuzz",
        &[
            "superstep-core", "superstep-mail", "superstep-model", "superstep-workbook",
        ],
    ),
    (
        "superstep-mail",
        &["superstep", "superstep-agent", "superstep-recur"],
    ),
    ("superstep-loopback", &[]),
    (
        "superstep-fake-audius",
        &["superstep-atris", "superstep-loopback"],
    ),
    ("superstep-browser", &["superstep-http"]),
    (
        "superstep-fake-google",
        &["superstep-loopback", "superstep-recur"],
    ),
    ("superstep-fake-providers", &["superstep-model"]),
    ("superstep-sim", &["superstep-core"]),
    (
        "superstep-cli",
        &[
            "superstep", "superstep-agent", "superstep-archie", "superstep-atris",
            "superstep-contain", "superstep-docgen", "superstep-fake-audius", "superstep-mail",
            "superstep-sheets", "superstep-server",
        ],
    ),
    ("superstep-xtask", &[]),
];

/// What the tests of any crate may use besides.
const DEV: &[&str] = &[
    "superstep", "superstep-browser", "superstep-conformance", "superstep-fake-audius",
    "superstep-fake-google", "superstep-fake-providers", "superstep-loopback",
];

const TABLE: &str = "the table ARROWS in xtask/src/tidy/arrows.rs";

pub(super) fn check(crates: &[Package], tree: &Tree) -> Vec<Problem> {
    let ours: BTreeSet<&str> = crates
        .iter()
        .map(|package| package.name.as_str())
        .chain(ARROWS.iter().map(|(name, _)| *name))
        .collect();
    let mut problems = Vec::new();
    for package in crates {
        let manifest = tree.get(&package.manifest).map(|file| file.text.as_str());
        let manifest = Manifest::parse(manifest.unwrap_or_default());
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package.name) else {
            let line = manifest.line_of(|entry| entry.starts_with("package.name="));
            problems.push(Problem::new(
                &package.manifest,
                line.unwrap_or(1),
                format!("the crate {} is not known", package.name),
                format!("say what it may depend on in {TABLE}"),
            ));
            continue;
        };
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            let is_allowed =
                allowed.contains(&name) || dependency.kind == Kind::Dev && DEV.contains(&name);
            if is_allowed || !ours.contains(name) {
                continue;
            }
            problems.push(Problem::new(
                &package.manifest,
                line_of(&manifest, dependency),
                format!("{} must not depend on {name}", package.name),
                format!("arrows are drawn in {TABLE}"),
            ));
        }
    }
    problems
}

fn line_of(manifest: &Manifest, dependency: &Dependency) -> usize {
    let table = match dependency.kind {
        Kind::Normal => "dependencies",
        Kind::Build => "build-dependencies",
        Kind::Dev => "dev-dependencies",
    };
    let name = dependency.name.as_str();
    let renamed = format!("package=\"{name}\"");
    let wanted = |entry: &str| {
        let key = entry
            .strip_prefix(table)
            // A table for one platform: `target.'cfg(unix)'.dependencies`.
            .or_else(|| entry.split_once(&format!("'.{table}")).map(|(_, key)| key))
            .and_then(|key| key.strip_prefix('.'));
        key.is_some_and(|key| key.split(['.', '=']).next() == Some(name) || key.contains(&renamed))
    };
    manifest.line_of(wanted).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn package(name: &str, dependencies: &[(&str, Kind)]) -> Package {
        Package {
            name: name.to_owned(),
            manifest: "a/Cargo.toml".to_owned(),
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency {
                    name: (*name).to_owned(),
                    kind: *kind,
                })
                .collect(),
            features: Vec::new(),
        }
    }

    fn found(package: Package, manifest: &str) -> Vec<String> {
        check(&[package], &tree::of(&[("a/Cargo.toml", manifest)]))
            .iter()
            .map(Problem::to_string)
            .collect()
    }

    #[test]
    fn an_arrow_that_is_not_drawn_is_reported_at_its_line() {
        let core = package("superstep-core", &[("superstep-engine", Kind::Normal)]);
        let manifest = "[package]\n\n[dev-dependencies]\nsuperstep-engine.workspace = true\n\
                        [dependencies]\nserde = \"1\"\nsuperstep-engine.workspace = true\n";
        assert_eq!(
            found(core, manifest),
            [
                "a/Cargo.toml:7: superstep-core must not depend on superstep-engine; \
              arrows are drawn in the table ARROWS in xtask/src/tidy/arrows.rs"
            ]
        );
    }

    #[test]
    fn drawn_arrows_and_crates_of_others_are_fine() {
        let engine = package(
            "superstep-engine",
            &[("superstep-core", Kind::Normal), ("tokio", Kind::Normal)],
        );
        assert!(found(engine, "").is_empty());
    }

    #[test]
    fn tests_may_use_the_facade_and_the_product_may_not() {
        let dev = package("superstep-core", &[("superstep", Kind::Dev)]);
        assert!(found(dev, "").is_empty());
        for kind in [Kind::Normal, Kind::Build] {
            let other = package("superstep-core", &[("superstep", kind)]);
            assert_eq!(found(other, "").len(), 1);
        }
    }

    #[test]
    fn a_crate_missing_from_the_table_is_told_where_to_enter_itself() {
        let stranger = package("superstep-new", &[("superstep-core", Kind::Normal)]);
        assert_eq!(
            found(stranger, "[package]\nname = \"superstep-new\"\n"),
            [
                "a/Cargo.toml:2: the crate superstep-new is not known; say what it may depend on \
              in the table ARROWS in xtask/src/tidy/arrows.rs"
            ]
        );
    }

    #[test]
    fn a_renamed_or_platform_dependency_is_found_by_line() {
        let dependency = Dependency {
            name: "superstep".to_owned(),
            kind: Kind::Normal,
        };
        for text in [
            "[dependencies]\nstep = { package = \"superstep\", path = \"..\" }\n",
            "[target.'cfg(unix)'.dependencies]\nsuperstep = { path = \"..\" }\n",
            "\n[dependencies.superstep]\npath = \"..\"\n",
        ] {
            assert_eq!(line_of(&Manifest::parse(text), &dependency), 2, "{text}");
        }
    }

    #[test]
    fn every_arrow_of_the_table_leads_to_a_crate_of_the_table() {
        for (from, to) in ARROWS {
            for name in *to {
                let known = ARROWS.iter().any(|(row, _)| row == name);
                assert!(known, "{from} -> {name}");
            }
        }
    }
}
