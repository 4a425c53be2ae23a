//! Which file of the code base an import means.
//!
//! By the rules of each language, as far as they can be followed without building: what is not sure is left
//! unresolved. Resolved imports are the edges of diagrams and of `impact`.

mod packages;
mod script;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use script::source;

use super::{
    File, Import, Language, SymbolKind,
    manifest::{Manifests, folder},
    uses::Uses,
};
use packages::Packages;
use script::Scripts;

/// Fills in the files of imports. `mod x;` of Rust becomes an import of the file of `x`, and so does what a file of Go or
/// Java uses of its own package.
pub(super) fn imports(
    files: &mut [File],
    uses: &[Uses],
    manifests: &Manifests,
    texts: &[(String, String)],
) {
    let index = Index::new(files, uses, manifests, texts);
    let resolved: Vec<Vec<Import>> = files
        .iter()
        .zip(uses)
        .map(|(file, uses)| index.imports(file, uses))
        .collect();
    for (file, imports) in files.iter_mut().zip(resolved) {
        file.imports = imports;
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
    scripts: Scripts,
    packages: Packages,
}

impl Index {
    fn new(
        files: &[File],
        uses: &[Uses],
        manifests: &Manifests,
        texts: &[(String, String)],
    ) -> Self {
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
        // A module may be in the folder of another one.
        go.sort_by_key(|(name, _): &(String, String)| std::cmp::Reverse(name.len()));
        Self {
            paths: files.iter().map(|file| file.path.clone()).collect(),
            by_name,
            rust,
            rust_roots,
            go,
            scripts: Scripts::new(texts, manifests),
            packages: Packages::new(files, uses),
        }
    }

    /// The imports of a file with the files that they mean: one for each of these, or one without a file.
    fn imports(&self, file: &File, uses: &Uses) -> Vec<Import> {
        let mut imports = Vec::with_capacity(file.imports.len());
        let import = |target: &str, line: u32, file: Option<String>| Import {
            target: target.to_owned(),
            line,
            file,
            types_only: false,
        };
        for it in &file.imports {
            let mut found = self.find(file, uses, &it.target);
            found.retain(|path| *path != file.path);
            match found.is_empty() {
                true => imports.push(it.clone()),
                false => imports.extend(found.into_iter().map(|path| Import {
                    file: Some(path),
                    ..it.clone()
                })),
            }
        }
        let modules = file.symbols.iter().filter(|symbol| {
            file.language == Language::Rust
                && symbol.kind == SymbolKind::Module
                && symbol.of.is_none()
        });
        imports.extend(modules.filter_map(|symbol| {
            let path = self.rust_child(&file.path, &symbol.name)?;
            Some(import(
                &format!("mod {}", symbol.name),
                symbol.line,
                Some(path),
            ))
        }));
        let beside = self.packages.beside(file, uses).into_iter();
        imports.extend(
            beside.map(|(name, line, path)| import(&format!("package {name}"), line, Some(path))),
        );
        imports
    }

    fn find(&self, file: &File, uses: &Uses, target: &str) -> Vec<String> {
        let one = match file.language {
            Language::Rust => self.rust(file, target),
            Language::Python => self.python(file, target),
            Language::TypeScript | Language::Tsx | Language::JavaScript => {
                self.scripts.find(&file.path, target, &self.paths)
            }
            Language::Go => return self.go(target).unwrap_or_default(),
            Language::Java => return self.java(file, uses, target),
            Language::C | Language::Cpp => self.c(&file.path, target),
            _ => None,
        };
        one.into_iter().collect()
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

    /// The files of a package, which is a folder; tests are no part of what others import.
    fn go(&self, target: &str) -> Option<Vec<String>> {
        let (name, base) = self.go.iter().find(|(name, _)| {
            target
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })?;
        let below = target.get(name.len()..)?.trim_start_matches('/');
        let at = match below.is_empty() {
            true => base.clone(),
            false => join(base, below),
        };
        let prefix = match at.is_empty() {
            true => String::new(),
            false => format!("{at}/"),
        };
        let files = self
            .paths
            .range(prefix.clone()..)
            .take_while(|path| path.starts_with(&prefix));
        let is_here = |path: &&String| {
            let rest = path.get(prefix.len()..).unwrap_or_default();
            !rest.contains('/') && rest.ends_with(".go") && !rest.ends_with("_test.go")
        };
        Some(files.filter(is_here).cloned().collect())
    }

    /// The file of a type; of `a.b.*` those of the package whose types are used, or the type that has members of that name.
    fn java(&self, file: &File, uses: &Uses, target: &str) -> Vec<String> {
        let of_type = |target: &str| {
            let (package, name) = target.rsplit_once('.')?;
            self.packages.java(package, name, file)
        };
        if let Some(all) = target.strip_suffix(".*") {
            return match of_type(all) {
                Some(path) => vec![path],
                None => self.packages.all_of(all, file, uses),
            };
        }
        // A type in a type, or a member: what is around it is the file.
        let mut at = target;
        loop {
            if let Some(path) = of_type(at) {
                return vec![path];
            }
            match at.rsplit_once('.') {
                Some((above, _)) => at = above,
                None => return Vec::new(),
            }
        }
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
