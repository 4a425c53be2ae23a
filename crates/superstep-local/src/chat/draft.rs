//! Drafts: guesses of what comes next, looked up where the same tokens stood before.
//!
//! A reply that quotes, summarizes or fills a form repeats its prompt. Several guessed tokens are read
//! in one pass over the weights; each is then checked against the token that is
//! chosen anyway, and the first that differs ends the guess. So a draft changes no reply, only its time.

use std::collections::HashMap;

/// How many tokens at the end are looked up, the most first, before their continuation is guessed.
const MATCHES: [usize; 3] = [LONG, 2, 1];
const LONG: usize = 3;
/// The fewest and the most tokens of a guess after a long match. Shorter ones are worth as many tokens as they have.
const FEWEST: usize = 2;
pub(super) const MOST: usize = 12;
/// The most tokens that are written without a guess after single tokens have misled.
const LONGEST_REST: usize = 8;
/// Stands for the tokens that a short match does not have.
const NONE: u32 = u32::MAX;

/// What a conversation has so far, and where to find its parts.
pub(super) struct Drafts {
    tokens: Vec<u32>,
    /// Where the newest occurrence of one to three tokens ends.
    ends: HashMap<[u32; LONG], usize>,
    /// How many tokens of the last guess were the same before it.
    matched: usize,
    /// How many tokens a guess after a long match has.
    length: usize,
    /// How many tokens are to be written before a single one is looked up again, and how many after the next that misleads.
    rest: usize,
    next_rest: usize,
}

impl Drafts {
    pub(super) fn new(prompt: &[u32]) -> Self {
        let mut drafts = Self {
            tokens: Vec::new(),
            ends: HashMap::new(),
            matched: 0,
            length: FEWEST,
            rest: 0,
            next_rest: 1,
        };
        drafts.extend(prompt);
        drafts
    }

    /// Adds tokens that are certain.
    pub(super) fn extend(&mut self, tokens: &[u32]) {
        for token in tokens {
            // What ends here is not yet known to continue.
            for count in MATCHES {
                if let Some(ending) = self.ending(count) {
                    self.ends.insert(ending, self.tokens.len());
                }
            }
            self.tokens.push(*token);
        }
        self.rest = self.rest.saturating_sub(tokens.len());
    }

    /// At most `most` tokens that may follow.
    pub(super) fn guess(&mut self, most: usize) -> &[u32] {
        let matches = MATCHES.into_iter();
        let mut found =
            matches.filter_map(|count| Some((count, *self.ends.get(&self.ending(count)?)?)));
        let Some((count, start)) = found.next() else {
            return &[];
        };
        if count == 1 && self.rest > 0 {
            return &[];
        }
        let length = if count == LONG { self.length } else { count };
        self.matched = count;
        let rest = self.tokens.get(start..).unwrap_or_default();
        rest.get(..length.min(most).min(rest.len()))
            .unwrap_or_default()
    }

    /// Learns how many tokens of a guess were right.
    pub(super) fn judge(&mut self, guessed: usize, right: usize) {
        match (guessed, self.matched) {
            (0, _) => {}
            (_, LONG) if right == guessed => self.length = (2 * self.length).min(MOST),
            (_, LONG) => self.length = right.clamp(FEWEST, MOST),
            (_, 1) if right == 0 => {
                self.rest = self.next_rest;
                self.next_rest = (2 * self.next_rest).min(LONGEST_REST);
            }
            (_, 1) => self.next_rest = 1,
            _ => {}
        }
    }

    /// The last tokens, so many of them.
    fn ending(&self, count: usize) -> Option<[u32; LONG]> {
        let mut ending = [NONE; LONG];
        let last = self.tokens.get(self.tokens.len().checked_sub(count)?..)?;
        ending
            .iter_mut()
            .zip(last)
            .for_each(|(place, token)| *place = *token);
        Some(ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_followed_the_same_tokens_before_is_guessed() {
        let mut drafts = Drafts::new(&[1, 2, 3, 4, 5, 9, 1, 2, 3]);
        assert_eq!(drafts.guess(8), [4, 5]);
        assert_eq!(drafts.guess(1), [4]);
        assert_eq!(Drafts::new(&[1, 2, 3, 4]).guess(8), [0; 0]);
    }

    #[test]
    fn the_less_is_the_same_the_less_is_guessed() {
        assert_eq!(Drafts::new(&[1, 2, 3, 4, 5, 6, 2, 3]).guess(8), [4, 5]);
        assert_eq!(Drafts::new(&[1, 2, 3, 4, 5, 6, 3]).guess(8), [4]);
    }

    #[test]
    fn the_newest_place_counts() {
        let mut drafts = Drafts::new(&[1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3]);
        assert_eq!(drafts.guess(1), [5]);
    }

    #[test]
    fn guesses_grow_while_they_are_right() {
        let line: Vec<u32> = (0..40).chain(0..3).collect();
        let mut drafts = Drafts::new(&line);
        assert_eq!(drafts.guess(99).len(), 2);
        drafts.judge(2, 2);
        assert_eq!(drafts.guess(99).len(), 4);
        drafts.judge(4, 0);
        assert_eq!(drafts.guess(99), [3, 4]);
    }

    #[test]
    fn single_tokens_that_mislead_are_looked_up_less_and_less_often() {
        // A token that was never followed by the one that follows it now.
        let mut drafts = Drafts::new(&[7, 0]);
        let mut guesses = 0;
        for token in 100..200 {
            drafts.extend(&[7]);
            let guessed = drafts.guess(99).len();
            guesses += guessed;
            drafts.judge(guessed, 0);
            drafts.extend(&[token]);
        }
        assert!((10..40).contains(&guesses), "{guesses}");
        drafts.extend(&[1, 1, 1, 1, 1, 1, 1, 7]);
        assert_eq!(drafts.guess(99), [199]);
        drafts.judge(1, 1);
        drafts.extend(&[199, 7]);
        assert_eq!(drafts.guess(99), [199]);
    }
}
