//! Tokenizer of the weights file.
//!
//! Files of the two supported kinds carry byte-level pair encodings: every token is some bytes, and
//! a character may be split over several. [`Spelling`] holds such a character back until it is
//! whole.

use tokenizers::models::bpe::BPE;
use tokenizers::normalizers::unicode::NFC;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;
use tokenizers::{AddedToken, PreTokenizerWrapper};

use super::gguf::{FileError, Gguf};
use super::token_table::{ADDED, MARK};

/// Makes tokens of texts.
pub(super) struct Tokenizer {
    inner: tokenizers::Tokenizer,
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
        let mut merges = Vec::new();
        for merge in file.texts("tokenizer.ggml.merges")? {
            let Some((left, right)) = merge.split_once(' ') else {
                return Err(refused(format!("the merge `{merge}` has no two sides")));
            };
            merges.push((left.to_owned(), right.to_owned()));
        }
        let vocabulary = (0..).zip(&words).map(|(id, word)| ((*word).to_owned(), id));
        let model = BPE::builder()
            .vocab_and_merges(
                vocabulary.collect::<tokenizers::models::bpe::Vocab>(),
                merges,
            )
            .build()
            .map_err(|error| refused(error.to_string()))?;
        let mut inner = tokenizers::Tokenizer::new(model);
        let name = file.text("tokenizer.ggml.pre").unwrap_or("default");
        let rules = Rules::named(name).ok_or_else(|| refused(format!("its rules are `{name}`")))?;
        rules.apply(&mut inner).map_err(refused)?;
        let added = words.iter().zip(&kinds);
        let added = added.filter(|(_, kind)| matches!(**kind, MARK | ADDED));
        let added: Vec<AddedToken> = added
            .map(|(word, kind)| AddedToken::from(*word, *kind == MARK).normalized(false))
            .collect();
        inner
            .add_tokens(added)
            .map_err(|error| refused(error.to_string()))?;
        Ok(Self { inner })
    }

    /// The tokens of `text`, marks among them.
    pub(super) fn encode(&self, text: &str) -> Vec<u32> {
        match self.inner.encode_fast(text, false) {
            Ok(encoding) => encoding.get_ids().to_vec(),
            // Pair encodings of bytes have a token for every byte; there is nothing they refuse.
            Err(_) => Vec::new(),
        }
    }
}

/// A text that grows by bytes and is shown by whole characters.
#[derive(Default)]
pub(super) struct Spelling {
    held: Vec<u8>,
}

impl Spelling {
    /// Adds bytes, and returns the characters that are whole now. Bytes that can never become one
    /// show as a replacement character.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let mut shown = String::new();
        loop {
            match std::str::from_utf8(&self.held) {
                Ok(text) => {
                    shown.push_str(text);
                    self.held.clear();
                    return shown;
                }
                Err(error) => {
                    let (whole, rest) = self.held.split_at(error.valid_up_to());
                    shown.push_str(&String::from_utf8_lossy(whole));
                    let Some(wrong) = error.error_len() else {
                        self.held = rest.to_vec();
                        return shown;
                    };
                    shown.push(char::REPLACEMENT_CHARACTER);
                    self.held = rest.get(wrong..).unwrap_or_default().to_vec();
                }
            }
        }
    }

    /// What is left when no more bytes come.
    pub(super) fn finish(self) -> String {
        String::from_utf8_lossy(&self.held).into_owned()
    }
}

/// How a text is cut before pairs are merged.
#[derive(Clone, Copy)]
enum Rules {
    Gpt2,
    Smol,
    Qwen2,
    Llama3,
}

impl Rules {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "default" | "gpt-2" | "gpt2" => Self::Gpt2,
            "smollm" => Self::Smol,
            "qwen2" | "deepseek-r1-qwen" => Self::Qwen2,
            "llama3" | "llama-v3" | "llama-bpe" => Self::Llama3,
            _ => return None,
        })
    }

    fn apply(self, tokenizer: &mut tokenizers::Tokenizer) -> Result<(), String> {
        let cut: PreTokenizerWrapper = match self {
            Self::Gpt2 => ByteLevel::new(false, true, true).into(),
            Self::Smol => {
                let bytes = ByteLevel::new(false, true, true);
                Sequence::new(vec![Digits::new(true).into(), bytes.into()]).into()
            }
            Self::Qwen2 => {
                tokenizer
                    .with_normalizer(Some(NFC))
                    .map_err(|error| error.to_string())?;
                by_words(r"\p{N}")?
            }
            Self::Llama3 => by_words(r"\p{N}{1,3}")?,
        };
        tokenizer.with_pre_tokenizer(Some(cut));
        Ok(())
    }
}

/// Words, numbers as `numbers` says, other signs, and space before them.
fn by_words(numbers: &str) -> Result<PreTokenizerWrapper, String> {
    let pattern = format!(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{numbers}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    );
    let pattern = SplitPattern::Regex(pattern);
    let words = Split::new(pattern, SplitDelimiterBehavior::Isolated, false);
    let words = words.map_err(|error| error.to_string())?;
    let bytes = ByteLevel::new(false, false, false);
    Ok(Sequence::new(vec![words.into(), bytes.into()]).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_split_over_tokens_is_held_back_until_it_is_whole() {
        let mut spelling = Spelling::default();
        assert_eq!(spelling.push(b"a\xf0\x9f"), "a");
        assert_eq!(spelling.push(b"\x98"), "");
        assert_eq!(spelling.push(b"\x80!"), "\u{1f600}!");
        assert_eq!(spelling.finish(), "");
    }

    #[test]
    fn bytes_that_are_no_character_are_replaced_and_the_rest_survives() {
        let mut spelling = Spelling::default();
        assert_eq!(spelling.push(b"\xffok\xc3"), "\u{fffd}ok");
        assert_eq!(spelling.push(b"("), "\u{fffd}(");
        let mut cut = Spelling::default();
        assert_eq!(cut.push(b"\xe2\x82"), "");
        assert_eq!(cut.finish(), "\u{fffd}");
    }
}
