//! `go.mod`.

use super::{Family, Lines, Manifests, Package};
use crate::facts::DependencyKind;

pub(super) fn read(path: &str, text: &str, manifests: &mut Manifests) {
    let lines = Lines::new(text);
    let mut package = Package {
        manifest: path.to_owned(),
        ..Package::default()
    };
    let mut in_require = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix("module ") {
            name.trim().clone_into(&mut package.name);
        }
        let required = match (line.strip_prefix("require "), in_require) {
            (Some(rest), _) if rest.trim() == "(" => {
                in_require = true;
                None
            }
            (Some(rest), _) => Some(rest),
            (None, true) if line == ")" => {
                in_require = false;
                None
            }
            (None, true) => Some(line),
            _ => None,
        };
        let mut words = required.unwrap_or_default().split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            let version = version.trim_start_matches('v');
            package.asks.insert(name.to_owned());
            manifests.lock(Family::Go, name, version);
            manifests.asks(path, &lines, name, Some(version), DependencyKind::Runtime);
        }
    }
    if !package.name.is_empty() {
        manifests.packages.push(package);
    }
}
