//! Types between a name and its value: which part of a declaration is the name, and what is a type and no value.

use super::word::word;

/// Types that texts have, in several languages.
const TYPES: [&str; 26] = [
    "string", "String", "str", "Str", "&str", "char", "bytes", "byte", "text", "Text", "int",
    "any", "Any", "object", "Optional", "Option", "SecretString", "SecretStr", "Secret",
    "NSString", "wstring", "bool", "boolean", "u8", "number", "unknown",
];

/// Types that hold another one.
const GENERIC: [&str; 12] = [
    "Option", "Optional", "Vec", "Box", "Arc", "Cow", "Final", "List", "Array", "Secret",
    "Promise", "Result",
];

/// Words of a type that a blank may follow.
const PREFIXES: [&str; 6] = ["mut", "const", "dyn", "readonly", "static", "impl"];

/// Whether what stands where a value could be is a type.
pub(super) fn is_type(word: &str) -> bool {
    let bare = word.trim_end_matches([',', ';', ')', '{', '?']);
    let bare = bare.trim_start_matches(['&', '*']);
    let bare = bare.strip_prefix("'static").unwrap_or(bare).trim_start();
    let head = bare.split(['<', '[']).next().unwrap_or_default();
    let is_generic = bare.ends_with(['>', ']']) && GENERIC.contains(&head);
    TYPES.contains(&bare) || bare.is_empty() && word.starts_with('&') || is_generic
}

/// Whether what follows a colon is a type and then a value, as in `: &str = "…"`.
pub(super) fn is_typed(rest: &str) -> bool {
    let line = rest.get(..rest.len().min(200)).unwrap_or(rest);
    let line = line.split('\n').next().unwrap_or_default();
    let Some((kind, value)) = line.split_once('=') else {
        return false;
    };
    if value.starts_with(['=', '>']) || !looks_like_type(kind) {
        return false;
    }
    let bare = value.trim_start_matches([' ', '\t']);
    let is_quoted = bare.starts_with(['"', '\'', '`']);
    // Without blanks around it, it may be the end of a value in base 64.
    let is_apart = kind.ends_with(' ') && value.len() > bare.len() && !bare.is_empty();
    is_quoted || is_apart
}

/// The names that a declaration or an assignment may be about: in `x["name"]`, in front of a type, or alone.
pub(super) fn subjects(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_end_matches([' ', '\t']);
    let all = [
        indexed(line),
        described(line),
        before_type(line),
        word(line),
    ];
    all.into_iter().flatten()
}

/// `name: Type`.
fn described(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    // From the right; `::` is a path.
    let is_path =
        |at: usize| at > 0 && bytes.get(at - 1) == Some(&b':') || bytes.get(at + 1) == Some(&b':');
    let mut colons = line.rmatch_indices(':').map(|(at, _)| at);
    let at = colons.find(|at| !is_path(*at))?;
    let (name, kind) = (line.get(..at)?, line.get(at + 1..)?);
    let name = name.trim_end_matches([' ', '\t']);
    let name = name.trim_end_matches(['?', '!']);
    looks_like_type(kind).then(|| word(name)).flatten()
}

/// `name string`, as in Go.
fn before_type(line: &str) -> Option<&str> {
    let last = line.rsplit([' ', '\t']).next()?;
    let ahead = line.strip_suffix(last)?.trim_end_matches([' ', '\t']);
    let kind = last.trim_start_matches(['*', '[', ']']);
    TYPES.contains(&kind).then(|| word(ahead)).flatten()
}

/// The name in `x["name"]`, or in front of `[8]`.
pub(super) fn indexed(line: &str) -> Option<&str> {
    let (head, inside) = line.strip_suffix(']')?.rsplit_once('[')?;
    let quote = inside.chars().next().filter(|c| "\"'`".contains(*c));
    match quote {
        Some(quote) => inside.strip_prefix(quote)?.strip_suffix(quote),
        None => word(head),
    }
}

/// Whether a text is a type: words and signs, and no blanks but those that types have.
fn looks_like_type(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "_&'*<>[](),.:?|; ".contains(c);
    if text.is_empty() || !text.chars().all(is_sign) {
        return false;
    }
    let is_apart = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let is_sized = |word: &str| {
        let size = word.strip_prefix(['u', 'i', 'f']).unwrap_or_default();
        ["8", "16", "32", "64", "128"].contains(&size)
    };
    let odd = |word: &str| has_digit(word) && !is_number(word) && !is_sized(word);
    if text.split(is_apart).any(odd) {
        return false;
    }
    let pieces: Vec<&str> = text.split(' ').collect();
    pieces.windows(2).all(|pair| match pair {
        [one, next] => {
            one.ends_with([',', '|', ';', '&'])
                || next.starts_with(['|', '<', '[', '?', '*'])
                || one.starts_with("&'")
                || PREFIXES.contains(&one.trim_start_matches(['&', '*']))
        }
        _ => true,
    })
}
