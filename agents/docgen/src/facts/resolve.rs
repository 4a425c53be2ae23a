//! Which file of the code base an import means.
//!
//! By the rules of each language, as far as they can be followed without building: what is not sure is left
//! unresolved. Resolved imports are the edges of diagrams and of `impact`.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    File, Language, SymbolKind,
    manifest::{Manifests, folder},
};

/// Fills in the files of imports. `mod x;` of Rust becomes an import of the file of `x`.
pub(super) fn imports(files: &mut [File], manifests: &Manifests) {
    let index = Index::new(files, manifests);
    let mut found: Vec<Vec<Option<String>>> = Vec::with_capacity(files.len());
    let mut modules: Vec<Vec<(String, u32, String)>> = Vec::with_capacity(files.len());
    for file in files.iter() {
        let targets = file
            .imports
            .iter()
            .map(|import| index.find(file, &import.target));
        found.push(targets.collect());
        let own = file.symbols.iter().filter(|symbol| {
            file.language == Language::Rust
                && symbol.kind == SymbolKind::Module
                && symbol.of.is_none()
        });
        let own = own.filter_map(|symbol| {
            let path = index.rust_child(&file.path, &symbol.name)?;
            Some((format!("mod {}", symbol.name), symbol.line, path))
        });
        modules.push(own.collect());
    }
    for ((file, targets), modules) in files.iter_mut().zip(found).zip(modules) {
        for (import, target) in file.imports.iter_mut().zip(targets) {
            import.file = target.filter(|target| *target != file.path);
        }
        for (target, line, path) in modules {
            file.imports.push(super::Import {
                target,
                line,
                file: Some(path),
            });
        }
    }
}

struct Index {
    paths: BTreeSet<String>,
    /// Files by their names, for languages that look in several folders.
    by_name: BTreeMap<String, Vec<String>>,
    /// Names of Rust packages as they are imported, with the folder of their sources.
    rust: BTreeMap<String, String>,
    /// Folders of Rust sources, longest first.
    rust_roots: Vec<String>,
    /// Modules of Go with their folders.
    go: Vec<(String, String)>,
}

impl Index {
    fn new(files: &[File], manifests: &Manifests) -> Self {
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in files {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            by_name
                .entry(name.to_owned())
                .or_default()
                .push(file.path.clone());
        }
        let mut rust = BTreeMap::new();
        let mut go = Vec::new();
        for package in &manifests.packages {
            let folder = package.folder();
            if package.manifest.ends_with("Cargo.toml") {
                rust.insert(package.name.replace('-', "_"), join(folder, "src"));
            } else if package.manifest.ends_with("go.mod") {
                go.push((package.name.clone(), folder.to_owned()));
            }
        }
        let mut rust_roots: Vec<String> = rust.values().cloned().collect();
        rust_roots.sort_by_key(|root| std::cmp::Reverse(root.len()));
        Self {
            paths: files.iter().map(|file| file.path.clone()).collect(),
            by_name,
            rust,
            rust_roots,
            go,
        }
    }

    fn find(&self, file: &File, target: &str) -> Option<String> {
        match file.language {
            Language::Rust => self.rust(file, target),
            Language::Python => self.python(file, target),
            Language::TypeScript | Language::Tsx | Language::JavaScript => {
                self.script(&file.path, target)
            }
            Language::Go => self.go(target),
            Language::Java => self.java(target),
            Language::C | Language::Cpp => self.c(&file.path, target),
            _ => None,
        }
    }

    fn have(&self, path: String) -> Option<String> {
        self.paths.contains(&path).then_some(path)
    }

    fn rust(&self, file: &File, target: &str) -> Option<String> {
        let mut names: Vec<&str> = target.split("::").collect();
        let first = *names.first()?;
        let own = self
            .rust_roots
            .iter()
            .find(|root| file.path.starts_with(&format!("{root}/")));
        let base = match first {
            "crate" => own?.clone(),
            "super" | "self" => {
                let mut module = rust_module(&file.path);
                if first == "super" {
                    module = folder(&module).to_owned();
                }
                while names.get(1) == Some(&"super") {
                    module = folder(&module).to_owned();
                    names.remove(1);
                }
                module
            }
            name => self.rust.get(name)?.clone(),
        };
        let names = names.get(1..).unwrap_or_default();
        // The longest part of the path that is a file is the module; the rest are names in it.
        (0..=names.len()).rev().find_map(|count| {
            let module = names
                .get(..count)?
                .iter()
                .fold(base.clone(), |at, name| join(&at, name));
            if count == 0 {
                let root = ["lib.rs", "main.rs", "mod.rs"].map(|name| join(&module, name));
                let root = root.into_iter().find_map(|path| self.have(path));
                return root.or_else(|| self.have(format!("{module}.rs")));
            }
            let file = self.have(format!("{module}.rs"));
            file.or_else(|| self.have(join(&module, "mod.rs")))
        })
    }

