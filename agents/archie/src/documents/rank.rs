//! Relevance of texts to a query: BM25 over words, parts of identifiers and relatives of words.
//!
//! `initialWindowSize` is the words `initial`, `window` and `size`, and itself. A word's relatives begin with the same letters
//! or end with the whole word: `threads` and `threadpool`, `pool` and `threadpool`. No list of words of any language is
//! needed: what is in every text weighs nothing. Only the words of the query are counted, so a text can be forgotten once
//! it was counted.

use std::collections::HashMap;

/// How fast a word that is repeated stops to matter, and how much long texts are held back.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.5;

/// The part of the usual length that a text has at least, so that a heading alone is not the closest text.
const SHORTEST: f64 = 0.7;

/// How much the relatives of a word weigh; the word itself is one of them.
const RELATIVE: f64 = 0.6;

/// How many letters at the beginning make words relatives.
const STEM: usize = 5;

/// How many letters a word has at least that others may end with.
const END: usize = 4;

/// The words of a query.
#[derive(Default)]
pub(crate) struct Words {
    /// The words as they are, by their number.
    words: HashMap<String, usize>,
    /// Their beginnings, by the number of the relatives.
    stems: HashMap<String, usize>,
    /// Words that others may end with and the number of their relatives, by their last letters.
    ends: HashMap<String, Vec<(String, usize)>>,
    /// What each number weighs.
    weights: Vec<f64>,
}

/// How often each word of a query is in a text, and how long the text is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    hits: Vec<u32>,
    words: u32,
}

impl Words {
    pub(crate) fn new(query: &str) -> Self {
        let mut all = Self::default();
        each_word(query, |word| all.add(word));
        all
    }

    fn add(&mut self, word: &str) {
        if self.words.contains_key(word) {
            return;
        }
        self.words.insert(word.to_owned(), self.weights.len());
        self.weights.push(1.0);
        let next = self.weights.len();
        let relatives = *self.stems.entry(stem(word).to_owned()).or_insert(next);
        if relatives == next {
            self.weights.push(RELATIVE);
        }
        if let Some(end) = end(word) {
            let same = self.ends.entry(end.to_owned()).or_default();
            same.push((word.to_owned(), relatives));
        }
    }

    /// Counts the words in a text that comes in parts.
    pub(crate) fn count<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Count {
        let mut count = Count {
            hits: vec![0; self.weights.len()],
            words: 0,
        };
        // Most words of a text are in it many times.
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        for part in parts {
            each_word(part, |word| {
                count.words = count.words.saturating_add(1);
                if !known.contains_key(word) {
                    known.insert(word.to_owned(), self.numbers(word));
                }
                for index in known.get(word).into_iter().flatten() {
                    if let Some(hit) = count.hits.get_mut(*index) {
                        *hit = hit.saturating_add(1);
                    }
                }
            });
        }
        count
    }

    /// The numbers that a word of a text counts for.
    fn numbers(&self, word: &str) -> Vec<usize> {
        let itself = self.words.get(word).into_iter();
        let relatives = self.stems.get(stem(word));
        let ends = end(word).and_then(|end| self.ends.get(end));
        let ends = ends.into_iter().flatten();
        let ends = ends
            .filter(|(other, number)| word.ends_with(other.as_str()) && relatives != Some(number));
        let ends = ends.map(|(_, number)| number);
        itself.chain(relatives).chain(ends).copied().collect()
    }

    /// How close each text is; zero for one without any word of the query.
    pub(crate) fn scores(&self, counts: &[&Count]) -> Vec<f64> {
        let texts = counts.len() as f64;
        let words: f64 = counts.iter().map(|count| f64::from(count.words)).sum();
        let usual = (words / texts.max(1.0)).max(1.0);
        let weights = self.weights.iter().enumerate().map(|(word, weight)| {
            let has = |count: &&&Count| count.hits.get(word).is_some_and(|hits| *hits > 0);
            let with = counts.iter().filter(has).count() as f64;
            weight * (1.0 + (texts - with + 0.5) / (with + 0.5)).ln()
        });
        let weights: Vec<f64> = weights.collect();
        let score = |count: &&Count| {
            let length = (f64::from(count.words) / usual).max(SHORTEST);
            let length = 1.0 - LENGTH + LENGTH * length;
            let scored = count.hits.iter().zip(&weights).map(|(hits, weight)| {
                let hits = f64::from(*hits);
                weight * hits * (SATURATION + 1.0) / (hits + SATURATION * length)
            });
            scored.sum()
        };
        counts.iter().map(score).collect()
    }
}

