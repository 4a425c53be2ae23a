//! Tokenizer of the weights file: the tokens of a text.
//!
//! Files of the two supported kinds carry byte-level pair encodings: every token is some bytes. A text is parted at marks
//! ([`Marks`]), cut into words (`word_cut`), and of every word neighboring bytes are joined (`pair_encoding`).

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use unicode_normalization::UnicodeNormalization;

use super::gguf::{FileError, Gguf};
use super::pair_encoding::PairEncoding;
use super::token_table::{ADDED, MARK};
use super::word_cut::WordCut;

/// Makes tokens of texts.
pub(super) struct Tokenizer {
    marks: Marks,
    cut: WordCut,
    pairs: PairEncoding,
}

impl Tokenizer {
    pub(super) fn read(file: &Gguf<'_>) -> Result<Self, FileError> {
        let refused = |why: String| FileError::Tokenizer(why);
        let kind = file.text("tokenizer.ggml.model")?;
        if kind != "gpt2" {
            return Err(refused(format!(
                "its kind is `{kind}`, only `gpt2` is known"
            )));
        }
        let words = file.texts("tokenizer.ggml.tokens")?;
        let kinds = file.numbers("tokenizer.ggml.token_type")?;
        let merges = file.texts("tokenizer.ggml.merges")?;
        let name = file.text("tokenizer.ggml.pre").unwrap_or("default");
        let cut = WordCut::named(name).ok_or_else(|| refused(format!("its rules are `{name}`")))?;
        let marks = (0..).zip(&words).zip(&kinds);
        let marks = marks.filter(|(_, kind)| matches!(**kind, MARK | ADDED));
        Ok(Self {
            marks: Marks::new(marks.map(|((id, word), _)| ((*word).to_owned(), id)))
                .map_err(refused)?,
            cut,
            pairs: PairEncoding::new(&words, &merges).map_err(refused)?,
        })
    }

    /// The tokens of `text`, marks among them.
    pub(super) fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some((before, mark, after)) = self.marks.part(rest) {
            self.encode_plain(before, &mut tokens);
            tokens.push(mark);
            rest = after;
        }
        self.encode_plain(rest, &mut tokens);
        tokens
    }

    fn encode_plain(&self, text: &str, tokens: &mut Vec<u32>) {
        let composed: String;
        let text = match self.cut.is_composed() {
            true if !text.is_ascii() => {
                composed = text.nfc().collect();
                &composed
            }
            _ => text,
        };
        for word in self.cut.words(text) {
            self.pairs.encode(word.as_bytes(), tokens);
        }
    }
}

/// Texts that are a token as they stand, whatever is around them.
struct Marks {
    ids: HashMap<String, u32>,
    /// How long they are, the longest first, so that the longest that fits is found.
    lengths: BTreeSet<Reverse<usize>>,
    /// Whether one begins with this byte.
    begins: [bool; 256],
}

/// More lengths than any model has would make a text take too long.
const MOST_LENGTHS: usize = 256;

impl Marks {
    fn new(marks: impl Iterator<Item = (String, u32)>) -> Result<Self, String> {
        let ids: HashMap<String, u32> = marks.filter(|(text, _)| !text.is_empty()).collect();
        let lengths: BTreeSet<_> = ids.keys().map(|text| Reverse(text.len())).collect();
        if lengths.len() > MOST_LENGTHS {
            return Err(format!("its marks have {} lengths", lengths.len()));
        }
        let mut begins = [false; 256];
        for first in ids.keys().filter_map(|text| text.bytes().next()) {
            if let Some(begins) = begins.get_mut(usize::from(first)) {
                *begins = true;
            }
        }
        Ok(Self {
            ids,
            lengths,
            begins,
        })
    }

    /// What is before the first mark in `text`, the mark, and what is after it.
    fn part<'t>(&self, text: &'t str) -> Option<(&'t str, u32, &'t str)> {
        let begins = |byte: &u8| self.begins.get(usize::from(*byte)) == Some(&true);
        let mut places = text.bytes().enumerate().filter(|(_, byte)| begins(byte));
        places.find_map(|(at, _)| {
            // Within a character no mark begins.
            let (before, here) = text.split_at_checked(at)?;
            let mut parts = self.lengths.iter().filter_map(|length| {
                let (mark, after) = here.split_at_checked(length.0)?;
                Some((before, *self.ids.get(mark)?, after))
            });
            parts.next()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks() -> Marks {
        let marks = [("<|end|>", 7), ("<|end|>!", 8), ("\u{e9}t\u{e9}", 9)];
        Marks::new(marks.into_iter().map(|(text, id)| (text.to_owned(), id))).unwrap()
    }

    #[test]
    fn the_first_mark_parts_a_text_and_the_longest_one_there_counts() {
        let marks = marks();
        assert_eq!(marks.part("a <|end|> b"), Some(("a ", 7, " b")));
        assert_eq!(marks.part("<|end|>!<|end|>"), Some(("", 8, "<|end|>")));
        assert_eq!(
            marks.part("un \u{e9}t\u{e9} <|end|>"),
            Some(("un ", 9, " <|end|>"))
        );
        assert_eq!(marks.part("<|en\u{e9}|>"), None);
    }

    #[test]
    fn marks_of_more_lengths_than_a_model_has_are_refused() {
        let marks = (1..=MOST_LENGTHS + 1).map(|length| ("a".repeat(length), 0));
        assert!(Marks::new(marks).err().unwrap().contains("257 lengths"));
    }

    #[test]
    fn a_text_is_composed_parted_at_marks_and_cut_before_its_bytes_are_joined() {
        let words = [
            "a", "\u{c3}", "\u{a9}", "\u{c3}\u{a9}", "\u{120}", "\u{120}a",
        ];
        let merges = ["\u{c3} \u{a9}", "\u{120} a"];
        let tokenizer = Tokenizer {
            marks: marks(),
            cut: WordCut::Qwen2,
            pairs: PairEncoding::new(&words, &merges).unwrap(),
        };
        assert_eq!(
            tokenizer.encode("a a<|end|><|end|>!e\u{301}"),
            [0, 5, 7, 8, 3]
        );
    }
}
