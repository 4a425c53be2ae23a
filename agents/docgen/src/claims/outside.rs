//! Whether a type has more than the code base shows: what it extends from outside, and what decorators and macros add to it.

use std::collections::BTreeSet;

use crate::facts::{File, Language, Lookup, Symbol, SymbolKind, has_word};

/// Types that languages bring along, which extend nothing of a code base.
const BUILTIN: [&str; 30] = [
    "ABC", "ArithmeticError", "AttributeError", "BaseException", "Component", "Enum", "Error",
    "EventEmitter", "Exception", "Flag", "Generic", "HTMLElement", "IOError", "IntEnum",
    "KeyError", "LookupError", "NamedTuple", "OSError", "Object", "Protocol", "RuntimeError",
    "StrEnum", "Thread", "TypeError", "TypedDict", "UserDict", "ValueError", "dict", "object",
    "str",
];

/// Types to extend which brings nothing that has a name of its own.
const EMPTY: [&str; 3] = ["Generic", "Protocol", "object"];

/// Decorators and derives that add no method with a name of its own.
const PLAIN: [&str; 36] = [
    "AsRef", "Clone", "Copy", "Debug", "Default", "Deprecated", "Deserialize", "Display", "Drop",
    "Eq", "Error", "From", "FromStr", "FunctionalInterface", "Hash", "IntoIterator", "Ord",
    "Override", "PartialEq", "PartialOrd", "Send", "Serialize", "SuppressWarnings", "Sync",
    "TryFrom", "allow", "cfg", "dataclass", "derive", "doc", "final", "must_use", "non_exhaustive",
    "overload", "runtime_checkable", "serde",
];

pub(super) fn is_type(symbol: &Symbol) -> bool {
    matches!(
        symbol.kind,
        SymbolKind::Type | SymbolKind::Interface | SymbolKind::Enum
    )
}

/// Whether the definitions of a language say all that a type extends.
fn says_bases(file: &File) -> bool {
    matches!(
        file.language,
        Language::Python
            | Language::TypeScript
            | Language::Tsx
            | Language::JavaScript
            | Language::Java
    )
}

/// The last part of a name: `Signer` of `pkg.Signer`.
pub(super) fn last(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

/// The types of a name.
pub(super) fn named<'a>(name: &str, lookup: &Lookup<'a>) -> Vec<(&'a File, &'a Symbol)> {
    let all = lookup.symbol(last(name)).iter();
    all.filter(|(_, it)| is_type(it)).copied().collect()
}

/// The types of a name, if all of them are in languages that say what they extend.
pub(super) fn types<'a>(name: &str, lookup: &Lookup<'a>) -> Option<Vec<(&'a File, &'a Symbol)>> {
    let all = named(name, lookup);
    let is_sure = !all.is_empty() && all.iter().all(|(file, _)| says_bases(file));
    is_sure.then_some(all)
}

/// What a type extends, through others too.
#[derive(Debug, Default)]
pub(super) struct Ancestors {
    pub(super) names: BTreeSet<String>,
    /// Some of it is from outside.
    pub(super) is_foreign: bool,
    /// Some of it may be another name of something else.
    pub(super) is_unsure: bool,
}

pub(super) fn ancestors(name: &str, lookup: &Lookup<'_>) -> Option<Ancestors> {
    let bases = |all: &[(&File, &Symbol)]| -> Vec<String> {
        all.iter().flat_map(|(_, it)| it.bases.clone()).collect()
    };
    let mut found = Ancestors::default();
    let mut left = bases(&types(name, lookup)?);
    while let Some(base) = left.pop() {
        if !found.names.insert(base.clone()) {
            continue;
        }
        match types(&base, lookup) {
            Some(all) => left.extend(bases(&all)),
            None if EMPTY.contains(&&*base) => {}
            None => {
                found.is_foreign = true;
                found.is_unsure |= !is_outside(&base, lookup);
            }
        }
    }
    Some(found)
}

