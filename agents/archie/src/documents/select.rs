//! Selection of the lines that a model is shown: those that were cited, then the sections closest to what is said.

use std::{
    cmp::Reverse,
    collections::HashSet,
    ops::{Range, RangeInclusive},
};

use super::{
    Document,
    rank::{Count, Words},
    sections::{Section, sections},
    tokens,
};

/// A piece of a section that is smaller than this tells too little.
const USEFUL: usize = 300;

/// How much more the words of the message count than those of the goal.
const MESSAGE: f64 = 2.0;

/// The part of the best score that a section must have to be shown to a model that can look up the rest.
const CLOSE: f64 = 0.3;

/// The lines of a citation that are shown at most, and those before and behind it in its section.
const LONGEST: usize = 60;
const AROUND: usize = 4;

/// The part of a section's lines that another one has if they are twins, and how many lines it must have for that.
const SAME: f64 = 0.75;
const FEWEST: usize = 6;

/// Tokens for documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// For all of them. If they fit, they are shown whole.
    pub(crate) whole: usize,
    /// For sections of them, if the model can look up the rest. Without this, sections get all of the room.
    pub(crate) excerpts: Option<usize>,
}

/// What sections are chosen by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// What the person says now.
    pub(crate) message: &'a str,
    /// What the thread is about.
    pub(crate) goal: &'a str,
    /// Lines that replies cite, the latest first.
    pub(crate) cited: &'a [Lines],
}

/// Lines of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The number of the document, from 0.
    pub(crate) document: usize,
    /// The lines, from 1.
    pub(crate) lines: RangeInclusive<usize>,
}

/// What is shown of one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The number of the document, from 0.
    pub(crate) document: usize,
    /// The pieces, in order.
    pub(crate) pieces: Vec<Piece>,
    /// How many tokens they are, as estimated.
    pub(crate) tokens: usize,
    /// How many the document is.
    pub(crate) of: usize,
}

/// Lines that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The first one, from 1.
    pub(crate) first: usize,
    /// Their text.
    pub(crate) text: String,
}

impl Excerpt {
    /// Whether it is all of the document.
    pub(crate) fn is_whole(&self) -> bool {
        self.tokens >= self.of
    }
}

/// What is shown of these documents, in their order. If all of them fit, all are whole. Otherwise lines are: those that are
/// cited and some around them, the most cited first, then the sections closest to the message and the goal, equal ones in
/// order and of twins only one. The first that does not fit is cut if a useful piece of it does. A model that can look up the
/// rest gets no section that is far behind the best.
pub(crate) fn select(documents: &[Document], wanted: &Wanted<'_>, room: Room) -> Vec<Excerpt> {
    let sizes: Vec<usize> = documents.iter().map(|it| size(&it.text)).collect();
    if sizes.iter().sum::<usize>() <= room.whole {
        return whole(documents, &sizes);
    }
    let mut shown = Shown {
        documents,
        taken: vec![Vec::new(); documents.len()],
        left: room.excerpts.unwrap_or(room.whole).min(room.whole),
    };
    for (document, bytes) in cited(documents, wanted.cited) {
        shown.take(document, bytes);
    }
    let mut parts = parts(documents, wanted);
    let best = parts.iter().map(|part| part.score).fold(0.0, f64::max);
    if room.excerpts.is_some() && best > 0.0 {
        parts.retain(|part| part.score >= best * CLOSE);
    }
    parts.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut seen: Vec<HashSet<&str>> = Vec::new();
    for Candidate {
        document, section, ..
    } in parts
    {
        let text = documents.get(document).map(|it| section.text(&it.text));
        let lines = text.unwrap_or_default().lines().map(str::trim);
        // Marks of blocks tell nothing.
        let lines: HashSet<&str> = lines.filter(|line| line.len() > FEWEST).collect();
        let is_twin = |other: &HashSet<&str>| {
            let shared = lines.intersection(other).count() as f64;
            lines.len() >= FEWEST && shared >= SAME * lines.len() as f64
        };
        if !seen.iter().any(is_twin) && shown.take(document, section.bytes) {
            seen.push(lines);
        }
    }
    shown.excerpts(&sizes)
}

