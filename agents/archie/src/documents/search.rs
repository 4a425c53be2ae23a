//! Search in the documents of a thread: lines with a text, then sections that are close to its words.

use std::cmp::Reverse;

use superstep::text::single_line;

use super::{
    DocumentSet,
    rank::{Count, Words},
    sections::{Section, headings, sections},
};

/// The most lines with the text that are shown, and how many of one document while others have it too.
const MOST_LINES: usize = 40;
const MOST_OF_ONE: usize = 12;

/// The most other lines with the text that are named by their numbers, of one document.
const MOST_NUMBERS: usize = 120;

/// The most sections that are shown, and the lines of each.
const MOST_SECTIONS: usize = 8;
const LINES_OF_SECTION: usize = 2;

/// With so many lines sections are not needed, unless there are more than are shown.
const ENOUGH: usize = 12;

/// The most of a line that is shown, in characters.
const LONGEST: usize = 240;

/// The places of a text in these documents, or in one of them, as lines of text with their sources.
pub(crate) fn search(set: &DocumentSet, text: &str, only: Option<usize>) -> String {
    let wanted = text.trim().to_lowercase();
    let mut hits = Vec::new();
    for (number, document) in set.documents.iter().enumerate() {
        if only.is_some_and(|only| only != number) {
            continue;
        }
        let lines = (1..).zip(document.text.lines());
        let found: Vec<(usize, &str)> = lines
            .filter(|(_, line)| line.to_lowercase().contains(&wanted))
            .collect();
        if !found.is_empty() {
            hits.push((
                document.path.as_str(),
                ranked(&document.text, found, &wanted),
            ));
        }
    }
    // A document that speaks of it often comes before one that names it once.
    hits.sort_by_key(|(_, found)| Reverse(found.len()));
    let counts: Vec<String> = hits
        .iter()
        .map(|(path, found)| format!("{} {}", single_line(path), found.len()))
        .collect();
    let all: usize = hits.iter().map(|(_, found)| found.len()).sum();
    let most = if hits.len() > 1 {
        MOST_OF_ONE
    } else {
        MOST_LINES
    };
    let (mut shown, mut others, mut room) = (Vec::new(), Vec::new(), MOST_LINES);
    for (path, mut found) in hits {
        let mut rest = found.split_off(most.min(room).min(found.len()));
        room -= found.len();
        found.sort_unstable();
        let lines = found
            .into_iter()
            .map(|(line, text)| format!("{}:{line}: {}", single_line(path), around(text, &wanted)));
        shown.extend(lines);
        rest.sort_unstable();
        if !rest.is_empty() {
            others.push(format!("{}: {}", single_line(path), numbers(&rest)));
        }
    }
    let mut report = match all {
        0 => format!("No line has the text “{}”.\n", single_line(text)),
        _ => format!(
            "Lines with the text “{}”: {all} ({})\n{}\n",
            single_line(text),
            few(&counts),
            shown.join("\n")
        ),
    };
    if all > shown.len() {
        report.push_str(&format!(
            "{} more lines have it, less prominently:\n{}\n",
            all - shown.len(),
            few_lines(&others)
        ));
    }
    if !(ENOUGH..=MOST_LINES).contains(&all) {
        let close = close(set, text, only);
        if !close.is_empty() {
            report.push_str(&format!(
                "\nSections that are closest in words:\n{}\n",
                close.join("\n")
            ));
        }
    }
    report
}

/// The lines of a document that have a text, the most prominent first: headings, then those that have it as a whole word, of
/// both the first in each section.
fn ranked<'a>(document: &str, found: Vec<(usize, &'a str)>, wanted: &str) -> Vec<(usize, &'a str)> {
    let headings = headings(document);
    let sections = sections(document);
    let section_of = |line: usize| sections.iter().position(|it| it.last >= line);
    let mut last = None;
    let mut all: Vec<_> = found
        .into_iter()
        .map(|(line, text)| {
            let is_heading = headings.binary_search_by_key(&line, |it| it.line).is_ok();
            let section = section_of(line);
            let is_first = std::mem::replace(&mut last, section) != section;
            let rank = (!is_heading, !is_whole(text, wanted), !is_first);
            (rank, (line, text))
        })
        .collect();
    all.sort_by_key(|(rank, _)| *rank);
    all.into_iter().map(|(_, hit)| hit).collect()
}

/// Whether a line has a text in lower case that is no part of a longer word.
fn is_whole(line: &str, wanted: &str) -> bool {
    let line = line.to_lowercase();
    let mut places = line.match_indices(wanted);
    places.any(|(at, found)| {
        let (before, behind) = (line.get(..at), line.get(at + found.len()..));
        let ends = before.is_none_or(|it| !it.ends_with(char::is_alphanumeric));
        ends && behind.is_none_or(|it| !it.starts_with(char::is_alphanumeric))
    })
}

/// The numbers of some lines.
fn numbers(lines: &[(usize, &str)]) -> String {
    let all = lines.iter().take(MOST_NUMBERS);
    let mut all: Vec<String> = all.map(|(line, _)| line.to_string()).collect();
    if lines.len() > all.len() {
        all.push(format!("and {} more", lines.len() - all.len()));
    }
    all.join(", ")
}

/// The first lines of a list, and how many more there are.
fn few_lines(lines: &[String]) -> String {
    let mut first: Vec<String> = lines.iter().take(MOST_OF_ONE).cloned().collect();
    if lines.len() > first.len() {
        first.push(format!(
            "and in {} more documents",
            lines.len() - first.len()
        ));
    }
    first.join("\n")
}

