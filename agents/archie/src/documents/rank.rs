//! Relevance of texts to a query: BM25 over words.
//!
//! Only the words of the query are counted, so a text can be forgotten once it was counted.

use std::collections::HashMap;

/// How fast a word that is repeated stops to matter, and how much long texts are held back.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// Words that are in every text and every query.
const COMMON: [&str; 32] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i", "in",
    "is", "it", "of", "on", "or", "our", "should", "that", "the", "this", "to", "we", "what",
    "which", "will", "with", "you",
];

/// The words of a query.
pub(crate) struct Words(HashMap<String, usize>);

/// How often each word of a query is in a text, and how long the text is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    hits: Vec<u32>,
    words: u32,
}

impl Words {
    pub(crate) fn new(query: &str) -> Self {
        let mut words = HashMap::new();
        for word in split(query) {
            let mut plain = String::new();
            fold(word, &mut plain);
            let next = words.len();
            if !COMMON.contains(&plain.as_str()) {
                words.entry(plain).or_insert(next);
            }
        }
        Self(words)
    }

    /// Counts the words in a text that comes in parts.
    pub(crate) fn count<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Count {
        let mut count = Count {
            hits: vec![0; self.0.len()],
            words: 0,
        };
        let mut plain = String::new();
        for word in parts.into_iter().flat_map(split) {
            count.words = count.words.saturating_add(1);
            fold(word, &mut plain);
            let hit = self
                .0
                .get(&plain)
                .and_then(|index| count.hits.get_mut(*index));
            if let Some(hit) = hit {
                *hit = hit.saturating_add(1);
            }
        }
        count
    }

    /// How close each text is; zero for one without any word of the query.
    pub(crate) fn scores(&self, counts: &[&Count]) -> Vec<f64> {
        let texts = counts.len() as f64;
        let words: f64 = counts.iter().map(|count| f64::from(count.words)).sum();
        let usual = (words / texts.max(1.0)).max(1.0);
        let weights: Vec<f64> = (0..self.0.len())
            .map(|word| {
                let has = |count: &&&Count| count.hits.get(word).is_some_and(|hits| *hits > 0);
                let with = counts.iter().filter(has).count() as f64;
                (1.0 + (texts - with + 0.5) / (with + 0.5)).ln()
            })
            .collect();
        let score = |count: &&Count| {
            let length = 1.0 - LENGTH + LENGTH * f64::from(count.words) / usual;
            let scored = count.hits.iter().zip(&weights).map(|(hits, weight)| {
                let hits = f64::from(*hits);
                weight * hits * (SATURATION + 1.0) / (hits + SATURATION * length)
            });
            scored.sum()
        };
        counts.iter().map(score).collect()
    }
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// A word in lower case, a plural in `s` as its singular; into a text that is used again, because
/// folders have millions of words.
fn fold(word: &str, plain: &mut String) {
    plain.clear();
    plain.extend(word.chars().flat_map(char::to_lowercase));
    if plain.len() > 3 && plain.ends_with('s') && !plain.ends_with("ss") {
        plain.pop();
    }
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
    fn plurals_are_found_and_common_words_are_not_looked_for() {
        assert!(
            scores("Payments", &["a payment"])
                .iter()
                .all(|score| *score > 0.0)
        );
        assert_eq!(scores("what is the", &["what is the"]), [0.0]);
        assert_eq!(scores("", &["x", "y"]), [0.0, 0.0]);
    }
}