/// The bytes of the lines that are cited, with some around them in their sections, by document: those that are cited most
/// often first, then in order.
fn cited(documents: &[Document], all: &[Lines]) -> Vec<(usize, Range<usize>)> {
    let mut cited: Vec<(&Lines, usize)> = Vec::new();
    for lines in all {
        match cited.iter_mut().find(|(it, _)| *it == lines) {
            Some((_, times)) => *times += 1,
            None => cited.push((lines, 1)),
        }
    }
    cited.sort_by_key(|(_, times)| Reverse(*times));
    let bytes = cited.into_iter().filter_map(|(cited, _)| {
        let text = &documents.get(cited.document)?.text;
        Some((cited.document, around(text, &cited.lines)?))
    });
    bytes.collect()
}

/// The bytes of some lines of a text and of those around them.
fn around(text: &str, lines: &RangeInclusive<usize>) -> Option<Range<usize>> {
    let first = *lines.start();
    let last = *lines.end().min(&(first + LONGEST - 1));
    let sections = sections(text);
    let first_of = sections.iter().find(|it| it.last >= first)?.first;
    let last_of = sections.iter().find(|it| it.last >= last)?.last;
    let (first, last) = (
        first_of.max(first.saturating_sub(AROUND)),
        last_of.min(last + AROUND),
    );
    let length = |line: &str| line.len();
    let mut all = text.split_inclusive('\n').map(length);
    let start: usize = all.by_ref().take(first - 1).sum();
    let end = start + all.take(last + 1 - first).sum::<usize>();
    Some(start..end)
}

/// What is shown so far.
struct Shown<'a> {
    documents: &'a [Document],
    /// The bytes of each document, in order; they do not overlap.
    taken: Vec<Vec<Range<usize>>>,
    /// The tokens that are left.
    left: usize,
}

impl Shown<'_> {
    /// Takes what is not shown yet of these bytes, as much as fits; says whether anything of them is shown then.
    fn take(&mut self, number: usize, bytes: Range<usize>) -> bool {
        let document = self.documents.get(number);
        let (Some(document), Some(taken)) = (document, self.taken.get_mut(number)) else {
            return false;
        };
        let gaps = gaps(taken, &bytes);
        let mut is_shown = gaps.is_empty();
        for gap in gaps {
            let text = document.text.get(gap.clone()).unwrap_or_default();
            let header = if taken.is_empty() { tokens::HEADER } else { 0 };
            let kept = if tokens::estimate(text) + header <= self.left {
                text
            } else if self.left >= USEFUL {
                tokens::head(text, self.left - header)
            } else {
                continue;
            };
            self.left = self.left.saturating_sub(tokens::estimate(kept) + header);
            if kept.len() < text.len() {
                self.left = self.left.min(USEFUL - 1);
            }
            taken.push(gap.start..gap.start + kept.len());
            is_shown = true;
        }
        taken.sort_by_key(|it| it.start);
        is_shown
    }

    /// All of it, by document.
    fn excerpts(self, sizes: &[usize]) -> Vec<Excerpt> {
        let all = self.taken.into_iter().zip(self.documents).zip(sizes);
        let all = all.enumerate();
        let shown = all.filter(|(_, ((taken, _), _))| !taken.is_empty());
        shown
            .map(|(number, ((taken, it), of))| excerpt(number, &taken, &it.text, *of))
            .collect()
    }
}

/// The parts of some bytes that are not among these ranges, which are in order.
fn gaps(taken: &[Range<usize>], bytes: &Range<usize>) -> Vec<Range<usize>> {
    let (mut gaps, mut at) = (Vec::new(), bytes.start);
    for range in taken.iter().filter(|it| it.end > bytes.start) {
        if range.start >= bytes.end {
            break;
        }
        if range.start > at {
            gaps.push(at..range.start);
        }
        at = at.max(range.end);
    }
    if at < bytes.end {
        gaps.push(at..bytes.end);
    }
    gaps
}

