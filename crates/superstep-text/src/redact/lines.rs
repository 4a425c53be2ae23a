//! Secrets on lines that have one meaning: `#define NAME value`, `ENV NAME value` of a container file, `password "…"` of a build
//! file, a login of `.netrc` or of `mysql`, a password in SQL.

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
            .or_else(|| statement(line, hides))
            .or_else(|| login(line))
            .or_else(|| client(line))
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

/// `password "…"`, as Gradle and Ruby have it.
fn statement(line: &str, hides: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let bare = line.trim();
    let (name, value) = bare.split_once([' ', '\t'])?;
    let value = value.trim();
    let inside = unquoted(value);
    let is_whole = inside.len() + 2 == value.len() && !inside.is_empty();
    let is_one = !inside.contains(char::is_whitespace) && !inside.starts_with("${");
    (is_whole && is_one && hides(name)).then(|| place(line, inside))
}

/// `mysql -pvalue`.
fn client(line: &str) -> Option<Range<usize>> {
    let (_, options) = line.split_once("mysql")?;
    let mut words = options.split_whitespace();
    let value = words.find_map(|word| word.strip_prefix("-p"))?;
    let value = unquoted(value);
    (!value.is_empty() && !value.starts_with('$')).then(|| place(line, value))
}

/// `machine host login name password value`.
fn login(line: &str) -> Option<Range<usize>> {
    let (head, rest) = line.split_once(" password ")?;
    // It may be in a comment.
    let head = head.trim_start_matches(['#', '/', '*', ' ', '\t']);
    let is_login = head.starts_with("machine ") && head.contains(" login ");
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

#[cfg(test)]
mod tests {
    use super::super::Redactor;

    #[test]
    fn lines_with_one_meaning_lose_their_secret_and_nothing_else() {
        for (line, shown) in [
            ("password \"Zq7x\"", "password \"[redacted]\""),
            ("  storePassword 'Zq7x'", "  storePassword '[redacted]'"),
            ("password \"${env.PW}\"", "password \"${env.PW}\""),
            ("password \"is asked for\"", "password \"is asked for\""),
            (
                "# machine h login me password Zq7x",
                "# machine h login me password [redacted]",
            ),
            (
                "mysqldump -u me -pZq7x shop",
                "mysqldump -u me -p[redacted] shop",
            ),
            ("mysql -p shop", "mysql -p shop"),
            ("DB_PASS = \"Zq7x\"", "DB_PASS = \"[redacted]\""),
            ("SMTP_PASS=Zq7x", "SMTP_PASS=[redacted]"),
            ("render_pass = \"shadow\"", "render_pass = \"shadow\""),
            (
                "https://a.example/x?se=1&sig=Zq7xZq7xZq7xZq7xZq7x%3D&sp=r",
                "https://a.example/x?se=1&sig=[redacted]&sp=r",
            ),
        ] {
            assert_eq!(Redactor::standard().text(line), shown);
        }
    }
}
