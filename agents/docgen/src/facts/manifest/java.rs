//! `pom.xml`, read as text: the parts that name dependencies.

use super::{Manifests, Package, lines::line_at};
use crate::facts::DependencyKind;

pub(super) fn read(path: &str, text: &str, manifests: &mut Manifests) {
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
            asked.push((line_at(text, offset + at), name, inside));
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
    for (line, name, inside) in asked {
        let kind = match tag(inside, "scope") {
            Some("test") => DependencyKind::Dev,
            _ => DependencyKind::Runtime,
        };
        let wanted = tag(inside, "version").map(|it| value(it, text, package.version.as_deref()));
        package.asks.insert(name.to_owned());
        manifests.asks(path, Some(line), name, wanted, kind);
    }
    if !package.name.is_empty() {
        manifests.packages.push(package);
    }
}

/// What a version says: that of a property, if this file has it.
fn value<'a>(version: &'a str, text: &'a str, own: Option<&'a str>) -> &'a str {
    let property = version
        .strip_prefix("${")
        .and_then(|it| it.strip_suffix('}'));
    let found = match property {
        Some("project.version" | "version") => own,
        Some(name) => {
            let all = text.split_once("<properties>").map_or("", |(_, all)| all);
            let all = all.split_once("</properties>").map_or("", |(all, _)| all);
            tag(all, name)
        }
        None => None,
    };
    found.unwrap_or(version)
}

fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (value, _) = rest.split_once(&format!("</{name}>"))?;
    Some(value.trim()).filter(|value| value.len() < 200)
}
