//! Documents as the model reads them: numbered lines between marks that no document can hold, or an overview.

use std::{cmp::Reverse, iter};

use superstep::{text::single_line, tools::guided::Profile};

use crate::{
    documents::{
        Document, DocumentSet,
        sections::{Heading, headings},
        select::{Excerpt, Piece},
        tokens,
    },
    lookup::numbered,
};

/// The tokens of an overview: for the list of documents, and for headings besides. Each is at most an eighth of what the
/// model can read.
const MOST_LISTED: usize = 6_000;
const MOST_HEADINGS: usize = 4_000;

/// The tokens of the line that says how many headings are left out.
const MORE: usize = 16;

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

/// All documents with their lines and as many headings as there is room for.
pub(super) fn overview(set: &DocumentSet, context: Option<usize>) -> String {
    let eighth = context.map_or(usize::MAX, |context| context / 8);
    let (most_listed, most_headings) = (MOST_LISTED.min(eighth), MOST_HEADINGS.min(eighth));
    let count = set.documents.len();
    let mut text = format!(
        "Overview of all {count} documents; sections of them are shown below, near the message.\n"
    );
    let all: Vec<Vec<Heading>> = set.documents.iter().map(|it| headings(&it.text)).collect();
    let shares = shares(&all, most_headings);
    let mut listed = 0;
    for (number, (document, (headings, share))) in
        set.documents.iter().zip(all.iter().zip(shares)).enumerate()
    {
        let lines = document.text.lines().count();
        let line = format!("- {} ({lines} lines)\n", single_line(&document.path));
        listed += tokens::estimate(&line);
        if listed > most_listed {
            text.push_str(&format!("- and {} more documents\n", count - number));
            break;
        }
        text.push_str(&line);
        text.push_str(&outline(headings, lines, share));
    }
    if set.left > 0 {
        text.push_str(&format!(
            "Too much to be kept, and out of reach: {} documents\n",
            set.left
        ));
    }
    text
}

/// The tokens that each document has for its headings: what a short list does not need, the longer ones have.
fn shares(all: &[Vec<Heading>], most: usize) -> Vec<usize> {
    let needs = all.iter().map(|headings| {
        let costs = headings.iter().map(|it| tokens::estimate(&entry(it)));
        costs.sum::<usize>()
    });
    let needs: Vec<usize> = needs.collect();
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|number| needs.get(*number));
    let mut shares = vec![0; needs.len()];
    let mut left = most;
    for (number, documents) in iter::zip(order, (1..=needs.len()).rev()) {
        if let (Some(share), Some(need)) = (shares.get_mut(number), needs.get(number)) {
            *share = left / documents;
            *share = (*share).min(*need);
            left -= *share;
        }
    }
    shares
}

/// The headings of a document in so many tokens, in order: the outer ones first, of equal ones those with the most lines.
fn outline(headings: &[Heading], lines: usize, most: usize) -> String {
    let extent = |(number, it): (usize, &Heading)| {
        let mut behind = headings.iter().skip(number + 1);
        let next = behind.find(|other| other.level <= it.level);
        next.map_or(lines + 1, |next| next.line) - it.line
    };
    let mut order: Vec<(usize, &Heading)> = headings.iter().enumerate().collect();
    order.sort_by_cached_key(|it| (it.1.level, Reverse(extent(*it))));
    let costs = order.iter().map(|(_, it)| tokens::estimate(&entry(it)));
    let is_all = costs.clone().sum::<usize>() <= most;
    let mut left = if is_all {
        most
    } else {
        most.saturating_sub(MORE)
    };
    let fits = costs.take_while(|cost| {
        let fits = *cost <= left;
        left = left.saturating_sub(*cost);
        fits
    });
    let count = fits.count();
    order.truncate(count);
    order.sort_by_key(|(number, _)| *number);
    let mut text: String = order.iter().map(|(_, it)| entry(it)).collect();
    if count > 0 && count < headings.len() {
        let more = headings.len() - count;
        text.push_str(&format!("  … {more} more, to line {lines}\n"));
    }
    text
}

/// A heading with its line; a deeper one stands farther to the right.
fn entry(heading: &Heading) -> String {
    let Heading { line, level, title } = heading;
    format!("{}{line}: {}\n", "  ".repeat(*level), single_line(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manual(path: &str, chapters: usize, parts: usize) -> Document {
        let part = |part: usize| format!("### Part {part}\n\n{}\n\n", "words ".repeat(part * 8));
        let parts: String = (1..=parts).map(part).collect();
        let chapter = |chapter: usize| format!("## Chapter {chapter}\n\n{parts}");
        let text: String = (1..=chapters).map(chapter).collect();
        Document {
            path: path.into(),
            sha256: String::new(),
            text: format!("# {path}\n\n{text}"),
        }
    }

    fn listed(documents: Vec<Document>, context: usize) -> String {
        let set = DocumentSet { documents, left: 0 };
        overview(&set, Some(context))
    }

    #[test]
    fn an_overview_goes_as_deep_as_there_is_room() {
        let text = listed(vec![manual("a.md", 2, 2)], 80_000);
        let wanted = "- a.md (22 lines)\n  1: a.md\n    3: Chapter 1\n      5: Part 1\n      9: Part 2\n    \
            13: Chapter 2\n      15: Part 1\n      19: Part 2\n";
        assert!(text.ends_with(wanted), "{text}");
    }

    #[test]
    fn a_list_that_is_cut_says_so_and_leaves_room_to_the_other_documents() {
        let long = manual("long.md", 12, 9);
        let text = listed(vec![long, manual("short.md", 2, 1)], 4_000);
        assert!(tokens::estimate(&text) <= 640, "{text}");
        assert!(text.contains(": Chapter 12\n"), "{text}");
        assert!(text.contains("      "), "some parts are named: {text}");
        let lines = 12 * (2 + 9 * 4) + 2;
        let more = format!(" more, to line {lines}\n- short.md");
        assert!(text.contains(&more), "{more}: {text}");
        assert!(text.ends_with(": Part 1\n"), "{text}");
        assert_eq!(text.matches(" more, to line").count(), 1, "{text}");
    }
}
