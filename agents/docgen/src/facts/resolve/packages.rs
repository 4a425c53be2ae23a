//! Packages of Go and Java, whose files see each other without naming a file.
//!
//! A file uses another one of its package if it has a name that the other defines. What two files define is left
//! unresolved, unless one of them is in the same folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{File, Language, manifest::folder, uses::Uses};

/// Who defines which names of packages.
#[derive(Debug, Default)]
pub(super) struct Packages {
    defined: BTreeMap<(String, String), Vec<(String, bool)>>,
}

impl Packages {
    pub(super) fn new(files: &[File], uses: &[Uses]) -> Self {
        let mut defined: BTreeMap<(String, String), Vec<(String, bool)>> = BTreeMap::new();
        for (file, uses) in files.iter().zip(uses) {
            let Some(package) = package(file, uses) else {
                continue;
            };
            let names = file.symbols.iter().filter(|it| it.of.is_none());
            let names: BTreeSet<&str> = names.map(|it| &*it.name).collect();
            for name in names {
                let key = (package.clone(), name.to_owned());
                let known = defined.entry(key).or_default();
                known.push((file.path.clone(), file.test));
            }
        }
        Self { defined }
    }

    /// Files of the same package that a file uses, with a name of each and the line where it is used.
    pub(super) fn beside(&self, file: &File, uses: &Uses) -> Vec<(String, u32, String)> {
        let Some(package) = package(file, uses) else {
            return Vec::new();
        };
        // What a file defines or imports by name is not what its package calls so.
        let own = file.symbols.iter().map(|it| &*it.name);
        let imported = file
            .imports
            .iter()
            .filter_map(|it| it.target.rsplit(['.', '/']).next());
        let taken: BTreeSet<&str> = own.chain(imported).collect();
        let names = uses
            .names
            .iter()
            .filter(|(name, _)| !taken.contains(&***name));
        let found = names.filter_map(|(name, line)| {
            let path = self.of(&package, name, file)?;
            Some((name.clone(), *line, path))
        });
        first_of_each(found)
    }

    /// The file that defines a type of a package of Java.
    pub(super) fn java(&self, package: &str, name: &str, file: &File) -> Option<String> {
        self.of(&java(package), name, file)
    }

    /// Files of a package of Java that a file uses, which imports all of it.
    pub(super) fn all_of(&self, package: &str, file: &File, uses: &Uses) -> Vec<String> {
        let package = java(package);
        let found = uses.names.iter().filter_map(|(name, line)| {
            let path = self.of(&package, name, file)?;
            Some((name.clone(), *line, path))
        });
        let found = first_of_each(found).into_iter();
        found.map(|(_, _, path)| path).collect()
    }

    fn of(&self, package: &str, name: &str, file: &File) -> Option<String> {
        let all = self.defined.get(&(package.to_owned(), name.to_owned()))?;
        // Only a test uses what a test defines.
        let all: Vec<&str> = all
            .iter()
            .filter(|(_, is_test)| file.test || !is_test)
            .map(|(path, _)| &**path)
            .collect();
        let mut near = all.iter().filter(|it| folder(it) == folder(&file.path));
        match (near.next(), &*all) {
            (Some(path), _) | (None, [path]) => Some((*path).to_owned()),
            _ => None,
        }
    }
}

/// The first use of each file.
fn first_of_each(found: impl Iterator<Item = (String, u32, String)>) -> Vec<(String, u32, String)> {
    let mut first: BTreeMap<String, (u32, String)> = BTreeMap::new();
    for (name, line, path) in found {
        let known = first.entry(path).or_insert_with(|| (line, name.clone()));
        if line < known.0 {
            *known = (line, name);
        }
    }
    let all = first.into_iter();
    all.map(|(path, (line, name))| (name, line, path)).collect()
}

/// The package of a file: that of Go is in one folder.
fn package(file: &File, uses: &Uses) -> Option<String> {
    let name = uses.package.as_ref();
    match file.language {
        Language::Go => Some(format!("go {} {}", name?, folder(&file.path))),
        Language::Java => Some(java(name.map_or("", |it| it))),
        _ => None,
    }
}

fn java(package: &str) -> String {
    format!("java {package}")
}
