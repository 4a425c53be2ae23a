//! What went wrong with a question, as a thread keeps it.

use serde::{Deserialize, Serialize};

use crate::{error::Error, reply::clean};

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The stable code.
    pub code: String,
    /// What happened.
    pub message: String,
    /// What to do about it.
    #[serde(default)]
    pub hint: Option<String>,
    /// The node it happened in.
    pub node: String,
    /// The operation, if one was chosen.
    #[serde(default)]
    pub operation: Option<String>,
}

impl Problem {
    /// An error that happened in a node.
    pub(crate) fn new(error: &Error, node: &str, operation: Option<&str>) -> Self {
        Self {
            code: error.code().to_owned(),
            message: clean(&error.to_string()),
            hint: error.hint().map(str::to_owned),
            node: node.to_owned(),
            operation: operation.map(str::to_owned),
        }
    }
}
