//! The workspace as cargo sees it: its root, its crates, and what each of them depends on.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cargo::Cargo;
use crate::error::Error;

/// The root folder and the member crates.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
    pub(crate) crates: Vec<Package>,
}

/// One member crate.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Path of its `Cargo.toml`, relative to the root, with `/` between folders.
    pub(crate) manifest: String,
    pub(crate) dependencies: Vec<Dependency>,
    /// The names of its features, `default` too if there is one.
    pub(crate) features: Vec<String>,
}

/// One line of a dependency table; `name` is the crate's own name, whatever it is renamed to.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// Which table a dependency is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Build,
    Dev,
}

impl Workspace {
    /// Asks cargo about the workspace around the current folder.
    pub(crate) fn load() -> Result<Self, Error> {
        let bytes = Cargo::new(Path::new("."), "metadata --no-deps --format-version 1").read()?;
        let metadata = serde_json::from_slice(&bytes)
            .map_err(|e| Error::failed("cargo metadata", e.to_string()))?;
        Self::parse(&metadata)
            .ok_or_else(|| Error::failed("cargo metadata", "answer has an unknown shape"))
    }

    fn parse(metadata: &Value) -> Option<Self> {
        let root = PathBuf::from(metadata.get("workspace_root")?.as_str()?);
        let target = PathBuf::from(metadata.get("target_directory")?.as_str()?);
        let crates = metadata
            .get("packages")?
            .as_array()?
            .iter()
            .map(|package| Package::parse(package, &root))
            .collect::<Option<_>>()?;
        Some(Self {
            root,
            target,
            crates,
        })
    }
}

impl Package {
    fn parse(package: &Value, root: &Path) -> Option<Self> {
        let manifest = Path::new(package.get("manifest_path")?.as_str()?);
        let manifest = manifest.strip_prefix(root).ok()?.to_str()?;
        let dependencies = package
            .get("dependencies")?
            .as_array()?
            .iter()
            .map(Dependency::parse)
            .collect::<Option<_>>()?;
        Some(Self {
            name: package.get("name")?.as_str()?.to_owned(),
            manifest: manifest.replace('\\', "/"),
            dependencies,
            features: package
                .get("features")?
                .as_object()?
                .keys()
                .cloned()
                .collect(),
        })
    }
}

impl Dependency {
    fn parse(dependency: &Value) -> Option<Self> {
        let kind = match dependency.get("kind")?.as_str() {
            None => Kind::Normal,
            Some("build") => Kind::Build,
            Some("dev") => Kind::Dev,
            Some(_) => return None,
        };
        Some(Self {
            name: dependency.get("name")?.as_str()?.to_owned(),
            kind,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_renamed_dependency_keeps_its_own_name() {
        let workspace = Workspace::parse(&json!({
            "workspace_root": "/w",
            "target_directory": "/w/target",
            "packages": [{
                "name": "a",
                "manifest_path": "/w/crates/a/Cargo.toml",
                "features": {"fast": []},
                "dependencies": [
                    {"name": "b", "rename": "bee", "kind": null},
                    {"name": "c", "rename": null, "kind": "dev"},
                ],
            }],
        }))
        .unwrap();
        let package = &workspace.crates[0];
        assert_eq!(package.manifest, "crates/a/Cargo.toml");
        assert_eq!(package.features, ["fast"]);
        let seen: Vec<_> = package
            .dependencies
            .iter()
            .map(|d| (d.name.as_str(), d.kind))
            .collect();
        assert_eq!(seen, [("b", Kind::Normal), ("c", Kind::Dev)]);
    }

    #[test]
    fn an_answer_without_packages_is_refused() {
        assert!(
            Workspace::parse(&json!({"workspace_root": "/w", "target_directory": "/t"})).is_none()
        );
    }

    #[test]
    fn this_crate_finds_itself() {
        let workspace = Workspace::load().unwrap();
        assert!(
            workspace
                .crates
                .iter()
                .any(|c| c.name == env!("CARGO_PKG_NAME"))
        );
    }
}
