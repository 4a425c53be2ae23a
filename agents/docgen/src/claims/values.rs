//! Values that a sentence gives for a name, against the lines that it cites for it.
//!
//! A number is refuted only if a cited line gives the name another number, as it is written and in whatever unit, and the
//! definition around it does not have the one of the sentence.

use std::ops::Range;

use super::{
    claim::{Claim, What},
    mood, paths,
    spans::spans,
    targets::{Target, target},
    verdict::Verdict,
};
use crate::facts::{File, Lookup};

/// Words between a name and its value.
const LEADS: [&str; 18] = [
    "", "a", "an", "at", "by", "default", "defaults", "equals", "exactly", "has", "is", "limited",
    "of", "set", "starts", "the", "to", "value",
];

/// Words behind a value: units, and what leaves it as it is.
const BEHIND: [&str; 26] = [
    "and", "as", "b", "by", "byte", "bytes", "characters", "days", "entries", "gib", "hours",
    "items", "kb", "kib", "mb", "mib", "milliseconds", "minutes", "ms", "percent", "s", "second",
    "seconds", "times", "which", "%",
];

/// Units of time in seconds, of sizes in bytes, and shares.
const UNITS: [f64; 12] = [
    1.0, 8.0, 10.0, 24.0, 60.0, 100.0, 1_000.0, 1_024.0, 3_600.0, 86_400.0, 604_800.0, 1_048_576.0,
];

/// The most lines that are cited for a value.
const LINES: u32 = 4;

/// The value of a name that a sentence gives, with the lines that are cited for it.
pub(super) fn find(unit: &str, lookup: &Lookup<'_>) -> Option<Claim> {
    if mood::is_of_absent(unit) || mood::is_negated(unit) {
        return None;
    }
    let (mut names, mut places) = (Vec::new(), Vec::new());
    for span in spans(unit) {
        match paths::parse(unit.get(span.clone())?) {
            None => names.push(span),
            Some((path, Some(lines))) => places.push((path, lines)),
            Some(_) => {}
        }
    }
    let [(path, (first, last))] = places.as_slice() else {
        return None;
    };
    let (first, last) = (*first, *last);
    let (place, said) = names.iter().find_map(|it| stated(unit, it))?;
    let name = unit.get(names.iter().rfind(|it| it.end < place.start)?.clone())?;
    let name = name.trim_end_matches("()").rsplit(['.', ':']).next()?;
    let file = match target(path, lookup.facts) {
        Target::File(file) => file,
        _ => return None,
    };
    let source = lookup.source(file)?;
    if last < first || last - first >= LINES {
        return None;
    }
    let lines = |first: u32, last: u32| {
        let skip = usize::try_from(first).unwrap_or(1).saturating_sub(1);
        let take = usize::try_from(last - first).unwrap_or(0) + 1;
        source.lines().skip(skip).take(take)
    };
    let given: Vec<f64> = lines(first, last)
        .filter_map(|line| given(line, name))
        .collect();
    let [there] = given.as_slice() else {
        return None;
    };
    let (from, to) = around(file, first, last);
    let is_near = || {
        lines(from, to)
            .flat_map(numbers)
            .any(|it| is_same(it, said))
    };
    let verdict = match () {
        () if is_same(*there, said) => Verdict::Verified,
        () if is_near() => Verdict::Unknown,
        () => Verdict::Wrong {
            why: format!("{path}:{first} has {there}"),
            now: None,
        },
    };
    Some(Claim {
        place,
        what: What::Checked(verdict),
    })
}

/// Whether two numbers are the same in some units.
fn is_same(one: f64, other: f64) -> bool {
    let mut factors = UNITS.iter().flat_map(|a| UNITS.iter().map(move |b| a * b));
    factors.any(|it| {
        let near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * one.abs().max(1.0);
        near(one * it, other) || near(other * it, one)
    })
}

/// The smallest definition around lines.
fn around(file: &File, first: u32, last: u32) -> (u32, u32) {
    let symbols = file.symbols.iter();
    let symbols = symbols.filter(|it| it.line <= first && last <= it.end);
    let smallest = symbols.min_by_key(|it| it.end - it.line);
    smallest.map_or((first, last), |it| (it.line, it.end))
}

/// The number that a sentence gives for the name in a code span: right behind it, but for words that say so.
fn stated(unit: &str, name: &Range<usize>) -> Option<(Range<usize>, f64)> {
    let start = name.end + 1;
    let rest = unit.get(start..)?;
    let (plain, _) = rest.split_once('`').unwrap_or((rest, ""));
    let at = plain.find(|c: char| c.is_ascii_digit())?;
    let (before, number) = plain.split_at(at);
    let is_sign = |c: char| c.is_ascii_digit() || ".,_".contains(c);
    let length = number.find(|c: char| !is_sign(c)).unwrap_or(number.len());
    let (number, after) = number.split_at(length);
    let number = number.trim_end_matches(['.', ',']);
    let is_led = mood::words(before).iter().all(|it| LEADS.contains(&&**it));
    let next = after.trim_start().split([' ', '(', ')', ';', '`']).next();
    let next = next
        .unwrap_or_default()
        .trim_end_matches(['.', ','])
        .to_lowercase();
    let is_clean = !before.contains(['(', ';', '-', '<', '>']) && !mood::words(before).is_empty();
    let is_value = next.is_empty() || BEHIND.contains(&&*next);
    let value = number.replace([',', '_'], "").parse().ok()?;
    let place = start + at..start + at + number.len();
    (is_led && is_clean && is_value).then_some((place, value))
}

/// The number that a line gives a name: `name = 3`, `name: u32 = 3;`, `name: 3,`, `name(3)`.
fn given(line: &str, name: &str) -> Option<f64> {
    let is_sign = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = line.match_indices(name).filter_map(|(at, _)| {
        let after = line.get(at + name.len()..)?;
        let is_word = !line.get(..at)?.ends_with(is_sign) && !after.starts_with(is_sign);
        is_word.then_some(after)
    });
    let after = found.next()?;
    if found.next().is_some() {
        return None;
    }
    let value = match after.split_once('=') {
        Some((kind, value)) if kind.trim().is_empty() || kind.trim_start().starts_with(':') => {
            value
        }
        Some(_) => return None,
        None => after.trim_start().strip_prefix([':', '('])?,
    };
    // A comment behind it is none of it.
    let value = value.split("//").next().unwrap_or_default();
    let value = value.split(" #").next().unwrap_or_default();
    let value = value.trim().trim_end_matches([',', ';', ')', ' ']);
    let digits = value.replace('_', "");
    digits.parse().ok()
}

/// The numbers of a text that are no part of a name.
fn numbers(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let words = text.split(|c| !is_part(c));
    let words = words.filter(|it| it.starts_with(|c: char| c.is_ascii_digit()));
    words
        .filter_map(|it| {
            let plain = it.replace('_', "");
            let digits = plain.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            digits.trim_end_matches('.').parse().ok()
        })
        .collect()
}
