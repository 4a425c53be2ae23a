//! Text of a code base, made inert: names of files, symbols and packages are shown, and nothing of them acts.
//!
//! Whoever writes a code base chooses its names, and a name may hold line ends, Markdown, HTML, characters that nobody
//! sees, or a key. Everything of a code base that is written goes through here: [`line`] for prompts and data,
//! [`code`], [`place`] and [`words`] for pages. There, a name is a code span, in which Markdown and HTML are text, and it
//! has no bar and no backtick, so that neither a cell of a table nor the span can end in it.

use std::borrow::Cow;

use superstep::text::{Hidden, Redactor, reveal};

/// No key of a known shape is shorter, and nothing else is a secret in a single word.
const SHORTEST_KEY: usize = 12;

/// A text on one line, in which nothing is hidden: line ends, control characters and the like are written as
/// `<U+000A>`, and keys are taken out.
pub(crate) fn line(text: &str) -> String {
    if is_word(text) && text.len() < SHORTEST_KEY {
        return text.to_owned();
    }
    let text = Redactor::standard().text(text);
    let text = match text.contains(['\n', '\r', '\t']) {
        true => Cow::Owned(
            text.replace('\n', "<U+000A>")
                .replace('\r', "<U+000D>")
                .replace('\t', "<U+0009>"),
        ),
        false => text,
    };
    reveal(&text).into_owned()
}

/// Markdown without secrets: its code is that of programs, whose names are none.
pub(crate) fn markdown(text: &str) -> String {
    let redactor = Redactor::standard();
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return redactor.document(text).into_owned();
    }
    let mut clean = String::new();
    // Pieces between runs of backticks are prose and code in turns.
    for (number, piece) in text.split('`').enumerate() {
        if number > 0 {
            clean.push('`');
        }
        clean.push_str(&match number % 2 {
            0 => redactor.text(piece),
            _ => redactor.program(piece),
        });
    }
    clean
}

/// A text as a code span, for a list, a heading or a cell of a table.
pub(crate) fn code(text: &str) -> String {
    let text = line(text).replace('`', "'").replace('|', "<U+007C>");
    match text.trim().is_empty() {
        true => "(no name)".to_owned(),
        false => format!("`{text}`"),
    }
}

/// A line of a file as a code span, the file alone if the line is 0. The path is looked at alone: behind a file called `token` a line is no secret.
pub(crate) fn place(path: &str, number: u32) -> String {
    let span = code(path);
    match span.strip_suffix('`').filter(|_| number > 0) {
        Some(open) => format!("{open}:{number}`"),
        None => span,
    }
}

/// Words as they are, and what could be anything else as a code span: titles, versions.
pub(crate) fn words(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " -_.,'()&/:+^=~*".contains(c);
    let lower = text.to_ascii_lowercase();
    let is_address = lower.contains("://") || lower.contains("www.");
    match text.chars().all(is_plain) && !is_address && line(text) == text {
        true => text.to_owned(),
        false => code(text),
    }
}

/// A number of things.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// How many more there are, with the verb.
pub(crate) fn more(number: usize) -> String {
    match number {
        1 => "1 more is".to_owned(),
        _ => format!("{number} more are"),
    }
}

/// Whether a path can be written as it is. One that cannot is listed among those that are not read.
pub(crate) fn is_clear(path: &str) -> bool {
    !path.contains(['\n', '\r', '\t']) && Hidden::of(path).is_empty()
}

fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_and_one_span_whatever_it_holds() {
        let name = "x\n\n## y\r\t`z`|\\|<img>\u{202e}\u{1b}[31m";
        assert_eq!(
            code(name),
            "`x<U+000A><U+000A>## y<U+000D><U+0009>'z'<U+007C>\\<U+007C><img><U+202E><U+001B>[31m`"
        );
        assert_eq!(place("src/token", 12), "`src/token:12`");
        assert_eq!(code(""), "(no name)");
        let key = format!("notes-ghp_{}.txt", "a1B2".repeat(9));
        assert_eq!(code(&key), "`notes-[redacted].txt`");
    }

    #[test]
    fn words_stay_words_and_all_else_is_a_span() {
        for plain in ["1.0.219", "^1.2", "~3", "*", "Größe & Gewicht", "a, b (c)"] {
            assert_eq!(words(plain), plain);
        }
        for other in [
            "<b>", ">=2,<4", "[a](b)", "# x", "!", "a@b.c", "http://a", "WWW.a.b",
        ] {
            assert_eq!(words(other), format!("`{other}`"));
        }
    }
}
