//! What ends a program before its end.

use serde::{Deserialize, Serialize};
use superstep_contain::Exceeded;

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

/// The longest message of an exception, in bytes.
const MESSAGE: usize = 10_000;

/// The longest traceback.
const TRACEBACK: usize = 20_000;

impl Raised {
    /// The same, with no more text than a person reads.
    #[must_use]
    pub(crate) fn cut(mut self) -> Self {
        for (text, most) in [
            (&mut self.class, 200),
            (&mut self.message, MESSAGE),
            (&mut self.traceback, TRACEBACK),
        ] {
            if text.len() > most {
                let left = text.len() - most;
                text.truncate(text.floor_char_boundary(most));
                text.push_str(&format!("… ({left} bytes more)"));
            }
        }
        self
    }
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
    /// It wrote too much to its folder.
    Disk,
}

impl From<Exceeded> for Stop {
    fn from(limit: Exceeded) -> Self {
        match limit {
            Exceeded::Memory => Self::Memory,
            _ => Self::Time,
        }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Operations => "number of operations on the workbook",
            Self::Disk => "disk",
        })
    }
}
