//! Selection of the sections that a model is shown: over all documents, the closest to what is said first.

use std::ops::RangeInclusive;

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

/// The score of a section that the last reply cites: more than any words give.
const CITED: f64 = 1e9;

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
    /// Lines that the last reply cites.
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

/// What is shown of these documents, in their order. If all of them fit, all are whole. Otherwise sections are: those that
/// the last reply cites, then the closest to the message and the goal, equal ones in order. The first that does not fit
/// is cut if a useful piece of it does. A model that can look up the rest gets no section that is far behind the best.
pub(crate) fn select(documents: &[Document], wanted: &Wanted<'_>, room: Room) -> Vec<Excerpt> {
    let sizes: Vec<usize> = documents.iter().map(|it| size(&it.text)).collect();
    if sizes.iter().sum::<usize>() <= room.whole {
        return whole(documents, &sizes);
    }
    let mut parts = parts(documents, wanted);
    let scores = parts.iter().map(|part| part.score);
    let best = scores.filter(|score| *score < CITED).fold(0.0, f64::max);
    if room.excerpts.is_some() && best > 0.0 {
        parts.retain(|part| part.score >= best * CLOSE);
    }
    parts.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut left = room.excerpts.unwrap_or(room.whole).min(room.whole);
    let mut taken: Vec<Vec<(Section, String)>> = vec![Vec::new(); documents.len()];
    for Candidate {
        document, section, ..
    } in parts
    {
        let (Some(text), Some(taken)) = (documents.get(document), taken.get_mut(document)) else {
            continue;
        };
        let text = section.text(&text.text);
        let header = if taken.is_empty() { tokens::HEADER } else { 0 };
        let cost = tokens::estimate(text) + header;
        let kept = if cost <= left {
            text
        } else if left >= USEFUL {
            tokens::head(text, left - header)
        } else {
            continue;
        };
        left = left.saturating_sub(tokens::estimate(kept) + header);
        if kept.len() < text.len() {
            left = left.min(USEFUL - 1);
        }
        taken.push((section, kept.to_owned()));
    }
    let shown = taken.into_iter().zip(documents).zip(sizes).enumerate();
    let shown = shown.filter(|(_, ((taken, _), _))| !taken.is_empty());
    shown
        .map(|(number, ((taken, document), of))| excerpt(number, taken, document.text.len(), of))
        .collect()
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
            let words = [&*it.path, &*section.trail, section.text(&it.text)];
            counts.push((message.count(words), goal.count(words)));
            let is_cited = |cited: &Lines| {
                cited.document == document
                    && *cited.lines.start() <= section.last
                    && *cited.lines.end() >= section.first
            };
            let score = match wanted.cited.iter().any(is_cited) {
                true => CITED,
                false => 0.0,
            };
            parts.push(Candidate {
                document,
                section,
                score,
            });
        }
    }
    let by_message = message.scores(&counts.iter().map(|(it, _)| it).collect::<Vec<_>>());
    let by_goal = goal.scores(&counts.iter().map(|(_, it)| it).collect::<Vec<_>>());
    for (part, (message, goal)) in parts.iter_mut().zip(by_message.iter().zip(by_goal)) {
        part.score += MESSAGE * message + goal;
    }
    parts
}

/// Sections of one document as pieces: neighbors are one piece.
fn excerpt(
    document: usize,
    mut taken: Vec<(Section, String)>,
    length: usize,
    of: usize,
) -> Excerpt {
    taken.sort_by_key(|(section, _)| section.first);
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut sum, mut bytes, mut next) = (tokens::HEADER, 0, 0);
    for (section, text) in taken {
        sum += tokens::estimate(&text);
        bytes += text.len();
        let is_next = section.bytes.start == next && section.first > 1;
        next = section.bytes.start + text.len();
        match pieces.last_mut().filter(|_| is_next) {
            Some(piece) => piece.text.push_str(&text),
            None => pieces.push(Piece {
                first: section.first,
                text,
            }),
        }
    }
    let tokens = match bytes == length {
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
