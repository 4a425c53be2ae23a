//! Secrets that stand behind their name in a text: in JSON inside of text, in a query, in a header.

use std::ops::Range;

/// Headers whose value goes to the end of the line.
const HEADERS: [&str; 6] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
];

/// Adds where values stand whose name is one that secrets have.
pub(super) fn find(text: &str, hides: &dyn Fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    let mut past = 0;
    for (at, byte) in text.bytes().enumerate() {
        let value = match byte {
            // What was found is not looked at again: a text may be made of such beginnings.
            _ if at < past => None,
            b'=' => assigned(text, at, hides),
            b':' => quoted(text, at, hides).or_else(|| header(text, at)),
            _ => None,
        };
        if let Some(range) = value.filter(|range| !range.is_empty()) {
            past = range.end;
            found.push(range);
        }
    }
}

/// `name=value`, as in a query, a shell or a form.
fn assigned(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let name = name_before(text, at)?;
    if !hides(name) {
        return None;
    }
    let rest = text.get(at + 1..)?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let start = at + 1 + quote.map_or(0, char::len_utf8);
    let ends = |c: char| match quote {
        Some(quote) => c == quote,
        None => c.is_whitespace() || "&;,\"'\\<>)]}".contains(c),
    };
    let value = text.get(start..)?;
    let length = value.find(ends).unwrap_or(value.len());
    Some(start..start + length)
}

/// `"name": "value"`, also where the quotes are escaped because the JSON is inside of JSON.
fn quoted(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let head = text.get(..at)?.trim_end();
    let mark = ["\\\"", "\"", "'"]
        .into_iter()
        .find(|mark| head.ends_with(mark))?;
    let head = head.strip_suffix(mark)?;
    let name = name_before(head, head.len())?;
    if !head.strip_suffix(name)?.ends_with(mark) || !hides(name) {
        return None;
    }
    let rest = text.get(at + 1..)?;
    let value = rest.trim_start().strip_prefix(mark)?;
    let start = text.len() - value.len();
    let mut from = 0;
    loop {
        let Some(end) = value.get(from..)?.find(mark).map(|end| from + end) else {
            return Some(start..text.len());
        };
        let before = value.get(..end)?;
        let slashes = before.len() - before.trim_end_matches('\\').len();
        if slashes % 2 == 0 {
            return Some(start..start + end);
        }
        from = end + mark.len();
    }
}

/// `Name: value`, to the end of the line.
fn header(text: &str, at: usize) -> Option<Range<usize>> {
    let name = name_before(text, at)?;
    if !HEADERS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return None;
    }
    let rest = text.get(at + 1..)?;
    let start = at + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    let value = text.get(start..)?;
    let length = value.find(['\n', '\r', '"', '\'', '\\']);
    Some(start..start + length.unwrap_or(value.len()))
}

/// The name that ends there.
fn name_before(text: &str, at: usize) -> Option<&str> {
    let head = text.get(..at)?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let length = head.bytes().rev().take_while(is_part).take(LONGEST).count();
    (length > 0).then(|| head.get(at - length..)).flatten()
}

/// Names are looked back for no further than this.
const LONGEST: usize = 64;
