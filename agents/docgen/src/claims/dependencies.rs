//! Names of what comes from outside, against manifests, lock files and imports.

use super::{verdict::Verdict, versions};
use crate::facts::Lookup;

/// What is there without a manifest: standard libraries and tools.
const GIVEN: &[&str] = &[
    "alloc", "bun", "cargo", "clang", "cmake", "core", "deno", "docker", "gcc", "git", "go",
    "gradle", "java", "javac", "make", "maven", "node", "npm", "pip", "pnpm", "poetry", "python",
    "rust", "rustc", "rustup", "std", "uv", "yarn",
];

/// A name that is said to be a dependency; `is_cited` if a line that the sentence cites has it.
pub(super) fn judge(name: &str, is_said: bool, is_cited: bool, lookup: &Lookup<'_>) -> Verdict {
    if versions::is_known(name, lookup) {
        return Verdict::Verified;
    }
    let is_ours = !lookup.symbol(name).is_empty() || is_part(name, lookup) || GIVEN.contains(&name);
    // In a part of a manifest that says nothing of dependencies, or in a file of a kind that is not parsed.
    let is_doubtful = || {
        is_cited
            || is_ours
            || is_imported(name, lookup)
            || lookup.in_manifests(name)
            || lookup.in_imports(name)
    };
    match is_said && !is_doubtful() {
        true => Verdict::Wrong {
            why: format!("no manifest asks for {name}"),
            now: None,
        },
        false => Verdict::Unknown,
    }
}

/// Whether a component, a folder or a file is called so.
pub(super) fn is_part(name: &str, lookup: &Lookup<'_>) -> bool {
    let facts = lookup.facts;
    facts
        .components
        .iter()
        .any(|it| it.name == name || it.name.replace('-', "_") == name)
        || facts.files.iter().any(|file| is_called(&file.path, name))
        || is_module(name, lookup)
}

/// Whether a name with dots or colons is that of folders and a file in them: `com.shop.stock`, `orders.store`.
fn is_module(name: &str, lookup: &Lookup<'_>) -> bool {
    let path = name.replace("::", "/").replace('.', "/");
    let ends = [format!("/{path}/"), format!("/{path}.")];
    path.contains('/')
        && lookup.facts.files.iter().any(|file| {
            let whole = format!("/{}", file.path);
            ends.iter().any(|end| whole.contains(end))
        })
}

/// Whether a file, or a folder on the way to it, is called so.
pub(super) fn is_called(path: &str, name: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    last.split('.').next() == Some(name) || path.split('/').any(|part| part == name)
}

/// Whether a file imports this, or something of it.
pub(super) fn is_imported(name: &str, lookup: &Lookup<'_>) -> bool {
    let other = name.replace('-', "_");
    let is_it = |target: &str, name: &str| {
        let rest = target.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':', '/']))
            || target.rsplit([':', '.', '/']).next() == Some(name)
    };
    let mut imports = lookup.facts.files.iter().flat_map(|file| &file.imports);
    imports.any(|it| is_it(&it.target, name) || is_it(&it.target, &other))
}

/// Whether a name can be one that a manifest asks for.
pub(super) fn is_dependency_name(name: &str) -> bool {
    let is_sign = |c: char| c.is_alphanumeric() || "-_./@".contains(c);
    (2..100).contains(&name.len())
        && name.chars().all(is_sign)
        && name.starts_with(|c: char| c.is_alphabetic() || c == '@')
}
