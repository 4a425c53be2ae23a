//! Modules import each other in one direction: no circle, at any depth.
//!
//! Those that one module declares are looked at together, the files below each count as one. A module
//! and its child may use each other; a child of the crate root and an item in the root may not.

mod known;
mod modules;
mod written;

use std::collections::{BTreeMap, VecDeque};

use self::known::{KNOWN, Known, LIST};
use self::modules::{Import, ModulePath, Place, imports};
use super::problem::Problem;
use crate::tree::Tree;
use crate::workspace::Package;

/// The crate root as a module, for items that are defined in it.
const ROOT: &str = "(root)";

/// From a module to those it imports, each with the place of one such import.
type Imports<'a> = BTreeMap<String, BTreeMap<String, Place<'a>>>;

pub(super) fn check(crates: &[Package], tree: &Tree) -> Vec<Problem> {
    check_besides(&KNOWN, crates, tree)
}

fn check_besides(known: &[Known], crates: &[Package], tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in crates {
        let Some(folder) = package.manifest.strip_suffix("Cargo.toml") else {
            continue;
        };
        let siblings = siblings(imports(&format!("{folder}src/"), tree));
        let known: Vec<&Known> = known.iter().filter(|it| it.folder == folder).collect();
        for (parent, imports) in &siblings {
            let known = known.iter().filter(|it| it.parent == parent);
            let known: Vec<&str> = known.flat_map(|it| it.modules).copied().collect();
            problems.extend(circle(parent, imports, &known));
        }
        problems.extend(known.iter().flat_map(|it| open(it, &siblings)));
    }
    problems
}

/// The imports among the children of each module, by its path.
fn siblings(imports: Vec<Import<'_>>) -> BTreeMap<String, Imports<'_>> {
    let mut found: BTreeMap<String, Imports<'_>> = BTreeMap::new();
    for import in imports {
        let Some((parent, from, to)) = parted(&import) else {
            continue;
        };
        let targets = found.entry(parent).or_default().entry(from).or_default();
        targets.entry(to).or_insert(import.place);
    }
    found
}

/// Where the two modules of an import part: their common parent, and the child of it that each is below.
fn parted(import: &Import<'_>) -> Option<(String, String, String)> {
    let Import { from, to, .. } = import;
    // What the root hands on is a door, not a use.
    if from == to || from.is_empty() && import.is_export {
        return None;
    }
    let pairs = from.iter().zip(to);
    let depth = pairs.take_while(|(from, to)| from == to).count();
    let child = |path: &ModulePath| match path.get(depth) {
        None if depth == 0 => Some(ROOT.to_owned()),
        name => name.cloned(),
    };
    let parent: ModulePath = from.iter().take(depth).cloned().collect();
    Some((parent.join("::"), child(from)?, child(to)?))
}

/// A shortest circle that has a module which is not known to be in one, reported at its first import.
fn circle(parent: &str, imports: &Imports<'_>, known: &[&str]) -> Option<Problem> {
    let way = imports
        .keys()
        .filter(|start| !known.contains(&start.as_str()))
        .filter_map(|start| way_back(imports, start))
        .min_by_key(Vec::len)?;
    let steps: Vec<_> = way.windows(2).filter_map(|it| step(imports, it)).collect();
    let (first, _) = steps.first()?;
    let places: Vec<_> = steps.iter().map(|(_, text)| text.as_str()).collect();
    let names: Vec<_> = way.iter().map(|name| below(parent, name)).collect();
    Some(Problem::new(
        first.path,
        first.line,
        format!(
            "modules import each other in a circle: {}",
            names.join(" -> ")
        ),
        format!(
            "move what both need into a module of its own ({})",
            places.join(", ")
        ),
    ))
}

/// Where the first module of a pair imports the second, also in words.
fn step<'a>(imports: &Imports<'a>, pair: &[String]) -> Option<(Place<'a>, String)> {
    let [from, to] = pair else { return None };
    let place = *imports.get(from)?.get(to)?;
    let text = format!("{from} imports {to} at {}:{}", place.path, place.line);
    Some((place, text))
}

/// Modules that are known to be in a circle and are in none.
fn open(known: &Known, siblings: &BTreeMap<String, Imports<'_>>) -> Vec<Problem> {
    let imports = siblings.get(known.parent);
    let is_in_circle = |name: &str| imports.and_then(|all| way_back(all, name)).is_some();
    let open = known.modules.iter().filter(|name| !is_in_circle(name));
    let problems = open.map(|name| {
        Problem::new(
            LIST,
            1,
            format!("{} is in no circle", below(known.parent, name)),
            format!("take it off the list of {}", known.folder),
        )
    });
    problems.collect()
}

fn below(parent: &str, name: &str) -> String {
    match parent {
        "" => name.to_owned(),
        parent => format!("{parent}::{name}"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        found_besides(&[], files)
    }

    fn found_besides(known: &[Known], files: &[(&str, &str)]) -> Vec<String> {
        let package = Package {
            name: "a".to_owned(),
            manifest: "a/Cargo.toml".to_owned(),
            dependencies: Vec::new(),
            features: Vec::new(),
        };
        check_besides(known, &[package], &tree::of(files))
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
            ("a/src/z.rs", "impl From<crate::x::X> for Z {}\n"),
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
    /// Two modules of `m` that import each other, one of them through what `m` imports.
    const NESTED: [(&str, &str); 4] = [
        ("a/src/lib.rs", "mod m;\n"),
        ("a/src/m.rs", "mod x;\nmod y;\nuse y::Y;\n"),
        ("a/src/m/x.rs", "use super::Y;\n"),
        ("a/src/m/y/deep.rs", "use crate::m::x;\n"),
    ];

    const OF_NESTED: Known = Known {
        folder: "a/",
        parent: "m",
        modules: &["x", "y"],
    };

    #[test]
    fn a_circle_of_nested_modules_is_reported() {
        let mut files = NESTED.to_vec();
        files.push(("a/src/m/y.rs", "mod deep;\n"));
        let problems = found(&files);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("m::x -> m::y -> m::x"), "{problems:?}");
        assert_eq!(found_besides(&[OF_NESTED], &files), [""; 0]);
    }

    #[test]
    fn a_module_and_its_child_may_import_each_other() {
        let files = [
            ("a/src/lib.rs", "mod m;\n"),
            ("a/src/m.rs", "mod x;\nuse x::X;\nstruct M;\n"),
            ("a/src/m/x.rs", "use super::M;\n"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }

    #[test]
    fn a_module_that_joins_a_known_circle_is_reported() {
        let mut files = NESTED.to_vec();
        files.push(("a/src/m/y.rs", "mod deep;\nuse super::z::Z;\n"));
        files.push(("a/src/m/z.rs", "use super::x::X;\n"));
        let problems = found_besides(&[OF_NESTED], &files);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("m::z -> m::x"), "{problems:?}");
    }

    #[test]
    fn a_known_circle_that_is_open_is_reported() {
        let files = [
            ("a/src/lib.rs", "mod m;\n"),
            ("a/src/m.rs", "mod x;\nmod y;\n"),
            ("a/src/m/x.rs", "use super::y::Y;\n"),
            ("a/src/m/y.rs", "struct Y;\n"),
        ];
        let problems = found_besides(&[OF_NESTED], &files);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("m::x is in no circle"), "{problems:?}");
    }
}
