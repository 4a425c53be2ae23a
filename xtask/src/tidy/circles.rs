//! The modules of a crate import each other in one direction: no circle.
//!
//! A module is what the crate root declares; its files count as one. Imports are read from the text:
//! every path that begins with `crate::` or climbs to the root by `super::`, tests and comments left
//! out. A name that the root re-exports counts as an import of the module it comes from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::problem::Problem;
use crate::tree::{File, Tree};
use crate::workspace::Package;

/// The crate root as a module, for items that are defined in it.
const ROOT: &str = "(root)";

/// From a module to those it imports, each with the place of one such import.
type Imports<'a> = BTreeMap<String, BTreeMap<String, Place<'a>>>;

#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    path: &'a str,
    line: usize,
}

pub(super) fn check(crates: &[Package], tree: &Tree) -> Vec<Problem> {
    crates
        .iter()
        .filter_map(|package| {
            let folder = package.manifest.strip_suffix("Cargo.toml")?;
            circle(&imports(&format!("{folder}src/"), tree))
        })
        .collect()
}

/// A shortest circle, reported at its first import.
fn circle(imports: &Imports<'_>) -> Option<Problem> {
    let way = imports
        .keys()
        .filter_map(|start| way_back(imports, start))
        .min_by_key(Vec::len)?;
    let mut steps = Vec::new();
    for pair in way.windows(2) {
        if let [from, to] = pair
            && let Some(place) = imports.get(from).and_then(|targets| targets.get(to))
        {
            steps.push((from, to, *place));
        }
    }
    let (.., first) = steps.first()?;
    let places: Vec<_> = steps
        .iter()
        .map(|(from, to, place)| format!("{from} imports {to} at {}:{}", place.path, place.line))
        .collect();
    Some(Problem::new(
        first.path,
        first.line,
        format!(
            "modules import each other in a circle: {}",
            way.join(" -> ")
        ),
        format!(
            "move what both need into a module of its own ({})",
            places.join(", ")
        ),
    ))
}

/// The shortest way from a module over its imports back to itself.
fn way_back(imports: &Imports<'_>, start: &str) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(module) = queue.pop_front() {
        for next in imports.get(module).into_iter().flat_map(BTreeMap::keys) {
            if next == start {
                let mut way = vec![start.to_owned(), module.to_owned()];
                let mut at = module;
                while let Some(before) = came_from.get(at) {
                    way.push((*before).to_owned());
                    at = before;
                }
                way.dedup();
                way.reverse();
                return Some(way);
            }
            if !came_from.contains_key(next.as_str()) {
                came_from.insert(next, module);
                queue.push_back(next);
            }
        }
    }
    None
}

fn imports<'a>(src: &str, tree: &'a Tree) -> Imports<'a> {
    let files: Vec<(&File, Vec<&str>)> = tree
        .rust()
        .filter(|file| !file.is_test())
        .filter_map(|file| Some((file, module_path(file.path.strip_prefix(src)?)?)))
        .collect();
    let modules: BTreeSet<&str> = files
        .iter()
        .filter_map(|(_, path)| path.first().copied())
        .collect();
    let root = files.iter().find(|(_, path)| path.is_empty());
    let exports = root.map(|(file, _)| exports(file)).unwrap_or_default();
    let mut found = Imports::new();
    for (file, path) in &files {
        let own = path.first().copied().unwrap_or(ROOT);
        for (line, name, is_reexport) in names_at_root(file, path) {
            let target = if modules.contains(name.as_str()) {
                name.as_str()
            } else {
                exports.get(&name).map_or(ROOT, String::as_str)
            };
            // What the root hands on is a door, not a use.
            if target == own || own == ROOT && is_reexport {
                continue;
            }
            let place = Place {
                path: &file.path,
                line,
            };
            found
                .entry(own.to_owned())
                .or_default()
                .entry(target.to_owned())
                .or_insert(place);
        }
    }
    found
}

/// The module a file below `src` is, from the root; nothing for further programs of the crate.
fn module_path(file: &str) -> Option<Vec<&str>> {
    let stem = file.strip_suffix(".rs")?;
    let mut path: Vec<&str> = stem.split('/').collect();
    match path.as_slice() {
        ["bin", ..] => return None,
        ["lib" | "main"] => path.clear(),
        [.., "mod"] => {
            path.pop();
        }
        _ => {}
    }
    Some(path)
}

/// What the root re-exports, with the module it comes from.
fn exports(root: &File) -> BTreeMap<String, String> {
    let text = code(root);
    let mut found = BTreeMap::new();
    for statement in text.split(';') {
        let Some((_, rest)) = statement.split_once("pub use ") else {
            continue;
        };
        let rest = rest.trim().trim_start_matches("crate::");
        let Some((module, names)) = rest.split_once("::") else {
            continue;
        };
        let names = names.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        for name in names.filter(|name| !name.is_empty()) {
            found.insert(name.to_owned(), module.to_owned());
        }
    }
    found
}

