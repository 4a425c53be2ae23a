//! `cargo xtask features`: every crate is checked without features, and with each one alone.
//!
//! The other chores build all features at once, which hides an item that one feature uses and
//! another brings in.

use crate::cargo::Cargo;
use crate::error::Error;
use crate::workspace::{Package, Workspace};

/// Checks them all, also when one has failed; the error names every one that did.
pub(crate) fn run(workspace: &Workspace) -> Result<String, Error> {
    let calls: Vec<String> = workspace.crates.iter().flat_map(calls).collect();
    let mut failed = Vec::new();
    for call in &calls {
        if let Err(error) = Cargo::new(&workspace.root, call).run() {
            println!("{error}");
            failed.push(call.as_str());
        }
    }
    if failed.is_empty() {
        return Ok(format!("features: all {} checks passed", calls.len()));
    }
    Err(Error::failed("features", failed.join(", ")))
}

/// The checks of a crate; one without features has none, since every build of it is the same.
fn calls(package: &Package) -> Vec<String> {
    let features = package.features.iter().filter(|name| *name != "default");
    let alone = features.map(|name| Some(name.as_str()));
    let sets: Vec<_> = alone.collect();
    if sets.is_empty() {
        return Vec::new();
    }
    let base = format!("check -q -p {} --no-default-features", package.name);
    std::iter::once(None)
        .chain(sets)
        .map(|feature| match feature {
            Some(feature) => format!("{base} --features {feature}"),
            None => base.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(features: &[&str]) -> Package {
        Package {
            name: "a".to_owned(),
            manifest: "a/Cargo.toml".to_owned(),
            dependencies: Vec::new(),
            features: features.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn each_feature_is_checked_alone_and_none_of_them_once() {
        assert_eq!(
            calls(&package(&["default", "x", "y"])),
            [
                "check -q -p a --no-default-features",
                "check -q -p a --no-default-features --features x",
                "check -q -p a --no-default-features --features y",
            ]
        );
    }

    #[test]
    fn a_crate_without_features_is_left_to_the_other_chores() {
        assert_eq!(calls(&package(&["default"])), [""; 0]);
    }
}
