//! Secrets on lines that have one meaning: `#define NAME value`, `ENV NAME value` of a container file, a login of `.netrc`, a
//! password in SQL.

use std::ops::Range;

use super::{REDACTED, pair::is_plain, work};

/// The longest line that is looked at.
const LONGEST: usize = 4_096;

/// What is in front of a password in SQL.
const SQL: [&str; 2] = [" password '", " identified by '"];

pub(super) fn find(text: &str, hides: &dyn Fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.len() > LONGEST {
            continue;
        }
        let value = directive(line, hides)
            .or_else(|| login(line))
            .or_else(|| sql(line));
        let Some(value) = value else { continue };
        work::steps(line.len());
        let inside = line.get(value.clone()).unwrap_or_default();
        if !is_plain(inside) && inside != REDACTED {
            found.push(start + value.start..start + value.end);
        }
    }
}

/// `#define NAME value`, `ENV NAME value`.
fn directive(line: &str, hides: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let bare = line.trim_start();
    let rest = match bare.strip_prefix('#') {
        Some(rest) => rest.trim_start_matches(' ').strip_prefix("define ")?,
        None => bare.strip_prefix("ENV ")?,
    };
    let rest = rest.trim_start_matches([' ', '\t']);
    let (name, value) = rest.split_once([' ', '\t'])?;
    if name.contains('=') || !hides(name) {
        return None;
    }
    let value = value.trim();
    let value = unquoted(value);
    // `#define TOKEN (x + 1)` and names of other things are no secrets.
    let is_code = bare.starts_with('#') && !rest.contains('"');
    (!is_code && !value.is_empty()).then(|| place(line, value))
}

fn unquoted(value: &str) -> &str {
    let quote = value.chars().next().filter(|c| "\"'".contains(*c));
    let inside = quote.and_then(|quote| value.strip_prefix(quote)?.split(quote).next());
    inside.unwrap_or(value)
}

/// `machine host login name password value`.
fn login(line: &str) -> Option<Range<usize>> {
    let (head, rest) = line.split_once(" password ")?;
    let is_login = head.trim_start().starts_with("machine ") && head.contains(" login ");
    let value = rest.split_whitespace().next().filter(|_| is_login)?;
    Some(place(line, value))
}

/// `CREATE USER name PASSWORD '…'`.
fn sql(line: &str) -> Option<Range<usize>> {
    let lower = line.to_ascii_lowercase();
    let (at, mark) = SQL
        .iter()
        .find_map(|mark| lower.find(mark).map(|at| (at, mark)))?;
    let inside = line.get(at + mark.len()..)?;
    let value = inside.split('\'').next()?;
    Some(place(line, value))
}

/// Where a part of a line is in it.
fn place(line: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(line.as_ptr().addr());
    start..start + part.len()
}
