//! Claims in a sentence: what is in backticks, and numbers of things.

use std::ops::Range;

use crate::facts::Language;

/// Something in a sentence that can be checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// Where in the sentence.
    pub(super) place: Range<usize>,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// A file or a folder, and a line.
    Path { path: String, line: Option<u32> },
    /// A name of code, and whether the sentence says that it is defined.
    Symbol { name: String, is_defined: bool },
    /// A name of something from outside, and a version.
    Dependency {
        name: String,
        version: Option<String>,
        is_said: bool,
    },
    /// A number of things.
    Count {
        number: u64,
        noun: String,
        language: Option<String>,
        is_all: bool,
    },
}

const KIND_WORDS: &[&str] = &[
    "function",
    "functions",
    "method",
    "methods",
    "struct",
    "structs",
    "class",
    "classes",
    "trait",
    "traits",
    "interface",
    "enum",
    "type",
    "macro",
    "constant",
    "module",
];

const DEPENDENCY_WORDS: &[&str] = &[
    "depends on",
    "dependency",
    "dependencies",
    "crate",
    "package",
    "library",
    "libraries",
    "framework",
    "packages",
    "crates",
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

/// The claims of a sentence, in order.
pub(super) fn claims(unit: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (at, c) in unit.char_indices() {
        if c != '`' {
            continue;
        }
        match open.take() {
            None => open = Some(at + 1),
            Some(start) if start < at => found.extend(in_code(unit, start..at)),
            Some(_) => {}
        }
    }
    found.extend(bare_paths(unit));
    found.extend(counts(unit));
    found.sort_by_key(|claim| claim.place.start);
    found
}

/// The claim of a piece of code.
fn in_code(unit: &str, place: Range<usize>) -> Option<Claim> {
    let text = unit.get(place.clone())?;
    if text.len() > 200 || text.contains("://") {
        return None;
    }
    if let Some(what) = path(text) {
        return Some(Claim { place, what });
    }
    let before = unit
        .get(..place.start.saturating_sub(1))
        .unwrap_or_default()
        .to_lowercase();
    let after = unit.get(place.end + 1..).unwrap_or_default();
    // `name 1.2.3`, `name@1.2.3`, or a version right behind.
    let (name, inside) = match text.split_once(['@', ' ']) {
        Some((name, version)) if is_version(version) => (name, Some(version)),
        Some(_) => return None,
        None => (text, None),
    };
    let behind = after
        .trim_start()
        .trim_start_matches("version ")
        .trim_start_matches('v');
    let behind: String = behind
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let behind = behind.trim_end_matches('.').to_owned();
    let version = inside.map(|it| it.trim_start_matches('v').to_owned());
    let version = version.or_else(|| is_version(&behind).then_some(behind));
    let last = before.trim_end().rsplit(' ').next().unwrap_or_default();
    let next = after
        .trim_start()
        .split([' ', ',', '.', ';', ')'])
        .next()
        .unwrap_or_default();
    let next = next.to_lowercase();
    let is_said = DEPENDENCY_WORDS
        .iter()
        .any(|word| before.trim_end().ends_with(word) || next == *word);
    if is_dependency_name(name) && (version.is_some() || is_said) {
        let what = What::Dependency {
            name: name.to_owned(),
            version,
            is_said,
        };
        return Some(Claim { place, what });
    }
    let bare = text.trim_end_matches("()").trim_end_matches('!');
    let name = bare.rsplit(['.', ':']).next().unwrap_or(bare);
    if !is_symbol(bare) || name.is_empty() {
        return None;
    }
    let is_defined =
        KIND_WORDS.contains(&last) || KIND_WORDS.contains(&&*next) || text.ends_with("()");
    let what = What::Symbol {
        name: name.to_owned(),
        is_defined,
    };
    Some(Claim { place, what })
}

/// A text as a path with a line, if it looks like one.
fn path(text: &str) -> Option<What> {
    let (path, line) = match text.rsplit_once([':', '#']) {
        Some((path, line)) => {
            let digits = line.trim_start_matches('L');
            let digits = digits.split(['-', '–']).next().unwrap_or(digits);
            match digits.parse::<u32>() {
                Ok(line) => (path, Some(line)),
                Err(_) => (text, None),
            }
        }
        None => (text, None),
    };
    let is_sign = |c: char| c.is_alphanumeric() || "._-/@+[]()".contains(c);
    if path.is_empty() || !path.chars().all(is_sign) || path.contains("//") {
        return None;
    }
    let has_ending =
        Language::of(path) != Language::Other || path.ends_with(".lock") || path.ends_with(".mod");
    let is_path = has_ending && path.chars().any(char::is_alphabetic) || path.contains('/');
    let path = path.trim_start_matches("./").trim_end_matches('/');
    (is_path && !path.is_empty()).then(|| What::Path {
        path: path.to_owned(),
        line,
    })
}

/// `path:line` outside of code.
fn bare_paths(unit: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut in_code = false;
    let mut at = 0;
    for piece in unit.split_inclusive([' ', '`', '(', ')', ',', ';', '[', ']']) {
        let word = piece.trim_end_matches([' ', '`', '(', ')', ',', ';', '[', ']', '.']);
        if !in_code
            && word.contains(':')
            && let Some(what @ What::Path { line: Some(_), .. }) = path(word)
        {
            found.push(Claim {
                place: at..at + word.len(),
                what,
            });
        }
        if piece.ends_with('`') {
            in_code = !in_code;
        }
        at += piece.len();
    }
    found
}

/// Numbers of things outside of code.
fn counts(unit: &str) -> Vec<Claim> {
    let lower = unit.to_lowercase();
    let is_all = ALL_WORDS.iter().any(|word| lower.contains(word));
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
        let digits = word
            .trim_start_matches(['(', '*', '~'])
            .trim_end_matches('*');
        let plain = digits.replace(',', "");
        let Ok(value) = plain.parse::<u64>() else {
            continue;
        };
        let clean = |at: usize| {
            let word = words.get(at).map_or("", |(_, word)| *word);
            word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '#')
        };
        let (first, second) = (clean(number + 1), clean(number + 2));
        let nouns = [
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
        let (noun, language) = match (nouns.contains(&first), nouns.contains(&second)) {
            (true, _) => (first, None),
            (false, true) => (second, Some(first.to_owned())),
            _ => continue,
        };
        let offset = word.find(digits).unwrap_or(0);
        found.push(Claim {
            place: start + offset..start + offset + digits.len(),
            what: What::Count {
                number: value,
                noun: noun.to_owned(),
                language,
                is_all,
            },
        });
    }
    found
}

fn is_version(text: &str) -> bool {
    let text = text.trim_start_matches('v');
    let mut parts = text.split('.');
    text.contains('.')
        && parts.all(|part| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit()))
}

fn is_dependency_name(name: &str) -> bool {
    let is_sign = |c: char| c.is_alphanumeric() || "-_./@".contains(c);
    (2..100).contains(&name.len())
        && name.chars().all(is_sign)
        && name.starts_with(|c: char| c.is_alphabetic() || c == '@')
}

fn is_symbol(name: &str) -> bool {
    let is_sign = |c: char| c.is_alphanumeric() || "_:.".contains(c);
    (2..150).contains(&name.len())
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(is_sign)
}
