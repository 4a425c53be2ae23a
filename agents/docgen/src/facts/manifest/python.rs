//! `pyproject.toml`, `requirements*.txt`, `poetry.lock` and `uv.lock`.

use toml::{Table, Value};

use super::{Entry, Family, Manifests, Package, lines::TomlLines};
use crate::facts::DependencyKind;

/// The most scripts of a package.
const MOST_SCRIPTS: usize = 100;

pub(super) fn read(path: &str, text: &str, manifests: &mut Manifests) {
    if path.ends_with(".txt") {
        requirements(path, text, manifests);
        return;
    }
    let Ok(table) = text.parse::<Table>() else {
        return;
    };
    match path.ends_with(".lock") {
        true => lock(&table, manifests),
        false => project(path, text, &table, manifests),
    }
}

fn project(path: &str, text: &str, table: &Table, manifests: &mut Manifests) {
    let lines = TomlLines::new(text);
    let about = at(table, &["project"]);
    let poetry = at(table, &["tool", "poetry"]);
    let text_of = |key: &str| {
        let of = |table: Option<&Table>| table?.get(key)?.as_str().map(str::to_owned);
        of(about).or_else(|| of(poetry))
    };
    let mut package = Package {
        name: text_of("name").unwrap_or_default(),
        manifest: path.to_owned(),
        version: text_of("version"),
        entries: scripts(table),
        ..Package::default()
    };
    for (keys, kind) in lists(table) {
        let list = keys.split_last().and_then(|(last, above)| {
            let list = at(table, above)?.get(*last)?;
            list.as_array()
        });
        for (number, item) in list.into_iter().flatten().enumerate() {
            // A group may include another one, by a table.
            if let Some(item) = item.as_str() {
                let (name, wanted) = requirement(item);
                if kind != DependencyKind::Dev {
                    package.asks.insert(name.clone());
                }
                let line = lines.of_item(&keys, number);
                manifests.asks(path, line, &name, wanted.as_deref(), kind);
            }
        }
    }
    for (keys, kind) in tables(poetry) {
        for (key, value) in at(table, &keys).into_iter().flatten() {
            if key == "python" {
                continue;
            }
            let wanted = value.as_str().or_else(|| value.get("version")?.as_str());
            let name = normal(key);
            let is_optional = value.get("optional").and_then(Value::as_bool) == Some(true);
            let kind = match (kind, is_optional) {
                (DependencyKind::Runtime, true) => DependencyKind::Optional,
                (kind, _) => kind,
            };
            if kind != DependencyKind::Dev {
                package.asks.insert(name.clone());
            }
            let keys: Vec<&str> = keys.iter().copied().chain([&**key]).collect();
            manifests.asks(path, lines.of_key(&keys), &name, wanted, kind);
        }
    }
    if !package.name.is_empty() {
        manifests.packages.push(package);
    }
}

fn at<'a>(table: &'a Table, keys: &[&str]) -> Option<&'a Table> {
    keys.iter()
        .try_fold(table, |table, key| table.get(*key)?.as_table())
}

/// Programs that are installed with the package.
fn scripts(table: &Table) -> Vec<Entry> {
    let places: [&[&str]; 3] = [
        &["project", "scripts"],
        &["project", "gui-scripts"],
        &["tool", "poetry", "scripts"],
    ];
    let all = places.iter().filter_map(|keys| at(table, keys)).flatten();
    let all = all.filter_map(|(name, target)| {
        let target = target
            .as_str()
            .or_else(|| target.get("reference")?.as_str())
            .or_else(|| target.get("callable")?.as_str())?;
        let (module, function) = target.split_once(':').unwrap_or((target, ""));
        Some(Entry {
            path: module.trim().replace('.', "/"),
            name: name.clone(),
            kind: "script",
            module: Some(function.trim().to_owned()),
        })
    });
    all.take(MOST_SCRIPTS).collect()
}

