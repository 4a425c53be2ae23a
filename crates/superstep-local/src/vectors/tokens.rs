//! From a text to the ids of its word pieces, as BERT (uncased) cuts it.
//!
//! Letters lose their case and accents, punctuation and Chinese characters stand alone, and each word is
//! cut from its start into the longest pieces that the vocabulary has. One thing is different from other
//! readers of this vocabulary: `[SEP]` and the like in a text are plain text and no marks.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

/// How many ids the model was trained on, marks included; the rest of a text is left out.
pub(super) const LIMIT: usize = 256;

/// Stands for a word that cannot be put together from pieces.
const UNKNOWN: i32 = 100;
/// Stands before the text.
const START: i32 = 101;
/// Stands behind it.
const END: i32 = 102;
/// A longer word is not cut.
const LONGEST_WORD: usize = 100;

/// The ids of pieces: those at the start of a word, and those that continue with one.
struct Vocabulary {
    first: HashMap<&'static str, i32>,
    next: HashMap<&'static str, i32>,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let mut vocabulary = Vocabulary {
        first: HashMap::with_capacity(25_000),
        next: HashMap::with_capacity(6_000),
    };
    for (id, piece) in (0..).zip(include_str!("vocab.txt").lines()) {
        match piece.strip_prefix("##") {
            // `##` itself would be an empty piece.
            Some(piece) if !piece.is_empty() => vocabulary.next.insert(piece, id),
            _ => vocabulary.first.insert(piece, id),
        };
    }
    vocabulary
});

/// The ids of a text between their marks, at most [`LIMIT`].
pub(super) fn ids(text: &str) -> Vec<i32> {
    let mut pieces = WordPieces {
        ids: vec![START],
        word: String::new(),
        chars: 0,
    };
    for c in plain(text) {
        if pieces.ids.len() >= LIMIT {
            break;
        }
        if c.is_whitespace() {
            pieces.end_word();
        } else if is_punctuation(c) {
            pieces.end_word();
            pieces.push(c);
            pieces.end_word();
        } else {
            pieces.push(c);
        }
    }
    pieces.end_word();
    let mut ids = pieces.ids;
    ids.truncate(LIMIT - 1);
    ids.push(END);
    ids
}

/// The characters that count: no controls, no accents, no capitals.
fn plain(text: &str) -> impl Iterator<Item = char> {
    let clean = text.chars().filter(|&c| !is_dropped(c));
    let spaced = clean.flat_map(|c| {
        let around = is_chinese(c).then_some(' ');
        around.into_iter().chain([c]).chain(around)
    });
    let bare = spaced.nfd().filter(|c| !c.is_mark_nonspacing());
    bare.flat_map(char::to_lowercase)
}

fn is_dropped(c: char) -> bool {
    let is_control = c.is_other() && !matches!(c, '\t' | '\n' | '\r');
    is_control || c == '\u{fffd}'
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.is_punctuation()
}

fn is_chinese(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF
        | 0x3400..=0x4DBF
        | 0x20000..=0x2A6DF
        | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F
        | 0x2B920..=0x2CEAF
        | 0xF900..=0xFAFF
        | 0x2F800..=0x2FA1F)
}

/// The ids so far, and the word that is being read.
struct WordPieces {
    ids: Vec<i32>,
    word: String,
    chars: usize,
}

impl WordPieces {
    fn push(&mut self, c: char) {
        self.chars += 1;
        // What is too long to be cut need not be kept.
        if self.chars <= LONGEST_WORD {
            self.word.push(c);
        }
    }

    fn end_word(&mut self) {
        if self.chars > LONGEST_WORD {
            self.ids.push(UNKNOWN);
        } else if self.chars > 0 {
            match cut(&self.word) {
                Some(ids) => self.ids.extend(ids),
                None => self.ids.push(UNKNOWN),
            }
        }
        self.word.clear();
        self.chars = 0;
    }
}

/// A word as the longest pieces from its start; `None` if no piece fits somewhere.
fn cut(word: &str) -> Option<Vec<i32>> {
    let vocabulary = &*VOCABULARY;
    let mut ids = Vec::new();
    let mut pieces = &vocabulary.first;
    let mut rest = word;
    while !rest.is_empty() {
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
        let (id, after) = ends.into_iter().find_map(|end| {
            let (piece, after) = rest.split_at_checked(end)?;
            Some((*pieces.get(piece)?, after))
        })?;
        ids.push(id);
        rest = after;
        pieces = &vocabulary.next;
    }
    Some(ids)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Texts and the ids that the reference tokenizer of the model gives them.
    const REFERENCE: &str = include_str!("reference_ids.json");

    #[test]
    fn ids_are_those_of_the_reference_tokenizer() {
        let cases: Vec<Value> = serde_json::from_str(REFERENCE).unwrap();
        assert!(cases.len() >= 100);
        for case in cases {
            let text = case["text"].as_str().unwrap();
            let expected: Vec<i32> = serde_json::from_value(case["ids"].clone()).unwrap();
            assert_eq!(ids(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_vocabulary_is_whole() {
        let vocabulary = &*VOCABULARY;
        assert_eq!(vocabulary.first.len() + vocabulary.next.len(), 30_522);
        for (piece, id) in [("[UNK]", UNKNOWN), ("[CLS]", START), ("[SEP]", END)] {
            assert_eq!(vocabulary.first.get(piece), Some(&id));
        }
    }

    #[test]
    fn marks_in_a_text_are_plain_text() {
        let ids = ids("a [SEP] b");
        let inside = ids.get(1..ids.len() - 1).unwrap();
        assert!(!inside.contains(&END), "{ids:?}");
    }

    #[test]
    fn a_long_text_is_cut_at_the_limit_and_still_has_its_end() {
        for text in [
            "word ".repeat(10_000),
            "x-".repeat(10_000),
            "x".repeat(1 << 16),
        ] {
            let ids = ids(&text);
            assert!(ids.len() <= LIMIT);
            assert_eq!((ids.first(), ids.last()), (Some(&START), Some(&END)));
        }
        assert_eq!(ids(&"word ".repeat(254)).len(), LIMIT);
        assert_eq!(ids(&"word ".repeat(253)).len(), LIMIT - 1);
    }
}
