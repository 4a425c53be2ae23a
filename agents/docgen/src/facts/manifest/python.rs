//! `pyproject.toml`, `requirements*.txt`, `poetry.lock` and `uv.lock`.

use toml::{Table, Value};

use super::{Family, Lines, Manifests, Package};
use crate::facts::DependencyKind;

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
    let lines = Lines::new(text);
    let about = table.get("project").and_then(Value::as_table);
    let poetry = table.get("tool").and_then(|tool| tool.get("poetry"));
    let poetry = poetry.and_then(Value::as_table);
    let text_of = |key: &str| {
        let of = |table: Option<&Table>| table?.get(key)?.as_str().map(str::to_owned);
        of(about).or_else(|| of(poetry))
    };
    let mut package = Package {
        name: text_of("name").unwrap_or_default(),
        manifest: path.to_owned(),
        version: text_of("version"),
        ..Package::default()
    };
    let scripts = about
        .and_then(|about| about.get("scripts"))
        .and_then(Value::as_table);
    for (name, target) in scripts.into_iter().flatten() {
        let module = target.as_str().unwrap_or_default().split(':').next();
        let file = format!("{}.py", module.unwrap_or_default().replace('.', "/"));
        package.entries.push((file, name.clone(), "script"));
    }
    let listed = about
        .and_then(|about| about.get("dependencies"))
        .and_then(Value::as_array);
    let build = table
        .get("build-system")
        .and_then(|build| build.get("requires"))
        .and_then(Value::as_array);
    let optional = about.and_then(|about| about.get("optional-dependencies"));
    let optional = optional
        .and_then(Value::as_table)
        .into_iter()
        .flat_map(|it| it.values());
    let optional = optional.filter_map(Value::as_array);
    let listed = listed.map(|list| (list, DependencyKind::Runtime));
    for (list, kind) in listed
        .into_iter()
        .chain(optional.map(|list| (list, DependencyKind::Dev)))
        .chain(build.map(|list| (list, DependencyKind::Build)))
    {
        for item in list.iter().filter_map(Value::as_str) {
            let (name, wanted) = requirement(item);
            package.asks.insert(name.clone());
            manifests.asks(path, &lines, &name, wanted.as_deref(), kind);
        }
    }
    let of_poetry = poetry
        .and_then(|it| it.get("dependencies"))
        .and_then(Value::as_table);
    for (name, value) in of_poetry
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "python")
    {
        let wanted = value.as_str().or_else(|| value.get("version")?.as_str());
        let name = normal(name);
        package.asks.insert(name.clone());
        manifests.asks(path, &lines, &name, wanted, DependencyKind::Runtime);
    }
    if !package.name.is_empty() {
        manifests.packages.push(package);
    }
}

fn requirements(path: &str, text: &str, manifests: &mut Manifests) {
    let lines = Lines::new(text);
    let kind = match path.contains("dev") || path.contains("test") {
        true => DependencyKind::Dev,
        false => DependencyKind::Runtime,
    };
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', '-']) || line.contains("://") {
            continue;
        }
        let (name, wanted) = requirement(line);
        manifests.asks(path, &lines, &name, wanted.as_deref(), kind);
    }
}

/// Name and versions of a line such as `requests[socks]>=2,<3; python_version > "3"`.
fn requirement(text: &str) -> (String, Option<String>) {
    let text = text.split([';', '#']).next().unwrap_or_default();
    let end = text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let rest = rest.rsplit(']').next().unwrap_or(rest).trim();
    (normal(name), (!rest.is_empty()).then(|| rest.to_owned()))
}

/// The name as indexes spell it.
fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', '.'], "-")
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