/// The words of a text in lower case, a plural in `s` as its singular: the parts of an identifier, then all of it. They are in
/// one buffer, because folders have millions of words.
fn each_word(text: &str, mut see: impl FnMut(&str)) {
    let mut plain = String::new();
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        if word.bytes().skip(1).all(is_plain) {
            fold(word, &mut plain);
            see(&plain);
            continue;
        }
        let (mut start, mut before) = (0, None::<char>);
        let mut chars = word.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let is_first =
                |next: Option<&(usize, char)>| next.is_some_and(|it| it.1.is_lowercase());
            // `windowSize` before the S, `HTTPServer` before the S too.
            let begins = c.is_uppercase()
                && before.is_some_and(|it| !it.is_uppercase() || is_first(chars.peek()));
            if begins {
                fold(word.get(start..at).unwrap_or_default(), &mut plain);
                see(&plain);
                start = at;
            }
            before = Some(c);
        }
        fold(word.get(start..).unwrap_or_default(), &mut plain);
        see(&plain);
        if start > 0 {
            fold(word, &mut plain);
            see(&plain);
        }
    }
}

/// A word in lower case, a plural in `s` as its singular.
fn fold(word: &str, plain: &mut String) {
    plain.clear();
    match word.is_ascii() {
        true => {
            plain.push_str(word);
            plain.make_ascii_lowercase();
        }
        false => plain.extend(word.chars().flat_map(char::to_lowercase)),
    }
    if plain.len() > 3 && plain.ends_with('s') && !plain.ends_with("ss") {
        plain.pop();
    }
}

/// The beginning of a word that its relatives share; all of a short one.
fn stem(word: &str) -> &str {
    let end = word.char_indices().nth(STEM);
    end.and_then(|(end, _)| word.get(..end)).unwrap_or(word)
}

/// The last letters of a word that others may end with.
fn end(word: &str) -> Option<&str> {
    let (start, _) = word.char_indices().nth_back(END - 1)?;
    word.get(start..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(query: &str, texts: &[&str]) -> Vec<f64> {
        let words = Words::new(query);
        let counts: Vec<Count> = texts.iter().map(|text| words.count([*text])).collect();
        words.scores(&counts.iter().collect::<Vec<_>>())
    }

    #[test]
    fn rare_words_of_the_query_count_most() {
        let texts = [
            "payments go through the gateway",
            "the gateway is a gateway",
            "nothing of interest here",
        ];
        let found = scores("how do payments pass the gateway?", &texts);
        let [first, second, third] = found.as_slice() else {
            panic!("three texts have three scores");
        };
        assert!(first > second, "{found:?}");
        assert!(second > third, "{found:?}");
        assert!(*third <= 0.0, "{found:?}");
    }

    #[test]
    fn relatives_of_a_word_and_parts_of_identifiers_are_found() {
        for (query, text) in [
            ("Payments", "a payment"),
            ("the default window size", "sets initialWindowSize to 65535"),
            ("initialWindowSize", "how large the window is"),
            ("an HTTP server", "class HTTPServer"),
            ("max_session_memory", "maxSessionMemory"),
            ("threads", "the threadpool"),
            ("how large is that pool", "the Threadpool"),
            ("Speicher", "die Speicherung"),
        ] {
            let found = scores(query, &[text, "none of it"]);
            assert!(found[0] > found[1] * 2.0, "{query}: {found:?}");
        }
        assert_eq!(scores("pool", &["a politician"]), [0.0]);
        assert_eq!(scores("", &["x", "y"]), [0.0, 0.0]);
    }

    #[test]
    fn the_word_itself_counts_more_than_its_relatives_and_a_common_word_little() {
        let texts = [
            "the thread ends", "the threadpool ends", "the end", "the rest",
        ];
        let found = scores("the thread", &texts);
        assert!(found[0] > found[1] && found[1] > found[2], "{found:?}");
        assert!(found[3] * 2.0 < found[1], "{found:?}");
    }
}
