//! Numbers of things: files, lines, folders, symbols, dependencies, components.

use super::{
    find::{Claim, What},
    judge::Verdict,
};
use crate::facts::{File, Lookup};

/// A number of things.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Count {
    number: u64,
    noun: String,
    language: Option<String>,
    /// Whether it is about everything.
    is_all: bool,
    /// Whether the sentence is about a file or a folder.
    is_part: bool,
    /// Whether it is what a file, named right before, has.
    is_of_file: bool,
}

const NOUNS: [&str; 9] = [
    "files",
    "folders",
    "directories",
    "lines",
    "dependencies",
    "components",
    "crates",
    "packages",
    "symbols",
];

/// Words that say that a number is about everything.
const ALL_WORDS: &[&str] = &[
    "code base",
    "codebase",
    "repository",
    "project",
    "total",
    "in all",
    "altogether",
    "overall",
    "comprises",
    "consists of",
];

/// Words of a sentence that says nothing but how much there is: "It has 12 folders and 40 symbols."
const PLAIN_WORDS: &[&str] = &[
    "there", "are", "it", "has", "and", "contains", "with", "in", "about", "exactly", "of", "code",
];

/// Numbers of things outside of code.
pub(super) fn find(unit: &str, has_path: bool) -> Vec<Claim> {
    let lower = unit.to_lowercase();
    let mut is_all = ALL_WORDS.iter().any(|word| lower.contains(word));
    let signs = |c: char| !c.is_alphanumeric();
    let mut all_words = lower.split(signs).filter(|it| !it.is_empty());
    is_all |= all_words.all(|word| {
        let is_number = word.bytes().all(|it| it.is_ascii_digit());
        is_number
            || in_words(word).is_some()
            || NOUNS.contains(&word)
            || PLAIN_WORDS.contains(&word)
    });
    let mut found = Vec::new();
    let words: Vec<(usize, &str)> = unit
        .split(' ')
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some((start, word))
        })
        .collect();
    for (number, window) in words.iter().enumerate() {
        let (start, word) = *window;
        let mut digits = word
            .trim_start_matches(['(', '*', '~'])
            .trim_end_matches('*');
        let plain = digits.replace(',', "");
        let offset = word.find(digits).unwrap_or(0);
        let from = start + offset;
        let is_begun = number > 0
            && words
                .get(number - 1)
                .is_some_and(|it| in_words(it.1).is_some());
        let (value, number) = match plain.parse::<u64>() {
            Ok(value) => (value, number),
            Err(_) if is_begun => continue,
            Err(_) => match spelled(words.iter().skip(number).map(|it| it.1)) {
                Some((value, count)) => {
                    let last = number + count - 1;
                    let end = words.get(last).map_or(start, |(at, word)| at + word.len());
                    digits = unit.get(from..end).unwrap_or_default();
                    (value, last)
                }
                None => continue,
            },
        };
        let clean = |at: usize| {
            let word = words.get(at).map_or("", |(_, word)| *word);
            word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '#')
        };
        let (first, second) = (clean(number + 1), clean(number + 2));
        let (noun, language) = match (NOUNS.contains(&first), NOUNS.contains(&second)) {
            (true, _) => (first, None),
            (false, true) => (second, Some(first.to_owned())),
            _ => continue,
        };
        let place = from..from + digits.len();
        found.push(Claim {
            what: What::Count(Count {
                number: value,
                noun: noun.to_owned(),
                language,
                is_all,
                is_part: has_path,
                is_of_file: is_of_file(unit.get(..place.start).unwrap_or_default()),
            }),
            place,
        });
    }
    found
}

/// The number of a word, or of two with a hyphen: `five`, `twenty-five`, `hundred`.
fn in_words(word: &str) -> Option<u64> {
    const SMALL: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = [
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    let word = word.to_lowercase();
    let at = |list: &[&str], word: &str| {
        let place = list.iter().position(|it| *it == word)?;
        u64::try_from(place).ok()
    };
    if let Some((tens, ones)) = word.split_once('-') {
        return Some((at(&TENS, tens)? + 2) * 10 + at(&SMALL, ones)?);
    }
    match &*word {
        "hundred" => Some(100),
        "thousand" => Some(1_000),
        "million" => Some(1_000_000),
        word => at(&SMALL, word).or_else(|| Some((at(&TENS, word)? + 2) * 10)),
    }
}

/// A number in words at the beginning of a text, and of how many words it is: "five hundred" is 500.
fn spelled<'a>(words: impl Iterator<Item = &'a str>) -> Option<(u64, usize)> {
    let (mut total, mut part, mut count) = (0_u64, 0_u64, 0);
    for value in words.map_while(in_words).take(8) {
        count += 1;
        match value {
            100 => part = part.max(1).saturating_mul(100),
            1_000 | 1_000_000 => {
                total = total.saturating_add(part.max(1).saturating_mul(value));
                part = 0;
            }
            small => part = part.saturating_add(small),
        }
    }
    (count > 0).then(|| (total.saturating_add(part), count))
}

/// Whether what stands before a number ends with a path in code and a word of having.
fn is_of_file(before: &str) -> bool {
    let words = ["has", "is", "contains", "with", "of", "at", "(", ":", ","];
    let before = before.trim_end();
    let head = words.iter().find_map(|word| before.strip_suffix(word));
    head.is_some_and(|head| head.trim_end().ends_with('`'))
}

/// `file` is the one that the sentence names last before the number.
pub(super) fn judge(count: &Count, file: Option<&File>, lookup: &Lookup<'_>) -> Verdict {
    let facts = lookup.facts;
    let counts = &facts.counts;
    if let (true, "lines", Some(file)) = (count.is_of_file, &*count.noun, file) {
        let right = u64::from(file.lines);
        return match (right == count.number, file.lines > 0) {
            (true, _) => Verdict::Verified,
            (false, true) => Verdict::Wrong {
                why: format!("{} has {right} lines", file.path),
                now: Some(right.to_string()),
            },
            // It may not have been read.
            (false, false) => Verdict::Unknown,
        };
    }
    let of_language = count.language.as_deref().map(|name| {
        let mut all = counts.languages.iter();
        all.find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, it)| it)
    });
    let is_tests = count
        .language
        .as_deref()
        .is_some_and(|it| it.eq_ignore_ascii_case("test"));
    let length = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let right = match (&*count.noun, of_language) {
        ("files", Some(Some(it))) => u64::from(it.files),
        ("lines", Some(Some(it))) => it.lines,
        ("files", None) => u64::from(counts.files),
        ("lines", None) => counts.lines,
        ("folders" | "directories", None) => u64::from(counts.folders),
        ("symbols", None) => u64::from(counts.symbols),
        ("dependencies", None) => length(facts.dependency_names().len()),
        ("components" | "crates" | "packages", None) => length(facts.components.len()),
        ("files", Some(None)) if is_tests => u64::from(counts.tests),
        _ => return Verdict::Unknown,
    };
    let is_about_it = !count.is_part && (count.is_all || of_language.flatten().is_some());
    match (is_about_it, count.number == right) {
        (true, true) => Verdict::Verified,
        (true, false) => Verdict::Wrong {
            why: format!("there are {right} {}", count.noun),
            now: Some(right.to_string()),
        },
        (false, _) => Verdict::Unknown,
    }
}
