//! Sections of a document: the lines under one heading, in pieces small enough to be ranked and shown alone.

use std::ops::Range;

/// A section with fewer bytes than this takes in the deeper headings that follow.
const SHORT: usize = 200;

/// A section of so many bytes ends after the next blank line, and after any line once it is twice as long.
const LONG: usize = 2_000;

/// How much of a heading is part of a trail.
const LONGEST_TITLE: usize = 80;

/// What is between the headings of a trail.
const APART: &str = " › ";

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// Its first line, from 1.
    pub(crate) first: usize,
    /// Its last line.
    pub(crate) last: usize,
    /// Its place in the text.
    pub(crate) bytes: Range<usize>,
    /// The headings above it, from the outermost.
    pub(crate) trail: String,
    /// How deep its heading is; 0 without one.
    pub(crate) depth: usize,
}

impl Section {
    /// Its words.
    pub(crate) fn text<'a>(&self, document: &'a str) -> &'a str {
        document.get(self.bytes.clone()).unwrap_or_default()
    }

    /// The innermost of the headings above it.
    pub(crate) fn title(&self) -> &str {
        self.trail.rsplit(APART).next().unwrap_or_default()
    }
}

/// A heading of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Its line, from 1.
    pub(crate) line: usize,
    /// How deep it is, from 1.
    pub(crate) level: usize,
    /// Its words.
    pub(crate) title: String,
}

/// The headings of a Markdown document, in order.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    let lines = (1..).zip(titled_lines(text));
    let all = lines.filter_map(|(line, (_, _, title))| {
        let (level, title) = title?;
        Some(Heading { line, level, title })
    });
    all.collect()
}

/// The lines of a text, whether each is code, and the level and title of those that are headings.
fn titled_lines(text: &str) -> impl Iterator<Item = (&str, bool, Option<(usize, String)>)> {
    let mut is_code = false;
    text.split_inclusive('\n').map(move |line| {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_code = !is_code;
        }
        (line, is_code, heading(bare).filter(|_| !is_code))
    })
}

/// The sections of a text or Markdown document, in order; together they are the whole text.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut all = Vec::new();
    let mut trail: Vec<(usize, String)> = Vec::new();
    let (mut start, mut first, mut at, mut depth) = (0, 1, 0, 0);
    let mut was_blank = false;
    let mut number = 0;
    for (line, is_code, title) in titled_lines(text) {
        number += 1;
        let length = at - start;
        let ends = match &title {
            Some((level, _)) => length >= SHORT || *level <= depth,
            None => length >= 2 * LONG || (length >= LONG && was_blank && !is_code),
        };
        if ends && length > 0 {
            all.push(Section {
                first,
                last: number - 1,
                bytes: start..at,
                trail: joined(&trail),
                depth,
            });
            (start, first) = (at, number);
        }
        if let Some((level, title)) = title {
            trail.retain(|(above, _)| *above < level);
            trail.push((level, title));
            if start == at {
                depth = level;
            }
        }
        at += line.len();
        was_blank = line.trim().is_empty();
    }
    if at > start {
        all.push(Section {
            first,
            last: number,
            bytes: start..at,
            trail: joined(&trail),
            depth,
        });
    }
    all
}

fn joined(trail: &[(usize, String)]) -> String {
    let titles: Vec<&str> = trail.iter().map(|(_, title)| title.as_str()).collect();
    titles.join(APART)
}

/// The level and the title of a line that is a heading of Markdown.
fn heading(line: &str) -> Option<(usize, String)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    let title = title.trim().trim_end_matches('#').trim_end();
    let is_heading = (1..=6).contains(&level) && !title.is_empty();
    is_heading.then(|| (level, title.chars().take(LONGEST_TITLE).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(usize, usize, String)> {
        let all = sections(text);
        let whole: String = all.iter().map(|it| it.text(text)).collect();
        assert_eq!(whole, text, "nothing is lost");
        let cut = all.into_iter().map(|it| (it.first, it.last, it.trail));
        cut.collect()
    }

    #[test]
    fn a_section_ends_at_the_next_heading_and_knows_those_above_it() {
        let filler = "words of a section. ".repeat(15);
        let text =
            format!("# A\n\n## B\n{filler}\n\n## C\n```\n# no heading\n```\n{filler}\n# D\nend");
        let wanted = [(1, 5, "A › B"), (6, 10, "A › C"), (11, 12, "D")];
        let wanted = wanted.map(|(first, last, trail)| (first, last, trail.to_owned()));
        assert_eq!(cut(&text), wanted);
    }

    #[test]
    fn a_long_section_is_cut_between_paragraphs_and_one_without_them_between_lines() {
        let paragraph = format!("{}\n\n", "word ".repeat(300));
        let all = cut(&paragraph.repeat(4));
        assert_eq!(all.len(), 2, "{all:?}");
        let rows = "a row of a table without a blank line\n".repeat(400);
        let all = cut(&rows);
        assert!(all.len() >= 3, "{all:?}");
        assert_eq!(cut(""), []);
        assert_eq!(cut("one").len(), 1);
    }
}
