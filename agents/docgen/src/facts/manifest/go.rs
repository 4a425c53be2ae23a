//! `go.mod`.

use std::collections::BTreeMap;

use super::{Family, Manifests, Package};
use crate::facts::DependencyKind;

/// What a module is replaced by: an address or a folder, and a version of the former.
struct Replacement<'a> {
    by: &'a str,
    version: Option<&'a str>,
}

pub(super) fn read(path: &str, text: &str, manifests: &mut Manifests) {
    let mut package = Package {
        manifest: path.to_owned(),
        ..Package::default()
    };
    let mut required: Vec<(u32, &str, &str)> = Vec::new();
    let mut replaced: BTreeMap<&str, Replacement<'_>> = BTreeMap::new();
    for (line, directive, rest) in directives(text) {
        let words: Vec<&str> = rest.split_whitespace().collect();
        match (directive, &*words) {
            ("module", [name, ..]) => (*name).clone_into(&mut package.name),
            ("require", [name, version, ..]) => required.push((line, name, version)),
            // `name => by version`, `name version => folder`, and so on.
            ("replace", [name, .., "=>", by]) => {
                replaced.insert(name, Replacement { by, version: None });
            }
            ("replace", [name, "=>", by, version] | [name, _, "=>", by, version]) => {
                let version = Some(version.trim_start_matches('v'));
                replaced.insert(name, Replacement { by, version });
            }
            _ => {}
        }
    }
    for (line, name, version) in required {
        let version = version.trim_start_matches('v');
        package.asks.insert(name.to_owned());
        let wanted = match replaced.get(name) {
            Some(Replacement { by, version: built }) => {
                let built = built.inspect(|it| manifests.lock(Family::Go, name, it));
                let by: Vec<&str> = [*by].into_iter().chain(built).collect();
                format!("{version}, replaced by {}", by.join(" "))
            }
            None => {
                manifests.lock(Family::Go, name, version);
                version.to_owned()
            }
        };
        let kind = DependencyKind::Runtime;
        manifests.asks(path, Some(line), name, Some(&wanted), kind);
    }
    if !package.name.is_empty() {
        manifests.packages.push(package);
    }
}

/// Directives with their lines, those in parentheses one by one.
fn directives(text: &str) -> Vec<(u32, &str, &str)> {
    let mut found = Vec::new();
    let mut open = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split("//").next().unwrap_or_default().trim();
        match (open, line.split_once(char::is_whitespace)) {
            (Some(_), _) if line == ")" => open = None,
            (Some(directive), _) => found.push((number, directive, line)),
            (None, Some((directive, rest))) if rest.trim() == "(" => open = Some(directive),
            (None, Some((directive, rest))) => found.push((number, directive, rest)),
            (None, None) => {}
        }
    }
    found
}
