//! What ends a program before its end.

use serde::{Deserialize, Serialize};

/// An exception that ended a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    /// Its class: `KeyError`.
    pub class: String,
    /// What it says.
    pub message: String,
    /// The line of the program, where it is known.
    pub line: Option<u32>,
    /// The traceback as Python prints it.
    pub traceback: String,
}

/// The limit that a program reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stop {
    /// It ran too long.
    Time,
    /// It wanted too much memory.
    Memory,
    /// It made too many operations on the workbook.
    Operations,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Operations => "number of operations on the workbook",
        })
    }
}
