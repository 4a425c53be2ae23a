//! The modules of a crate, and which of them each path leads to.
//!
//! Code is read without tests and comments. A name that a module imports or hands on counts as the
//! module it comes from.

use std::collections::{BTreeMap, BTreeSet};

use super::written::{Written, written};
use crate::tree::{File, Tree};

/// The names from the crate root down to a module; the root has none.
pub(super) type ModulePath = Vec<String>;

/// One module names something of another.
#[derive(Debug)]
pub(super) struct Import<'a> {
    pub(super) from: ModulePath,
    pub(super) to: ModulePath,
    pub(super) place: Place<'a>,
    pub(super) is_export: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) path: &'a str,
    pub(super) line: usize,
}

/// All imports of the crate whose sources are below `src`.
pub(super) fn imports<'a>(src: &str, tree: &'a Tree) -> Vec<Import<'a>> {
    let files: Vec<(&File, ModulePath)> = tree
        .rust()
        .filter(|file| !file.is_test())
        .filter_map(|file| Some((file, module_path(file.path.strip_prefix(src)?)?)))
        .collect();
    let mut modules = Modules {
        paths: files
            .iter()
            .flat_map(|(_, path)| with_ancestors(path))
            .collect(),
        aliases: BTreeMap::new(),
    };
    let mut found = Vec::new();
    for (file, from) in &files {
        for path in written(&code(file)) {
            found.extend(modules.import(file, from, path));
        }
    }
    // All aliases are known only now.
    for import in &mut found {
        import.to = modules.home(&import.to);
    }
    found
}

struct Modules {
    paths: BTreeSet<ModulePath>,
    /// The path that each imported name in a module has.
    aliases: BTreeMap<ModulePath, ModulePath>,
}

impl Modules {
    /// The import that a path is, to the path itself; its alias is kept.
    fn import<'a>(
        &mut self,
        file: &'a File,
        from: &ModulePath,
        path: Written,
    ) -> Option<Import<'a>> {
        let to = self.absolute(from, &path)?;
        if let Some(alias) = path.alias {
            self.aliases.insert(child(from, &alias), to.clone());
        }
        let (path, line, is_export) = (&file.path, path.line, path.is_export);
        Some(Import {
            from: from.clone(),
            to,
            place: Place { path, line },
            is_export,
        })
    }

    /// A path from the crate root; nothing for one that leads out of the crate.
    fn absolute(&self, from: &ModulePath, path: &Written) -> Option<ModulePath> {
        let mut names = path.names.as_slice();
        let mut above = from.clone();
        match names.first()?.as_str() {
            "crate" => above.clear(),
            "self" | "super" => {}
            first if self.paths.contains(&child(from, first)) => {}
            _ => return None,
        }
        while let [first, rest @ ..] = names
            && matches!(first.as_str(), "crate" | "self" | "super")
        {
            if first == "super" {
                above.pop()?;
            }
            names = rest;
        }
        above.extend_from_slice(names);
        Some(above)
    }

    /// The module that a path leads to, through the imports of those on its way.
    fn home(&self, path: &ModulePath) -> ModulePath {
        let mut path = path.clone();
        let mut seen = BTreeSet::new();
        loop {
            let mut module = path.clone();
            while !self.paths.contains(&module) && module.pop().is_some() {}
            let rest = path.split_off(module.len());
            let Some((name, rest)) = rest.split_first() else {
                return module;
            };
            let name = child(&module, name);
            match self.aliases.get(&name) {
                Some(meant) if seen.insert(name) => path = [meant.as_slice(), rest].concat(),
                _ => return module,
            }
        }
    }
}

/// A module and all those it is in.
fn with_ancestors(path: &ModulePath) -> impl Iterator<Item = ModulePath> {
    (0..=path.len()).map(|depth| path.iter().take(depth).cloned().collect())
}

fn child(module: &ModulePath, name: &str) -> ModulePath {
    let mut path = module.clone();
    path.push(name.to_owned());
    path
}

/// The module a file below `src` is; nothing for further programs of the crate.
fn module_path(file: &str) -> Option<ModulePath> {
    let stem = file.strip_suffix(".rs")?;
    let names: Vec<&str> = stem.split('/').collect();
    let names = match names.as_slice() {
        ["bin", ..] => return None,
        ["lib" | "main"] => &[],
        [above @ .., "mod"] => above,
        all => all,
    };
    Some(names.iter().map(|name| (*name).to_owned()).collect())
}

/// The product lines without comments, with all line ends, so that lines keep their numbers.
fn code(file: &File) -> String {
    let mut text = String::new();
    for (_, line) in file.product_lines() {
        if !line.trim_start().starts_with("//") {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}
