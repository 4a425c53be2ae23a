//! Word splitting and quoting of shell lines: single and double quotes, and a backslash, as in `sh`.
//!
//! Nothing else has a meaning: no variables, no patterns, no pipes.

/// A quote that was opened and not closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the quote {0} is not closed")]
pub(crate) struct OpenQuote(pub(crate) char);

/// The words of a line.
pub(crate) fn split(line: &str) -> Result<Vec<String>, OpenQuote> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                word.get_or_insert_default().extend(rest.next());
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    match quote {
        Some(open) => Err(OpenQuote(open)),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

/// Where the word begins that the end of a line is in.
pub(crate) fn open_word(line: &str) -> usize {
    let mut start = line.len();
    let (mut quote, mut escaped, mut inside) = (None, false, false);
    for (at, c) in line.char_indices() {
        let was_inside = inside;
        match (quote, c) {
            _ if escaped => escaped = false,
            (None, c) if c.is_whitespace() => inside = false,
            (None, '\'' | '"') => (quote, inside) = (Some(c), true),
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => (escaped, inside) = (true, true),
            _ => inside = true,
        }
        if inside && !was_inside {
            start = at;
        }
    }
    if inside { start } else { line.len() }
}

/// A word as it has to be written to be one, here and in the shells of others.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !"'\"\\$`;&|<>()*?[]{}!#".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_a_shell_reads_them() {
        let words = |line| split(line).unwrap();
        assert_eq!(words("  a  b\tc "), ["a", "b", "c"]);
        assert_eq!(
            words(r#"--query "is it, 'so'?" x"#),
            ["--query", "is it, 'so'?", "x"]
        );
        assert_eq!(words(r#"a\ b "c\"d" '' '\n'"#), ["a b", "c\"d", "", "\\n"]);
        assert_eq!(words(""), [""; 0]);
        assert_eq!(split("say 'it"), Err(OpenQuote('\'')));
    }

    #[test]
    fn what_is_quoted_is_read_back_as_it_was() {
        for word in [
            "plain", "", "two words", "it's", "a\\b", "\"", "ä ö", "$(x);y",
        ] {
            assert_eq!(split(&quoted(word)).unwrap(), [word]);
        }
    }

    #[test]
    fn the_word_under_the_cursor_begins_after_the_last_space_that_parts_words() {
        assert_eq!(open_word("threads sh"), 8);
        assert_eq!(open_word("threads "), 8);
        assert_eq!(open_word("a 'b c"), 2);
        assert_eq!(open_word("a b\\ c"), 2);
        assert_eq!(open_word(""), 0);
    }
}