/// How many tokens a document is, its header among them.
pub(crate) fn size(text: &str) -> usize {
    tokens::estimate(text) + tokens::HEADER
}

fn whole(documents: &[Document], sizes: &[usize]) -> Vec<Excerpt> {
    let all = documents.iter().zip(sizes).enumerate();
    all.map(|(document, (it, size))| Excerpt {
        document,
        pieces: vec![Piece {
            first: 1,
            text: it.text.clone(),
        }],
        tokens: *size,
        of: *size,
    })
    .collect()
}

/// A section and how close it is.
struct Candidate {
    document: usize,
    section: Section,
    score: f64,
}

fn parts(documents: &[Document], wanted: &Wanted<'_>) -> Vec<Candidate> {
    let (message, goal) = (Words::new(wanted.message), Words::new(wanted.goal));
    let (mut parts, mut counts) = (Vec::new(), Vec::<(Count, Count)>::new());
    for (document, it) in documents.iter().enumerate() {
        for section in sections(&it.text) {
            let title = section.title();
            // What a section is called tells most about it.
            let words = [
                &*it.path,
                &*section.trail,
                title,
                title,
                section.text(&it.text),
            ];
            counts.push((message.count(words), goal.count(words)));
            parts.push(Candidate {
                document,
                section,
                score: 0.0,
            });
        }
    }
    let by_message = message.scores(&counts.iter().map(|(it, _)| it).collect::<Vec<_>>());
    let by_goal = goal.scores(&counts.iter().map(|(_, it)| it).collect::<Vec<_>>());
    for (part, (message, goal)) in parts.iter_mut().zip(by_message.iter().zip(by_goal)) {
        part.score = MESSAGE * message + goal;
    }
    parts
}

