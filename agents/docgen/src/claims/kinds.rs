//! What kind of definition a sentence says that a name is: `the class X`, `the X class`, `X is a class`.

use std::ops::Range;

use super::{mood::words, spans::around, verdict::Verdict};
use crate::facts::{Lookup, SymbolKind};

/// What a definition is, as far as languages agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Called,
    Type,
}

impl Kind {
    fn of(word: &str) -> Option<Self> {
        match word {
            "function" | "method" | "macro" => Some(Self::Called),
            "struct" | "class" | "enum" | "type" | "trait" | "interface" => Some(Self::Type),
            _ => None,
        }
    }

    fn of_symbol(kind: SymbolKind) -> Option<Self> {
        match kind {
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => Some(Self::Called),
            SymbolKind::Type | SymbolKind::Enum | SymbolKind::Interface | SymbolKind::Alias => {
                Some(Self::Type)
            }
            _ => None,
        }
    }
}

/// Words for kinds of definitions.
pub(super) const KIND_WORDS: &[&str] = &[
    "function", "functions", "method", "methods", "struct", "structs", "class", "classes", "trait",
    "traits", "interface", "interfaces", "enum", "enums", "type", "types", "macro", "constant",
    "module",
];

/// Words between `is a` and the kind that leave it what it is.
const ADJECTIVES: &[&str] = &[
    "public", "private", "exported", "async", "abstract", "generic", "simple", "small", "pure",
    "static", "plain", "new", "single", "main", "central", "core",
];

/// Words behind `the X class` or `is a class`, after which the kind is what was said and no part of another word.
const AFTER: &[&str] = &[
    "is", "in", "at", "has", "of", "that", "which", "and", "with", "from", "for", "to", "on", "by",
    "defined", "declared", "where", "whose",
];

/// Whether the word before or behind a code span is one for a kind.
pub(super) fn has_kind(unit: &str, span: &Range<usize>) -> bool {
    let (before, after) = around(unit, span);
    let last = before.trim_end().rsplit(' ').next().unwrap_or_default();
    let next = after
        .trim_start()
        .split([' ', ',', '.', ';', ')'])
        .next()
        .unwrap_or_default();
    KIND_WORDS.contains(&last) || KIND_WORDS.contains(&next)
}

/// The kind that a sentence says of what is in a code span.
pub(super) fn said(unit: &str, span: &Range<usize>) -> Option<Kind> {
    let (before, after) = around(unit, span);
    let last = before.trim_end().rsplit(' ').next().unwrap_or_default();
    Kind::of(last).or_else(|| behind(last, &after))
}

/// The kind in the words behind a name; `last` is the word before it.
fn behind(last: &str, after: &str) -> Option<Kind> {
    let clause = after.split([',', ';', ':', '(', '`', '|']).next()?;
    let is_before_code = after.get(clause.len()..)?.starts_with('`');
    let words = words(clause);
    let mut words = words.iter().map(String::as_str).peekable();
    let is_stated = words.next_if_eq(&"is").is_some();
    match is_stated {
        true => {
            words.next_if(|it| ["a", "an", "the"].contains(it))?;
            while words.next_if(|it| ADJECTIVES.contains(it)).is_some() {}
        }
        false if ["the", "this"].contains(&last) => {}
        false => return None,
    }
    let word = words.next()?;
    let kind = Kind::of(word)?;
    let is_noun = match words.next() {
        // The `X` method `y` is about `y`.
        None => !is_before_code,
        // A type of something is a sort of it.
        Some("of") => word != "type",
        Some(next) if is_stated => AFTER.contains(&next),
        Some(next) => AFTER.contains(&next) || next.ends_with('s') && !KIND_WORDS.contains(&next),
    };
    is_noun.then_some(kind)
}

/// A function that is called a type, or the other way round; nothing if any definition of that name fits.
pub(super) fn wrong(name: &str, said: Option<Kind>, lookup: &Lookup<'_>) -> Option<Verdict> {
    let said = said?;
    let all = lookup.symbol(name);
    let (_, first) = all.first()?;
    let is_other = |kind: SymbolKind| Kind::of_symbol(kind).is_some_and(|kind| kind != said);
    all.iter()
        .all(|(_, symbol)| is_other(symbol.kind))
        .then(|| Verdict::Wrong {
            why: format!("{name} is a {}", first.kind.as_str()),
            now: None,
        })
}
