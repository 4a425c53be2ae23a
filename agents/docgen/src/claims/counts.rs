//! Numbers of things: files, lines, folders, symbols, dependencies, components.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{
    claim::{Claim, Count, What},
    phrases::{Head, Phrase, Tail, Token, head, is_among_labels, phrase, tail, tokens},
    setting::Setting,
    verdict::Verdict,
};
use crate::facts::{DependencyKind, File, Language, LanguageCount, Lookup};

/// A number of things with where its sentence has it.
struct Counted {
    phrase: Phrase,
    number: u64,
    place: Range<usize>,
    /// What the facts have, if they have one number for this.
    right: Option<u64>,
}

/// The numbers of things of a sentence; `has_path` says that it names a file or a folder.
pub(super) fn find(
    unit: &str,
    has_path: bool,
    setting: &Setting,
    lookup: &Lookup<'_>,
) -> Vec<Claim> {
    let tokens = tokens(unit);
    let is_language = |word: &str| language(word, lookup).is_some();
    let numbers = (0..tokens.len()).filter_map(|at| {
        let phrase = phrase(&tokens, at, is_language)?;
        let token = tokens.get(at)?;
        Some(Counted {
            number: token.number?,
            place: token.place.clone(),
            right: total(&phrase.noun, phrase.of.as_deref(), lookup),
            phrase,
        })
    });
    let all: Vec<Counted> = numbers.collect();
    let indexes = 0..all.len();
    let found = indexes.zip(&all).map(|(index, it)| {
        let (head, is_about) = head_of(&tokens, &all, index);
        let is_plain = is_plain(&tokens, &all, index) && is_cell(unit, it, setting);
        let is_above = it.right.is_some_and(|right| it.number > right);
        let before = it.phrase.at.checked_sub(1).and_then(|at| tokens.get(at));
        let is_of_all = before.is_some_and(|it| it.text == "all") && is_above;
        let is_whole = match head {
            Head::Whole => true,
            // Tests are those of the whole unless the sentence names a part.
            Head::Open => setting.is_whole || it.phrase.of.as_deref() == Some("test"),
            Head::Other => setting.is_whole && is_among_labels(&tokens, &it.phrase, is_language),
        };
        Claim {
            what: What::Count(Count {
                number: it.number,
                noun: it.phrase.noun.clone(),
                of: it.phrase.of.clone(),
                is_code: it.phrase.is_code,
                is_about,
                is_all: is_plain && !has_path && (is_whole || is_of_all),
                is_of_file: is_plain && is_of_file(unit.get(..it.place.start).unwrap_or_default()),
            }),
            place: it.place.clone(),
        }
    });
    found.collect()
}

/// Whose number it is: an item of a list is about what the first one is about.
fn head_of(tokens: &[Token], all: &[Counted], index: usize) -> (Head, bool) {
    let own = all.get(index).map_or(0, |it| it.phrase.at);
    let (_, is_about) = head(tokens, own);
    let mut first = index;
    while let Some(before) = first.checked_sub(1).and_then(|it| all.get(it)) {
        let at = all.get(first).map_or(0, |it| it.phrase.at);
        match tail(tokens, &before.phrase) {
            Tail::List(next) | Tail::With(next) if next == at => first -= 1,
            _ => break,
        }
    }
    let at = all.get(first).map_or(0, |it| it.phrase.at);
    (head(tokens, at).0, is_about)
}

/// Whether nothing behind a number, and nothing that it is listed with, narrows it down.
fn is_plain(tokens: &[Token], all: &[Counted], index: usize) -> bool {
    let Some(it) = all.get(index) else {
        return false;
    };
    // The lines of files are all lines only if the files are all files.
    let is_of_others = all.iter().take(index).any(|before| {
        let is_right = before.right == Some(before.number);
        let is_it = tail(tokens, &before.phrase) == Tail::With(it.phrase.at);
        is_it && !(is_right && before.phrase.of.is_none())
    });
    let is_next_plain = |at: usize| {
        let next = all.iter().position(|it| it.phrase.at == at);
        next.is_some_and(|next| is_plain(tokens, all, next))
    };
    !is_of_others
        && match tail(tokens, &it.phrase) {
            Tail::End => true,
            // A language is said with each.
            Tail::List(next) => it.phrase.of.is_some() || is_next_plain(next),
            Tail::With(next) => {
                it.phrase.of.is_none() && it.right == Some(it.number) && is_next_plain(next)
            }
            Tail::Other => false,
        }
}

/// Whether a number that is a cell of a table stands in one of two columns, and the second is for such numbers.
fn is_cell(unit: &str, counted: &Counted, setting: &Setting) -> bool {
    const HEADS: [&str; 10] = [
        "value", "values", "count", "number", "total", "amount", "figure", "quantity", "how many",
        "size",
    ];
    let Some(header) = &setting.header else {
        return true;
    };
    let head = setting
        .column(unit, counted.place.start)
        .unwrap_or_default();
    let is_header = *header == unit.trim().to_lowercase();
    counted.phrase.is_label && (is_header || HEADS.contains(&head))
}

/// Whether what stands before a number ends with a path in code and a word of having.
fn is_of_file(before: &str) -> bool {
    let words = ["has", "is", "contains", "with", "of", "at", "(", ":", ","];
    let before = before.trim_end();
    let head = words.iter().find_map(|word| before.strip_suffix(word));
    head.is_some_and(|head| head.trim_end().ends_with('`'))
}