/// Whether a name is that of a type from outside, and no other name of one of the code base.
pub(super) fn is_outside(name: &str, lookup: &Lookup<'_>) -> bool {
    if BUILTIN.contains(&name) {
        return true;
    }
    let renamed = format!(" as {name}");
    let code = lookup.facts.files.iter();
    let mut code = code.filter(|it| it.language.is_code());
    let is_alias = |line: &str| {
        let is_assigned = line.split(name).skip(1).any(|rest| {
            let rest = rest.trim_start();
            rest.starts_with('=') || rest.starts_with(": TypeAlias")
        });
        has_word(line, name) && (is_assigned || line.contains(&renamed))
    };
    lookup.symbol(name).is_empty()
        && lookup.in_imports(name)
        && !code.any(|file| lookup.reads(file, is_alias))
}

/// Whether all that a type has is written in the code base: nothing is inherited from outside, and no decorator, macro or
/// dynamic access adds to it.
pub(super) fn is_closed(name: &str, lookup: &Lookup<'_>) -> bool {
    let own = named(name, lookup);
    let name = last(name);
    let is_rust = |file: &File| file.language == Language::Rust;
    let inherited = match ancestors(name, lookup) {
        Some(it) if it.is_foreign => return false,
        Some(it) => it.names,
        None if own.iter().all(|(file, _)| is_rust(file)) && !has_foreign_traits(name, lookup) => {
            BTreeSet::new()
        }
        None => return false,
    };
    let more = inherited.iter().flat_map(|it| named(it, lookup));
    let mut all = own.iter().copied().chain(more);
    !own.is_empty() && all.all(|(file, it)| is_plain(file, it, lookup))
}

/// Whether a type of Rust implements traits from outside that have methods of their own.
fn has_foreign_traits(name: &str, lookup: &Lookup<'_>) -> bool {
    let is_foreign = |line: &str| {
        let Some(rest) = line.trim_start().strip_prefix("impl") else {
            return false;
        };
        let rest = plain(rest);
        let Some((head, of)) = rest.split_once(" for ") else {
            return false;
        };
        let of = of.split([' ', '{']).next().unwrap_or_default();
        let of_trait = last(head.trim().rsplit(' ').next().unwrap_or_default());
        let is_own = lookup.symbol(of_trait).iter().any(|(_, it)| is_type(it));
        last(of) == name && !is_own && !PLAIN.contains(&of_trait)
    };
    let mut files = lookup.facts.files.iter();
    files.any(|file| file.language == Language::Rust && lookup.reads(file, is_foreign))
}

/// A line without its type arguments.
fn plain(line: &str) -> String {
    let mut depth = 0_u32;
    let outside = line.chars().filter(|c| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    outside.collect()
}

/// Whether nothing adds to a type but what is written in it.
fn is_plain(file: &File, symbol: &Symbol, lookup: &Lookup<'_>) -> bool {
    const DYNAMIC: [&str; 5] = [
        "__getattr__", "__getattribute__", "setattr", "metaclass", "Proxy",
    ];
    let Some(source) = lookup.source(file) else {
        return false;
    };
    let at = usize::try_from(symbol.line).unwrap_or(usize::MAX);
    let before: Vec<&str> = source.lines().take(at).collect();
    let marks = before.iter().rev().skip(1);
    let mut marks = marks.take_while(|it| it.trim_start().starts_with(['@', '#', '/', '*']));
    let is_known = |line: &&str| {
        let line = line.trim_start();
        let is_mark = line.starts_with('@') || line.starts_with("#[");
        let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        !is_mark
            || words
                .filter(|it| !it.is_empty())
                .any(|it| PLAIN.contains(&it))
    };
    let is_derived = |line: &&str| {
        let inside = line.trim_start().strip_prefix("#[derive(");
        let mut names = inside.unwrap_or_default().split([',', ')', ']', ' ']);
        names.all(|it| it.is_empty() || PLAIN.contains(&last(it)))
    };
    marks.all(|line| is_known(line) && is_derived(line))
        && !DYNAMIC
            .iter()
            .any(|it| source.has(it, symbol.line, symbol.end))
}
