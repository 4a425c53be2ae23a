//! Drafts: guesses of what comes next, looked up where the same tokens stood before.
//!
//! A reply that quotes, summarizes or fills a form repeats its prompt. Several guessed tokens are read
//! in one pass over the weights; each is then checked against the token that is
//! chosen anyway, and the first that differs ends the guess. So a draft changes no reply, only its time.

use std::collections::HashMap;

/// How many tokens must be the same before their continuation is guessed, and how many are enough for a short guess.
const MATCH: usize = 3;
const SHORT_MATCH: usize = 2;
/// The fewest and the most tokens of a guess.
const FEWEST: usize = 2;
const MOST: usize = 8;
/// After a guess that was wrong at once, so many tokens are written without one.
const REST: usize = 4;

/// What a conversation has so far, and where to find its parts.
pub(super) struct Drafts {
    tokens: Vec<u32>,
    /// Where the newest occurrence of a few tokens ends.
    ends: HashMap<[u32; MATCH], usize>,
    short_ends: HashMap<[u32; SHORT_MATCH], usize>,
    length: usize,
    rest: usize,
}

impl Drafts {
    pub(super) fn new(prompt: &[u32]) -> Self {
        let mut drafts = Self {
            tokens: Vec::new(),
            ends: HashMap::new(),
            short_ends: HashMap::new(),
            length: FEWEST,
            rest: 0,
        };
        drafts.extend(prompt);
        drafts
    }

    /// Adds tokens that are certain.
    pub(super) fn extend(&mut self, tokens: &[u32]) {
        for token in tokens {
            // What ends here is not yet known to continue.
            let here = self.tokens.len();
            if let Some(ending) = self.tokens.last_chunk() {
                self.ends.insert(*ending, here);
            }
            if let Some(ending) = self.tokens.last_chunk() {
                self.short_ends.insert(*ending, here);
            }
            self.tokens.push(*token);
        }
        self.rest = self.rest.saturating_sub(tokens.len());
    }

    /// At most `most` tokens that may follow.
    pub(super) fn guess(&self, most: usize) -> &[u32] {
        if self.rest > 0 {
            return &[];
        }
        let ending = self.tokens.last_chunk();
        let found = ending.and_then(|ending| self.ends.get(ending));
        let (start, length) = match found {
            Some(start) => (*start, self.length),
            None => {
                let ending = self.tokens.last_chunk();
                match ending.and_then(|ending| self.short_ends.get(ending)) {
                    Some(start) => (*start, FEWEST),
                    None => return &[],
                }
            }
        };
        let rest = self.tokens.get(start..).unwrap_or_default();
        let length = length.min(most).min(rest.len());
        rest.get(..length).unwrap_or_default()
    }

    /// Learns how many tokens of a guess were right.
    pub(super) fn judge(&mut self, guessed: usize, right: usize) {
        if guessed == 0 {
            return;
        }
        self.length = match right {
            0 => FEWEST,
            right if right == guessed => (2 * self.length).min(MOST),
            right => right.clamp(FEWEST, MOST),
        };
        if right == 0 {
            self.rest = REST;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_followed_the_same_tokens_before_is_guessed() {
        let drafts = Drafts::new(&[1, 2, 3, 4, 5, 9, 1, 2, 3]);
        assert_eq!(drafts.guess(8), [4, 5]);
        assert_eq!(drafts.guess(1), [4]);
        // Two that are the same are worth a short guess.
        assert_eq!(Drafts::new(&[1, 2, 3, 4, 5, 6, 2, 3]).guess(8), [4, 5]);
        assert_eq!(Drafts::new(&[1, 2, 3, 4, 3]).guess(8), [0; 0]);
    }

    #[test]
    fn the_newest_place_counts() {
        let drafts = Drafts::new(&[1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3]);
        assert_eq!(drafts.guess(1), [5]);
    }

    #[test]
    fn guesses_grow_while_they_are_right_and_rest_after_they_were_wrong() {
        let line: Vec<u32> = (0..40).chain(0..3).collect();
        let mut drafts = Drafts::new(&line);
        drafts.judge(2, 2);
        assert_eq!(drafts.guess(99).len(), 4);
        drafts.judge(4, 0);
        assert_eq!(drafts.guess(99), [0; 0]);
        drafts.extend(&[3, 4, 5, 6]);
        assert_eq!(drafts.guess(99), [7, 8]);
    }
}