/// Bytes of one document as pieces: neighbors are one piece.
fn excerpt(document: usize, taken: &[Range<usize>], text: &str, of: usize) -> Excerpt {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut sum, mut bytes, mut next) = (tokens::HEADER, 0, None);
    for range in taken {
        let piece = text.get(range.clone()).unwrap_or_default();
        sum += tokens::estimate(piece);
        bytes += piece.len();
        match pieces.last_mut().filter(|_| next == Some(range.start)) {
            Some(last) => last.text.push_str(piece),
            None => {
                let before = text.get(..range.start).unwrap_or_default();
                pieces.push(Piece {
                    first: 1 + before.matches('\n').count(),
                    text: piece.to_owned(),
                });
            }
        }
        next = Some(range.end);
    }
    let tokens = match bytes == text.len() {
        true => of,
        false => sum.min(of.saturating_sub(1)),
    };
    Excerpt {
        document,
        pieces,
        tokens,
        of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(path: &str, text: &str) -> Document {
        Document {
            path: path.into(),
            text: text.into(),
            sha256: String::new(),
        }
    }

    /// A document with a section for each of these words.
    fn manual(path: &str, words: &[&str]) -> Document {
        let section =
            |word: &&str| format!("## {word}\n\n{}\n\n", format!("about {word}. ").repeat(60));
        document(path, &words.iter().map(section).collect::<String>())
    }

    fn shown(documents: &[Document], message: &str, room: Room) -> Vec<String> {
        let wanted = Wanted {
            message,
            ..Wanted::default()
        };
        let all = select(documents, &wanted, room);
        let used: usize = all.iter().map(|it| it.tokens).sum();
        assert!(used <= room.whole, "{used} of {}", room.whole);
        let pieces = all.iter().flat_map(|it| {
            let path = documents.get(it.document).map_or("", |it| it.path.as_str());
            let first = |piece: &Piece| format!("{path}:{}", piece.first);
            it.pieces.iter().map(first).collect::<Vec<_>>()
        });
        pieces.collect()
    }

    const ALL: Room = Room {
        whole: 900,
        excerpts: None,
    };

    #[test]
    fn what_fits_is_whole() {
        let documents = [document("a", "one\ntwo\n"), document("b", "three")];
        let all = select(&documents, &Wanted::default(), ALL);
        assert!(all.iter().all(Excerpt::is_whole), "{all:?}");
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn a_section_at_the_end_of_a_large_document_is_found_by_its_words() {
        let words = ["apples", "pears", "plums", "figs", "quinces"];
        let documents = [
            manual("fruit.md", &words),
            manual("trees.md", &["oak", "ash"]),
        ];
        let room = Room {
            whole: 900,
            excerpts: Some(400),
        };
        assert_eq!(
            shown(&documents, "What about quinces?", room),
            ["fruit.md:17"]
        );
        // Without words in common, or without a way to look up the rest, what fits is shown from the beginning.
        assert_eq!(shown(&documents, "zebras", room), ["fruit.md:1"]);
        let all = shown(&documents, "What about ash?", ALL);
        assert_eq!(all, ["fruit.md:1", "trees.md:5"]);
    }

    #[test]
    fn what_was_cited_stays_in_view() {
        let documents = [manual("fruit.md", &["apples", "pears", "plums", "figs"])];
        let cited = [Lines {
            document: 0,
            lines: 11..=11,
        }];
        let wanted = Wanted {
            message: "why?",
            cited: &cited,
            ..Wanted::default()
        };
        let room = Room {
            whole: 900,
            excerpts: Some(400),
        };
        let all = select(&documents, &wanted, room);
        let first = all.first().and_then(|it| it.pieces.first());
        assert_eq!(first.map(|piece| piece.first), Some(9));
    }

    #[test]
    fn every_cited_line_is_shown_with_its_surroundings_before_whole_sections() {
        let rows = |name: &str| {
            let row = |row: usize| format!("| {name} {row} | a row of a table |\n");
            (1..=200).map(row).collect::<String>()
        };
        let documents = [document("a.md", &rows("a")), document("b.md", &rows("b"))];
        let lines = |document, lines| Lines { document, lines };
        let cited = [
            lines(0, 50..=50),
            lines(0, 190..=191),
            lines(1, 120..=120),
            lines(1, 120..=120),
        ];
        let wanted = Wanted {
            message: "table a 3",
            cited: &cited,
            ..Wanted::default()
        };
        let room = Room {
            whole: 2_000,
            excerpts: Some(900),
        };
        let all = select(&documents, &wanted, room);
        for Lines { document, lines } in &cited {
            let lines = lines.start() - AROUND..=lines.end() + AROUND;
            let it = all.iter().find(|it| it.document == *document).unwrap();
            let has = |piece: &Piece| {
                let behind = piece.first + piece.text.lines().count();
                piece.first <= *lines.start() && *lines.end() < behind
            };
            assert!(it.pieces.iter().any(has), "{lines:?} in {it:?}");
        }
        let used: usize = all.iter().map(|it| it.tokens).sum();
        assert!((800..=900).contains(&used), "the rest is filled up: {used}");
    }

    #[test]
    fn of_twins_only_one_is_shown() {
        let example = |import: &str| {
            let lines: String = (0..20).map(|it| format!("pool.add(task{it});\n")).collect();
            format!("## Example of a pool with {import}\n\n{import} pool\n{lines}\n")
        };
        let other = "## Limits of a pool\n\nA pool has limits, and an example of them.\n".repeat(3);
        let far = "## Bread\n\nThe oven bakes.\n\n".repeat(60);
        let text = example("import") + &example("require") + &other + &far;
        let room = Room {
            whole: 900,
            excerpts: Some(600),
        };
        let found = shown(&[document("a.md", &text)], "an example of a pool", room);
        assert_eq!(found, ["a.md:1", "a.md:49"]);
    }

    #[test]
    fn the_first_that_does_not_fit_is_cut_and_a_useless_piece_is_left() {
        let long = "some words of a line. ".repeat(150);
        let documents = [document("a", &long), document("b", &long)];
        let room = |whole| Room {
            whole,
            excerpts: None,
        };
        let all = select(&documents, &Wanted::default(), room(1_700));
        assert_eq!(all.len(), 2);
        assert!(!all.iter().all(Excerpt::is_whole), "{all:?}");
        assert_eq!(select(&documents, &Wanted::default(), room(200)), []);
    }
}
