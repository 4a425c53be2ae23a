//! Secrets in program text, where more than a separator stands between a name and its value: a type, as in
//! `const API_KEY: &str = "…"`, an index, as in `environ["API_KEY"] = "…"`, a call, as in `setPassword("…")`, or a blank, as in
//! `#define API_KEY "…"`.
//!
//! Only what is in quotes is taken, or a line that has one meaning. Nothing looks further back than a line is long,
//! and nothing further ahead than a secret may be.

use std::ops::Range;

use super::{REDACTED, lines, pair::is_plain, types, word::word, work};

/// How far names are looked back for, on the same line.
const NEAR: usize = 200;

/// The longest text in quotes.
const LONGEST: usize = 4_096;

/// How many pieces a text may be put together of.
const PIECES: usize = 16;

/// Functions that take a name and a value, or a name and what is to be if there is none.
const NAMED: [&str; 20] = [
    "add", "append", "config", "default", "define", "env", "environ", "get", "getenv",
    "getordefault", "getproperty", "header", "insert", "put", "putenv", "set", "setdefault",
    "setenv", "setproperty", "with",
];

/// Functions whose argument is a name and no value.
const LOOKUPS: [&str; 9] = [
    "env", "environ", "get", "getenv", "getproperty", "lookup", "lookupenv", "var", "var_os",
];

/// Names of functions that a token of a language or a page may have too: they take one only if they are said to set it.
const SHARED: [&str; 5] = ["token", "auth", "cookie", "jwt", "bearer"];

/// Adds where values stand whose name is one that secrets have.
pub(super) fn find(text: &str, hides: &dyn Fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    let mut past = 0;
    for (at, byte) in text.bytes().enumerate() {
        if at < past {
            continue;
        }
        let values = match byte {
            b'=' => initial(text, at, hides),
            b'(' => argument(text, at, hides),
            b'{' => braced(text, at, hides),
            b',' => second(text, at, hides),
            b'|' | b'?' => otherwise(text, at, hides),
            _ => None,
        };
        for range in values.into_iter().flatten() {
            past = past.max(range.end);
            let value = text.get(range.clone()).unwrap_or_default();
            if !value.is_empty() && value != REDACTED && !is_plain(value) {
                found.push(range);
            }
        }
    }
    lines::find(text, hides, found);
}

/// The line up to a place, as far as it is near.
fn before(text: &str, at: usize) -> &str {
    let head = text.get(..at).unwrap_or_default();
    let mut from = head.len().saturating_sub(NEAR);
    while !head.is_char_boundary(from) {
        from += 1;
    }
    let near = head.get(from..).unwrap_or_default();
    work::steps(near.len().min(8));
    near.rsplit('\n').next().unwrap_or_default()
}

