//! One claim against the facts.

use super::find::{Claim, What};
use crate::facts::{File, Lookup};

/// What the facts say to a claim.
pub(super) enum Verdict {
    /// It is none after all.
    NoClaim,
    /// It is right.
    Verified,
    /// They say nothing.
    Unknown,
    /// It is wrong; with what is right, if that is sure.
    Wrong { why: String, now: Option<String> },
}

/// A symbol may be cited a few lines off: where its comment or its attributes begin.
const NEAR: u32 = 12;

pub(super) fn judge(claim: &Claim, all: &[Claim], unit: &str, lookup: &Lookup<'_>) -> Verdict {
    match &claim.what {
        What::Path { path, line } => path_claim(
            path,
            *line,
            all,
            unit.get(claim.place.clone()).unwrap_or_default(),
            lookup,
        ),
        What::Symbol { name, is_defined } => symbol(name, *is_defined, all, lookup),
        What::Dependency {
            name,
            version,
            is_said,
        } => dependency(
            name,
            version.as_deref(),
            *is_said,
            unit.get(claim.place.clone()).unwrap_or_default(),
            lookup,
        ),
        What::Count {
            number,
            noun,
            language,
            is_all,
        } => {
            let is_about_a_part = all.iter().any(|it| matches!(it.what, What::Path { .. }));
            count(
                *number,
                noun,
                language.as_deref(),
                *is_all && !is_about_a_part,
                lookup,
            )
        }
    }
}

fn path_claim(
    path: &str,
    line: Option<u32>,
    all: &[Claim],
    written: &str,
    lookup: &Lookup<'_>,
) -> Verdict {
    let facts = lookup.facts;
    if let Some(file) = facts.file(path) {
        return line_claim(file, line, all);
    }
    let below = format!("{path}/");
    let at = facts.files.partition_point(|file| *file.path < *below);
    if facts
        .files
        .get(at)
        .is_some_and(|file| file.path.starts_with(&below))
    {
        return Verdict::Verified;
    }
    let is_skipped = facts
        .skipped
        .first
        .iter()
        .any(|it| it.path == path || it.path.starts_with(&below));
    if is_skipped {
        return Verdict::Unknown;
    }
    let end = format!("/{path}");
    let mut same = facts.files.iter().filter(|file| file.path.ends_with(&end));
    match (same.next(), same.next()) {
        (Some(file), None) => {
            let now = match line.filter(|line| *line <= file.lines && *line > 0) {
                Some(line) => format!("{}:{line}", file.path),
                None => file.path.clone(),
            };
            // A file may be called by its last names where only one ends so.
            match written.contains(':') || path.contains('/') {
                true => Verdict::Wrong {
                    why: format!("there is no file {path}"),
                    now: Some(now),
                },
                false => Verdict::Verified,
            }
        }
        (Some(_), Some(_)) => Verdict::Verified,
        _ => {
            let first = path.split('/').next().unwrap_or(path);
            let is_ours = facts
                .files
                .iter()
                .any(|file| file.path.split('/').next() == Some(first));
            let has_ending = crate::facts::Language::of(path) != crate::facts::Language::Other;
            match has_ending || line.is_some() || is_ours {
                true => Verdict::Wrong {
                    why: format!("there is no file {path}"),
                    now: None,
                },
                false => Verdict::NoClaim,
            }
        }
    }
}

/// A line of a file that is there: within it, and near the symbol that the sentence is about.
fn line_claim(file: &File, line: Option<u32>, all: &[Claim]) -> Verdict {
    let Some(line) = line else {
        return Verdict::Verified;
    };
    let mut names = all.iter().filter_map(|claim| match &claim.what {
        What::Symbol { name, .. } => Some(name),
        _ => None,
    });
    let paths = all
        .iter()
        .filter(|claim| matches!(claim.what, What::Path { .. }))
        .count();
    let only = match (names.next(), names.next(), paths) {
        (Some(name), None, 1) => file.symbols.iter().filter(|it| it.name == *name).collect(),
        _ => Vec::new(),
    };
    let is_inside = line >= 1 && line <= file.lines;
    match only.as_slice() {
        [] if is_inside => Verdict::Verified,
        [] => Verdict::Wrong {
            why: format!("{} has {} lines", file.path, file.lines),
            now: Some(file.path.clone()),
        },
        symbols if symbols.iter().any(|it| it.line.abs_diff(line) <= NEAR) => Verdict::Verified,
        // Lines within a long definition are about it too.
        [symbol] if is_inside && line > symbol.line => Verdict::Verified,
        [symbol] => Verdict::Wrong {
            why: format!("{} is at {}:{}", symbol.name, file.path, symbol.line),
            now: Some(format!("{}:{}", file.path, symbol.line)),
        },
        _ if is_inside => Verdict::Verified,
        _ => Verdict::Wrong {
            why: format!("{} has {} lines", file.path, file.lines),
            now: Some(file.path.clone()),
        },
    }
}

