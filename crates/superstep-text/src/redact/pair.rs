//! Secrets that stand behind their name in a text: in files of settings, JSON inside of text, queries,
//! headers, commands, tables.
//!
//! Where a name is followed by `=`, or is in quotes, its value is taken. Prose has colons too, so
//! behind a bare name and a colon a single word is taken if it ends its line or does not look like a
//! word. Text comes from anywhere, so what was taken is not looked at again, and nothing looks further
//! than it takes.

use std::ops::Range;

use super::{
    REDACTED,
    extent::{balanced, block, closing, closing_on_line, ends_line, line_end, run},
    types,
    word::{LONGEST, word},
    work,
};

/// Headers whose value goes to the end of the line.
const HEADERS: [&str; 6] = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key",
];

/// What begins and ends a quoted text; with a backslash where it is inside of a text itself.
const QUOTES: [&str; 7] = ["\\\"", "\\'", "\"\"\"", "'''", "\"", "'", "`"];

/// Values that are no secrets.
const PLAIN: [&str; 15] = [
    "(", "null", "none", "nil", "undefined", "true", "false", "yes", "no", "on", "off", "|", ">",
    "-", "",
];

/// Adds where values stand whose name is one that secrets have.
pub(super) fn find(text: &str, hides: &dyn Fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    let mut past = 0;
    for (at, byte) in text.bytes().enumerate() {
        if at < past {
            continue;
        }
        let value = match byte {
            b'=' => assigned(text, at, hides),
            b':' => described(text, at, hides),
            b'-' => option(text, at, hides),
            b'|' | b'\t' | b'>' => delimited(text, at, hides),
            _ => None,
        };
        let Some(range) = value.filter(|range| !range.is_empty()) else {
            continue;
        };
        past = range.end;
        if text.get(range.clone()) != Some(REDACTED) {
            found.push(range);
        }
    }
}

/// A name in front of a separator.
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    start: usize,
    is_quoted: bool,
    /// Whether the separator follows at once.
    pub(super) is_close: bool,
}

impl<'a> Name<'a> {
    pub(super) fn before(text: &'a str, at: usize) -> Option<Self> {
        let head = text.get(..at)?;
        let bare = head.trim_end_matches([' ', '\t']);
        let is_close = bare.len() == head.len();
        let quoted = head.trim_end();
        if let Some(mark) = QUOTES.into_iter().find(|mark| quoted.ends_with(mark)) {
            let inside = quoted.strip_suffix(mark)?;
            let name = word(inside)?;
            let start = inside.len() - name.len();
            text.get(..start)?.ends_with(mark).then_some(())?;
            return Some(Self {
                text: name,
                start: start - mark.len(),
                is_quoted: true,
                is_close,
            });
        }
        let name = word(bare)?;
        Some(Self {
            text: name,
            start: bare.len() - name.len(),
            is_quoted: false,
            is_close,
        })
    }

    /// How far from the beginning of its line it stands, if that is near.
    fn column(&self, text: &str) -> Option<usize> {
        let head = text.get(..self.start)?.as_bytes();
        let near = head.get(head.len().saturating_sub(LONGEST)..)?;
        let end = near
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map(|at| at + 1);
        let escaped = near.windows(2).rposition(|pair| pair == b"\\n");
        match end.max(escaped.map(|at| at + 2)) {
            Some(start) => Some(near.len() - start),
            None => (head.len() == near.len()).then_some(head.len()),
        }
    }

    /// The blanks that its line begins with, if there is nothing else but `-` in front of it.
    fn indent(&self, text: &str) -> Option<usize> {
        let head = text.get(..self.start)?;
        let head = head.strip_suffix("export ").unwrap_or(head);
        let bare = head.trim_end_matches([' ', '\t', '-']);
        let is_start = bare.is_empty() || bare.ends_with('\n');
        let line = head.get(bare.len()..)?;
        is_start.then(|| line.len() - line.trim_start_matches([' ', '\t']).len())
    }
}

