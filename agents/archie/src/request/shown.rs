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

/// The tokens of an overview: for the list of documents, and for headings besides. Each is at most an eighth of what the
/// model can read.
const MOST_LISTED: usize = 6_000;
const MOST_HEADINGS: usize = 4_000;

/// The deepest headings of an overview.
const DEEPEST: usize = 2;

/// The documents, each between marks that name its hash: no document can hold its own.
pub(super) fn documents(set: &DocumentSet, shown: &[Excerpt], profile: Profile) -> String {
    let (count, all) = (shown.len(), set.documents.len() + set.left);
    let mut text = match shown.iter().all(Excerpt::is_whole) && count == all {
        true => format!("Documents: {count}.\n"),
        false => format!("Sections of {count} of {all} documents, those closest to the message.\n"),
    };
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

/// All documents with their lines, and headings: the longer a document is, the more of them.
pub(super) fn overview(set: &DocumentSet, context: Option<usize>) -> String {
    let eighth = context.map_or(usize::MAX, |context| context / 8);
    let (most_listed, most_headings) = (MOST_LISTED.min(eighth), MOST_HEADINGS.min(eighth));
    let count = set.documents.len();
    let mut text = format!(
        "Overview of all {count} documents; sections of them are shown below, near the message.\n"
    );
    let whole: usize = set.documents.iter().map(|it| it.text.len()).sum();
    let mut listed = 0;
    for (number, document) in set.documents.iter().enumerate() {
        let lines = document.text.lines().count();
        let line = format!("- {} ({lines} lines)\n", single_line(&document.path));
        listed += tokens::estimate(&line);
        if listed > most_listed {
            text.push_str(&format!("- and {} more documents\n", count - number));
            break;
        }
        text.push_str(&line);
        let share = most_headings * document.text.len() / whole.max(1);
        text.push_str(&headings(document, share));
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
