//! Secrets of program text that stand behind a name: literals alone, because a name behind a name (`token = self.token`) is code.
//!
//! Comments and texts in quotes may hold settings without quotes of their own. There a value is taken if it looks like a key.

use std::ops::Range;

use super::{extent::closing_on_line, pair, pair::Name, work};

/// The longest literal and the longest value without quotes.
const LONGEST: usize = 4_096;
const LONGEST_WORD: usize = 200;

/// The most literals of a list.
const ITEMS: usize = 32;

/// How far back a line is looked at.
const NEAR: usize = 400;

const MARKS: [&str; 5] = ["\"\"\"", "'''", "\"", "'", "`"];

/// Adds where literals stand whose name is one that secrets have.
pub(super) fn find(text: &str, hides: &dyn Fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    let mut past = 0;
    for (at, byte) in text.bytes().enumerate() {
        if at < past || !matches!(byte, b'=' | b':') {
            continue;
        }
        for range in values(text, at, hides) {
            past = past.max(range.end);
            found.push(range);
        }
    }
}

/// Whether a literal is a secret and no template, name or empty text.
pub(super) fn is_secret(value: &str, hides: &dyn Fn(&str) -> bool) -> bool {
    let is_template = value.contains('{') && value.contains('}') || value.contains("%s");
    let is_name = |it: &str| hides(it) || it.is_empty();
    !is_template
        && !pair::is_plain(value)
        && !is_name(value.trim_end_matches([':', '?', ' ']).trim())
}

fn values(text: &str, at: usize, hides: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let (Some(rest), Some(head)) = (text.get(at + 1..), text.get(..at)) else {
        return Vec::new();
    };
    let is_other = rest.starts_with([':', '/']) || head.ends_with([':', '=', '!', '<', '>']);
    let name = (!is_other).then(|| Name::before(text, at)).flatten();
    let Some(name) = name.filter(|name| hides(name.text)) else {
        return Vec::new();
    };
    let rest = rest.trim_start_matches(['=', '>']);
    let value = rest.trim_start_matches([' ', '\t']);
    let start = text.len() - value.len();
    if let Some((range, _)) = literal(text, start) {
        return vec![range];
    }
    if value.starts_with(['[', '(']) {
        return items(text, start + 1);
    }
    let is_close = name.is_close && value.len() == rest.len();
    word(text, at, start, is_close).into_iter().collect()
}

/// The inside of a literal that begins here, and where it ends.
fn literal(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let rest = text.get(at..)?;
    let tail = rest.trim_start_matches(|c: char| "rRbBfFuU".contains(c));
    let mark = MARKS.into_iter().find(|mark| tail.starts_with(mark))?;
    if rest.len() - tail.len() > 2 {
        return None;
    }
    let start = text.len() - tail.len() + mark.len();
    let mut most = text.len().min(start + LONGEST);
    while !text.is_char_boundary(most) {
        most -= 1;
    }
    let inside = text.get(start..most)?;
    let length = match mark.len() {
        1 => closing_on_line(inside, mark).ok()?,
        _ => inside.find(mark)?,
    };
    work::steps(length);
    Some((start..start + length, start + length + mark.len()))
}

/// The literals of a list that begins here.
fn items(text: &str, at: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = at;
    while found.len() < ITEMS {
        let Some(rest) = text.get(at..) else { break };
        let bare = rest.trim_start_matches([' ', '\t', '\n', '\r', ',']);
        let gap = rest.len() - bare.len();
        work::steps(gap);
        match literal(text, at + gap).filter(|_| gap < LONGEST_WORD) {
            Some((range, end)) => {
                found.push(range);
                at = end;
            }
            None => break,
        }
    }
    found
}

