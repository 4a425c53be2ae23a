//! The parts of a Markdown page that the checks and the book look at: fences, links, anchors and prose.

use std::collections::BTreeMap;
use std::ops::Range;

/// The line that opens a block of code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    pub(crate) line: usize,
    /// The text after the backticks, such as `rust,no_run`.
    pub(crate) info: &'a str,
}

/// A link or an image: `[text](target)`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link<'a> {
    pub(crate) line: usize,
    pub(crate) text: &'a str,
    pub(crate) target: &'a str,
    /// The bytes of the page from `[` to `)`.
    pub(crate) whole: Range<usize>,
}

/// A line of a page with the byte that it starts at.
struct PageLine<'a> {
    number: usize,
    start: usize,
    text: &'a str,
    part: Part<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    Text,
    Opening(&'a str),
    Code,
}

fn lines(page: &str) -> Vec<PageLine<'_>> {
    let mut lines = Vec::new();
    let (mut start, mut is_code) = (0, false);
    for (number, whole) in (1..).zip(page.split_inclusive('\n')) {
        let text = whole.trim_end_matches(['\n', '\r']);
        let part = match (text.trim_start().strip_prefix("```"), is_code) {
            (Some(info), false) => Part::Opening(info.trim()),
            (_, true) => Part::Code,
            (None, false) => Part::Text,
        };
        if text.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        lines.push(PageLine {
            number,
            start,
            text,
            part,
        });
        start += whole.len();
    }
    lines
}

/// All blocks of code.
pub(crate) fn fences(page: &str) -> Vec<Fence<'_>> {
    let opening = |line: PageLine<'_>| match line.part {
        Part::Opening(_) => Some(line.number),
        _ => None,
    };
    let numbers: Vec<usize> = lines(page).into_iter().filter_map(opening).collect();
    let infos = page.lines().zip(1..);
    infos
        .filter(|(_, number)| numbers.contains(number))
        .map(|(text, line)| Fence {
            line,
            info: text.trim().trim_start_matches('`').trim(),
        })
        .collect()
}

/// The page with another text behind the backticks that open each block of code.
pub(crate) fn with_fences(page: &str, info: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for line in lines(page) {
        match line.part {
            Part::Opening(before) => {
                let indent = line.text.len() - line.text.trim_start().len();
                out.push_str(&" ".repeat(indent));
                out.push_str("```");
                out.push_str(&info(before));
            }
            Part::Text | Part::Code => out.push_str(line.text),
        }
        out.push('\n');
    }
    out
}

/// All links outside of code.
pub(crate) fn links(page: &str) -> Vec<Link<'_>> {
    let mut found = Vec::new();
    for line in lines(page) {
        if line.part != Part::Text {
            continue;
        }
        for (at, _) in line.text.match_indices("](") {
            let before = line.text.get(..at).unwrap_or_default();
            if before.matches('`').count() % 2 == 1 {
                continue;
            }
            let middle = line.start + at;
            let link = opening_bracket(page, middle).and_then(|open| {
                let target = page.get(middle + 2..)?;
                let target = target.get(..target.find(')')?)?;
                Some(Link {
                    line: line.number,
                    text: page.get(open + 1..middle)?,
                    target,
                    whole: open..middle + 2 + target.len() + 1,
                })
            });
            found.extend(link);
        }
    }
    found
}

/// The bracket that the one at `end` closes.
fn opening_bracket(page: &str, end: usize) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, letter) in page.get(..end)?.char_indices().rev() {
        match letter {
            ']' => depth += 1,
            '[' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The path from the root of the repository, and the anchor, of a link to a file. Rustdoc checks paths of items.
pub(crate) fn destination<'a>(page: &str, target: &'a str) -> Option<(String, &'a str)> {
    let is_address = target.contains(':') || target.is_empty();
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    match path {
        _ if is_address => None,
        "" => Some((page.to_owned(), anchor)),
        path => Some((resolved(page, path), anchor)),
    }
}

/// A name as seen from a file, without `..`.
pub(crate) fn resolved(file: &str, name: &str) -> String {
    let mut path: Vec<&str> = file.split('/').collect();
    path.pop();
    for part in name.split('/') {
        match part {
            ".." => drop(path.pop()),
            "." | "" => {}
            part => path.push(part),
        }
    }
    path.join("/")
}

/// The anchors of all headings, as GitHub and mdBook make them.
pub(crate) fn anchors(page: &str) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = Vec::new();
    for (_, heading) in headings(page) {
        let slug = slug(heading);
        let count = seen.entry(slug.clone()).or_default();
        anchors.push(match *count {
            0 => slug,
            more => format!("{slug}-{more}"),
        });
        *count += 1;
    }
    anchors
}

/// All headings with their lines.
pub(crate) fn headings(page: &str) -> Vec<(usize, &str)> {
    let lines = lines(page).into_iter();
    lines
        .filter_map(|line| Some((line.number, heading(&line)?)))
        .collect()
}

