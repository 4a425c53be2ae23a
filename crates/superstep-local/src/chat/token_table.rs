//! Tokens of the weights file: the text of each.
//!
//! The grammars of replies are made from it while the `tokenizer` is made and the prompt is read.

use std::collections::BTreeSet;

use super::gguf::{FileError, Gguf};

/// The tokens of a model.
pub(super) struct TokenTable {
    tokens: Vec<Token>,
    end: u32,
    /// Text that would be taken for a token that steers the conversation.
    steering: Vec<String>,
}

/// The text of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Bytes of text.
    Text(Vec<u8>),
    /// A mark that steers the conversation and is never part of a text.
    Mark(String),
}

/// Numbers for the kind of a token in a weights file.
pub(super) const MARK: u32 = 3;
pub(super) const ADDED: u32 = 4;

/// What all tokens may have together, in bytes: four times as much as large vocabularies do. Grammars have a node for each.
const MOST_LETTERS: usize = 1 << 22;

impl TokenTable {
    pub(super) fn read(file: &Gguf<'_>) -> Result<Self, FileError> {
        let refused = |why: String| FileError::Tokenizer(why);
        let words = file.texts("tokenizer.ggml.tokens")?;
        let kinds = file.numbers("tokenizer.ggml.token_type")?;
        let end = file.whole("tokenizer.ggml.eos_token_id")?;
        let end = u32::try_from(end)
            .ok()
            .filter(|end| (*end as usize) < words.len());
        let end = end.ok_or_else(|| refused("its last token does not exist".to_owned()))?;
        if kinds.len() != words.len() {
            return Err(refused(format!(
                "{} tokens with {} kinds",
                words.len(),
                kinds.len()
            )));
        }
        let letters = words.iter().fold(0_usize, |sum, word| sum + word.len());
        if letters > MOST_LETTERS {
            return Err(refused(format!("its tokens have {letters} letters")));
        }
        let bytes = byte_of_letter();
        let token = |(word, kind): (&&str, &u32)| match *kind {
            MARK => Token::Mark((*word).to_owned()),
            ADDED => Token::Text(word.as_bytes().to_vec()),
            _ => Token::Text(spell(word, &bytes)),
        };
        let marks = words.iter().zip(&kinds).filter(|(_, kind)| **kind == MARK);
        let steering: BTreeSet<&str> = marks.map(|(word, _)| *word).collect();
        if let Some(mark) = steering.iter().find(|mark| !can_be_defused(mark)) {
            return Err(refused(format!("its mark `{mark}` could be any text")));
        }
        Ok(Self {
            steering: steering.into_iter().map(str::to_owned).collect(),
            tokens: words.iter().zip(&kinds).map(token).collect(),
            end,
        })
    }

    /// `text` in which nothing can be taken for a mark: a mail that contains the mark for the end of
    /// a message must not end it.
    pub(super) fn defuse(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for mark in &self.steering {
            let mut letters = mark.chars();
            if let (true, Some(first)) = (text.contains(mark), letters.next()) {
                text = text.replace(mark, &format!("{first} {}", letters.as_str()));
            }
        }
        text
    }

    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The token that ends a message.
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    /// The bytes a token adds to a text.
    pub(super) fn bytes(&self, token: u32) -> &[u8] {
        match self.tokens.get(token as usize) {
            Some(Token::Text(bytes)) => bytes,
            _ => &[],
        }
    }
}

/// Whether a mark is another text once a space is put behind its first letter.
fn can_be_defused(mark: &str) -> bool {
    mark.chars().nth(1).is_some() && !mark.trim().is_empty()
}

/// Byte-level encodings write each byte as a letter: itself where it prints, another one from 256 on
/// where it does not. For each letter its byte.
pub(super) fn byte_of_letter() -> Vec<Option<u8>> {
    let mut bytes = vec![None; 512];
    let mut spare = 256..;
    for byte in 0..=u8::MAX {
        let letter = match byte {
            33..=126 | 161..=172 | 174..=255 => Some(usize::from(byte)),
            _ => spare.next(),
        };
        if let Some(place) = letter.and_then(|letter| bytes.get_mut(letter)) {
            *place = Some(byte);
        }
    }
    bytes
}

fn spell(word: &str, bytes: &[Option<u8>]) -> Vec<u8> {
    word.chars()
        .filter_map(|letter| bytes.get(letter as usize).copied().flatten())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_letter_of_its_own() {
        let mut letters: Vec<u8> = byte_of_letter().into_iter().flatten().collect();
        letters.sort_unstable();
        assert!(letters.into_iter().eq(0..=u8::MAX));
        assert_eq!(spell("\u{120}a\u{10a}", &byte_of_letter()), b" a\n");
    }
}
