//! What a sentence says of the code base itself: its version, its license, and the version of its language that it requires.

use std::ops::Range;

use super::{
    claim::{Claim, What},
    mood,
    setting::WHOLE,
    verdict::Verdict,
};
use crate::facts::{Lookup, Stated};

/// Families of licenses, as people name them.
const LICENSES: [&str; 9] = [
    "mit", "apache", "bsd", "agpl", "lgpl", "gpl", "mpl", "isc", "unlicense",
];

/// Words that say that a version is the lowest one.
const LOWEST: [&str; 10] = [
    "requires", "require", "required", "needs", "minimum", "newer", "later", "least", "oldest",
    "lowest",
];

/// A word of a sentence with its place.
struct Word<'a> {
    place: Range<usize>,
    text: &'a str,
}

fn words(unit: &str) -> Vec<Word<'_>> {
    let is_edge = |c: char| c.is_whitespace() || "(),;:`*\"".contains(c);
    let mut found = Vec::new();
    let mut at = 0;
    for piece in unit.split_inclusive(is_edge) {
        let text = piece.trim_end_matches(is_edge).trim_end_matches(['.', '!']);
        if !text.is_empty() {
            found.push(Word {
                place: at..at + text.len(),
                text,
            });
        }
        at += piece.len();
    }
    found
}

/// Claims about the code base itself.
pub(super) fn find(unit: &str, lookup: &Lookup<'_>) -> Vec<Claim> {
    // That something is needed is no lack.
    if mood::is_advice(unit) || mood::is_negated(unit) {
        return Vec::new();
    }
    let words = words(unit);
    let about = &lookup.facts.about;
    let lower: Vec<String> = words.iter().map(|it| it.text.to_lowercase()).collect();
    let mut found = Vec::new();
    if let Some(version) = &about.version {
        found.extend(own_version(&words, &lower, version, lookup));
    }
    if let Some(license) = &about.license {
        found.extend(own_license(&words, &lower, license, lookup));
    }
    if let Some(language) = &about.language {
        found.extend(required(
            &words, &lower, &language.name, &language.wanted, lookup,
        ));
    }
    found
}

fn checked(place: Range<usize>, verdict: Verdict) -> Claim {
    Claim {
        place,
        what: What::Checked(verdict),
    }
}

/// The number of a version without `v` and operators, if it has a dot.
fn number(word: &str) -> Option<&str> {
    let bare = word
        .trim_start_matches(['v', '>', '=', '≥', '~', '^'])
        .trim_end_matches('+');
    let is_part = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = bare.split('.');
    let is_version = bare.contains('.') && parts.next().is_some_and(is_part);
    (is_version && parts.next().is_some_and(is_part)).then_some(bare)
}

/// Whether words name nothing but the code base as a whole, besides these.
fn is_whole(words: &[String], besides: &[&str], lookup: &Lookup<'_>) -> bool {
    const GENERAL: [&str; 12] = [
        "", "-", "the", "this", "it", "its", "code", "base", "crate", "package", "library",
        "software",
    ];
    let own = lookup.facts.about.name.as_ref();
    let own = own.map(|it| it.text.to_lowercase());
    words.iter().all(|it| {
        let word = it.trim_end_matches("'s").trim_end_matches("’s");
        let is_own = own.as_deref() == Some(word);
        is_own
            || [&GENERAL[..], WHOLE, besides]
                .iter()
                .any(|list| list.contains(&word))
    })
}