/// `name: Type = "…"`, `name Type = "…"`, `name[8] = "…"`, `x["name"] = "…"`; and what else belongs to `name = "…" + "…"`.
fn initial(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Vec<Range<usize>>> {
    let rest = text.get(at + 1..)?;
    let line = before(text, at);
    if rest.starts_with(['=', '>']) || line.ends_with(['=', '!', '<', '>', ':', '+', '-']) {
        return None;
    }
    // Most values are not in quotes, which is seen faster than whose they are.
    let values = literals(text, at + 1)?;
    types::subjects(line).any(hides).then_some(values)
}

/// `setPassword("…")`, `.password("…")`.
fn argument(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Vec<Range<usize>>> {
    let value = literal(text, at + 1)?;
    let line = before(text, at);
    let name = word(line).filter(|name| hides(name))?;
    let own = name.rsplit('.').next().unwrap_or(name);
    let lower = own.to_ascii_lowercase();
    let is_set = ["set", "with", "use"]
        .iter()
        .any(|verb| lower.starts_with(verb) && lower.len() > verb.len());
    let is_method = name.contains('.') || line.strip_suffix(name)?.ends_with([':', '>']);
    let is_shared = SHARED.contains(&lower.as_str());
    let asks = [
        "get", "is", "has", "check", "verify", "validate", "parse", "read", "find",
    ]
    .iter()
    .any(|verb| lower.starts_with(verb));
    if asks || !(is_set || is_method) || is_shared && !is_set && !name.starts_with('.') {
        return None;
    }
    fits(text, &value, hides).then(|| vec![value.inside])
}

/// `std::string password{"…"}`.
fn braced(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Vec<Range<usize>>> {
    let value = literal(text, at + 1)?;
    word(before(text, at)).filter(|name| hides(name))?;
    let after = text.get(value.end..)?;
    after
        .trim_start_matches(' ')
        .starts_with('}')
        .then(|| vec![value.inside])
}

/// `getenv("NAME", "…")`, `define('NAME', '…')`, `insert("name", "…")`.
fn second(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Vec<Range<usize>>> {
    let line = before(text, at);
    let quote = line.chars().next_back().filter(|c| "\"'`".contains(*c))?;
    let inside = line.strip_suffix(quote)?;
    let name = word(inside).filter(|name| hides(name))?;
    let call = inside.strip_suffix(name)?.strip_suffix(quote)?;
    let call = call.trim_end_matches(' ').strip_suffix('(')?;
    let function = word(call.trim_end_matches('!'))?;
    let function = function.rsplit('.').next()?.to_ascii_lowercase();
    NAMED.contains(&function.as_str()).then_some(())?;
    let value = literal(text, at + 1)?;
    fits(text, &value, hides).then(|| vec![value.inside])
}

/// `env.NAME || "…"`, `env.NAME ?? "…"`.
fn otherwise(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Vec<Range<usize>>> {
    let rest = text.get(at..)?;
    let _sign = ["||", "??"]
        .into_iter()
        .find(|sign| rest.starts_with(sign))?;
    let line = before(text, at).trim_end_matches([' ', '\t']);
    let name = types::indexed(line).or_else(|| word(line))?;
    hides(name).then_some(())?;
    let value = literal(text, at + 2)?;
    let words = text.get(value.inside.clone())?;
    (!words.contains(' ')).then(|| vec![value.inside])
}

/// A text in quotes.
struct Literal {
    inside: Range<usize>,
    /// Behind its quotes.
    end: usize,
}

/// Whether an argument may be a secret: it is the last one, and no name and no sentence.
fn fits(text: &str, value: &Literal, hides: &dyn Fn(&str) -> bool) -> bool {
    let words = text.get(value.inside.clone()).unwrap_or_default();
    let after = text.get(value.end..).unwrap_or_default();
    let is_last = after.trim_start_matches([' ', ',']).starts_with(')');
    is_last && !words.contains(' ') && !hides(words) && !types::is_type(words)
}

/// The text in quotes that begins here, behind blanks and letters that belong to it.
fn literal(text: &str, at: usize) -> Option<Literal> {
    let rest = text.get(at..)?;
    let bare = rest.trim_start_matches([' ', '\t']);
    let tail = bare.trim_start_matches(|c: char| "rRbBfFuUL@$#".contains(c));
    if bare.len() - tail.len() > 3 {
        return None;
    }
    let mark = ["\"\"\"", "'''", "\"", "'", "`"]
        .into_iter()
        .find(|mark| tail.starts_with(mark))?;
    let start = text.len() - tail.len() + mark.len();
    let mut most = text.len().min(start + LONGEST);
    while !text.is_char_boundary(most) {
        most -= 1;
    }
    let inside = text.get(start..most)?;
    let length = match mark.len() {
        1 => super::extent::closing_on_line(inside, mark).ok()?,
        _ => inside.find(mark)?,
    };
    work::steps(length);
    let end = start + length;
    Some(Literal {
        inside: start..end,
        end: end + mark.len(),
    })
}

/// The text in quotes that a value begins with, in parentheses or as what a type is made of, and those that are added to it.
fn literals(text: &str, at: usize) -> Option<Vec<Range<usize>>> {
    let first = literal(text, at).or_else(|| wrapped(text, at))?;
    let mut end = first.end;
    let mut all = vec![first.inside];
    while all.len() < PIECES {
        let rest = text.get(end..)?;
        let bare = rest.trim_start_matches([' ', '\t', '\n', '\r', '\\', '+']);
        // What is on another line is added only if a sign says so.
        let gap = rest.get(..rest.len() - bare.len())?;
        work::steps(gap.len());
        let is_added = gap.contains(['+', '\\']) || !gap.contains('\n') && !gap.is_empty();
        let Some(more) = is_added
            .then(|| literal(text, text.len() - bare.len()))
            .flatten()
        else {
            break;
        };
        end = more.end;
        all.push(more.inside);
    }
    Some(all)
}

/// `("…")` over several lines, `String::from("…")`, `new Key("…")`.
fn wrapped(text: &str, at: usize) -> Option<Literal> {
    let rest = text.get(at..)?.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix("new ").unwrap_or(rest);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:.<>&".contains(byte);
    let length = rest.bytes().take(60).take_while(is_part).count();
    work::steps(length);
    let (function, open) = rest.split_at_checked(length)?;
    let inside = open.strip_prefix('(')?;
    let last = word(function).unwrap_or_default();
    let last = last.rsplit('.').next().unwrap_or_default();
    if LOOKUPS.contains(&last.to_ascii_lowercase().as_str()) {
        return None;
    }
    let blanks = inside
        .bytes()
        .take(200)
        .take_while(u8::is_ascii_whitespace)
        .count();
    literal(text, text.len() - inside.len() + blanks)
}