/// Where requirements are listed, and what they are for.
fn lists(table: &Table) -> Vec<(Vec<&str>, DependencyKind)> {
    let mut lists = vec![
        (vec!["project", "dependencies"], DependencyKind::Runtime),
        (vec!["build-system", "requires"], DependencyKind::Build),
        (vec!["tool", "uv", "dev-dependencies"], DependencyKind::Dev),
    ];
    let groups: [(&[&str], DependencyKind); 2] = [
        (
            &["project", "optional-dependencies"],
            DependencyKind::Optional,
        ),
        (&["dependency-groups"], DependencyKind::Dev),
    ];
    for (keys, kind) in groups {
        for group in at(table, keys).into_iter().flat_map(Table::keys) {
            let kind = match is_for_developers(group) {
                true => DependencyKind::Dev,
                false => kind,
            };
            let keys = keys.iter().copied().chain([&**group]);
            lists.push((keys.collect(), kind));
        }
    }
    lists
}

/// Whether an extra or a file is called as those for developers of a package are.
fn is_for_developers(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "dev", "develop", "development", "test", "tests", "testing", "doc", "docs", "lint",
        "typing", "ci", "types",
    ];
    let mut words = name.split(['-', '_', '.', '/']);
    words.any(|word| NAMES.contains(&word))
}

/// Where Poetry has tables of dependencies, and what they are for.
fn tables(poetry: Option<&Table>) -> Vec<(Vec<&str>, DependencyKind)> {
    let base = ["tool", "poetry"];
    let below = |keys: &[&'static str]| base.iter().chain(keys).copied().collect();
    let mut tables: Vec<(Vec<&str>, DependencyKind)> = vec![
        (below(&["dependencies"]), DependencyKind::Runtime),
        (below(&["dev-dependencies"]), DependencyKind::Dev),
    ];
    let groups = poetry.and_then(|it| at(it, &["group"]));
    for group in groups.into_iter().flat_map(Table::keys) {
        let keys = base.into_iter().chain(["group", group, "dependencies"]);
        tables.push((keys.collect(), DependencyKind::Dev));
    }
    tables
}

/// Requirements of a program; those of a folder that is a package itself, with dependencies of its own, are for its developers.
fn requirements(path: &str, text: &str, manifests: &mut Manifests) {
    let installs_own = text.lines().map(str::trim).any(|line| {
        let own = line.strip_prefix("-e ").unwrap_or(line).trim();
        own == "." || own.starts_with(".[")
    });
    let of_package = format!(
        "{}pyproject.toml",
        path.rsplit_once('/')
            .map_or(String::new(), |(folder, _)| format!("{folder}/"))
    );
    let is_package = manifests
        .dependencies
        .iter()
        .any(|it| it.manifest == of_package && it.kind == DependencyKind::Runtime);
    let kind = match installs_own || is_package || is_for_developers(path) {
        true => DependencyKind::Dev,
        false => DependencyKind::Runtime,
    };
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with(['#', '-']) || line.contains("://") {
            continue;
        }
        let (name, wanted) = requirement(line);
        manifests.asks(path, Some(number), &name, wanted.as_deref(), kind);
    }
}

/// Name and versions of a line such as `requests[socks]>=2,<3; python_version > "3"`.
fn requirement(text: &str) -> (String, Option<String>) {
    let text = text.split([';', '#']).next().unwrap_or_default();
    // Hashes follow, and the line continues with more of them.
    let text = text.split(" --").next().unwrap_or_default();
    let text = text.trim_end().trim_end_matches('\\');
    let end = text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let rest = rest.rsplit(']').next().unwrap_or(rest).trim();
    (normal(name), (!rest.is_empty()).then(|| rest.to_owned()))
}

/// The name as indexes spell it.
fn normal(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let parts = lower.split(['-', '_', '.']).filter(|it| !it.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

fn lock(table: &Table, manifests: &mut Manifests) {
    let packages = table.get("package").and_then(Value::as_array);
    for package in packages.into_iter().flatten() {
        let text = |key: &str| package.get(key).and_then(Value::as_str);
        if let (Some(name), Some(version)) = (text("name"), text("version")) {
            manifests.lock(Family::Python, &normal(name), version);
        }
    }
}