/// The first of the documents that have a text, and how many more there are.
fn few(counts: &[String]) -> String {
    let first = counts.iter().take(MOST_OF_ONE).cloned();
    let mut named: Vec<String> = first.collect();
    if counts.len() > named.len() {
        named.push(format!("{} more documents", counts.len() - named.len()));
    }
    named.join(", ")
}

/// The part of a line around a text.
fn around(line: &str, wanted: &str) -> String {
    let line = line.trim();
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let at = line
        .to_lowercase()
        .find(wanted)
        .unwrap_or(0)
        .min(line.len());
    let start = line.floor_char_boundary(at.saturating_sub(LONGEST / 3));
    let part: String = line
        .get(start..)
        .unwrap_or_default()
        .chars()
        .take(LONGEST)
        .collect();
    let before = if start > 0 { "…" } else { "" };
    format!("{before}{part}…")
}

/// The sections closest to these words, with the lines that have most of them.
fn close(set: &DocumentSet, text: &str, only: Option<usize>) -> Vec<String> {
    let words = Words::new(text);
    let (mut found, mut counts): (Vec<(usize, Section)>, Vec<Count>) = Default::default();
    for (number, document) in set.documents.iter().enumerate() {
        if only.is_some_and(|only| only != number) {
            continue;
        }
        for section in sections(&document.text) {
            let body = section.text(&document.text);
            let title = section.title();
            counts.push(words.count([&*document.path, &*section.trail, title, title, body]));
            found.push((number, section));
        }
    }
    let scores = words.scores(&counts.iter().collect::<Vec<_>>());
    let mut ranked: Vec<_> = found.into_iter().zip(scores).collect();
    ranked.retain(|(_, score)| *score > 0.0);
    ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let best = ranked.into_iter().take(MOST_SECTIONS);
    let shown = best.filter_map(|((number, section), _)| {
        let document = set.documents.get(number)?;
        let path = single_line(&document.path);
        let body = section.text(&document.text);
        let lines: Vec<(usize, &str)> = (section.first..).zip(body.lines()).collect();
        let counts: Vec<Count> = lines.iter().map(|(_, line)| words.count([*line])).collect();
        let scores = words.scores(&counts.iter().collect::<Vec<_>>());
        let mut best: Vec<_> = lines.into_iter().zip(scores).collect();
        best.retain(|(_, score)| *score > 0.0);
        best.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        best.truncate(LINES_OF_SECTION);
        best.sort_by_key(|((line, _), _)| *line);
        let best = best.iter();
        let best = best.map(|((line, text), _)| format!("\n  {path}:{line}: {}", around(text, "")));
        Some(format!(
            "{path}:{}-{}{}{}",
            section.first,
            section.last,
            match section.trail.as_str() {
                "" => String::new(),
                trail => format!(" ({})", single_line(trail)),
            },
            best.collect::<String>()
        ))
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::Document;

    fn set() -> DocumentSet {
        let document = |path: &str, text: String| Document {
            path: path.into(),
            sha256: String::new(),
            text,
        };
        let many = "the ledger again\n".repeat(60);
        DocumentSet {
            documents: vec![
                document(
                    "a.md",
                    format!("# Money\n\nThe Ledger keeps accounts.\n{many}"),
                ),
                document(
                    "sub/b.md",
                    "# Bread\n\nThe oven bakes.\nIt asks the ledger.\n".into(),
                ),
            ],
            left: 0,
        }
    }

    #[test]
    fn lines_with_the_text_have_their_sources_and_no_document_takes_all_the_room() {
        let found = search(&set(), "LEDGER", None);
        assert!(
            found.starts_with("Lines with the text “LEDGER”: 62 (a.md 61, sub/b.md 1)\na.md:3: The Ledger keeps accounts.\n"),
            "{found}"
        );
        assert!(found.contains("sub/b.md:4: It asks the ledger."), "{found}");
        assert!(
            found.contains("49 more lines have it, less prominently:\na.md: 15, 16, 17,"),
            "{found}"
        );
        let one = search(&set(), "ledger", Some(1));
        assert!(!one.contains("a.md"), "{one}");
    }

    #[test]
    fn of_many_lines_the_most_prominent_are_shown_and_the_others_named() {
        let text = "subpool and so on\n".repeat(60) + "It needs a pool.\n\n# The pool\n";
        let document = Document {
            path: "a.md".into(),
            sha256: String::new(),
            text,
        };
        let set = DocumentSet {
            documents: vec![document],
            left: 0,
        };
        let found = search(&set, "pool", Some(0));
        assert!(
            found.contains("a.md:61: It needs a pool.\na.md:63: # The pool\n22 more lines have it"),
            "{found}"
        );
        assert!(found.contains("\na.md: 39, 40, 41,"), "{found}");
    }

    #[test]
    fn words_that_stand_apart_lead_to_the_sections_that_have_them() {
        let found = search(&set(), "oven bread", None);
        assert!(
            found.starts_with("No line has the text “oven bread”."),
            "{found}"
        );
        assert!(
            found.contains(
                "sub/b.md:1-4 (Bread)\n  sub/b.md:1: # Bread\n  sub/b.md:3: The oven bakes."
            ),
            "{found}"
        );
        let nothing = search(&set(), "zebra", None);
        assert_eq!(nothing, "No line has the text “zebra”.\n");
    }
}
