//! Byte-level pair encoding (BPE): neighboring tokens of a word are joined, in the order in which the
//! encoding was made, until no two of them can be.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasher as _;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::token_table::byte_of_letter;

/// How words become tokens.
///
/// A merge is found by the token that it makes: to look up the two that it joins, for every merge of a vocabulary, would
/// take longer than everything else that is read of it.
pub(super) struct PairEncoding {
    /// The token of each byte.
    bytes: Vec<Option<u32>>,
    words: WordIndex,
    /// The merge that makes each token.
    merges: Vec<Option<Merge>>,
    /// When a token is made by yet another merge, by the token and the length of its left side.
    others: HashMap<(u32, usize), u32>,
}

/// A token is made of two.
#[derive(Clone, Copy)]
struct Merge {
    /// How long the first of them is.
    left: usize,
    /// Lower ranks are joined first.
    rank: u32,
}

impl PairEncoding {
    /// From the words of a vocabulary and its merges, each two words with a space between them.
    pub(super) fn new(words: &[&str], merges: &[&str]) -> Result<Self, String> {
        let mut encoding = Self {
            bytes: vec![None; 256],
            words: WordIndex::new(words),
            merges: vec![None; words.len()],
            others: HashMap::new(),
        };
        let mut both = String::new();
        let mut next = 0;
        for (rank, merge) in (0..).zip(merges) {
            let Some((left, right)) = merge.split_once(' ') else {
                return Err(format!("the merge `{merge:.80}` has no two sides"));
            };
            both.clear();
            both.extend([left, right]);
            // Most vocabularies are in the order of their merges.
            let token = match encoding.words.get(next) == Some(both.as_bytes()) {
                true => Some(next),
                false => encoding.words.find(both.as_bytes()),
            };
            let token = token.ok_or_else(|| format!("`{both:.80}` of a merge is no token"))?;
            next = token.saturating_add(1);
            encoding.insert(token, left.len(), rank);
        }
        let letters = (0..).map_while(char::from_u32).zip(byte_of_letter());
        for (letter, byte) in letters.filter_map(|(letter, byte)| Some((letter, byte?))) {
            if let Some(place) = encoding.bytes.get_mut(usize::from(byte)) {
                let mut spelled = [0; 4];
                let spelled = letter.encode_utf8(&mut spelled).as_bytes();
                *place = encoding.words.find(spelled);
            }
        }
        Ok(encoding)
    }

    fn insert(&mut self, token: u32, left: usize, rank: u32) {
        match self.merges.get_mut(token as usize) {
            Some(Some(merge)) if merge.left != left => {
                self.others.insert((token, left), rank);
            }
            Some(merge) => *merge = Some(Merge { left, rank }),
            None => {}
        }
    }

    fn rank(&self, token: u32, left: usize) -> Option<u32> {
        let merge = self.merges.get(token as usize).copied().flatten()?;
        match merge.left == left {
            true => Some(merge.rank),
            false => self.others.get(&(token, left)).copied(),
        }
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
        let (first, second) = (self.words.get(tokens.0)?, self.words.get(tokens.1)?);
        let token = self.words.find(&[first, second].concat())?;
        Some(Reverse(Pair {
            rank: self.rank(token, first.len())?,
            left,
            tokens,
            token,
        }))
    }
}

/// The words of a vocabulary, by their number and by their text.
struct WordIndex {
    text: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
    ids: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl WordIndex {
    fn new(words: &[&str]) -> Self {
        let mut all = Self {
            text: words.concat().into_bytes(),
            ends: Vec::with_capacity(words.len()),
            ids: HashTable::with_capacity(words.len()),
            hasher: DefaultHashBuilder::default(),
        };
        let mut end = 0;
        for (id, word) in (0..).zip(words) {
            end += word.len();
            all.ends.push(end);
            all.insert(id, word.as_bytes());
        }
        all
    }

    /// Of words that are the same, the last one counts.
    fn insert(&mut self, id: u32, word: &[u8]) {
        let Self {
            text, ends, hasher, ..
        } = self;
        let text = |id: &u32| word_at(text, ends, *id);
        let entry = self.ids.entry(
            hasher.hash_one(word),
            |other| text(other) == Some(word),
            |other| hasher.hash_one(text(other).unwrap_or_default()),
        );
        match entry {
            Entry::Occupied(mut same) => *same.get_mut() = id,
            Entry::Vacant(place) => {
                place.insert(id);
            }
        }
    }

    fn get(&self, id: u32) -> Option<&[u8]> {
        word_at(&self.text, &self.ends, id)
    }

    fn find(&self, word: &[u8]) -> Option<u32> {
        let is_word = |id: &u32| self.get(*id) == Some(word);
        let found = self.ids.find(self.hasher.hash_one(word), is_word);
        found.copied()
    }
}

fn word_at<'a>(text: &'a [u8], ends: &[usize], id: u32) -> Option<&'a [u8]> {
    let start = match (id as usize).checked_sub(1) {
        Some(before) => *ends.get(before)?,
        None => 0,
    };
    text.get(start..*ends.get(id as usize)?)
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
    fn a_token_may_be_made_in_several_ways() {
        assert_eq!(tokens(&["b c", "ab c", "a bc"], "abc"), [5]);
        assert_eq!(tokens(&["a b", "a bc", "ab c"], "abc"), [5]);
    }

    #[test]
    fn of_words_that_are_the_same_the_last_one_counts() {
        let encoding = PairEncoding::new(&["a", "b", "ab", "ab"], &["a b"]).unwrap();
        let mut tokens = Vec::new();
        encoding.encode(b"ab", &mut tokens);
        assert_eq!(tokens, [3]);
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