/// `name=value`, `name = value`, `name => value`: as in a query, a shell, a form, a file of settings.
fn assigned(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let name = Name::before(text, at).filter(|name| hides(name.text))?;
    let rest = text.get(at + 1..)?;
    let rest = rest.trim_start_matches(['=', '>']);
    let value = rest.trim_start_matches([' ', '\t']);
    let start = text.len() - value.len();
    if let Some(range) = enclosed(value, start) {
        return Some(range);
    }
    let length = match (
        name.is_close && value.len() == rest.len(),
        name.indent(text),
    ) {
        (true, _) => run(value, is_end),
        (false, Some(_)) => setting(value),
        (false, None) => loose(value),
    };
    let is_plain = value.get(..length).is_none_or(is_plain);
    (!is_plain).then_some(start..start + length)
}

/// `"name": value`, `name: value`, `name := value`, `Name: value`.
fn described(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let rest = text.get(at + 1..)?;
    let is_path = rest.starts_with(':') || rest.starts_with("//") || text.get(..at)?.ends_with(':');
    if is_path {
        return None;
    }
    let name = Name::before(text, at)?;
    let is_header = HEADERS.iter().any(|it| it.eq_ignore_ascii_case(name.text));
    if !is_header && !hides(name.text) {
        return None;
    }
    let rest = rest.strip_prefix('=').unwrap_or(rest);
    // In JSON, a value may stand on the next line.
    let value = match name.is_quoted {
        true => rest.trim_start(),
        false => rest.trim_start_matches([' ', '\t']),
    };
    let start = text.len() - value.len();
    if is_header && !name.is_quoted {
        return Some(start..start + header(value, name.column(text)));
    }
    // A type is no value; the one behind it is found with the rest of program text.
    if !name.is_quoted && types::is_typed(rest) {
        return None;
    }
    if let Some(range) = enclosed(value, start) {
        return Some(range);
    }
    if name.is_quoted {
        let length = run(value, is_end);
        let is_plain = value.get(..length).is_none_or(is_plain);
        return (!is_plain).then_some(start..start + length);
    }
    // YAML puts longer values below their name.
    let below = value
        .trim_start_matches(['|', '>'])
        .trim_start_matches(['+', '-']);
    if ends_line(below) && value.len() - below.len() <= 2 {
        let range = block(value, name.indent(text)?)?;
        return Some(start + range.start..start + range.end);
    }
    let is_close = name.is_close && value.len() == rest.len();
    // A host and its port.
    if is_close && begins_with_port(value) && name.text.to_ascii_lowercase().ends_with("auth") {
        return None;
    }
    let length = match is_close {
        true => run(value, is_end),
        false => loose(value),
    };
    let word = value.get(..length)?;
    (!types::is_type(word) && is_secret(word, value.get(length..)?))
        .then_some(start..start + length)
}

/// `| name | value |`, `name -> value`, and a table whose columns are apart by tabs.
fn delimited(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let head = text.get(..at)?;
    let (end, is_table) = match text.as_bytes().get(at)? {
        b'>' => (head.strip_suffix('-')?.len(), false),
        // Behind other blanks it is no column.
        b'\t' if head.ends_with([' ', '\t']) => return None,
        b'\t' => (at, false),
        _ => (at, true),
    };
    let name = Name::before(text, end).filter(|name| hides(name.text))?;
    let rest = text.get(at + 1..)?;
    let value = rest.trim_start_matches([' ', '\t']);
    // Another separator follows.
    if value.starts_with(['=', ':', '-', '>', '|']) {
        return None;
    }
    let start = text.len() - value.len();
    if !value.starts_with(REDACTED)
        && let Some(range) = enclosed(value, start)
    {
        return Some(range);
    }
    let length = run(value, |rest| rest.starts_with('|') || is_end(rest));
    let word = value.get(..length)?;
    let after = value.get(length..)?;
    // In a shell, a bar is a pipe.
    let is_cell = after.trim_start_matches([' ', '\t']).starts_with('|');
    let is_close = name.is_close && value.len() == rest.len();
    if is_table && !is_cell && !is_close {
        return None;
    }
    let after = after.trim_start_matches([' ', '\t', '|']);
    is_secret(word, after).then_some(start..start + length)
}

