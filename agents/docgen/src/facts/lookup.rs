//! Facts by name: where a symbol is, who imports a file.

use std::collections::{BTreeMap, BTreeSet};

use super::{Dependency, Facts, File, Symbol};

/// Facts by name; made once for many questions.
pub struct Lookup<'a> {
    /// The facts.
    pub facts: &'a Facts,
    symbols: BTreeMap<&'a str, Vec<(&'a File, &'a Symbol)>>,
    importers: BTreeMap<&'a str, BTreeSet<&'a str>>,
    dependencies: BTreeMap<String, Vec<&'a Dependency>>,
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
        }
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
        self.dependencies
            .get(&plain(name))
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

/// A name as it is compared: indexes do not tell `_` from `-`.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}
