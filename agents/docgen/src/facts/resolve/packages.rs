//! Packages of Go and Java, whose files see each other without naming a file.
//!
//! A file uses another one of its package if it has a name that the other defines. What two files define is left
//! unresolved, unless one of them is in the same folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{
    File, Language,
    manifest::folder,
    uses::{Uses, hashed},
};

/// The most files that are looked at for one name of a package.
const MOST: usize = 50;

/// Who defines which names of packages.
#[derive(Debug, Default)]
pub(super) struct Packages {
    /// By package and name.
    defined: BTreeMap<(String, u64), Vec<Definition>>,
}

/// A file that defines a name.
#[derive(Debug)]
struct Definition {
    name: String,
    path: String,
    is_test: bool,
}

impl Packages {
    pub(super) fn new(files: &[File], uses: &[Uses]) -> Self {
        let mut defined: BTreeMap<(String, u64), Vec<Definition>> = BTreeMap::new();
        for (file, uses) in files.iter().zip(uses) {
            let Some(package) = package(file, uses) else {
                continue;
            };
            let names = file.symbols.iter().filter(|it| it.of.is_none());
            let names: BTreeSet<&str> = names.map(|it| &*it.name).collect();
            for name in names {
                let known = defined.entry((package.clone(), hashed(name)));
                let known = known.or_default();
                if known.len() < MOST {
                    known.push(Definition {
                        name: name.to_owned(),
                        path: file.path.clone(),
                        is_test: file.test,
                    });
                }
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
        let taken: BTreeSet<u64> = own.chain(imported).map(hashed).collect();
        let names = uses.names.iter().filter(|(name, _)| !taken.contains(name));
        first_of_each(names.filter_map(|(name, line)| {
            let found = self.of(&package, *name, file)?;
            Some((found.name.as_str(), *line, found.path.as_str()))
        }))
    }

    /// The file that defines a type of a package of Java.
    pub(super) fn java(&self, package: &str, name: &str, file: &File) -> Option<String> {
        let found = self.of(&java(package), hashed(name), file)?;
        Some(found.path.clone())
    }

    /// Files of a package of Java that a file uses, which imports all of it.
    pub(super) fn all_of(&self, package: &str, file: &File, uses: &Uses) -> Vec<String> {
        let package = java(package);
        let found = uses.names.iter();
        let found = found.filter_map(|(name, _)| self.of(&package, *name, file));
        let paths: BTreeSet<&str> = found.map(|it| it.path.as_str()).collect();
        paths.into_iter().map(str::to_owned).collect()
    }

    fn of(&self, package: &str, name: u64, file: &File) -> Option<&Definition> {
        let all = self.defined.get(&(package.to_owned(), name))?;
        // Only a test uses what a test defines.
        let mut all = all.iter().filter(|it| file.test || !it.is_test);
        let is_near = |it: &&Definition| folder(&it.path) == folder(&file.path);
        let near = all.clone().find(is_near);
        let only = || all.next().filter(|_| all.next().is_none());
        near.or_else(only)
    }
}

/// The first use of each file.
fn first_of_each<'a>(
    found: impl Iterator<Item = (&'a str, u32, &'a str)>,
) -> Vec<(String, u32, String)> {
    let mut first: BTreeMap<&str, (u32, &str)> = BTreeMap::new();
    for (name, line, path) in found {
        let known = first.entry(path).or_insert((line, name));
        *known = (*known).min((line, name));
    }
    let all = first.into_iter();
    all.map(|(path, (line, name))| (name.to_owned(), line, path.to_owned()))
        .collect()
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
