//! Definitions that have certain words: which functions, types and places of code a model reads, the best first.
//!
//! A word counts in the path of a file, in the name of a definition, and in its text; definitions of files that many others import
//! count more. Short files are shown whole. How much is looked through is bounded by sizes and numbers, so the same files give
//! the same text.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::{pieces::Pieces, text_of};
use crate::{
    agent::AgentContext,
    facts::{File, Lookup, SymbolKind},
};

/// A file with no more lines is shown whole.
pub(super) const SHORT: u32 = 60;

/// A definition with more lines is too much around a line.
const LARGE: u32 = 120;

/// How many lines make a place that is in no definition.
const PLACE: u32 = 12;

/// How many files, and how much of them, is looked through.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: u64 = 32 << 20;

/// How many lines with words count in a file.
const MOST_HITS: usize = 2_000;

/// How many of the best are tried.
const MOST_TRIED: usize = 400;

/// Lines of a file that fit some words.
struct Fit<'c> {
    file: &'c File,
    first: u32,
    last: u32,
    score: usize,
}

/// Definitions that fit the words best, within the room.
pub(crate) fn definitions(words: &[&str], context: &AgentContext, room: usize) -> String {
    besides(&BTreeSet::new(), words, context, room)
}

/// The same without files that were shown already.
pub(crate) fn besides(
    shown: &BTreeSet<&str>,
    words: &[&str],
    context: &AgentContext,
    room: usize,
) -> String {
    let mut pieces = Pieces::new(context, room.saturating_sub(20));
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    for fit in fits(words, context).iter().take(MOST_TRIED) {
        // Not all of one file, as long as others fit too.
        let count = taken.entry(&fit.file.path).or_default();
        if *count < 8
            && !shown.contains(&*fit.file.path)
            && pieces.add(fit.file, fit.first, fit.last)
        {
            *count += 1;
        }
    }
    pieces.render("Code")
}

fn fits<'c>(words: &[&str], context: &'c AgentContext) -> Vec<Fit<'c>> {
    let lookup = Lookup::new(&context.facts);
    let files = context.facts.files.iter();
    let files = files.filter(|it| it.language.is_code() && !it.test);
    let mut left = MOST_BYTES;
    let mut found = Vec::new();
    for file in files.take(MOST_FILES) {
        if file.bytes > left {
            continue;
        }
        left -= file.bytes;
        if let Some(text) = text_of(context, file) {
            let importers = lookup.importers(&file.path).count().min(8);
            found.extend(of_file(words, file, &text, importers / 2));
        }
    }
    found.sort_by_key(|it| (Reverse(it.score), &it.file.path, it.first));
    found
}

/// The definitions and places of a file that have words.
fn of_file<'c>(words: &[&str], file: &'c File, text: &str, base: usize) -> Vec<Fit<'c>> {
    let path = file.path.to_lowercase();
    let in_path = words.iter().filter(|word| path.contains(**word)).count();
    let is_short = file.lines <= SHORT;
    let mut hits: BTreeMap<(u32, u32), (BTreeSet<usize>, usize)> = BTreeMap::new();
    if is_short && in_path > 0 {
        hits.insert((1, file.lines), Default::default());
    }
    let mut count = 0;
    for (number, line) in (1_u32..).zip(text.lines()) {
        let line = line.to_lowercase();
        let mut has = (0..)
            .zip(words)
            .filter(|(_, word)| line.contains(**word))
            .peekable();
        if has.peek().is_none() || count >= MOST_HITS {
            continue;
        }
        count += 1;
        let place = match is_short {
            true => (1, file.lines),
            false => around(file, number),
        };
        let (which, often) = hits.entry(place).or_default();
        which.extend(has.map(|(word, _)| word));
        *often += 1;
    }
    let named = |first: u32, last: u32| {
        let mut symbols = file
            .symbols
            .iter()
            .filter(|it| first <= it.line && it.line <= last);
        symbols.any(|it| {
            let name = it.name.to_lowercase();
            words.iter().any(|word| name.contains(word))
        })
    };
    let all = hits.into_iter();
    all.map(|((first, last), (which, often))| Fit {
        file,
        first,
        last,
        score: base
            + which.len() * 4
            + often.min(5)
            + in_path * 2
            + 6 * usize::from(named(first, last)),
    })
    .collect()
}

/// The smallest definition around a line, or the place that it is in.
fn around(file: &File, line: u32) -> (u32, u32) {
    let symbols = file.symbols.iter().filter(|it| {
        let is_inside = it.line <= line && line <= it.end;
        is_inside && it.kind != SymbolKind::Module && it.end - it.line < LARGE
    });
    let smallest = symbols.min_by_key(|it| it.end - it.line);
    smallest.map_or_else(
        || {
            let first = (line - 1) / PLACE * PLACE + 1;
            (first, first + PLACE - 1)
        },
        |it| (it.line, it.end),
    )
}
