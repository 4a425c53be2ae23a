//! Paths with lines: `src/a.rs`, `src/a.rs:3`, `src/a.rs:3-9`, `src/a.rs#L3`, `src/a.rs` at line 3.

use std::ops::Range;

use super::claim::{Claim, What};
use crate::facts::Language;

const EDGES: [char; 10] = [' ', '`', '(', ')', ',', ';', '[', ']', '*', '"'];

/// A text as a path with lines, if it looks like one.
pub(super) fn parse(text: &str) -> Option<(String, Option<(u32, u32)>)> {
    let cut = text.split_once([':', '#']);
    let (path, lines) = match cut.map(|(path, rest)| (path, lines(rest))) {
        Some((path, Some(lines))) => (path, Some(lines)),
        _ => (text, None),
    };
    let is_sign = |c: char| c.is_alphanumeric() || "._-/@+[]()".contains(c);
    if path.is_empty() || !path.chars().all(is_sign) || path.contains("//") {
        return None;
    }
    let is_path = has_ending(path) && path.chars().any(char::is_alphabetic) || path.contains('/');
    let path = path.trim_start_matches("./").trim_end_matches('/');
    // `.ts` and `.test.ts` are endings.
    let is_ending = path.starts_with('.') && !path.contains('/');
    (is_path && !is_ending && !path.is_empty()).then(|| (path.to_owned(), lines))
}

fn has_ending(path: &str) -> bool {
    Language::of(path) != Language::Other || path.ends_with(".lock") || path.ends_with(".mod")
}

/// `3`, `L3`, `3-9`, `L3-L9`, `3:5`: the first and the last line.
fn lines(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once(['-', '–', '—']).unwrap_or((text, text));
    let number = |text: &str| {
        let digits = text.trim_start_matches(['L', 'l']);
        // Behind a second colon is a column.
        let digits = digits.split([':', 'C']).next().unwrap_or(digits);
        let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
        // One that is too large for a number is behind the end of every file.
        is_number.then(|| digits.parse::<u32>().unwrap_or(u32::MAX))
    };
    Some((number(first)?, number(last)?))
}

/// The path in a code span, with a line that stands behind it; `end` is where its backtick is.
pub(super) fn in_code(unit: &str, place: Range<usize>, end: usize) -> Option<Claim> {
    let text = unit.get(place.clone())?;
    let (path, lines) = parse(text)?;
    let is_folder = text.ends_with('/');
    let behind = match lines {
        None => behind(unit.get(end + 1..).unwrap_or_default()),
        Some(_) => None,
    };
    let place = match behind {
        Some((_, length)) => place.start..end + 1 + length,
        None => place,
    };
    Some(Claim {
        place,
        what: What::Path {
            path,
            lines: lines.or(behind.map(|(lines, _)| lines)),
            is_open: behind.is_some(),
            is_bare: false,
            is_folder,
        },
    })
}

/// Lines that stand behind a path, and how long that is: `:3`, ` line 3`, ` at line 3`, `, lines 3-9`.
fn behind(text: &str) -> Option<((u32, u32), usize)> {
    const WORDS: [&str; 10] = [
        ":", " line ", " lines ", " at line ", " at lines ", " on line ", " on lines ", ", line ",
        ", lines ", " (line ",
    ];
    let lower = text.to_ascii_lowercase();
    let word = WORDS.into_iter().find(|word| lower.starts_with(word))?;
    let rest = text.get(word.len()..)?;
    let is_sign = |c: char| !(c.is_ascii_digit() || "L-–".contains(c));
    let length = rest.find(is_sign).unwrap_or(rest.len());
    let numbers = rest.get(..length)?.trim_end_matches(['-', '–']);
    let mut length = word.len() + numbers.len();
    if word.contains('(') {
        length += usize::from(text.get(length..)?.starts_with(')'));
    }
    Some((lines(numbers)?, length))
}

/// Paths outside of code: with a line, or with a folder and the ending of a language.
pub(super) fn bare(unit: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut at = 0;
    for (number, piece) in unit.split('`').enumerate() {
        if number % 2 == 0 {
            found.extend(words(piece, at));
        }
        at += piece.len() + 1;
    }
    found
}

/// Whether names of products or an address without its scheme look like a path: `Vue.js/React.js`, `example.com/a.js`.
fn is_joined(word: &str) -> bool {
    let first = word.trim_start_matches("./").split('/').next();
    first.is_some_and(|it| it.trim_start_matches('.').contains('.'))
}

/// Paths among words that begin at a place.
pub(super) fn words(text: &str, start: usize) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut at = start;
    for piece in text.split_inclusive(EDGES) {
        let word = piece.trim_end_matches(EDGES).trim_end_matches('.');
        let word = word.trim_end_matches([':', '!', '?']);
        let parsed = parse(word).filter(|_| !word.contains("://"));
        if let Some((path, lines)) = parsed
            && (lines.is_some() || word.contains('/') && has_ending(word) && !is_joined(word))
        {
            found.push(Claim {
                place: at..at + word.len(),
                what: What::Path {
                    path,
                    lines,
                    is_open: false,
                    is_bare: true,
                    is_folder: false,
                },
            });
        }
        at += piece.len();
    }
    found
}