fn heading<'a>(line: &PageLine<'a>) -> Option<&'a str> {
    let text = line.text.strip_prefix('#')?.trim_start_matches('#');
    (line.part == Part::Text).then(|| text.trim())
}

fn slug(heading: &str) -> String {
    let letters = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        letter if letter.is_alphanumeric() || matches!(letter, '-' | '_') => Some(letter),
        _ => None,
    });
    letters.flat_map(char::to_lowercase).collect()
}

/// Paragraphs, items of lists and of cells of tables, each with the line that it begins at. Blanks within code are
/// no-break spaces, so that code counts as one word.
pub(crate) fn prose(page: &str) -> Vec<(usize, String)> {
    let mut parts: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for line in lines(page) {
        let text = line.text.trim();
        let is_rule = text.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
        if line.part != Part::Text || is_rule || text.starts_with(['#', '<']) {
            is_open = false;
        } else if text.starts_with('|') {
            is_open = false;
            let cells = joined_code(text.trim_matches('|'));
            // In a cell there is no other way to write a list.
            let items = cells.split(" | ").flat_map(|cell| cell.split("; "));
            parts.extend(items.map(|item| (line.number, item.trim().to_owned())));
        } else {
            let item = item(text);
            match parts.last_mut() {
                Some((_, open)) if is_open && item.is_none() => {
                    open.push(' ');
                    open.push_str(text);
                }
                _ => parts.push((line.number, item.unwrap_or(text).to_owned())),
            }
            is_open = true;
        }
    }
    for (_, part) in &mut parts {
        *part = joined_code(part);
    }
    parts
}

/// The text of an item of a list.
fn item(text: &str) -> Option<&str> {
    let numbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.strip_prefix("- ")
        .or_else(|| text.strip_prefix("* "))
        .or_else(|| numbered.strip_prefix(". ").filter(|_| numbered != text))
}

fn joined_code(text: &str) -> String {
    let mut is_code = false;
    let joined = text.chars().map(|letter| {
        is_code ^= letter == '`';
        match letter {
            ' ' if is_code => '\u{a0}',
            letter => letter,
        }
    });
    joined.collect()
}

/// The sentences of a part of a page.
pub(crate) fn sentences(part: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    let mut all = part.split(' ').filter(|word| !word.is_empty()).peekable();
    while let Some(word) = all.next() {
        words.push(word);
        let end = word.trim_end_matches([')', '"', '*', '_']);
        let begins = |next: &&str| {
            next.starts_with(|c: char| c.is_uppercase() || c.is_numeric() || "`[(\"*".contains(c))
        };
        if end.ends_with(['.', '?', '!']) && all.peek().is_none_or(begins) {
            sentences.push(words.join(" "));
            words.clear();
        }
    }
    if !words.is_empty() {
        sentences.push(words.join(" "));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A page\n\nSee [the\nother](b.md#c) and `[no](link)`.\n\n```rust,ignore (why)\n\
                        # [hidden](x)\n```\n\n## A page\n\n- One `a b c`. Two.\n- Three\n  four.\n\n\
                        | a | b |\n|---|---|\n| `x | y` | z |\n";

    #[test]
    fn links_are_found_outside_of_code_and_over_the_end_of_a_line() {
        let found = links(PAGE);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].line, found[0].text), (4, "the\nother"));
        assert_eq!(found[0].target, "b.md#c");
        assert_eq!(&PAGE[found[0].whole.clone()], "[the\nother](b.md#c)");
    }

    #[test]
    fn anchors_are_numbered_where_headings_are_equal() {
        assert_eq!(anchors(PAGE), ["a-page", "a-page-1"]);
        assert_eq!(
            anchors("## `superstep serve`, and more\n"),
            ["superstep-serve-and-more"]
        );
    }

    #[test]
    fn blocks_of_code_have_the_text_behind_their_backticks() {
        let info = "rust,ignore (why)";
        assert_eq!(fences(PAGE), [Fence { line: 6, info }]);
        let changed = with_fences(PAGE, |_| "rust".to_owned());
        assert_eq!(changed, PAGE.replace(info, "rust"));
    }

    #[test]
    fn prose_is_paragraphs_items_and_cells() {
        let parts: Vec<_> = prose(PAGE)
            .into_iter()
            .map(|(line, part)| (line, part.replace('\u{a0}', "·")))
            .collect();
        let expected = [
            (3, "See [the other](b.md#c) and `[no](link)`."),
            (12, "One `a·b·c`. Two."),
            (13, "Three four."),
            (16, "a"),
            (16, "b"),
            (18, "`x·|·y`"),
            (18, "z"),
        ];
        assert_eq!(parts, expected.map(|(line, part)| (line, part.to_owned())));
    }

    #[test]
    fn a_sentence_ends_before_one_that_begins() {
        let text = "It is 1.5 MB (e.g. here). Then `b` follows. `c` too";
        assert_eq!(
            sentences(text),
            ["It is 1.5 MB (e.g. here).", "Then `b` follows.", "`c` too"]
        );
    }
}