    /// The file of `mod name;` in a file.
    fn rust_child(&self, path: &str, name: &str) -> Option<String> {
        let module = rust_module(path);
        let inner = join(&module, name);
        let file = self.have(format!("{inner}.rs"));
        file.or_else(|| self.have(join(&inner, "mod.rs")))
    }

    fn python(&self, file: &File, target: &str) -> Option<String> {
        let (module, name) = target.split_once(':').unwrap_or((target, ""));
        let dots = module.chars().take_while(|c| *c == '.').count();
        let rest = module.trim_start_matches('.').replace('.', "/");
        let try_at = |base: &str| {
            let at = match rest.is_empty() {
                true => base.to_owned(),
                false => join(base, &rest),
            };
            let inner = join(&at, name);
            let places = [
                format!("{inner}.py"),
                join(&inner, "__init__.py"),
                format!("{at}.py"),
                join(&at, "__init__.py"),
            ];
            let is_named = !name.is_empty();
            places
                .into_iter()
                .skip(if is_named { 0 } else { 2 })
                .find_map(|path| self.have(path))
        };
        if dots > 0 {
            let mut base = folder(&file.path).to_owned();
            for _ in 1..dots {
                base = folder(&base).to_owned();
            }
            return try_at(&base);
        }
        // A module is found in the folder of the file, in those above it, and in `src`.
        let mut base = folder(&file.path).to_owned();
        loop {
            if let Some(path) = try_at(&base).or_else(|| try_at(&join(&base, "src"))) {
                return Some(path);
            }
            if base.is_empty() {
                return None;
            }
            base = folder(&base).to_owned();
        }
    }

    fn script(&self, path: &str, target: &str) -> Option<String> {
        if !target.starts_with('.') {
            return None;
        }
        let at = normal(&join(folder(path), target))?;
        let stem = at
            .strip_suffix(".js")
            .or_else(|| at.strip_suffix(".jsx"))
            .unwrap_or(&at);
        let endings = ["ts", "tsx", "mts", "d.ts", "js", "jsx", "mjs", "cjs"];
        let files = endings.iter().map(|ending| format!("{stem}.{ending}"));
        let inside = endings
            .iter()
            .map(|ending| join(&at, &format!("index.{ending}")));
        std::iter::once(at.clone())
            .chain(files)
            .chain(inside)
            .find_map(|path| self.have(path))
    }

    fn go(&self, target: &str) -> Option<String> {
        let (name, base) = self.go.iter().find(|(name, _)| {
            target
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })?;
        let at = join(base, target.get(name.len()..)?.trim_start_matches('/'));
        let prefix = match at.is_empty() {
            true => String::new(),
            false => format!("{at}/"),
        };
        // A package is a folder; its first file that is no test stands for it.
        let mut files = self
            .paths
            .range(prefix.clone()..)
            .take_while(|path| path.starts_with(&prefix));
        let is_here = |path: &&String| {
            let rest = path.get(prefix.len()..).unwrap_or_default();
            !rest.contains('/') && rest.ends_with(".go") && !rest.ends_with("_test.go")
        };
        files.find(is_here).cloned()
    }

    fn java(&self, target: &str) -> Option<String> {
        let target = target.trim_end_matches(".*");
        let name = target.rsplit('.').next()?;
        let end = format!("{}.java", target.replace('.', "/"));
        let same = self.by_name.get(&format!("{name}.java"))?;
        let mut fits = same
            .iter()
            .filter(|path| **path == end || path.ends_with(&format!("/{end}")));
        let first = fits.next()?;
        fits.next().is_none().then(|| first.clone())
    }

    fn c(&self, path: &str, target: &str) -> Option<String> {
        let is_system = target.starts_with('<');
        let target = target.trim_matches(['"', '<', '>']);
        if let Some(near) = normal(&join(folder(path), target)).and_then(|it| self.have(it))
            && !is_system
        {
            return Some(near);
        }
        let name = target.rsplit('/').next()?;
        let same = self.by_name.get(name)?;
        let mut fits = same
            .iter()
            .filter(|path| **path == target || path.ends_with(&format!("/{target}")));
        let first = fits.next()?;
        fits.next().is_none().then(|| first.clone())
    }
}

/// The folder in which the modules below a Rust file are.
fn rust_module(path: &str) -> String {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let name = stem.rsplit('/').next().unwrap_or(stem);
    match ["lib", "main", "mod"].contains(&name) {
        true => folder(stem).to_owned(),
        false => stem.to_owned(),
    }
}

pub(super) fn join(folder: &str, name: &str) -> String {
    match folder.is_empty() {
        true => name.to_owned(),
        false => format!("{folder}/{name}"),
    }
}

/// A path without `.` and `..`; nothing if it leads out of the root.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
