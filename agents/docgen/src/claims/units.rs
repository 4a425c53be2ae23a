//! Lines of an analysis as sentences.

/// How long the mark of a list item, and of quotes, is at the beginning of a line, with blanks.
pub(super) fn marker(line: &str) -> usize {
    let start = line.len() - line.trim_start().len();
    let rest = line.get(start..).unwrap_or_default();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marks: &[&str] = match digits {
        0 => &["- [ ] ", "- [x] ", "- ", "* ", "+ ", "> "],
        1..=9 => &[". ", ") "],
        _ => &[],
    };
    let behind = rest.get(digits..).unwrap_or_default();
    let mark = marks.iter().find(|mark| behind.starts_with(**mark));
    mark.map_or(start, |mark| start + digits + mark.len())
}

/// Sentences of a line, each with the blanks behind it. Code and parentheses are not divided.
pub(super) fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match c {
            '`' => in_code = !in_code,
            '(' if !in_code => depth += 1,
            ')' if !in_code => depth = depth.saturating_sub(1),
            ' ' if !in_code && depth == 0 && matches!(before, '.' | '!' | '?') => {
                found.push(line.get(start..=at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    found.push(line.get(start..).unwrap_or_default());
    found
}

/// Whether the first row of a table says that it is about versions or dependencies.
pub(super) fn is_of_versions(header: &str) -> bool {
    let words = ["version", "dependenc", "package", "crate", "library"];
    words.iter().any(|word| header.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_mark_and_sentences() {
        for (line, mark, count) in [
            ("- One. Two.", 2, 2),
            ("  12. One (a. b). Two", 6, 2),
            ("One `a. b` two", 0, 1),
            ("3.5 is a number", 0, 1),
            ("> It. Is.", 2, 2),
        ] {
            let (head, rest) = line.split_at(marker(line));
            assert_eq!((head.len(), sentences(rest).len()), (mark, count), "{line}");
        }
    }
}
