//! What a graph says of itself when it is built: its context and its questions. The module `schemas`
//! shows it.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::ask::Ask;
use crate::graph::CheckAnswer;

/// What a graph says of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    /// The schema of the context of a run.
    pub(super) context: Option<Json>,
    /// Questions by their kind.
    pub(super) asks: BTreeMap<&'static str, Declaration>,
}

/// A question that a graph asks.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub(super) schema: Option<Json>,
    /// What is wrong with an answer.
    pub(super) check: CheckAnswer,
}

impl Declaration {
    pub(super) fn of<Q: Ask>() -> Self {
        Self {
            schema: Q::schema(),
            check: |answer| {
                let read = serde_json::from_value::<Q::Answer>(answer.clone());
                read.map(drop).map_err(|error| error.to_string())
            },
        }
    }
}
