//! How a line of an analysis begins: the mark of a list item, the head of a table.

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

/// Whether the first row of a table says that it is about versions or dependencies.
pub(super) fn is_of_versions(header: &str) -> bool {
    let words = ["version", "dependenc", "package", "crate", "library"];
    let others = ["tool", "language", "runtime", "platform", "engine", "image"];
    let first = header.trim_start_matches('|').split('|').next();
    let is_of_others = first.is_some_and(|it| others.iter().any(|word| it.contains(word)));
    !is_of_others && words.iter().any(|word| header.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_of_an_item_is_told_from_its_text() {
        for (line, mark) in [
            ("- One. Two.", 2),
            ("  12. One (a. b). Two", 6),
            ("3.5 is a number", 0),
            ("> It. Is.", 2),
        ] {
            assert_eq!(marker(line), mark, "{line}");
        }
    }
}
