//! Search in the documents of a thread: lines with a text, then sections that are close to its words.

use superstep::text::single_line;

use super::{
    DocumentSet,
    rank::{Count, Words},
    sections::{Section, sections},
};

/// The most lines with the text that are shown, and how many of one document while others have it too.
const MOST_LINES: usize = 40;
const MOST_OF_ONE: usize = 12;

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
            hits.push((document.path.as_str(), found));
        }
    }
    // A document that speaks of it often comes before one that names it once.
    hits.sort_by_key(|(_, found)| std::cmp::Reverse(found.len()));
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
    let shown = hits
        .iter()
        .flat_map(|(path, found)| found.iter().take(most).map(move |hit| (*path, *hit)));
    let shown: Vec<String> = shown
        .take(MOST_LINES)
        .map(|(path, (line, text))| {
            format!("{}:{line}: {}", single_line(path), around(text, &wanted))
        })
        .collect();
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
            "{} more lines are not shown: name a document, or search for a longer text.\n",
            all - shown.len()
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
            counts.push(words.count([&*document.path, &*section.trail, body]));
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
        assert!(found.contains("49 more lines are not shown"), "{found}");
        let one = search(&set(), "ledger", Some(1));
        assert!(!one.contains("a.md"), "{one}");
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