/// Every name that the file takes from the crate root, with its line.
fn names_at_root(file: &File, path: &[&str]) -> Vec<(usize, String, bool)> {
    let text = code(file);
    let climb = "super::".repeat(path.len());
    let mut found = Vec::new();
    let mut prefixes = vec!["crate::"];
    if !path.is_empty() {
        prefixes.push(&climb);
    }
    for prefix in prefixes {
        for (at, _) in text.match_indices(prefix) {
            let before = &text[..at];
            if before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let line = before.matches('\n').count() + 1;
            let statement = before.rsplit([';', '}', '\n']).next().unwrap_or_default();
            let is_reexport = statement.trim_start().starts_with("pub use");
            let names = first_names(&text[at + prefix.len()..]);
            found.extend(names.into_iter().map(|name| (line, name, is_reexport)));
        }
    }
    // The root names its modules without `crate::`.
    if path.is_empty() {
        for (line, statement) in (1..).zip(text.lines()) {
            if let Some(rest) = statement.strip_prefix("use ") {
                let names = first_names(rest);
                found.extend(names.into_iter().map(|name| (line, name, false)));
            }
        }
        // Names of other crates are no modules of ours.
        found.retain(|(_, name, _)| text.contains(&format!("mod {name};")));
    }
    found
}

/// The first name of a path, or those of each path in a group.
fn first_names(text: &str) -> Vec<String> {
    let Some(group) = text.strip_prefix('{') else {
        return identifier(text).into_iter().collect();
    };
    let mut depth = 0;
    let mut names = Vec::new();
    let mut rest = group;
    let mut is_first = true;
    while let Some(next) = rest.chars().next() {
        match next {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_first = true,
            c if is_first && !c.is_whitespace() => {
                names.extend(identifier(rest));
                is_first = false;
            }
            _ => {}
        }
        rest = &rest[next.len_utf8()..];
    }
    names
}

fn identifier(text: &str) -> Option<String> {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// The product lines without comments, with all line ends, so that lines keep their numbers.
fn code(file: &File) -> String {
    let mut text = String::new();
    for (_, line) in file.product_lines() {
        if !line.trim_start().starts_with("//") {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let package = Package {
            name: "a".to_owned(),
            manifest: "a/Cargo.toml".to_owned(),
            dependencies: Vec::new(),
            features: Vec::new(),
        };
        check(&[package], &tree::of(files))
            .iter()
            .map(Problem::to_string)
            .collect()
    }

    #[test]
    fn modules_that_import_downwards_are_fine() {
        let files = [
            ("a/src/lib.rs", "mod top;\nmod low;\npub use top::Top;\n"),
            ("a/src/top.rs", "use crate::low::Low;\n"),
            ("a/src/top/part.rs", "use super::Top;\nuse crate::low;\n"),
            (
                "a/src/low.rs",
                "// crate::top is above\nuse super::low::X;\n",
            ),
        ];
        assert_eq!(found(&files), [""; 0]);
    }

    #[test]
    fn a_circle_is_reported_with_its_imports() {
        let files = [
            ("a/src/lib.rs", "mod x;\nmod y;\nmod z;\n"),
            ("a/src/x.rs", "\nuse crate::{\n    y::{A, B},\n    C,\n};\n"),
            ("a/src/y/deep.rs", "fn f() { super::super::z::g() }\n"),
            ("a/src/z.rs", "impl From<crate::x::A> for Z {}\n"),
        ];
        let problems = found(&files);
        assert_eq!(problems.len(), 1, "{problems:?}");
        let problem = &problems[0];
        assert!(problem.starts_with("a/src/x.rs:2: "), "{problem}");
        assert!(problem.contains("x -> y -> z -> x"), "{problem}");
        assert!(problem.contains("z imports x at a/src/z.rs:1"), "{problem}");
    }

    #[test]
    fn a_reexport_of_the_root_counts_for_the_module_it_comes_from() {
        let files = [
            ("a/src/lib.rs", "mod x;\nmod y;\npub use y::{Why, Y};\n"),
            ("a/src/x.rs", "use crate::Y;\n"),
            ("a/src/y.rs", "use crate::x::X;\n"),
        ];
        assert_eq!(found(&files).len(), 1);
    }

    #[test]
    fn an_item_of_the_root_that_uses_the_module_closes_a_circle() {
        let files = [
            ("a/src/main.rs", "mod x;\nuse x::X;\nstruct Global;\n"),
            ("a/src/x.rs", "use crate::Global;\n"),
        ];
        assert_eq!(found(&files).len(), 1);
    }

    #[test]
    fn tests_may_import_what_they_like() {
        let files = [
            ("a/src/lib.rs", "mod x;\nmod y;\n"),
            ("a/src/x.rs", "use crate::y::Y;\n"),
            (
                "a/src/y.rs",
                "\n#[cfg(test)]\nmod tests {\n    use crate::x::X;\n}\n",
            ),
        ];
        assert_eq!(found(&files), [""; 0]);
    }
}
