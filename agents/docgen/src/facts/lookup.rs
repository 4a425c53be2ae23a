//! Facts by name: where a symbol is, who imports a file, what a line says.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use superstep::sync::lock;

use super::{
    Dependency, Facts, File, Symbol,
    manifest::{self, plain},
    source::{Source, source},
};

/// Facts by name; made once for many questions.
pub struct Lookup<'a> {
    /// The facts.
    pub facts: &'a Facts,
    symbols: BTreeMap<&'a str, Vec<(&'a File, &'a Symbol)>>,
    importers: BTreeMap<&'a str, BTreeSet<&'a str>>,
    dependencies: BTreeMap<String, Vec<&'a Dependency>>,
    /// Texts of files that were read again.
    sources: Mutex<BTreeMap<String, Option<Arc<Source>>>>,
}

impl<'a> Lookup<'a> {
    /// Looks facts up by name.
    pub fn new(facts: &'a Facts) -> Self {
        let mut symbols: BTreeMap<&str, Vec<(&File, &Symbol)>> = BTreeMap::new();
        let mut importers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for file in &facts.files {
            for symbol in &file.symbols {
                symbols
                    .entry(&symbol.name)
                    .or_default()
                    .push((file, symbol));
            }
            for path in file
                .imports
                .iter()
                .filter_map(|import| import.file.as_deref())
            {
                importers.entry(path).or_default().insert(&file.path);
            }
        }
        let mut dependencies: BTreeMap<String, Vec<&Dependency>> = BTreeMap::new();
        for dependency in &facts.dependencies {
            dependencies
                .entry(plain(&dependency.name))
                .or_default()
                .push(dependency);
        }
        Self {
            facts,
            symbols,
            importers,
            dependencies,
            sources: Mutex::default(),
        }
    }

    /// The text of a file, if it is still the one that the facts are of.
    pub(crate) fn source(&self, file: &File) -> Option<Arc<Source>> {
        let mut known = lock(&self.sources);
        let found = known
            .entry(file.path.clone())
            .or_insert_with(|| source(&self.facts.root, file).map(Arc::new));
        found.clone()
    }

    /// Whether a line of a file fits; its text is not kept.
    pub(crate) fn reads(&self, file: &File, fits: impl Fn(&str) -> bool) -> bool {
        let text = source(&self.facts.root, file);
        text.is_some_and(|text| text.lines().any(fits))
    }

    /// The versions that lock files have of a name; nothing if they do not have it.
    pub fn locked(&self, name: &str) -> Option<&'a BTreeSet<String>> {
        let locked = &self.facts.locked;
        let plain = plain(name);
        locked.get(&plain).or_else(|| locked.get(&dashed(&plain)))
    }

    /// Whether a manifest or a lock file has this word, in whatever part of it, or may have it and was not read.
    pub(crate) fn in_manifests(&self, name: &str) -> bool {
        let files = self.facts.files.iter();
        let mut files = files.filter(|file| manifest::is_like_one(&file.path));
        files.any(|file| match self.source(file) {
            Some(text) => text.has(name, 1, u32::MAX),
            None => file.bytes > 0,
        })
    }

    /// Whether a line of code that imports something has this word: also one within a function, which is no import of
    /// its file.
    pub(crate) fn in_imports(&self, name: &str) -> bool {
        let name = name.replace('-', "_");
        let files = self.facts.files.iter();
        let mut files = files.filter(|file| file.lines > 0 && file.language.is_code());
        files.any(|file| source(&self.facts.root, file).is_some_and(|text| text.imports(&name)))
    }

    /// Whether a file in a folder has this word, or may have it as it changed since it was scanned.
    pub(crate) fn in_folder(&self, folder: &str, name: &str) -> bool {
        let files = self.facts.files.iter().filter(|file| {
            let rest = file.path.strip_prefix(folder);
            rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
        });
        // A folder may be large, so that its texts are not kept.
        let mut files = files.filter(|file| file.lines > 0);
        files.any(|file| {
            source(&self.facts.root, file).is_none_or(|text| text.has(name, 1, u32::MAX))
        })
    }

    /// Where symbols of this name are.
    pub fn symbol(&self, name: &str) -> &[(&'a File, &'a Symbol)] {
        self.symbols
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Dependencies of this name, whatever its case and dashes.
    pub fn dependency(&self, name: &str) -> &[&'a Dependency] {
        let plain = plain(name);
        self.dependencies
            .get(&plain)
            .or_else(|| self.dependencies.get(&dashed(&plain)))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Files that import a file.
    pub fn importers(&self, path: &str) -> impl Iterator<Item = &'a str> + '_ {
        self.importers.get(path).into_iter().flatten().copied()
    }

    /// Files that depend on a file, directly or through others, with how many imports they are away.
    pub fn dependants(&self, path: &str) -> Vec<(&'a str, u32)> {
        let mut found: BTreeMap<&str, u32> = BTreeMap::new();
        let mut level: Vec<&str> = self.importers(path).collect();
        let mut away = 1;
        while !level.is_empty() {
            let mut next = Vec::new();
            for file in level {
                if file != path && !found.contains_key(file) {
                    found.insert(file, away);
                    next.extend(self.importers(file));
                }
            }
            level = next;
            away += 1;
        }
        let mut found: Vec<(&str, u32)> = found.into_iter().collect();
        found.sort_by_key(|(path, away)| (*away, *path));
        found
    }
}

/// A plain name without dots, which indexes of Python do not tell from `-`, and others do.
fn dashed(plain: &str) -> String {
    plain.replace('.', "-")
}
