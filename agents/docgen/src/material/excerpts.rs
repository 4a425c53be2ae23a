//! Which parts of which files a model reads: those that have certain words, the best first.
//!
//! A word counts in the path of a file, in the names of its symbols, and in what it says. Short files are shown whole, and
//! of long ones the places that have the words. How much is looked through is bounded by sizes and numbers, so the same
//! files give the same excerpts.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{lines, text_of};
use crate::{agent::AgentContext, facts::File, inert};

/// How many lines of a file an excerpt has.
const LINES: usize = 60;

/// How many lines around a place are shown.
const AROUND: usize = 6;

/// How many files, and how much of them, is looked through.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: u64 = 32 << 20;

/// How many of the best files are tried.
const MOST_TRIED: usize = 200;

/// How often a word counts in one file.
const MOST_COUNTED: usize = 5;

/// Files that fit the words best, with line numbers, within the room.
pub(crate) fn excerpts(words: &[&str], context: &AgentContext, room: usize) -> String {
    besides(&BTreeSet::new(), words, context, room)
}

/// The same without files that were shown already.
pub(crate) fn besides(
    shown: &BTreeSet<&str>,
    words: &[&str],
    context: &AgentContext,
    room: usize,
) -> String {
    let mut text = String::from("\n# Excerpts\n");
    let files = chosen(words, context).into_iter();
    let files = files.filter(|file| !shown.contains(&*file.path));
    for file in files.take(MOST_TRIED) {
        let Some(shown) = excerpt(words, context, file) else {
            continue;
        };
        // A shorter one behind it may still fit.
        if text.len() + shown.len() <= room {
            text.push_str(&shown);
        }
    }
    text
}

/// Files with the words, the best first.
fn chosen<'a>(words: &[&str], context: &'a AgentContext) -> Vec<&'a File> {
    let code = context.facts.files.iter();
    let code = code.filter(|it| it.language.is_code() && !it.test);
    let mut left = MOST_BYTES;
    let mut scored: Vec<(usize, &File)> = Vec::new();
    for (number, file) in code.enumerate() {
        let mut score = named(words, file);
        if number < MOST_FILES && file.bytes <= left {
            left -= file.bytes;
            score += said(words, context, file);
        }
        if score > 0 {
            scored.push((score, file));
        }
    }
    scored.sort_by_key(|(score, file)| (std::cmp::Reverse(*score), &file.path));
    scored.into_iter().map(|(_, file)| file).collect()
}

/// How well its path and its symbols fit.
fn named(words: &[&str], file: &File) -> usize {
    let path = file.path.to_lowercase();
    let in_path = words.iter().filter(|word| path.contains(**word)).count();
    let symbols = file.symbols.iter().filter(|symbol| {
        let name = symbol.name.to_lowercase();
        words.iter().any(|word| name.contains(word))
    });
    in_path * 5 + symbols.count().min(20)
}

/// How well what it says fits: each word counts, and often a little more than once.
fn said(words: &[&str], context: &AgentContext, file: &File) -> usize {
    let Some(text) = text_of(context, file) else {
        return 0;
    };
    let text = text.to_lowercase();
    let counts = words
        .iter()
        .map(|word| text.matches(word).take(MOST_COUNTED).count());
    counts
        .map(|count| if count > 0 { count + 2 } else { 0 })
        .sum()
}

/// The lines of a file that are shown.
fn excerpt(words: &[&str], context: &AgentContext, file: &File) -> Option<String> {
    let all = lines(context, &file.path, 1, usize::MAX)?;
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    if all.len() > LINES {
        for (number, line) in &all {
            let line = line.to_lowercase();
            if wanted.len() < LINES && words.iter().any(|word| line.contains(word)) {
                wanted.extend(number.saturating_sub(AROUND)..=number + AROUND);
            }
        }
    }
    let is_whole = wanted.is_empty();
    let mut text = format!("\n## {}\n", inert::line(&file.path));
    let shown = all
        .iter()
        .filter(|(number, _)| is_whole || wanted.contains(number));
    let mut last = 0;
    for (number, line) in shown.take(LINES) {
        if last > 0 && *number > last + 1 {
            text.push_str("      ...\n");
        }
        last = *number;
        let _written = writeln!(text, "{number:>5} {line}");
    }
    Some(text)
}
