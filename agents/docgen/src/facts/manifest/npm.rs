//! `package.json` and `package-lock.json`.

use serde_json::Value as Json;

use super::{Entry, Family, Manifests, Package, lines::json_lines};
use crate::facts::DependencyKind;

pub(super) fn read(path: &str, text: &str, manifests: &mut Manifests) {
    let Ok(json) = serde_json::from_str::<Json>(text) else {
        return;
    };
    if path.ends_with("package-lock.json") {
        lock(&json, manifests);
        return;
    }
    let text_of = |key: &str| json.get(key).and_then(Json::as_str);
    let name = text_of("name").unwrap_or_default();
    let mut package = Package {
        name: name.to_owned(),
        manifest: path.to_owned(),
        version: text_of("version").map(str::to_owned),
        ..Package::default()
    };
    let library = |file: &str| Entry::of_file(file, name, "library");
    let named = ["main", "module"].iter().filter_map(|key| text_of(key));
    package.entries.extend(named.map(library));
    if package.entries.is_empty() {
        let exported = json.get("exports").and_then(exported);
        package.entries.extend(exported.map(library));
    }
    match json.get("bin") {
        Some(Json::String(file)) => {
            package.entries.push(Entry::of_file(file, name, "binary"));
        }
        Some(Json::Object(all)) => {
            let all = all.iter().map(|(name, file)| {
                Entry::of_file(file.as_str().unwrap_or_default(), name, "binary")
            });
            package.entries.extend(all);
        }
        _ => {}
    }
    let kinds = [
        ("dependencies", DependencyKind::Runtime),
        ("peerDependencies", DependencyKind::Runtime),
        ("optionalDependencies", DependencyKind::Optional),
        ("devDependencies", DependencyKind::Dev),
    ];
    let lines = json_lines(text);
    for (section, kind) in kinds {
        let all = json.get(section).and_then(Json::as_object);
        for (name, wanted) in all.into_iter().flatten() {
            if kind != DependencyKind::Dev {
                package.asks.insert(name.clone());
            }
            let wanted = wanted.as_str();
            let is_own =
                wanted.is_some_and(|it| it.starts_with("workspace:") || it.starts_with("file:"));
            if !is_own {
                let line = lines.get(&(section, &**name)).copied();
                manifests.asks(path, line, name, wanted, kind);
            }
        }
    }
    if !package.name.is_empty() {
        manifests.packages.push(package);
    }
}

/// The file that `exports` gives for the package itself.
fn exported(exports: &Json) -> Option<&str> {
    let mut at = exports.get(".").unwrap_or(exports);
    // Conditions may be nested.
    for _ in 0..4 {
        if let Some(file) = at.as_str() {
            return Some(file);
        }
        let conditions = ["source", "import", "default", "require", "node", "browser"];
        at = conditions.iter().find_map(|it| at.get(*it))?;
    }
    None
}

fn lock(json: &Json, manifests: &mut Manifests) {
    let packages = json.get("packages").and_then(Json::as_object);
    for (place, about) in packages.into_iter().flatten() {
        let name = place.rsplit_once("node_modules/").map(|(_, name)| name);
        let version = about.get("version").and_then(Json::as_str);
        if let (Some(name), Some(version)) = (name, version) {
            manifests.lock(Family::Npm, name, version);
        }
    }
    let older = json.get("dependencies").and_then(Json::as_object);
    for (name, about) in older.into_iter().flatten() {
        if let Some(version) = about.get("version").and_then(Json::as_str) {
            manifests.lock(Family::Npm, name, version);
        }
    }
}
