//! What is worked out from a whole reply: how many records it has, or which of them has the most or the
//! least of something.

use serde::{Deserialize, Serialize};

use super::{aspect::Aspect, comparison::Comparison};
use crate::catalogue::has_words;

/// Something that is worked out from the records of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "field")]
pub enum Computation {
    /// How many there are.
    Count,
    /// Which has the most.
    Most(Aspect),
    /// Which has the least.
    Least(Aspect),
}

use Computation::{Count, Least, Most};

const COUNTS: [&str; 4] = ["how many", "number of", "count of", "count the"];

impl Computation {
    /// What is worked out for a comparison.
    pub(super) fn of_comparison(comparison: &Comparison) -> Self {
        match comparison.is_most {
            true => Most(comparison.aspect),
            false => Least(comparison.aspect),
        }
    }

    /// Whether a question wants something counted.
    pub(super) fn counts(question: &str) -> bool {
        let lower = question.to_lowercase();
        COUNTS.iter().any(|cue| has_words(&lower, cue))
    }

    /// The words that ask for a count.
    pub(super) fn words_of_count(question: &str) -> impl Iterator<Item = &'static str> {
        let lower = question.to_lowercase();
        let said = COUNTS.iter().filter(move |cue| has_words(&lower, cue));
        said.flat_map(|cue| cue.split(' '))
    }

    /// What records are compared by.
    pub(super) fn compared(self) -> Option<Aspect> {
        match self {
            Most(aspect) | Least(aspect) => Some(aspect),
            Count => None,
        }
    }

    /// Whether records are compared.
    pub fn is_comparison(self) -> bool {
        matches!(self, Most(_) | Least(_))
    }

    /// Its name, for people.
    pub fn name(self) -> String {
        match self {
            Count => "count".to_owned(),
            Most(aspect) => format!("most {}", aspect.name()),
            Least(aspect) => format!("least {}", aspect.name()),
        }
    }
}
