//! Search over the operations: the few that fit a question, ranked.
//!
//! Words of an operation's id count most, then what people say when they mean it, then its path; rare
//! words count more than common ones. What the question is about (a user, a track, nothing) decides
//! between operations that share their words.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    operation::{EntityType, Operation},
    words::tokens,
};

/// What is known about a question besides its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clues {
    /// What it is about, if it names something.
    pub entity: Option<EntityType>,
    /// Whether it wants something changed: then only writes fit, and otherwise only reads.
    pub writes: bool,
}

/// An operation that may fit.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The operation.
    pub operation: &'a Operation,
    /// How well it fits; only the order means something.
    pub score: f64,
}

#[derive(Debug)]
pub(super) struct Index {
    entries: Vec<Entry>,
    /// In how many entries a word is.
    common: BTreeMap<String, usize>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) words: BTreeMap<String, f64>,
    phrases: Vec<BTreeSet<String>>,
    /// The words as they are written, also those that a search does not use.
    pub(super) written: BTreeSet<String>,
}

const ID: f64 = 2.0;
const PHRASE: f64 = 1.4;
const PATH: f64 = 0.6;

/// Variants of an operation that people do not mean unless they say so.
const VARIANTS: [&str; 8] = [
    "WithVersion", "Alias", "IDs", "Bulk", "bulk", "Unclaimed", "inspect", "AIAttributed",
];

impl Index {
    pub(super) fn new(
        operations: &[Operation],
        phrases: &BTreeMap<String, Vec<String>>,
        words: &BTreeMap<String, Vec<String>>,
    ) -> Self {
        let entries: Vec<Entry> = operations
            .iter()
            .map(|operation| {
                let phrases = phrases.get(&operation.id).map_or(&[][..], Vec::as_slice);
                let words = words.get(&operation.id).map_or(&[][..], Vec::as_slice);
                Entry::new(operation, phrases, words)
            })
            .collect();
        let mut common = BTreeMap::new();
        for word in entries.iter().flat_map(|entry| entry.words.keys()) {
            *common.entry(word.clone()).or_insert(0) += 1;
        }
        Self { entries, common }
    }

    pub(super) fn search<'a>(
        &self,
        operations: &'a [Operation],
        question: &str,
        clues: &Clues,
        most: usize,
    ) -> Vec<Candidate<'a>> {
        let asked: BTreeSet<String> = tokens(question).into_iter().collect();
        let all = operations.iter().zip(&self.entries);
        let mut found: Vec<Candidate<'a>> = all
            .filter(|(operation, _)| operation.is_read() != clues.writes)
            .map(|(operation, entry)| {
                let score = self.words(entry, &asked) * fits(operation, question, clues);
                Candidate { operation, score }
            })
            .filter(|candidate| candidate.score > 0.0)
            .collect();
        // Operations that fit as well keep the order of the catalogue, so that a search is repeatable.
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(most);
        found
    }

    /// What is known of an operation.
    pub(super) fn entry(&self, operations: &[Operation], operation: &Operation) -> Option<&Entry> {
        let place = operations.iter().position(|it| it.id == operation.id);
        self.entries.get(place?)
    }

    /// All words that are written.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        let entries = self.entries.iter();
        entries.flat_map(|entry| entry.written.iter().map(String::as_str))
    }

    fn words(&self, entry: &Entry, asked: &BTreeSet<String>) -> f64 {
        let rarity = |word: &str| {
            let all = self.entries.len() as f64;
            let common = self.common.get(word).copied().unwrap_or(1) as f64;
            (1.0 + all / common).ln()
        };
        let (mut hit, mut own) = (0.0, 0.0);
        for (word, weight) in &entry.words {
            let value = weight * rarity(word);
            own += value;
            if asked.contains(word) {
                hit += value;
            }
        }
        if hit == 0.0 {
            return 0.0;
        }
        let whole = entry
            .phrases
            .iter()
            .filter(|phrase| phrase.is_subset(asked));
        let whole: f64 = whole
            .map(|phrase| phrase.iter().map(|word| rarity(word)).sum::<f64>())
            .fold(0.0, f64::max);
        let wanted: f64 = asked.iter().map(|word| rarity(word)).sum();
        // Much of the question, and not much besides.
        hit / wanted.max(1.0) + 0.6 * hit / own.max(1.0) + 1.2 * whole / wanted.max(1.0)
    }
}

impl Entry {
    fn new(operation: &Operation, phrases: &[String], more: &[String]) -> Self {
        let mut words = BTreeMap::new();
        let mut add = |text: &str, weight: f64| {
            for word in tokens(text) {
                let known: &mut f64 = words.entry(word).or_insert(0.0);
                *known = known.max(weight);
            }
        };
        let path = operation
            .path
            .split('/')
            .filter(|part| !part.starts_with('{'));
        add(&path.collect::<Vec<_>>().join(" "), PATH);
        for phrase in phrases {
            add(phrase, PHRASE);
        }
        add(&operation.id_words(), ID);
        let written = phrases.iter().chain(more).flat_map(|text| text.split(' '));
        let written = written.map(str::to_owned).collect();
        let phrases = phrases
            .iter()
            .map(|phrase| tokens(phrase).into_iter().collect());
        Self {
            words,
            phrases: phrases.collect(),
            written,
        }
    }
}

/// How well what an operation needs fits what the question has.
fn fits(operation: &Operation, question: &str, clues: &Clues) -> f64 {
    let mut fit = match (clues.entity, operation.entity()) {
        (Some(asked), Some((own, _))) if asked == own => 1.6,
        (Some(_), Some(_)) => 0.35,
        (Some(_), None) => 0.5,
        (None, Some(_)) => 0.55,
        (None, None) => 1.0,
    };
    for _ in operation.needs() {
        fit *= 0.75;
    }
    let lower = question.to_lowercase();
    for variant in VARIANTS.iter().filter(|it| operation.id.contains(**it)) {
        if !lower.contains(&variant.to_lowercase()) {
            fit *= 0.5;
        }
    }
    if operation.is_private() || operation.is_file() {
        fit *= 0.8;
    }
    fit
}
