//! Relations that a sentence states between two names: what extends what, what imports what, and what is a method of what.

use std::ops::Range;

use super::{
    claim::{Claim, What},
    inventions, mood,
    outside::{self, ancestors, is_outside, last, types},
    paths,
    spans::spans,
    targets::{Target, target},
    verdict::Verdict,
    versions,
};
use crate::facts::{File, Language, Lookup};

/// Words between a type and the one that it extends, without fillers.
const EXTENDS: [&str; 9] = [
    "extends", "inherits", "inherits from", "is subclass of", "subclasses", "derives from",
    "is derived from", "which extends", "subclass of",
];

/// Words between a type and one that extends it.
const EXTENDED: [&str; 6] = [
    "is base of", "is superclass of", "is parent of", "is extended by", "is subclassed by",
    "is base for",
];

/// Words that leave a relation what it is.
const FILLERS: [&str; 12] = [
    "a", "an", "the", "class", "classes", "type", "abstract", "direct", "directly", "base_class",
    "also", "interface",
];

/// The relations that a sentence states.
pub(super) fn find(unit: &str, lookup: &Lookup<'_>) -> Vec<Claim> {
    if !inventions::is_stated(unit) {
        return Vec::new();
    }
    let all = spans(unit);
    let text = |span: &Range<usize>| unit.get(span.clone()).unwrap_or_default().trim();
    let cited =
        |span: &Range<usize>| paths::parse(text(span)).is_some_and(|(_, lines)| lines.is_some());
    // A citation between two names is no part of what is said.
    let named: Vec<&Range<usize>> = all.iter().filter(|it| !cited(it)).collect();
    let mut found = Vec::new();
    for pair in named.windows(2) {
        let [one, other] = pair else { continue };
        let between = unit
            .get(one.end + 1..other.start.saturating_sub(1))
            .unwrap_or_default();
        let said = phrase(between);
        let claim = |place: &Range<usize>, verdict: Verdict| Claim {
            place: place.clone(),
            what: What::Checked(verdict),
        };
        if EXTENDS.contains(&&*said) {
            found.extend(extends(text(one), text(other), lookup).map(|it| claim(other, it)));
        } else if EXTENDED.contains(&&*said) {
            let verdict = extends(text(other), text(one), lookup);
            // The other way round there is nothing to put in its place.
            let verdict = verdict.map(|it| match it {
                Verdict::Wrong { why, .. } => Verdict::Wrong { why, now: None },
                other => other,
            });
            found.extend(verdict.map(|it| claim(one, it)));
        } else if said == "imports" {
            found.extend(imports(text(one), text(other), lookup).map(|it| claim(other, it)));
        } else if said == "is imported by" || said == "is imported in" {
            found.extend(imports(text(other), text(one), lookup).map(|it| claim(one, it)));
        }
    }
    found.extend(all.iter().filter_map(|span| {
        let verdict = member(text(span), lookup)?;
        Some(Claim {
            place: span.clone(),
            what: What::Checked(verdict),
        })
    }));
    found
}

/// The words between two names without citations and fillers.
fn phrase(between: &str) -> String {
    let mut depth = 0_usize;
    let plain: String = between
        .chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
        .collect();
    let words = mood::words(&plain);
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|it| !FILLERS.contains(it))
        .collect();
    words.join(" ")
}

fn extends(child: &str, parent: &str, lookup: &Lookup<'_>) -> Option<Verdict> {
    let all = types(child, lookup)?;
    let found = ancestors(child, lookup)?;
    let parent = last(parent);
    let is_name = parent.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name || parent == last(child) {
        return None;
    }
    if found.names.contains(parent) {
        return Some(Verdict::Verified);
    }
    // One of them may go by two names.
    let is_known = types(parent, lookup).is_some()
        || is_outside(parent, lookup)
        || !lookup.in_folder("", parent);
    let may_be = found.is_foreign && types(parent, lookup).is_none();
    if found.is_unsure || may_be || !is_known {
        return Some(Verdict::Unknown);
    }
    let now = match all.as_slice() {
        [(_, symbol)] => match symbol.bases.as_slice() {
            [base] => Some(base.clone()),
            _ => None,
        },
        _ => None,
    };
    let why = match &now {
        Some(base) => format!("{child} extends {base}"),
        None => format!("{child} does not extend {parent}"),
    };
    Some(Verdict::Wrong { why, now })
}

