//! Where the facts have a name: definitions, and the lines of manifests that ask for it.

use super::{
    claim::{Claim, What},
    dependencies::is_called,
    places::PlaceClaim,
};
use crate::facts::{File, Lookup, Symbol, SymbolKind};

/// Where a name is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot<'a> {
    pub(super) path: &'a str,
    line: u32,
    end: u32,
}

impl Spot<'_> {
    /// As it is written; of a manifest it may not be known which line asks.
    pub(super) fn place(&self, has_line: bool) -> String {
        match has_line && self.line > 0 {
            true => format!("{}:{}", self.path, self.line),
            false => self.path.to_owned(),
        }
    }
}

/// Where the facts have the name of a claim.
pub(super) fn spots<'a>(claim: &Claim, lookup: &Lookup<'a>) -> Vec<Spot<'a>> {
    let (name, owner) = match &claim.what {
        What::Symbol { name, owner, .. } => (name, owner.as_deref()),
        What::Dependency { name, .. } => (name, None),
        _ => return Vec::new(),
    };
    let is_of = |file: &File, symbol: &Symbol| {
        owner.is_none_or(|owner| match &symbol.of {
            // A value is often called as its type is.
            Some(of) => of.eq_ignore_ascii_case(owner) || ["self", "Self", "this"].contains(&owner),
            None => {
                is_called(&file.path, owner)
                    || ["crate", "self", "super"].contains(&owner)
                    || lookup
                        .facts
                        .components
                        .iter()
                        .any(|it| it.name.replace('-', "_") == owner)
            }
        })
    };
    let symbols = lookup.symbol(name).iter();
    let symbols = symbols.filter(|(file, symbol)| is_of(file, symbol));
    let mut found: Vec<Spot<'a>> = symbols
        .map(|(file, symbol)| Spot {
            path: &file.path,
            line: symbol.line,
            end: symbol.end.max(symbol.line),
        })
        .collect();
    if found.is_empty() && owner.is_none() {
        let asked = lookup.dependency(name).iter().map(|it| Spot {
            path: &it.manifest,
            line: it.line,
            end: it.line,
        });
        found.extend(asked);
    }
    found.dedup();
    found
}

/// Whether a name is at lines of a file, or in the file if there are none.
///
/// It is if it is defined there or the lines have the word. What is said to be defined there must be that, if the
/// facts know where it is defined.
pub(super) fn is_at(
    claim: &Claim,
    said: PlaceClaim,
    spots: &[Spot<'_>],
    file: &File,
    lines: Option<(u32, u32)>,
    lookup: &Lookup<'_>,
) -> bool {
    let (What::Symbol { name, .. } | What::Dependency { name, .. }) = &claim.what else {
        return false;
    };
    // A module is its file.
    let is_file = file
        .path
        .split('/')
        .next_back()
        .is_some_and(|last| is_called(last, name));
    let mut here = spots.iter().filter(|it| it.path == file.path);
    let has = |first: u32, last: u32| {
        lookup
            .source(file)
            .is_some_and(|it| it.has(name, first, last))
    };
    let Some((first, last)) = lines else {
        return is_file || here.next().is_some() || is_said_by(said, name, file, None, lookup);
    };
    let is_inside = first >= 1 && first <= last && last <= file.lines;
    if !is_inside {
        return false;
    }
    if is_file && spots.is_empty() {
        return true;
    }
    let is_strict = said.is_of_name() && !spots.is_empty();
    here.any(|it| match is_strict {
        // Its first line, or one of it that has its name: attributes may be before that.
        true => {
            first <= it.line && it.line <= last
                || it.line <= first && last <= it.end && has(first, last)
        }
        false => first <= it.end && it.line <= last,
    }) || is_file && first == 1
        || !is_strict && has(first, last)
        || is_said_by(said, name, file, Some((first, last)), lookup)
}

/// Whether lines of a file, or the file, have a name that is defined elsewhere in the way the sentence says: as a prototype
/// in a header, as a method of an interface, as a type that is implemented, or just so.
fn is_said_by(
    said: PlaceClaim,
    name: &str,
    file: &File,
    lines: Option<(u32, u32)>,
    lookup: &Lookup<'_>,
) -> bool {
    let (first, last) = lines.unwrap_or((1, u32::MAX));
    let has = |first: u32, last: u32| {
        lookup
            .source(file)
            .is_some_and(|it| it.has(name, first, last))
    };
    let is_import = |line: u32| first <= line && line <= last;
    let mut imports = file.imports.iter();
    let is_imported = lines.is_some() && imports.any(|it| is_import(it.line));
    if !has(first, last) || is_imported && said != PlaceClaim::Stands {
        return false;
    }
    match said {
        PlaceClaim::Stands => true,
        PlaceClaim::Implemented => {
            let mut all = lookup.symbol(name).iter().map(|(_, it)| it.kind);
            all.any(|it| matches!(it, SymbolKind::Type | SymbolKind::Interface))
        }
        PlaceClaim::Declared => {
            let header = [".h", ".hh", ".hpp", ".hxx"];
            let interfaces = file.symbols.iter();
            let mut interfaces = interfaces.filter(|it| it.kind == SymbolKind::Interface);
            header.iter().any(|it| file.path.ends_with(it))
                || interfaces.any(|it| has(first.max(it.line), last.min(it.end)))
        }
        PlaceClaim::Named | PlaceClaim::Placed | PlaceClaim::Defined => false,
    }
}
