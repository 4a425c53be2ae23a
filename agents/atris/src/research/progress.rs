//! Progress events of the tool loop: nodes emit them, sessions show them.

use serde::{Deserialize, Serialize};

/// A step of the model, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Progress {
    /// Operations are looked for.
    Finding {
        /// The words.
        words: String,
    },
    /// An operation is called.
    Calling {
        /// The operation and its parameters.
        call: String,
        /// Its number among the calls of the question, from 1.
        number: usize,
        /// The most calls of a question.
        most: usize,
    },
    /// Something is worked out.
    Computing {
        /// From what, and how.
        what: String,
    },
    /// The answer is checked.
    Answering,
    /// A call, a computation or an answer was given back to the model.
    Refused {
        /// Why.
        why: String,
    },
}

impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Finding { words } => write!(f, "looks for operations: {words}"),
            Self::Calling { call, number, most } => {
                write!(f, "asks Audius ({number} of {most}): {call}")
            }
            Self::Computing { what } => write!(f, "works out: {what}"),
            Self::Answering => f.write_str("checks the figures of the answer"),
            Self::Refused { why } => write!(f, "given back to the model: {why}"),
        }
    }
}