/// Whether a value is a port, with or without a path behind it.
fn begins_with_port(value: &str) -> bool {
    let digits = value.bytes().take(6).take_while(u8::is_ascii_digit).count();
    let after = value.get(digits..).unwrap_or_default();
    digits <= 5 && (after.is_empty() || after.starts_with('/') || is_end(after))
}

/// `--name value`, and the password in `curl -u user:password`.
fn option(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let head = text.get(..at)?;
    if !(head.is_empty() || head.ends_with([' ', '\t', '\n', '"', '\''])) {
        return None;
    }
    let rest = text.get(at..)?;
    for flag in ["--user", "--proxy-user", "-u", "-U"] {
        if let Some(login) = rest.strip_prefix(flag) {
            return login_password(head, login, text.len() - login.len());
        }
    }
    let long = rest.strip_prefix("--")?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = long
        .chars()
        .take_while(|c| is_part(*c))
        .take(LONGEST)
        .collect();
    let rest = long.get(name.len()..)?;
    let value = rest.trim_start_matches([' ', '\t']);
    if value.len() == rest.len() || value.starts_with('-') || !hides(&name) {
        return None;
    }
    let start = text.len() - value.len();
    if let Some(range) = enclosed(value, start) {
        return Some(range);
    }
    let length = run(value, is_end);
    let word = value.get(..length)?;
    is_secret(word, value.get(length..)?).then_some(start..start + length)
}

/// How far in front of a login the command may stand.
const NEAR: usize = 300;

fn login_password(head: &str, login: &str, start: usize) -> Option<Range<usize>> {
    let near = head.len().saturating_sub(NEAR);
    let command = head.as_bytes().get(near..)?;
    command
        .windows(4)
        .any(|word| word == b"curl")
        .then_some(())?;
    let bare = login.trim_start_matches([' ', '\t', '=']);
    let mark = QUOTES.into_iter().find(|mark| bare.starts_with(mark));
    let bare = bare.strip_prefix(mark.unwrap_or_default())?;
    let length = match mark {
        Some(mark) => closing(bare, mark),
        // The colon comes before anything else, or this is no login.
        None if login_has_colon(bare) => run(bare, |rest| rest.starts_with(char::is_whitespace)),
        None => return None,
    };
    let (user, password) = bare.get(..length)?.split_once(':')?;
    let start = start + (login.len() - bare.len()) + user.len() + 1;
    Some(start..start + password.len())
}

fn login_has_colon(login: &str) -> bool {
    let ends = |rest: &str| rest.starts_with(|c: char| c.is_whitespace() || ":\"'".contains(c));
    let end = login.get(run(login, ends)..);
    end.is_some_and(|end| end.starts_with(':'))
}

/// A value in quotes or brackets.
fn enclosed(value: &str, start: usize) -> Option<Range<usize>> {
    if let Some(mark) = QUOTES.into_iter().find(|mark| value.starts_with(mark)) {
        let inside = value.strip_prefix(mark)?;
        let start = start + mark.len();
        return Some(start..start + closing(inside, mark));
    }
    let length = match value {
        value if value.starts_with(REDACTED) => REDACTED.len(),
        value if value.starts_with(['{', '[']) => balanced(value),
        // A reference such as `${NAME}`.
        value if value.starts_with("${") => 1 + balanced(value.strip_prefix('$')?),
        _ => return None,
    };
    let after = value.get(length..)?;
    Some(start..start + length + run(after, is_end))
}

