//! The form that a small model fills in: which fact answers which question, and in which words.
//!
//! The page is written by the program: a heading per question, and below it the sentence of the model with the fact
//! that it chose, cited. So every statement has a place, and what the sentence adds of its own is seen beside it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use superstep::{
    model::{Schema, SchemaError},
    text::single_line,
    tools::refine::Form,
};

use crate::{claims::is_many, facts::has_word, numbered::Fact};

/// How many facts are chosen at most, and at least if there are so many.
const MOST: usize = 6;
const FEWEST: usize = 4;

/// How long a sentence may be.
const SENTENCE: usize = 100;

/// Questions, and facts that may answer them.
pub struct Findings {
    points: Vec<String>,
    facts: Vec<Fact>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Filled {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    question: String,
    fact: usize,
    says: String,
}

impl Findings {
    /// These questions over these facts.
    pub fn new(points: Vec<String>, facts: Vec<Fact>) -> Self {
        let points = points.into_iter().take(26).collect();
        Self { points, facts }
    }

    /// The questions, as a model reads them.
    pub fn questions(&self) -> String {
        let lines = letters().zip(&self.points);
        let lines: Vec<String> = lines
            .map(|(letter, it)| format!("{letter}. {it}"))
            .collect();
        format!("Questions:\n{}\n", lines.join("\n"))
    }

    /// The facts, as a model reads them.
    pub fn numbered(&self) -> String {
        let lines = (1..).zip(&self.facts);
        let lines: Vec<String> = lines
            .map(|(number, fact): (usize, _)| format!("{number}. {}", fact.line()))
            .collect();
        format!("Facts:\n{}\n", lines.join("\n"))
    }
}

fn letters() -> impl Iterator<Item = String> {
    ('A'..='Z').map(String::from)
}

impl Form for Findings {
    fn schema(&self) -> Result<Schema, SchemaError> {
        let questions: Vec<String> = letters().take(self.points.len()).collect();
        let is_empty = self.facts.is_empty() || questions.is_empty();
        let findings = match is_empty {
            true => json!({"type": "array", "maxItems": 0}),
            false => json!({
                "type": "array",
                "minItems": FEWEST.min(self.facts.len()),
                "maxItems": MOST.min(self.facts.len()),
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {"enum": questions},
                        "fact": {"type": "integer", "minimum": 1, "maximum": self.facts.len()},
                        "says": {"type": "string", "minLength": 8, "maxLength": SENTENCE},
                    },
                    "required": ["question", "fact", "says"],
                    "additionalProperties": false,
                },
            }),
        };
        Schema::new(
            "findings",
            json!({
                "type": "object",
                "properties": {"findings": findings},
                "required": ["findings"],
                "additionalProperties": false,
            }),
        )
    }

    fn text(&self, filled: &Json) -> String {
        let filled = Filled::deserialize(filled).unwrap_or_default();
        let mut used = BTreeSet::new();
        let mut text = String::new();
        for (letter, point) in letters().zip(&self.points) {
            text.push_str(&format!("## {point}\n\n"));
            let mut is_answered = false;
            for finding in filled.findings.iter().filter(|it| it.question == letter) {
                let fact = finding.fact.checked_sub(1);
                let fact = fact.and_then(|index| self.facts.get(index));
                let Some(fact) = fact.filter(|_| used.insert(finding.fact)) else {
                    continue;
                };
                is_answered = true;
                match sentence(&finding.says, fact) {
                    Some(says) => text.push_str(&format!("- {says} ({})\n", fact.cited())),
                    None => text.push_str(&format!("- {}\n", fact.cited())),
                }
            }
            if !is_answered {
                text.push_str("The facts that were read do not say.\n");
            }
            text.push('\n');
        }
        text
    }
}

