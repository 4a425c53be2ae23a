//! Entry points: what manifests name, functions called `main`, and what a file of Python does if it is run.

use std::collections::BTreeSet;

use super::{
    EntryPoint, File, Language, SymbolKind,
    manifest::{Entry, Manifests},
    resolve::{join, source},
    uses::Uses,
};

pub(super) fn of(files: &[File], uses: &[Uses], manifests: &Manifests) -> Vec<EntryPoint> {
    let mut found = BTreeSet::new();
    let paths: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
    for package in &manifests.packages {
        for entry in &package.entries {
            let place = match &entry.module {
                Some(function) => module(package.folder(), entry, function, files),
                None => source(&join(package.folder(), &entry.path), &paths).map(|it| (it, 1)),
            };
            found.extend(place.map(|(path, line)| EntryPoint {
                path,
                line,
                name: entry.name.clone(),
                kind: entry.kind.to_owned(),
            }));
        }
        let library = join(package.folder(), "src/lib.rs");
        if package.manifest.ends_with("Cargo.toml") && paths.contains(&library) {
            found.insert(EntryPoint {
                path: library,
                line: 1,
                name: package.name.clone(),
                kind: "library".into(),
            });
        }
    }
    for (file, uses) in files.iter().zip(uses).filter(|(file, _)| !file.test) {
        let mut has_main = false;
        let mains = file
            .symbols
            .iter()
            .filter(|symbol| symbol.name == "main" && is_main(file, symbol.kind));
        for symbol in mains {
            has_main = true;
            found.insert(EntryPoint {
                path: file.path.clone(),
                line: symbol.line,
                name: symbol.of.clone().unwrap_or_else(|| "main".into()),
                kind: "main".into(),
            });
        }
        let is_run = file.path.ends_with("__main__.py");
        let guard = uses.guard.filter(|_| !has_main);
        if let Some(line) = is_run.then_some(1).or(guard) {
            found.insert(EntryPoint {
                path: file.path.clone(),
                line,
                name: "__main__".into(),
                kind: "script".into(),
            });
        }
    }
    found.into_iter().collect()
}

/// The file of a module of Python and the line of its function: below the folder of its manifest or `src` in it, or the
/// only one below it that ends so.
fn module(folder: &str, entry: &Entry, function: &str, files: &[File]) -> Option<(String, u32)> {
    let ends = [
        format!("{}.py", entry.path),
        join(&entry.path, "__init__.py"),
    ];
    let bases = [folder.to_owned(), join(folder, "src")];
    let usual = bases
        .iter()
        .flat_map(|base| ends.iter().map(|end| join(base, end)));
    // Files are in the order of their paths.
    let mut usual = usual.filter_map(|path| {
        let at = files.binary_search_by(|file| file.path.cmp(&path)).ok()?;
        files.get(at)
    });
    let below = || {
        let start = join(folder, "");
        let ends = ends.each_ref().map(|end| format!("/{end}"));
        let mut fits = files.iter().filter(|file| {
            file.path.starts_with(&start) && ends.iter().any(|end| file.path.ends_with(end))
        });
        fits.next().filter(|_| fits.next().is_none())
    };
    let file = usual.next().or_else(below)?;
    let line = file
        .symbols
        .iter()
        .find(|it| it.of.is_none() && it.name == function)
        .map_or(1, |it| it.line);
    Some((file.path.clone(), line))
}

fn is_main(file: &File, kind: SymbolKind) -> bool {
    match file.language {
        Language::Rust | Language::Go | Language::C | Language::Cpp | Language::Python => {
            kind == SymbolKind::Function
        }
        Language::Java => kind == SymbolKind::Method,
        _ => false,
    }
}