/// What is counted of a language of the code base. "Other files" are files of none, and "text files" of several.
fn language<'a>(word: &str, lookup: &Lookup<'a>) -> Option<(&'a str, &'a LanguageCount)> {
    let unclear = [Language::Other, Language::Text].map(Language::name);
    let mut languages = lookup.facts.counts.languages.iter();
    let (name, count) = languages.find(|(known, _)| known.eq_ignore_ascii_case(word))?;
    (!unclear.contains(&name.as_str())).then_some((name.as_str(), count))
}

/// How much there is of something in all, or of a language, if that is one number.
fn total(noun: &str, of: Option<&str>, lookup: &Lookup<'_>) -> Option<u64> {
    let facts = lookup.facts;
    let counts = &facts.counts;
    let length = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let Some(of) = of else {
        return Some(match noun {
            "files" => u64::from(counts.files),
            "lines" => counts.lines,
            "folders" | "directories" => u64::from(counts.folders),
            "symbols" => u64::from(counts.symbols),
            "dependencies" => length(facts.dependency_names().len()),
            "crates" => {
                let manifests = facts
                    .components
                    .iter()
                    .filter_map(|it| it.manifest.as_ref());
                length(manifests.filter(|it| it.ends_with("Cargo.toml")).count())
            }
            "components" | "packages" => length(facts.components.len()),
            _ => return None,
        });
    };
    match (noun, language(of, lookup)) {
        ("files", Some((_, it))) => Some(u64::from(it.files)),
        ("lines", Some((_, it))) => Some(it.lines),
        ("files", None) if of == "test" => Some(u64::from(counts.tests)),
        _ => None,
    }
}

/// Whether a number that is not the total may be right nevertheless, as people count in more than one way.
fn is_other_way(count: &Count, lookup: &Lookup<'_>) -> bool {
    let facts = lookup.facts;
    let length = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    match &*count.noun {
        // Of packages there are several kinds.
        "packages" => true,
        // Without what tests share: empty files, and those that are not called so.
        "files" if count.of.as_deref() == Some("test") => {
            let tests = || facts.files.iter().filter(|it| it.test);
            let is_called = |path: &str| {
                let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
                ["test", "spec"].iter().any(|it| name.contains(it))
            };
            let filled = tests().filter(|it| it.lines > 0).count();
            let called = tests().filter(|it| is_called(&it.path)).count();
            [filled, called].map(length).contains(&count.number)
        }
        // With the root, or without those that have nothing but folders.
        "folders" | "directories" => {
            let parents = facts.files.iter().map(|file| file.path.rsplit_once('/'));
            let direct: BTreeSet<Option<&str>> = parents.map(|it| Some(it?.0)).collect();
            let is_root = direct.contains(&None);
            let direct = length(direct.len());
            let all = u64::from(facts.counts.folders) + 1;
            [all, direct, direct - u64::from(is_root)].contains(&count.number)
        }
        "dependencies" => {
            use DependencyKind::{Build, Dev, Optional, Runtime};
            let of_kind = |kind: DependencyKind| {
                let all = facts.dependencies.iter().filter(|it| it.kind == kind);
                let mut names: Vec<&str> = all.map(|it| &*it.name).collect();
                names.sort_unstable();
                names.dedup();
                length(names.len())
            };
            [Runtime, Optional, Dev, Build]
                .map(of_kind)
                .contains(&count.number)
                || [facts.dependencies.len(), facts.locked.len()]
                    .map(length)
                    .contains(&count.number)
        }
        // Headers may be counted or not.
        "files" => count.of.as_deref().is_some_and(|of| {
            let files = facts.files.iter();
            let mut endings: BTreeMap<&str, u64> = BTreeMap::new();
            for file in files.filter(|it| it.language.name().eq_ignore_ascii_case(of)) {
                let (_, ending) = file.path.rsplit_once('.').unwrap_or_default();
                *endings.entry(ending).or_default() += 1;
            }
            endings.values().any(|it| *it == count.number)
        }),
        _ => false,
    }
}

/// Lines of code, without those of text and data.
fn code_lines(lookup: &Lookup<'_>) -> u64 {
    let files = lookup.facts.files.iter();
    let code = files.filter(|file| Language::of(&file.path).is_code());
    code.map(|file| u64::from(file.lines)).sum()
}

/// `file` is the one that the sentence names last before the number.
pub(super) fn judge(count: &Count, file: Option<&File>, lookup: &Lookup<'_>) -> Verdict {
    let of_file = file.filter(|_| count.is_of_file && count.noun == "lines");
    let (right, why) = match of_file {
        // One without lines may not have been read.
        Some(file) if file.lines == 0 => return Verdict::Unknown,
        Some(file) => {
            let right = u64::from(file.lines);
            (right, format!("{} has {right} lines", file.path))
        }
        None => {
            let of = count.of.as_deref();
            let Some(right) = total(&count.noun, of, lookup).filter(|_| count.is_all) else {
                return Verdict::Unknown;
            };
            let of = of.map(|it| language(it, lookup).map_or(it, |(name, _)| name));
            let of = of.map(|it| format!("{it} ")).unwrap_or_default();
            (right, format!("there are {right} {of}{}", count.noun))
        }
    };
    let is_near = count.is_about && count.number.abs_diff(right) <= right / 10;
    let is_code = count.is_code && of_file.is_none();
    let now = match is_code {
        true => code_lines(lookup),
        false => right,
    };
    match count.number == now {
        true => Verdict::Verified,
        false if is_near || is_other_way(count, lookup) => Verdict::Unknown,
        // Blank lines and comments may be left out, but nobody counts more than there are.
        false if count.is_code && count.number <= right => Verdict::Unknown,
        false => Verdict::Wrong {
            why,
            now: Some(now.to_string()),
        },
    }
}
