//! The tool loop of a strong model: it looks operations up, calls them, computes with their records and answers.
//!
//! The model has four tools. `find` searches the catalogue, `compute` works on records by their ids, `draft` is the
//! answer that the model proposes, `figures` traces every number of it to a field of a record or to a computed value,
//! `request` is what the model reads. The calls themselves are those of [`tools`](crate::tools): checked, budgeted,
//! and approved by a person where they are private. The nodes `model_turn` and `tool_turn` make a loop of it.

mod compute;
mod find;
mod offer;
mod progress;
mod record_set;
mod request;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::catalogue::Operation;

pub(crate) use compute::Computing;
pub(crate) use find::found;
pub(crate) use offer::{ANSWER, CALL, COMPUTE, FIND, tools};
pub use progress::Progress;
pub use record_set::RecordSet;
pub(crate) use record_set::{AT, SOURCE, value};
pub(crate) use request::messages;

/// The most calls of the API for one question.
pub const MAX_CALLS: usize = 8;

/// The most replies of the model for one question; in the last one it can only answer.
pub(crate) const MAX_TURNS: u32 = 18;

/// The records and counters of a question that a strong model works on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Research {
    /// Records, as calls and computations gave them.
    pub sets: Vec<RecordSet>,
    /// Calls of the API so far.
    pub calls: usize,
    /// Replies of the model so far.
    pub turns: u32,
    /// Useless replies in a row.
    pub repairs: u32,
    /// An answer was refused because of figures that no record has.
    pub is_refused: bool,
    /// The last reply was cut off, so the next one gets a limit of its own.
    pub is_cut: bool,
}

/// Variants of an operation that answer as it does.
const VARIANTS: [&str; 3] = ["WithVersion", "Alias", "Unclaimed"];

/// Operations a model sees: those that read and that a call would not refuse anyway.
fn is_offered(operation: &Operation, has_token: bool) -> bool {
    let is_variant = VARIANTS.iter().any(|it| operation.id.contains(it));
    let is_open = has_token || !operation.is_private();
    operation.is_read() && !operation.is_file() && is_open && !is_variant
}

impl Research {
    /// Calls left.
    pub(crate) fn calls_left(&self) -> usize {
        MAX_CALLS.saturating_sub(self.calls)
    }

    /// A set by its id.
    pub(crate) fn set(&self, id: &str) -> Result<&RecordSet, String> {
        self.sets.iter().find(|set| set.id == id).ok_or_else(|| {
            let known: Vec<&str> = self.sets.iter().map(|set| set.id.as_str()).collect();
            match known.as_slice() {
                [] => format!("there is no `{id}`: nothing was called yet"),
                known => format!("there is no `{id}`; there are {}", known.join(", ")),
            }
        })
    }

    /// A record by its id, `r1.3` being the third of `r1`.
    pub(crate) fn record(&self, id: &str) -> Result<&Json, String> {
        let (set, place) = id.split_once('.').ok_or_else(|| {
            format!("`{id}` is no record: those of a set `r1` are `r1.1`, `r1.2`")
        })?;
        let set = self.set(set)?;
        let record = place.parse::<usize>().ok();
        let record = record.and_then(|place| set.records.get(place.checked_sub(1)?));
        record.ok_or_else(|| {
            let count = set.records.len();
            format!("there is no `{id}`: `{}` has {count} records", set.id)
        })
    }

    /// The id of the next set: of a call or of a computation.
    pub(crate) fn next_id(&self, letter: char) -> String {
        let same = self.sets.iter().filter(|set| set.id.starts_with(letter));
        format!("{letter}{}", same.count() + 1)
    }
}
