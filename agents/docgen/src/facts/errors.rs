//! Types of errors: by name, and by what they are derived from.

use std::collections::BTreeSet;

use super::{Facts, File, Language, Symbol, SymbolKind};

/// The types of errors of a code base, and error values of Go, in the order of their places.
pub(crate) fn error_types(facts: &Facts) -> Vec<(&File, &Symbol)> {
    let all = facts.files.iter().flat_map(|file| {
        let own = file.symbols.iter();
        own.map(move |symbol| (file, symbol))
    });
    let is_type = |symbol: &Symbol| matches!(symbol.kind, SymbolKind::Type | SymbolKind::Enum);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let derived: Vec<&Symbol> = all
        .clone()
        .map(|(_, symbol)| symbol)
        .filter(|it| is_type(it) && !it.bases.is_empty())
        .collect();
    // One level more each time; there are no more levels than types.
    loop {
        let before = names.len();
        for symbol in &derived {
            let is_error = |base: &String| has_name(base) || names.contains(&**base);
            if symbol.bases.iter().any(is_error) {
                names.insert(&symbol.name);
            }
        }
        if names.len() == before {
            break;
        }
    }
    let is_error = |file: &File, symbol: &Symbol| {
        is_type(symbol) && (has_name(&symbol.name) || names.contains(&*symbol.name))
            || file.language == Language::Go && is_value(symbol)
    };
    all.filter(|(file, symbol)| is_error(file, symbol))
        .collect()
}

fn has_name(name: &str) -> bool {
    name.ends_with("Error") || name.ends_with("Exception") || name == "ErrorKind"
}

/// `ErrNoRows`: what Go calls values of errors.
fn is_value(symbol: &Symbol) -> bool {
    let rest = symbol.name.strip_prefix("Err");
    symbol.kind == SymbolKind::Constant
        && rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
}
