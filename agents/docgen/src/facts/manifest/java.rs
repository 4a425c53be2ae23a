//! `pom.xml`, read as text: the parts that name dependencies.

use std::collections::BTreeMap;

use super::{Manifests, Package, lines::Lines};
use crate::facts::DependencyKind;

pub(super) fn read(path: &str, text: &str, manifests: &mut Manifests) {
    let lines = Lines::new(text);
    let mut package = Package {
        manifest: path.to_owned(),
        ..Package::default()
    };
    let mut outside = String::new();
    let mut asked = Vec::new();
    let mut offset = 0;
    for (number, part) in text.split("<dependency>").enumerate() {
        let (inside, after) = match (number, part.split_once("</dependency>")) {
            (0, _) => ("", part),
            (_, Some((inside, after))) => (inside, after),
            (_, None) => ("", ""),
        };
        outside.push_str(after);
        if let Some(name) = tag(inside, "artifactId") {
            let at = inside.find("<artifactId>").unwrap_or_default();
            asked.push((lines.at(offset + at), name, inside));
        }
        offset += part.len() + "<dependency>".len();
    }
    // The parent names another project.
    let own = match outside.split_once("<parent>") {
        Some((before, rest)) => {
            let after = rest.split_once("</parent>").map_or("", |(_, after)| after);
            format!("{before}{after}")
        }
        None => outside,
    };
    tag(&own, "artifactId")
        .unwrap_or_default()
        .clone_into(&mut package.name);
    package.version = tag(&own, "version").map(str::to_owned);
    let properties = properties(text);
    for (line, name, inside) in asked {
        let kind = match tag(inside, "scope") {
            Some("test") => DependencyKind::Dev,
            _ => DependencyKind::Runtime,
        };
        let wanted =
            tag(inside, "version").map(|it| value(it, &properties, package.version.as_deref()));
        package.asks.insert(name.to_owned());
        manifests.asks(path, Some(line), name, wanted, kind);
    }
    if !package.name.is_empty() {
        manifests.packages.push(package);
    }
}

/// What a version says: that of a property, if this file has it.
fn value<'a>(
    version: &'a str,
    properties: &BTreeMap<&str, &'a str>,
    own: Option<&'a str>,
) -> &'a str {
    let property = version
        .strip_prefix("${")
        .and_then(|it| it.strip_suffix('}'));
    let found = match property {
        Some("project.version" | "version") => own,
        Some(name) => properties.get(name).copied(),
        None => None,
    };
    found.unwrap_or(version)
}

/// The properties of a project.
fn properties(text: &str) -> BTreeMap<&str, &str> {
    let all = text.split_once("<properties>").map_or("", |(_, all)| all);
    let all = all.split_once("</properties>").map_or("", |(all, _)| all);
    // Between two ends there are a name and its value: `name>value`.
    let each = all.split("</").filter_map(|it| {
        let (_, begun) = it.rsplit_once('<')?;
        let (name, value) = begun.split_once('>')?;
        Some((name, value.trim())).filter(|(_, value)| value.len() < 200)
    });
    each.collect()
}

fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (value, _) = rest.split_once(&format!("</{name}>"))?;
    Some(value.trim()).filter(|value| value.len() < 200)
}
