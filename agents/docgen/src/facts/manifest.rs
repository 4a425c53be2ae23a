//! Manifests and lock files: packages, what they ask for, and which versions are locked.
//!
//! One file per family. All of it is data of others: what cannot be read says nothing, and nothing is run.

mod cargo;
mod go;
mod java;
mod npm;
mod python;

use std::collections::{BTreeMap, BTreeSet};

use superstep::text::Redactor;

use super::{Dependency, DependencyKind, lookup::plain};

/// The most dependencies that are kept.
const MOST: usize = 20_000;

/// What manifests say.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    pub(super) packages: Vec<Package>,
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
    /// Where programs begin, below its folder: path, name, kind.
    pub(super) entries: Vec<(String, String, &'static str)>,
    /// Names of what it asks for, dependencies of the code base's own too.
    pub(super) asks: BTreeSet<String>,
}

/// Whose packages they are: names of one say nothing about another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    Cargo,
    Npm,
    Python,
    Go,
    Java,
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
    const OTHERS: [&str; 14] = [
        "pnpm-lock.yaml",
        "pnpm-workspace.yaml",
        "go.sum",
        "go.work",
        "setup.py",
        "setup.cfg",
        "Pipfile",
        "Gemfile",
        "composer.json",
        "environment.yml",
        "deno.json",
        "libs.versions.toml",
        "CMakeLists.txt",
        "Dockerfile",
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
        "pom.xml" | "build.gradle" | "build.gradle.kts" => Family::Java,
        _ if name.starts_with("requirements") && name.ends_with(".txt") => Family::Python,
        _ => return None,
    })
}

/// Reads manifests, given by path and text.
pub(super) fn read(texts: &[(String, String)]) -> Manifests {
    let mut manifests = Manifests::default();
    let mut families = Vec::new();
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
        lines: &Lines,
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
            line: lines.of(name),
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

/// Where names stand in a manifest.
struct Lines<'a>(Vec<&'a str>);

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self(text.lines().collect())
    }

    /// The first line that begins with a name, or else has it as a word; 1 if there is none.
    fn of(&self, name: &str) -> u32 {
        let is_edge =
            |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || c == '-' || c == '_'));
        let begins = |line: &&'a str| {
            let line = line.trim_start().trim_start_matches(['"', '\'']);
            line.strip_prefix(name)
                .is_some_and(|rest| is_edge(rest.chars().next()))
        };
        let has = |line: &&'a str| {
            line.match_indices(name).any(|(at, _)| {
                let before = line.get(..at).and_then(|it| it.chars().next_back());
                let after = line.get(at + name.len()..).and_then(|it| it.chars().next());
                is_edge(before) && is_edge(after)
            })
        };
        let at = self.0.iter().position(begins);
        let at = at.or_else(|| self.0.iter().position(has));
        u32::try_from(at.unwrap_or(0)).unwrap_or(0) + 1
    }
}
