//! `Cargo.toml` and `Cargo.lock`.

use toml::{Table, Value};

use super::{Entry, Family, Manifests, Package, lines::TomlLines};
use crate::facts::DependencyKind;

pub(super) fn read(path: &str, text: &str, manifests: &mut Manifests) {
    let Ok(table) = text.parse::<Table>() else {
        return;
    };
    if path.ends_with(".lock") {
        lock(&table, manifests);
        return;
    }
    let lines = TomlLines::new(text);
    let mut package = table.get("package").and_then(Value::as_table).map(|about| {
        let version = about
            .get("version")
            .and_then(Value::as_str)
            .map(str::to_owned);
        Package {
            name: about
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            manifest: path.to_owned(),
            version,
            entries: entries(&table),
            ..Package::default()
        }
    });
    let kinds = [
        ("dependencies", DependencyKind::Runtime),
        ("dev-dependencies", DependencyKind::Dev),
        ("build-dependencies", DependencyKind::Build),
    ];
    for (above, place) in places(&table) {
        for (section, kind) in kinds {
            for (key, value) in place
                .get(section)
                .and_then(Value::as_table)
                .into_iter()
                .flatten()
            {
                let renamed = value.get("package").and_then(Value::as_str);
                let name = renamed.unwrap_or(key);
                let wanted = value.as_str().or_else(|| value.get("version")?.as_str());
                let is_own = value.get("path").is_some();
                // Tests of two packages may use each other.
                if let Some(package) = package.as_mut().filter(|_| kind != DependencyKind::Dev) {
                    package.asks.insert(name.to_owned());
                }
                let is_optional = value.get("optional").and_then(Value::as_bool) == Some(true);
                let kind = match (kind, is_optional) {
                    (DependencyKind::Runtime, true) => DependencyKind::Optional,
                    (kind, _) => kind,
                };
                // The workspace's own table says the version; those that inherit it are its users.
                let is_inherited = value.get("workspace").is_some();
                if !is_own && !is_inherited {
                    let keys: Vec<&str> = above.iter().copied().chain([section, key]).collect();
                    manifests.asks(path, lines.of_key(&keys), name, wanted, kind);
                }
            }
        }
    }
    manifests
        .packages
        .extend(package.filter(|it| !it.name.is_empty()));
}

/// The tables that have sections of dependencies, with the keys above them.
fn places(table: &Table) -> Vec<(Vec<&str>, &Table)> {
    let mut places = vec![(Vec::new(), table)];
    let targets = table.get("target").and_then(Value::as_table);
    for (target, value) in targets.into_iter().flatten() {
        places.extend(value.as_table().map(|it| (vec!["target", target], it)));
    }
    let workspace = table.get("workspace").and_then(Value::as_table);
    places.extend(workspace.map(|it| (vec!["workspace"], it)));
    places
}

fn entries(table: &Table) -> Vec<Entry> {
    let mut entries = Vec::new();
    let kinds = [("bin", "binary"), ("lib", "library")];
    for (key, kind) in kinds {
        let Some(value) = table.get(key) else {
            continue;
        };
        let one = std::slice::from_ref(value);
        for target in value.as_array().map_or(one, Vec::as_slice) {
            let path = target.get("path").and_then(Value::as_str);
            let name = target.get("name").and_then(Value::as_str).unwrap_or(key);
            entries.extend(path.map(|path| Entry::of_file(path, name, kind)));
        }
    }
    entries
}

fn lock(table: &Table, manifests: &mut Manifests) {
    let packages = table.get("package").and_then(Value::as_array);
    for package in packages.into_iter().flatten() {
        let text = |key: &str| package.get(key).and_then(Value::as_str);
        if let (Some(name), Some(version)) = (text("name"), text("version")) {
            manifests.lock(Family::Cargo, name, version);
        }
    }
}