/// The sentence, unless it has a number, a path or a name of code that the fact has not: then the fact must do.
fn sentence(says: &str, fact: &Fact) -> Option<String> {
    let says = single_line(says);
    let line = fact.line();
    let lower = line.to_lowercase();
    let mut code = says.split('`').skip(1).step_by(2).map(str::to_lowercase);
    let is_foreign = code.any(|name| !has_word(&lower, name.trim().trim_end_matches("()")));
    let says = says.replace('`', "'");
    let numbers = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !c.is_ascii_digit());
        let parts = parts.filter(|it| !it.is_empty());
        parts.map(str::to_owned).collect()
    };
    let mut words = says.split(|c: char| c.is_whitespace() || ",;()'\"-".contains(c));
    let is_new = words.any(|word| {
        let word = word.trim_matches(['.', ':', '!', '?']);
        let is_name = word.contains(['/', '_', '.']) || word.contains("::") || is_camel(word);
        let word = word.to_lowercase();
        let one = word.trim_end_matches('s');
        match is_many(&word) {
            true => !has_word(&lower, one) && !has_word(&lower, &word),
            false => is_name && !lower.contains(one),
        }
    });
    let says = says.trim().trim_end_matches(['.', ';', ',']).to_owned();
    let is_fine = !is_foreign && !is_new && numbers(&says).is_subset(&numbers(&line));
    (!says.is_empty() && is_fine).then_some(says)
}

/// Whether a word is a name of code by its capitals: `RedisClient`, `makeRouter`.
fn is_camel(word: &str) -> bool {
    let next = word.chars().skip(1);
    let mut pairs = word.chars().zip(next);
    pairs.any(|(one, other)| one.is_lowercase() && other.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings() -> Findings {
        let fact = |what: &str, place: &str, quote: Option<&str>| Fact {
            what: what.into(),
            place: Some(place.into()),
            quote: quote.map(str::to_owned),
        };
        Findings::new(
            vec!["What it is for".into(), "How it fails".into()],
            vec![
                fact("type `Ledger`", "src/ledger.rs:3", Some("Keeps accounts.")),
                fact("enum `Fault`", "src/fault.rs:9", None),
            ],
        )
    }

    #[test]
    fn what_was_chosen_is_cited_by_the_program() {
        let filled = json!({"findings": [
            {"question": "B", "fact": 2, "says": "Faults are an enum."},
            {"question": "A", "fact": 1, "says": "The `Ledger` keeps\naccounts."},
            {"question": "B", "fact": 1, "says": "Said twice."},
            {"question": "A", "fact": 9, "says": "There is no such fact."},
        ]});
        assert_eq!(
            findings().text(&filled),
            "## What it is for\n\n\
             - The 'Ledger' keeps accounts (type `Ledger`, `src/ledger.rs:3`: “Keeps accounts.”)\n\n\
             ## How it fails\n\n- Faults are an enum (enum `Fault`, `src/fault.rs:9`)\n\n"
        );
    }

    #[test]
    fn a_number_of_its_own_costs_the_sentence_and_not_the_fact() {
        let filled = json!({"findings": [
            {"question": "A", "fact": 1, "says": "It keeps 12 accounts."},
        ]});
        let text = findings().text(&filled);
        assert!(
            text.contains("\n- type `Ledger`, `src/ledger.rs:3`: “Keeps accounts.”\n"),
            "{text}"
        );
        assert!(text.contains("How it fails\n\nThe facts that were read do not say.\n"));
    }

    #[test]
    fn a_path_or_a_number_in_words_of_its_own_costs_the_sentence_too() {
        for says in [
            "It is proven by src/nowhere.rs to be unsafe.",
            "There are five hundred accounts.",
            "There are thousands of accounts.",
            "It has a dozen accounts.",
            "It has seventeen accounts.",
            "It calls close_door for that.",
            "See nowhere.rs for it.",
            "It uses `redis` for accounts.",
            "It is a kind of `Led`.",
            "The class RedisClient keeps accounts.",
            "Accounts are kept by makeLedger.",
        ] {
            let filled = json!({"findings": [{"question": "A", "fact": 1, "says": says}]});
            let text = findings().text(&filled);
            assert!(text.contains("\n- type `Ledger`, `src"), "{says}: {text}");
        }
        for (says, kept) in [
            ("It is in src/ledger.rs.", "- It is in src/ledger.rs (type"),
            (
                "It keeps accounts, one by one.",
                "- It keeps accounts, one by one (type",
            ),
        ] {
            let filled = json!({"findings": [{"question": "A", "fact": 1, "says": says}]});
            let text = findings().text(&filled);
            assert!(text.contains(kept), "{text}");
        }
    }

    #[test]
    fn without_facts_nothing_can_be_chosen() {
        let empty = Findings::new(vec!["What".into()], Vec::new());
        let schema = empty.schema().unwrap();
        assert!(schema.check(&json!({"findings": []})).is_empty());
        let made_up = json!({"findings": [{"question": "A", "fact": 1, "says": "made up"}]});
        assert!(!schema.check(&made_up).is_empty());
    }
}