fn symbol(name: &str, is_defined: bool, all: &[Claim], lookup: &Lookup<'_>) -> Verdict {
    if !lookup.symbol(name).is_empty() {
        return Verdict::Verified;
    }
    let facts = lookup.facts;
    let is_component = facts
        .components
        .iter()
        .any(|it| it.name == name || it.name.replace('-', "_") == name);
    let is_file = facts.files.iter().any(|file| {
        let last = file.path.rsplit('/').next().unwrap_or_default();
        last.split('.').next() == Some(name) || file.path.split('/').any(|part| part == name)
    });
    if is_component || is_file || !lookup.dependency(name).is_empty() {
        return Verdict::Verified;
    }
    let is_imported = facts
        .files
        .iter()
        .flat_map(|file| &file.imports)
        .any(|import| import.target.rsplit([':', '.', '/']).next() == Some(name));
    let is_cited = all
        .iter()
        .any(|claim| matches!(claim.what, What::Path { line: Some(_), .. }));
    match is_defined && is_cited && !is_imported {
        true => Verdict::Wrong {
            why: format!("nothing is called {name}"),
            now: None,
        },
        false => Verdict::Unknown,
    }
}

fn dependency(
    name: &str,
    version: Option<&str>,
    is_said: bool,
    written: &str,
    lookup: &Lookup<'_>,
) -> Verdict {
    let facts = lookup.facts;
    let component = facts.components.iter().find(|it| it.name == name);
    let known = lookup.dependency(name);
    if known.is_empty() && component.is_none() {
        // Something of the code base may be called so, or of the language itself.
        let is_ours = !lookup.symbol(name).is_empty() || ["std", "core", "alloc"].contains(&name);
        let is_imported = facts
            .files
            .iter()
            .flat_map(|file| &file.imports)
            .any(|it| it.target.split(['.', ':', '/']).next() == Some(name));
        return match (is_said || version.is_some()) && !is_ours && !is_imported {
            true => Verdict::Wrong {
                why: format!("no manifest asks for {name}"),
                now: None,
            },
            false => Verdict::Unknown,
        };
    }
    let Some(version) = version else {
        return Verdict::Verified;
    };
    let wanted = known.iter().filter_map(|it| it.wanted.as_deref());
    let locked = known
        .iter()
        .flat_map(|it| it.locked.iter().map(String::as_str));
    let own = component.and_then(|it| it.version.as_deref());
    let all: Vec<&str> = locked.chain(wanted).chain(own).collect();
    if all.is_empty() {
        return Verdict::Unknown;
    }
    let plain = |it: &str| {
        it.trim_start_matches(|c: char| !c.is_ascii_digit())
            .to_owned()
    };
    let fits = |it: &&str| {
        let it = plain(it);
        it == version
            || it.starts_with(&format!("{version}."))
            || version.starts_with(&format!("{it}."))
    };
    if all.iter().any(fits) {
        return Verdict::Verified;
    }
    let right = all.first().map(|it| plain(it)).unwrap_or_default();
    let now = match written.contains(version) {
        true => written.replace(version, &right),
        // The version is behind the name, outside of this place: the sentence goes.
        false => String::new(),
    };
    Verdict::Wrong {
        why: format!("{name} is {right}"),
        now: Some(now).filter(|now| !now.is_empty()),
    }
}

fn count(
    number: u64,
    noun: &str,
    language: Option<&str>,
    is_all: bool,
    lookup: &Lookup<'_>,
) -> Verdict {
    let facts = lookup.facts;
    let counts = &facts.counts;
    let of_language = language.map(|name| {
        let mut all = counts.languages.iter();
        all.find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, it)| it)
    });
    let length = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let right = match (noun, of_language) {
        ("files", Some(Some(it))) => u64::from(it.files),
        ("lines", Some(Some(it))) => it.lines,
        ("files", None) => u64::from(counts.files),
        ("lines", None) => counts.lines,
        ("folders" | "directories", None) => u64::from(counts.folders),
        ("symbols", None) => u64::from(counts.symbols),
        ("dependencies", None) => length(facts.dependency_names().len()),
        ("components" | "crates" | "packages", None) => length(facts.components.len()),
        ("files", Some(None)) if language.is_some_and(|it| it.eq_ignore_ascii_case("test")) => {
            u64::from(counts.tests)
        }
        _ => return Verdict::Unknown,
    };
    match (
        number == right,
        is_all || of_language.is_some_and(|it| it.is_some()),
    ) {
        (true, _) => Verdict::Verified,
        (false, true) => Verdict::Wrong {
            why: format!("there are {right} {noun}"),
            now: Some(right.to_string()),
        },
        (false, false) => Verdict::Unknown,
    }
}