/// A value without quotes in a comment, or within a text in quotes.
fn word(text: &str, at: usize, start: usize, is_close: bool) -> Option<Range<usize>> {
    let value = text.get(start..)?;
    let ends = |c: char| c.is_whitespace() || "&;,\"'`<>)]}\\".contains(c);
    let end = value
        .char_indices()
        .take(LONGEST_WORD)
        .find(|(_, c)| ends(*c));
    let length = end.map_or(value.len().min(LONGEST_WORD), |(end, _)| end);
    let value = value.get(..length)?;
    let line = before(text, at);
    let is_comment = ["//", "#", "/*", "*", "--"]
        .iter()
        .any(|mark| line.trim_start().starts_with(mark))
        || [" //", " #"].iter().any(|mark| line.contains(mark));
    let is_quoted = MARKS
        .into_iter()
        .skip(2)
        .any(|mark| line.matches(mark).count() % 2 == 1);
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let is_key = value.len() >= 6 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_call = value.contains(['(', '{', '$', '%', '[']);
    let is_taken = is_quoted && is_close && value.len() >= 4 || is_key;
    ((is_comment || is_quoted) && is_taken && !is_call).then_some(start..start + length)
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

#[cfg(test)]
mod tests {
    use crate::Redactor;

    fn clean(text: &str) -> String {
        Redactor::standard().program(text).into_owned()
    }

    #[test]
    fn code_stays_code_whatever_its_names_are() {
        for text in [
            "auth = auth",
            "token = self._token",
            "self.auth = auth if auth is not None else self._auth",
            "password = getpass(\"Password: \")",
            "def login(user, password=None, token: str | None = None): ...",
            "    auth: AuthTypes | None = USE_CLIENT_DEFAULT,",
            "return Client(auth=self._build_auth(auth), cookies=cookies)",
            "let token = lexer.next()?;",
            "let Token { secret, password } = token;",
            "const token = req.headers[\"authorization\"];",
            "headers[\"Authorization\"] = f\"Basic {token}\"",
            "username, password = auth[0], auth[1]",
            "passwords=[first, second]",
            "api_key := os.Getenv(\"API_KEY\")",
            "match token { Token::Secret => secret = value }",
            "// the token = self.token of the caller",
            "secret = \"\"",
            "{\"token\": token, \"password\": password}",
            "password = \"password\"",
            "auth_token = \"{prefix}{token}\".format(**values)",
        ] {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn literals_and_keys_of_comments_are_taken_out() {
        for (text, wanted) in [
            ("token = \"hunter2\"", "token = \"[redacted]\""),
            ("API_KEY: str = 'hunter2'", "API_KEY: str = '[redacted]'"),
            (
                "{\"password\": \"hunter2\"}",
                "{\"password\": \"[redacted]\"}",
            ),
            (
                "login(password=b\"hunter2\", x=1)",
                "login(password=b\"[redacted]\", x=1)",
            ),
            (
                "secrets = [\n  \"one1\",\n  \"two2\"]\nx = token",
                "secrets = [\n  \"[redacted]\",\n  \"[redacted]\"]\nx = token",
            ),
            ("# password: hunter2", "# password: [redacted]"),
            (
                "url = \"x?password=hunter&y=1\"",
                "url = \"x?password=[redacted]&y=1\"",
            ),
            (
                "const SECRET: &str = \"hunter2\";",
                "const SECRET: &str = \"[redacted]\";",
            ),
            (
                "key = \"ghp_abcdefghijklmnopqrstuvwxyz0123456789\"",
                "key = \"[redacted]\"",
            ),
        ] {
            assert_eq!(clean(text), wanted, "{text}");
            assert_eq!(clean(wanted), wanted);
        }
    }

    #[test]
    fn no_program_costs_more_than_its_length_allows() {
        for piece in ["auth=[", "token=", "password=\"", "auth=(\n", "token: # "] {
            let text = piece.repeat(4_000);
            let steps = super::super::work::count(|| drop(clean(&text)));
            assert!(steps < text.len() * 2_000, "{piece}: {steps}");
        }
    }
}