fn file<'a>(path: &str, lookup: &Lookup<'a>) -> Option<&'a File> {
    let (path, _) = paths::parse(path)?;
    match target(&path, lookup.facts) {
        Target::File(file) | Target::Ending(file) => Some(file),
        _ => None,
    }
}

/// A file that is said to import something: it must have the word, or an import of that file.
fn imports(path: &str, name: &str, lookup: &Lookup<'_>) -> Option<Verdict> {
    /// Files that are imported by the name of their folder.
    const INDEXES: [&str; 4] = ["__init__", "index", "mod", "lib"];
    let from = file(path, lookup)?;
    let source = lookup.source(from)?;
    let has = |name: &str| source.has(name, 1, u32::MAX);
    let languages = [
        Language::Python,
        Language::TypeScript,
        Language::Tsx,
        Language::JavaScript,
    ];
    // All names of another file are there by `*`, and in other languages without an import.
    let is_whole = languages.contains(&from.language)
        && !source
            .lines()
            .any(|it| it.contains("import *") || it.contains("export *"));
    let wrong = || match is_whole {
        true => Verdict::Wrong {
            why: format!("{} does not import {name}", from.path),
            now: None,
        },
        false => Verdict::Unknown,
    };
    if let Some(other) = file(name, lookup) {
        let mut imported = from.imports.iter();
        if imported.any(|it| it.file.as_ref() == Some(&other.path)) {
            return Some(Verdict::Verified);
        }
        let mut parts = other.path.rsplit('/');
        let stem = parts.next().and_then(|it| it.split('.').next());
        let stem = stem.unwrap_or_default();
        let folder = parts.next().unwrap_or(stem);
        let is_there = has(stem) || has(folder) || INDEXES.contains(&stem);
        return Some(if is_there { Verdict::Unknown } else { wrong() });
    }
    let is_sign = |c: char| c.is_alphanumeric() || "_-./@:".contains(c);
    if name.is_empty() || !name.chars().all(is_sign) || versions::is_known(name, lookup) {
        return None;
    }
    let mut parts = name.split(['.', '/', ':']).filter(|it| !it.is_empty());
    let is_there = parts.any(|it| has(it.trim_start_matches('@')) || has(&it.replace('-', "_")));
    (!is_there).then(wrong)
}

/// `Owner.name()`: a method of a type, all of which is written in the code base.
fn member(text: &str, lookup: &Lookup<'_>) -> Option<Verdict> {
    let (owner, name) = text.strip_suffix("()")?.rsplit_once(['.', ':'])?;
    let owner = last(owner.trim_end_matches(':'));
    let is_sign = |c: char| c.is_alphanumeric() || c == '_';
    if name.starts_with("__") || !name.chars().all(is_sign) || !outside::is_closed(owner, lookup) {
        return None;
    }
    let mut all = ancestors(owner, lookup)?.names;
    all.insert(owner.to_owned());
    let files = all.iter().flat_map(|of| outside::named(of, lookup));
    let mut sources = files.map(|(file, _)| lookup.source(file));
    let has = sources.any(|it| it.is_none_or(|it| it.has(name, 1, u32::MAX)));
    let inherited = [
        "toString", "equals", "hashCode", "constructor", "valueOf", "mro", "getClass", "bind",
        "hasOwnProperty",
    ];
    // Another file may put it there.
    let added = [
        format!(".{name} ="),
        format!("\"{name}\""),
        format!("'{name}'"),
    ];
    let code = lookup.facts.files.iter().filter(|it| it.language.is_code());
    let has_it = |line: &str| added.iter().any(|it| line.contains(&**it));
    let is_added = || code.clone().any(|file| lookup.reads(file, has_it));
    (!has && !inherited.contains(&name) && !is_added()).then(|| Verdict::Wrong {
        why: format!("{owner} has no {name}"),
        now: None,
    })
}
