//! Byte-level pair encoding (BPE): neighboring tokens of a word are joined, in the order in which the
//! encoding was made, until no two of them can be.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::token_table::byte_of_letter;

/// How words become tokens.
pub(super) struct PairEncoding {
    /// The token of each byte.
    bytes: Vec<Option<u32>>,
    /// What two tokens become, and when: lower ranks are joined first.
    joined: HashMap<(u32, u32), Joined>,
}

#[derive(Clone, Copy)]
struct Joined {
    rank: u32,
    token: u32,
}

impl PairEncoding {
    /// From the words of a vocabulary and its merges, each two words with a space between them.
    pub(super) fn new(words: &[&str], merges: &[&str]) -> Result<Self, String> {
        let ids: HashMap<&str, u32> = words.iter().copied().zip(0..).collect();
        let id = |word: &str| {
            let id = ids.get(word).copied();
            id.ok_or_else(|| format!("`{word:.80}` of a merge is no token"))
        };
        let mut joined = HashMap::with_capacity(merges.len());
        let mut both = String::new();
        for (rank, merge) in (0..).zip(merges) {
            let Some((left, right)) = merge.split_once(' ') else {
                return Err(format!("the merge `{merge:.80}` has no two sides"));
            };
            both.clear();
            both.extend([left, right]);
            let token = id(&both)?;
            joined.insert((id(left)?, id(right)?), Joined { rank, token });
        }
        let mut bytes = vec![None; 256];
        let letters = (0..).map_while(char::from_u32).zip(byte_of_letter());
        for (letter, byte) in letters.filter_map(|(letter, byte)| Some((letter, byte?))) {
            if let Some(place) = bytes.get_mut(usize::from(byte)) {
                *place = id(letter.encode_utf8(&mut [0; 4])).ok();
            }
        }
        Ok(Self { bytes, joined })
    }

    /// Adds the tokens of a word to `tokens`. A byte that the vocabulary does not have is left out.
    pub(super) fn encode(&self, word: &[u8], tokens: &mut Vec<u32>) {
        let byte = |byte: &u8| self.bytes.get(usize::from(*byte)).copied().flatten();
        let mut line = Line::new(word.iter().filter_map(byte));
        let mut waiting = BinaryHeap::new();
        for left in 0..line.parts.len() {
            waiting.extend(self.pair(&line, left));
        }
        while let Some(Reverse(pair)) = waiting.pop() {
            // One of the two may have been joined with another since.
            if line.pair(pair.left) != Some(pair.tokens) {
                continue;
            }
            let before = line.join(pair.left, pair.token);
            waiting.extend(before.and_then(|before| self.pair(&line, before)));
            waiting.extend(self.pair(&line, pair.left));
        }
        tokens.extend(line.parts.iter().filter_map(|part| part.token));
    }

    fn pair(&self, line: &Line, left: usize) -> Option<Reverse<Pair>> {
        let tokens = line.pair(left)?;
        let Joined { rank, token } = *self.joined.get(&tokens)?;
        Some(Reverse(Pair {
            rank,
            left,
            tokens,
            token,
        }))
    }
}

/// Two neighbors that can be joined. The lowest rank comes first, then the leftmost.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rank: u32,
    left: usize,
    tokens: (u32, u32),
    token: u32,
}

/// The tokens of a word, each at the place of its first byte.
struct Line {
    parts: Vec<Part>,
}

struct Part {
    /// None once it has been joined with what is before it.
    token: Option<u32>,
    before: Option<usize>,
    after: usize,
}

impl Line {
    fn new(tokens: impl Iterator<Item = u32>) -> Self {
        let parts = tokens.enumerate().map(|(at, token)| Part {
            token: Some(token),
            before: at.checked_sub(1),
            after: at + 1,
        });
        Self {
            parts: parts.collect(),
        }
    }

    fn pair(&self, left: usize) -> Option<(u32, u32)> {
        let left = self.parts.get(left)?;
        Some((left.token?, self.parts.get(left.after)?.token?))
    }

    /// Makes one of a part and the one after it, and returns what is before them.
    fn join(&mut self, left: usize, token: u32) -> Option<usize> {
        let right = self.parts.get(left)?.after;
        let gone = self.parts.get_mut(right)?;
        gone.token = None;
        let after = gone.after;
        if let Some(next) = self.parts.get_mut(after) {
            next.before = Some(left);
        }
        let part = self.parts.get_mut(left)?;
        part.token = Some(token);
        part.after = after;
        part.before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 7] = ["a", "b", "c", "ab", "bc", "abc", "aa"];

    fn tokens(merges: &[&str], word: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        let encoding = PairEncoding::new(&WORDS, merges).unwrap();
        encoding.encode(word.as_bytes(), &mut tokens);
        tokens
    }

    #[test]
    fn what_was_joined_first_when_the_encoding_was_made_is_joined_first() {
        assert_eq!(tokens(&["a b", "b c"], "abc"), [3, 2]);
        assert_eq!(tokens(&["b c", "a b"], "abc"), [0, 4]);
        assert_eq!(tokens(&["b c", "a bc"], "abcabc"), [5, 5]);
    }

    #[test]
    fn of_the_same_pairs_the_leftmost_is_joined_first() {
        assert_eq!(tokens(&["a a"], "aaa"), [6, 0]);
        assert_eq!(tokens(&["a a"], "aaaa"), [6, 6]);
    }

    #[test]
    fn bytes_that_the_vocabulary_does_not_have_are_left_out() {
        assert_eq!(tokens(&["a b"], "a?b"), [3]);
        assert_eq!(tokens(&["a b"], ""), [0; 0]);
    }

    #[test]
    fn a_word_may_have_hundreds_of_thousands_of_bytes() {
        let word = "ab".repeat(100_000);
        assert_eq!(tokens(&["a b"], &word), vec![3; 100_000]);
    }

    #[test]
    fn merges_that_say_nothing_are_refused() {
        let refusal = |merge| PairEncoding::new(&WORDS, &[merge]).err().unwrap();
        assert!(refusal("ab").contains("`ab` has no two sides"));
        assert!(refusal("a x").contains("no token"));
        assert!(refusal("c c").contains("no token"));
    }
}
