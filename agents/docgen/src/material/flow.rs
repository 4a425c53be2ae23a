//! Definitions that are reached from the entry points, in the order in which they are.
//!
//! A definition reaches another one whose name it has, if that is in the same file, in a file that this one imports, or the only
//! one of its name. Names are compared, not types, so that a name may lead to another definition that is called the same.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, VecDeque},
};

use super::{definitions::SHORT, pieces::Pieces};
use crate::{
    agent::AgentContext,
    facts::{File, Lookup, Symbol, SymbolKind},
};

/// The most definitions that are followed.
const MOST: usize = 400;

/// The most names of a definition that are followed.
const MOST_NAMES: usize = 60;

/// How many of the most imported files are begun with where no entry point says what happens first.
const LIBRARY: usize = 5;

/// What an entry point reaches, within the room.
pub(super) fn flow(context: &AgentContext, room: usize) -> String {
    let facts = &context.facts;
    let lookup = Lookup::new(facts);
    let mut pieces = Pieces::new(context, room.saturating_sub(60));
    let mut left: VecDeque<(&File, u32, u32)> = VecDeque::new();
    for entry in facts.entry_points.iter().filter(|it| it.kind != "library") {
        let Some(file) = facts.file(&entry.path) else {
            continue;
        };
        let own = file.symbols.iter().find(|it| it.line == entry.line);
        left.push_back(match own {
            Some(symbol) => (file, symbol.line, symbol.end),
            None => (file, entry.line, entry.line.saturating_add(SHORT)),
        });
    }
    left.extend(library(context, &lookup));
    let mut seen: BTreeSet<(&str, u32)> = BTreeSet::new();
    let mut count = 0;
    while let Some((file, first, last)) = left.pop_front() {
        if count >= MOST || !seen.insert((&file.path, first)) {
            continue;
        }
        count += 1;
        if !pieces.add(file, first, last) {
            continue;
        }
        let text = pieces.text(file);
        let skip = usize::try_from(first).unwrap_or(1).saturating_sub(1);
        let take = usize::try_from(last.saturating_sub(first)).unwrap_or(0) + 1;
        let mut names: Vec<&str> = Vec::new();
        let is_sign = |c: char| c.is_alphanumeric() || c == '_';
        for line in text.iter().skip(skip).take(take) {
            let words = line.split(|c| !is_sign(c)).filter(|it| it.len() > 2);
            for word in words {
                if names.len() < MOST_NAMES && !names.contains(&word) {
                    names.push(word);
                }
            }
        }
        let next = names.iter().filter_map(|name| reached(name, file, &lookup));
        left.extend(next.map(|(file, it)| (file, it.line, it.end)));
    }
    pieces.render("Code, from the entry points on")
}

/// The public functions of the most imported files, of which users of a library call the first ones.
fn library<'c>(
    context: &'c AgentContext,
    lookup: &Lookup<'c>,
) -> impl Iterator<Item = (&'c File, u32, u32)> + use<'c> {
    let files = context.facts.files.iter();
    let files = files.filter(|it| it.language.is_code() && !it.test);
    let mut files: Vec<(usize, &File)> = files
        .map(|it| (lookup.importers(&it.path).count(), it))
        .collect();
    files.sort_by_key(|(importers, file)| (Reverse(*importers), &file.path));
    files.into_iter().take(LIBRARY).flat_map(|(_, file)| {
        let symbols = file.symbols.iter().filter(|it| it.public && is_called(it));
        symbols.take(LIBRARY).map(move |it| (file, it.line, it.end))
    })
}

fn is_called(symbol: &Symbol) -> bool {
    matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method)
}

/// The definition that a name in a file most likely means.
fn reached<'c>(name: &str, from: &File, lookup: &Lookup<'c>) -> Option<(&'c File, &'c Symbol)> {
    let all = lookup.symbol(name);
    let mut fits = all
        .iter()
        .filter(|(file, symbol)| !file.test && is_called(symbol))
        .copied();
    let near = fits.clone().find(|(file, _)| file.path == from.path);
    let is_imported = |path: &str| {
        let mut imports = from.imports.iter();
        imports.any(|it| it.file.as_deref() == Some(path) && !it.types_only)
    };
    let imported = || fits.clone().find(|(file, _)| is_imported(&file.path));
    near.or_else(imported).or_else(|| {
        let first = fits.next()?;
        fits.next().is_none().then_some(first)
    })
}