/// "The current version is 1.2.3", "the project is at version 1.2.3".
fn own_version(
    words: &[Word<'_>],
    lower: &[String],
    version: &Stated,
    lookup: &Lookup<'_>,
) -> Option<Claim> {
    const BEFORE: [&str; 8] = [
        "current", "version", "is", "at", "in", "of", "has", "currently",
    ];
    let (at, word, said) = words
        .iter()
        .enumerate()
        .find_map(|(at, it)| Some((at, it, number(it.text)?)))?;
    let before = lower.get(..at)?;
    let has = |word: &str| before.iter().any(|it| it == word);
    let is_last = at + 1 == words.len();
    let is_led = before.last().is_some_and(|it| it == "is") || is_last;
    if !(has("version") && is_led && is_whole(before, &BEFORE, lookup)) {
        return None;
    }
    let right = &version.text;
    let is_right = right == said || right.starts_with(&format!("{said}."));
    let verdict = match is_right {
        true => Verdict::Verified,
        // What is said behind it may be about another one.
        false if !is_last => Verdict::Unknown,
        false => Verdict::Wrong {
            why: format!("the version is {right} ({}:{})", version.path, version.line),
            now: Some(right.clone()),
        },
    };
    let end = word.place.end;
    Some(checked(end - said.len()..end, verdict))
}

/// "It is licensed under MIT."
fn own_license(
    words: &[Word<'_>],
    lower: &[String],
    license: &Stated,
    lookup: &Lookup<'_>,
) -> Option<Claim> {
    const BEFORE: [&str; 8] = [
        "is", "has", "licensed", "license", "dual", "released", "under", "of",
    ];
    let family = |word: &str| {
        let first = word.split(['-', ' ', '/']).next().unwrap_or(word);
        LICENSES.iter().find(|it| **it == first).copied()
    };
    let said = words.iter().zip(lower).enumerate();
    let mut said = said.filter_map(|(at, (word, lower))| Some((at, word, family(lower)?)));
    let (at, word, named) = said.next()?;
    let has_more = said.next().is_some();
    let before = lower.get(..at)?;
    let is_about = before.iter().any(|it| it == "licensed" || it == "license");
    if !is_about || !is_whole(before, &BEFORE, lookup) {
        return None;
    }
    let right = license.text.to_lowercase();
    let verdict = match right.contains(named) {
        true => Verdict::Verified,
        // Another one beside it may be of a part.
        false if has_more => Verdict::Unknown,
        false => Verdict::Wrong {
            why: format!(
                "the license is {} ({}:{})",
                license.text, license.path, license.line
            ),
            now: None,
        },
    };
    Some(checked(word.place.clone(), verdict))
}

/// "It requires Python 3.9 or newer."
fn required(
    words: &[Word<'_>],
    lower: &[String],
    name: &str,
    wanted: &Stated,
    lookup: &Lookup<'_>,
) -> Option<Claim> {
    const BEFORE: [&str; 10] = [
        "requires", "needs", "supports", "minimum", "lowest", "supported", "version", "is", "at",
        "least",
    ];
    let at = lower.iter().position(|it| it.eq_ignore_ascii_case(name))?;
    let word = words.get(at + 1)?;
    let said = number(word.text)?;
    let (before, after) = (lower.get(..at)?, lower.get(at + 2..)?);
    let is_end = |it: &String| {
        ["or", "newer", "later", "higher", "above", "and", "up", "to"].contains(&it.as_str())
    };
    let is_lowest = word.text.ends_with('+')
        || word.text.starts_with(['>', '≥'])
        || before
            .iter()
            .chain(after)
            .any(|it| LOWEST.contains(&it.as_str()));
    let is_said = before.iter().any(|it| BEFORE.contains(&it.as_str()));
    if !(is_lowest && is_said && after.iter().all(is_end) && is_whole(before, &BEFORE, lookup)) {
        return None;
    }
    let lowest = wanted.text.split([',', ' ', '|']).find_map(number)?;
    let same = |one: &str, other: &str| one == other || one.starts_with(&format!("{other}."));
    let verdict = match same(said, lowest) || same(lowest, said) {
        true => Verdict::Verified,
        false => Verdict::Wrong {
            why: format!(
                "{name} {} is required ({}:{})",
                wanted.text, wanted.path, wanted.line
            ),
            now: Some(lowest.to_owned()),
        },
    };
    let end = word.place.start + word.text.trim_end_matches('+').len();
    Some(checked(end - said.len()..end, verdict))
}
