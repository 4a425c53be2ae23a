//! `package.json` and `package-lock.json`.

use serde_json::Value as Json;

use super::{Family, Lines, Manifests, Package};
use crate::facts::DependencyKind;

pub(super) fn read(path: &str, text: &str, manifests: &mut Manifests) {
    let Ok(json) = serde_json::from_str::<Json>(text) else {
        return;
    };
    if path.ends_with("package-lock.json") {
        lock(&json, manifests);
        return;
    }
    let lines = Lines::new(text);
    let text_of = |key: &str| json.get(key).and_then(Json::as_str);
    let mut package = Package {
        name: text_of("name").unwrap_or_default().to_owned(),
        manifest: path.to_owned(),
        version: text_of("version").map(str::to_owned),
        ..Package::default()
    };
    for (key, kind) in [("main", "library"), ("module", "library")] {
        if let Some(file) = text_of(key) {
            let file = file.trim_start_matches("./").to_owned();
            package.entries.push((file, package.name.clone(), kind));
        }
    }
    match json.get("bin") {
        Some(Json::String(file)) => {
            let file = file.trim_start_matches("./").to_owned();
            package.entries.push((file, package.name.clone(), "binary"));
        }
        Some(Json::Object(all)) => {
            for (name, file) in all {
                let file = file.as_str().unwrap_or_default().trim_start_matches("./");
                package
                    .entries
                    .push((file.to_owned(), name.clone(), "binary"));
            }
        }
        _ => {}
    }
    let kinds = [
        ("dependencies", DependencyKind::Runtime),
        ("peerDependencies", DependencyKind::Runtime),
        ("optionalDependencies", DependencyKind::Runtime),
        ("devDependencies", DependencyKind::Dev),
    ];
    for (section, kind) in kinds {
        let all = json.get(section).and_then(Json::as_object);
        for (name, wanted) in all.into_iter().flatten() {
            package.asks.insert(name.clone());
            let wanted = wanted.as_str();
            let is_own =
                wanted.is_some_and(|it| it.starts_with("workspace:") || it.starts_with("file:"));
            if !is_own {
                manifests.asks(path, &lines, name, wanted, kind);
            }
        }
    }
    if !package.name.is_empty() {
        manifests.packages.push(package);
    }
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
