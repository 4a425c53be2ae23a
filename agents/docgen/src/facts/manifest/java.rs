//! `pom.xml` and `build.gradle`, read as text: the parts that name dependencies.

use super::{Lines, Manifests, Package};
use crate::facts::DependencyKind;

pub(super) fn read(path: &str, text: &str, manifests: &mut Manifests) {
    match path.ends_with("pom.xml") {
        true => pom(path, text, manifests),
        false => gradle(path, text, manifests),
    }
}

fn pom(path: &str, text: &str, manifests: &mut Manifests) {
    let lines = Lines::new(text);
    let mut package = Package {
        manifest: path.to_owned(),
        ..Package::default()
    };
    let mut outside = String::new();
    for (number, part) in text.split("<dependency>").enumerate() {
        let (inside, after) = match (number, part.split_once("</dependency>")) {
            (0, _) => ("", part),
            (_, Some((inside, after))) => (inside, after),
            (_, None) => ("", ""),
        };
        outside.push_str(after);
        let name = tag(inside, "artifactId");
        let kind = match tag(inside, "scope") {
            Some("test") => DependencyKind::Dev,
            _ => DependencyKind::Runtime,
        };
        if let Some(name) = name {
            package.asks.insert(name.to_owned());
            manifests.asks(path, &lines, name, tag(inside, "version"), kind);
        }
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
    if !package.name.is_empty() {
        manifests.packages.push(package);
    }
}

fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (value, _) = rest.split_once(&format!("</{name}>"))?;
    Some(value.trim()).filter(|value| value.len() < 200)
}

fn gradle(path: &str, text: &str, manifests: &mut Manifests) {
    let lines = Lines::new(text);
    let words = [
        "implementation",
        "api",
        "compileOnly",
        "runtimeOnly",
        "testImplementation",
    ];
    for line in text.lines().map(str::trim) {
        let Some(word) = words.iter().find(|word| line.starts_with(**word)) else {
            continue;
        };
        let quoted = line.split(['"', '\'']).nth(1).unwrap_or_default();
        let mut parts = quoted.split(':');
        let (Some(_), Some(name)) = (parts.next(), parts.next()) else {
            continue;
        };
        let kind = match word.starts_with("test") {
            true => DependencyKind::Dev,
            false => DependencyKind::Runtime,
        };
        manifests.asks(path, &lines, name, parts.next(), kind);
    }
}
