//! Entry points: what manifests name, and functions called `main`.

use std::collections::BTreeSet;

use super::{EntryPoint, File, Language, SymbolKind, manifest::Manifests, resolve::join};

pub(super) fn of(files: &[File], manifests: &Manifests) -> Vec<EntryPoint> {
    let mut found = BTreeSet::new();
    let paths: BTreeSet<&str> = files.iter().map(|file| &*file.path).collect();
    for package in &manifests.packages {
        for (path, name, kind) in &package.entries {
            let path = join(package.folder(), path);
            if let Some(path) = source(&path, &paths) {
                found.insert(EntryPoint {
                    path,
                    line: 1,
                    name: name.clone(),
                    kind: (*kind).to_owned(),
                });
            }
        }
        let library = join(package.folder(), "src/lib.rs");
        if package.manifest.ends_with("Cargo.toml") && paths.contains(&*library) {
            found.insert(EntryPoint {
                path: library,
                line: 1,
                name: package.name.clone(),
                kind: "library".into(),
            });
        }
    }
    for file in files.iter().filter(|file| !file.test) {
        let mains = file
            .symbols
            .iter()
            .filter(|symbol| symbol.name == "main" && is_main(file, symbol.kind));
        for symbol in mains {
            found.insert(EntryPoint {
                path: file.path.clone(),
                line: symbol.line,
                name: symbol.of.clone().unwrap_or_else(|| "main".into()),
                kind: "main".into(),
            });
        }
        if file.path.ends_with("__main__.py") {
            found.insert(EntryPoint {
                path: file.path.clone(),
                line: 1,
                name: "__main__".into(),
                kind: "script".into(),
            });
        }
    }
    found.into_iter().collect()
}

/// The file that a manifest names, or the one that it is built from: `dist/cli.js` is `src/cli.ts`.
fn source(path: &str, paths: &BTreeSet<&str>) -> Option<String> {
    if paths.contains(path) {
        return Some(path.to_owned());
    }
    let stem = ["js", "mjs", "cjs"]
        .iter()
        .find_map(|ending| path.strip_suffix(&format!(".{ending}")))?;
    let parts: Vec<&str> = stem.split('/').collect();
    let built = parts
        .iter()
        .position(|part| ["dist", "build", "lib", "out"].contains(part))?;
    let (before, after) = (parts.get(..built)?, parts.get(built + 1..)?);
    ["src", "lib", ""].iter().find_map(|folder| {
        let folder = Some(*folder).filter(|it| !it.is_empty());
        let parts = before.iter().copied().chain(folder);
        let stem: Vec<&str> = parts.chain(after.iter().copied()).collect();
        let stem = stem.join("/");
        ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs"]
            .iter()
            .map(|ending| format!("{stem}.{ending}"))
            .find(|path| paths.contains(&**path))
    })
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
