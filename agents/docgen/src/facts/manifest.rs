//! Manifests and lock files: packages, what they ask for, and which versions are locked.
//!
//! One file per family. All of it is data of others: what cannot be read says nothing, and nothing is run.

mod build;
mod cargo;
mod go;
mod java;
mod lines;
mod npm;
mod python;

use std::collections::{BTreeMap, BTreeSet};

use superstep::text::Redactor;

use super::{Dependency, DependencyKind};

/// The most dependencies that are kept.
const MOST: usize = 20_000;

/// What manifests say.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    pub(super) packages: Vec<Package>,
    /// Projects of builds, which are named less surely than packages.
    pub(super) builds: Vec<Package>,
    pub(super) dependencies: Vec<Dependency>,
    /// Locked versions by family and name.
    locked: BTreeMap<(Family, String), BTreeSet<String>>,
}

/// A package of the code base.
#[derive(Clone, Debug, Default)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) manifest: String,
    pub(super) version: Option<String>,
    /// Where programs begin.
    pub(super) entries: Vec<Entry>,
    /// Names of what it asks for, dependencies of the code base's own too.
    pub(super) asks: BTreeSet<String>,
}

/// Where a program begins, as a manifest says it.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// A file below the folder of the manifest, or a module.
    pub(super) path: String,
    pub(super) name: String,
    pub(super) kind: &'static str,
    /// The function of a module that is called; empty if none is named, and nothing if it is a file.
    pub(super) module: Option<String>,
}

impl Entry {
    fn of_file(path: &str, name: &str, kind: &'static str) -> Self {
        Self {
            path: path.trim_start_matches("./").to_owned(),
            name: name.to_owned(),
            kind,
            module: None,
        }
    }
}

/// Whose packages they are: names of one say nothing about another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    Cargo,
    Npm,
    Python,
    Go,
    Java,
    Gradle,
    CMake,
}

impl Package {
    /// The folder of its manifest; empty for the root.
    pub(super) fn folder(&self) -> &str {
        folder(&self.manifest)
    }
}

pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether the text of a file is wanted: a manifest, a lock file, or settings that say what manifests or imports mean.
pub(super) fn is_wanted(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    is_one(path) || is_script_config(name) || is_gradle_settings(path)
}

/// Whether a file says what a project of Gradle is called.
fn is_gradle_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "settings.gradle" | "settings.gradle.kts")
}

/// Whether a file is settings of TypeScript or JavaScript: `tsconfig.json`, `tsconfig.app.json`, `jsconfig.json`.
pub(super) fn is_script_config(name: &str) -> bool {
    (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json")
}

/// Whether a file is read as a manifest or a lock file.
pub(super) fn is_one(path: &str) -> bool {
    family(path).is_some()
}

/// Whether a manifest or a lock file is no document of its kind.
pub(super) fn is_broken(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "package.json" | "package-lock.json" => {
            serde_json::from_str::<serde::de::IgnoredAny>(text).is_err()
        }
        "Cargo.toml" | "Cargo.lock" | "pyproject.toml" | "poetry.lock" | "uv.lock" => {
            toml::from_str::<toml::Table>(text).is_err()
        }
        _ => false,
    }
}

/// Whether a file says what is asked for: also one of a kind that is not parsed.
pub(super) fn is_like_one(path: &str) -> bool {
    const OTHERS: [&str; 13] = [
        "pnpm-lock.yaml", "pnpm-workspace.yaml", "go.sum", "go.work", "setup.py", "setup.cfg",
        "Pipfile", "Gemfile", "composer.json", "environment.yml", "deno.json",
        "libs.versions.toml", "Dockerfile",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    is_one(path) || name.ends_with(".lock") || OTHERS.contains(&name)
}

fn family(path: &str) -> Option<Family> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "Cargo.toml" | "Cargo.lock" => Family::Cargo,
        "package.json" | "package-lock.json" => Family::Npm,
        "pyproject.toml" | "poetry.lock" | "uv.lock" | "requirements.txt" => Family::Python,
        "go.mod" => Family::Go,
        "pom.xml" => Family::Java,
        "build.gradle" | "build.gradle.kts" => Family::Gradle,
        "CMakeLists.txt" => Family::CMake,
        _ if name.starts_with("requirements") && name.ends_with(".txt") => Family::Python,
        _ => return None,
    })
}

/// Reads manifests of a code base, given by path and text.
pub(super) fn read(texts: &[(String, String)], root: &str) -> Manifests {
    let mut manifests = Manifests::default();
    let mut families = Vec::new();
    let settings = texts.iter().filter(|(path, _)| is_gradle_settings(path));
    let settings: BTreeMap<&str, &str> = settings
        .map(|(path, text)| (folder(path), &**text))
        .collect();
    for (path, text) in texts {
        let before = manifests.dependencies.len();
        let Some(family) = family(path) else {
            continue;
        };
        match family {
            Family::Cargo => cargo::read(path, text, &mut manifests),
            Family::Npm => npm::read(path, text, &mut manifests),
            Family::Python => python::read(path, text, &mut manifests),
            Family::Go => go::read(path, text, &mut manifests),
            Family::Java => java::read(path, text, &mut manifests),
            Family::Gradle => {
                let settings = settings.get(folder(path)).copied();
                build::gradle(path, text, settings, root, &mut manifests);
            }
            Family::CMake => build::cmake(path, text, &mut manifests),
        }
        families.extend((before..manifests.dependencies.len()).map(|_| family));
    }
    for (dependency, family) in manifests.dependencies.iter_mut().zip(families) {
        let key = (family, dependency.name.clone());
        let locked = manifests.locked.get(&key);
        // What is asked for may be an address with a token in it, and facts are written to pages.
        let safe = |version: &String| Redactor::standard().text(version).into_owned();
        dependency.locked = locked.into_iter().flatten().map(safe).collect();
        dependency.wanted = dependency.wanted.as_ref().map(safe);
    }
    manifests.dependencies.sort();
    manifests.dependencies.dedup();
    manifests
        .packages
        .sort_by(|one, other| one.manifest.cmp(&other.manifest));
    manifests
}

impl Manifests {
    /// Adds a dependency, at the line of the manifest that names it.
    fn asks(
        &mut self,
        path: &str,
        line: Option<u32>,
        name: &str,
        wanted: Option<&str>,
        kind: DependencyKind,
    ) {
        if name.is_empty() || name.len() > 200 || self.dependencies.len() >= MOST {
            return;
        }
        self.dependencies.push(Dependency {
            name: name.to_owned(),
            manifest: path.to_owned(),
            line: line.unwrap_or_default(),
            wanted: wanted.map(str::to_owned),
            locked: Vec::new(),
            kind,
        });
    }

    /// What is locked by name, whatever the family.
    pub(super) fn all_locked(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for ((_, name), versions) in self.locked.iter().take(MOST) {
            let safe = versions
                .iter()
                .map(|it| Redactor::standard().text(it).into_owned());
            all.entry(plain(name)).or_default().extend(safe);
        }
        all
    }

    fn lock(&mut self, family: Family, name: &str, version: &str) {
        let versions = self.locked.entry((family, name.to_owned())).or_default();
        versions.insert(version.to_owned());
    }
}

/// A name as it is compared: indexes do not tell `_` from `-`.
pub(super) fn plain(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}
