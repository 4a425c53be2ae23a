//! Documents as the model reads them: numbered lines between marks that no document can hold, or an overview.

use superstep::{text::single_line, tools::guided::Profile};

use crate::{
    documents::{
        Document, DocumentSet,
        sections::sections,
        select::{Excerpt, Piece},
        tokens,
    },
    lookup::numbered,
};

/// The tokens of an overview: for the list of documents, and for headings besides.
const MOST_LISTED: usize = 6_000;
const MOST_HEADINGS: usize = 4_000;

/// The deepest headings of an overview.
const DEEPEST: usize = 2;

/// The documents, each between marks that name its hash: no document can hold its own.
pub(super) fn documents(set: &DocumentSet, shown: &[Excerpt], profile: Profile) -> String {
    let count = shown.len();
    let mut text = format!("Documents: {count}.\n");
    for (number, excerpt) in (1..).zip(shown) {
        let Some(document) = set.documents.get(excerpt.document) else {
            continue;
        };
        let mark: String = document.sha256.chars().take(12).collect();
        let path = single_line(&document.path);
        let part = match excerpt.is_whole() {
            true => String::new(),
            false => format!(" ({})", extent(document, excerpt)),
        };
        let pieces: Vec<String> = excerpt.pieces.iter().map(|it| piece(it, profile)).collect();
        text.push_str(&format!(
            "\n=== document {number} of {count} [{mark}]: {path}{part} ===\n{}\n=== end of document \
             {number} [{mark}] ===\n",
            pieces.join("\n[…]\n")
        ));
    }
    let left = (set.documents.len() + set.left).saturating_sub(count);
    if left > 0 {
        text.push_str(&format!("\nNot shown because they do not fit: {left}\n"));
    }
    text
}

/// Which lines of how many are shown.
fn extent(document: &Document, excerpt: &Excerpt) -> String {
    let ranges = excerpt.pieces.iter().map(|piece| {
        let lines = piece.text.trim_end().lines().count().max(1);
        format!("{}-{}", piece.first, piece.first + lines - 1)
    });
    let ranges: Vec<String> = ranges.collect();
    let all = document.text.lines().count();
    format!("lines {} of {all}", ranges.join(", "))
}

/// The lines of a piece; a strong model gets them with their numbers, to cite them.
fn piece(piece: &Piece, profile: Profile) -> String {
    let text = piece.text.trim_end();
    if profile == Profile::Small {
        return text.to_owned();
    }
    let lines = (piece.first..).zip(text.lines());
    let lines: String = lines.map(|(line, words)| numbered(line, words)).collect();
    lines.trim_end().to_owned()
}

/// All documents with their lines, and the headings of those for which there is room.
pub(super) fn overview(set: &DocumentSet) -> String {
    let count = set.documents.len();
    let mut text = format!(
        "Overview of all {count} documents; sections of them are shown below, near the message.\n"
    );
    let (mut listed, mut headed) = (0, 0);
    for (number, document) in set.documents.iter().enumerate() {
        let lines = document.text.lines().count();
        let line = format!("- {} ({lines} lines)\n", single_line(&document.path));
        listed += tokens::estimate(&line);
        if listed > MOST_LISTED {
            text.push_str(&format!("- and {} more documents\n", count - number));
            break;
        }
        text.push_str(&line);
        if headed < MOST_HEADINGS {
            let headings = headings(document, MOST_HEADINGS / count.max(1));
            headed += tokens::estimate(&headings);
            text.push_str(&headings);
        }
    }
    if set.left > 0 {
        text.push_str(&format!(
            "Too much to be kept, and out of reach: {} documents\n",
            set.left
        ));
    }
    text
}

/// The outer headings of a document with their lines, in so many tokens.
fn headings(document: &Document, most: usize) -> String {
    let (mut text, mut used, mut last) = (String::new(), 0, String::new());
    for section in sections(&document.text) {
        let titles: Vec<&str> = section.trail.split(" › ").take(DEEPEST).collect();
        let title = titles.join(" › ");
        if section.depth == 0 || title == last || title.is_empty() {
            continue;
        }
        let line = format!("  {}: {}\n", section.first, single_line(&title));
        used += tokens::estimate(&line);
        if used > most {
            break;
        }
        text.push_str(&line);
        last = title;
    }
    text
}