/// Whether a value ends here that other things follow closely.
fn is_end(rest: &str) -> bool {
    let escaped = ["\\n", "\\r", "\\t", "\\\"", "\\'"];
    rest.starts_with(|c: char| c.is_whitespace() || "&;,\"'<>)]}".contains(c))
        || escaped.iter().any(|end| rest.starts_with(end))
}

/// The length of a value up to a blank, without the punctuation around it.
fn loose(value: &str) -> usize {
    let length = run(value, |rest| rest.starts_with(char::is_whitespace));
    let mut word = value.get(..length).unwrap_or_default();
    while !word.ends_with(REDACTED)
        && let Some(bare) = word.strip_suffix([',', ';', ')', ']', '}', '"', '\''])
    {
        word = bare;
    }
    word.len()
}

/// The length of a value that has its line for itself, without a comment.
fn setting(value: &str) -> usize {
    let line = value.get(..line_end(value)).unwrap_or_default();
    let comment = line.find(" #").or_else(|| line.find("\t#"));
    let line = line.get(..comment.unwrap_or(line.len())).unwrap_or(line);
    line.trim_end().len()
}

/// The length of a header's value. It may be inside of a quoted text, have quoted parts, and continue in lines that are
/// indented further than its name.
fn header(value: &str, column: Option<usize>) -> usize {
    let mut from = 0;
    // No further than the value goes: another header may follow on the same line.
    while let Some(at) = value
        .get(from..)
        .and_then(|rest| rest.find(['\n', '\r', '"', '\'', '\\']))
    {
        work::steps(at + 1);
        let at = from + at;
        let (before, quote) = value.split_at_checked(at).unwrap_or_default();
        if !before.trim().is_empty()
            && let Some(length) = column.and_then(|column| folded(quote, column))
        {
            from = at + length;
            continue;
        }
        let mark = QUOTES.into_iter().find(|mark| quote.starts_with(mark));
        let (true, Some(mark)) = (before.ends_with('='), mark) else {
            return at;
        };
        let inside = quote.get(mark.len()..).unwrap_or_default();
        from = match closing_on_line(inside, mark) {
            Ok(length) => at + 2 * mark.len() + length,
            Err(length) => return at + mark.len() + length,
        };
    }
    work::steps(value.len() - from.min(value.len()));
    value.len()
}

/// The length of the end of a line and of the blanks below it, if what follows these belongs to the value above.
fn folded(text: &str, column: usize) -> Option<usize> {
    let line = ["\r\n", "\n", "\\r\\n", "\\n"]
        .into_iter()
        .find_map(|end| text.strip_prefix(end))?;
    let bare = line.trim_start_matches([' ', '\t']);
    let blanks = line.len() - bare.len();
    work::steps(blanks);
    (blanks > column && !ends_line(bare)).then_some(text.len() - bare.len())
}

/// Whether a value is no secret.
pub(super) fn is_plain(value: &str) -> bool {
    let bare = value.trim_matches([',', ';', '.', '?', '!', ')', ']', '}']);
    PLAIN.iter().any(|plain| plain.eq_ignore_ascii_case(bare))
}

/// Whether a word behind a bare name and a colon is taken.
fn is_secret(word: &str, after: &str) -> bool {
    if is_plain(word) {
        return false;
    }
    let after = after.trim_start_matches([',', ';', ')', ']', '}', '"', '\'']);
    let after = after.trim_start_matches([' ', '\t']);
    let is_last = (ends_line(after) || after.starts_with('#')) && !word.ends_with('?');
    let bytes = word.bytes();
    let pairs = bytes.clone().zip(bytes.clone().skip(1));
    let mut turns =
        pairs.filter(|(one, next)| one.is_ascii_lowercase() && next.is_ascii_uppercase());
    let is_odd = |byte: u8| byte.is_ascii_digit() || b"_+/=@$%^*~#&\\|[".contains(&byte);
    is_last || word.len() >= 24 || bytes.clone().any(is_odd) || turns.next().is_some()
}
