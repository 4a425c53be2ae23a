//! Progress events of a run, besides the text of the model.
//!
//! Nodes emit [`Progress`] as custom events: `value.take::<Progress>()` gives it its type back. Notices are
//! in the state too, so that a thread that is read later still has them.

use std::fmt;

use serde::{Deserialize, Serialize};
use superstep::text::sanitize;

/// Progress of a run that a client may want to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "told", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Progress {
    /// The documents were read; the state says which.
    Read {
        /// How many are shown to the model first, whole or in sections.
        included: usize,
        /// How many others it can look up.
        #[serde(default)]
        reachable: usize,
        /// How many are not.
        left: usize,
        /// How many tokens the included ones are, as estimated.
        tokens: usize,
        /// How many they may be.
        budget: usize,
    },
    /// The model looks something up in the documents.
    LookedUp {
        /// The tool.
        tool: String,
        /// The text it searches, or the place it reads.
        what: String,
    },
    /// Sentences of the documents are sorted, one call each.
    Sorting {
        /// How many.
        passages: usize,
    },
    /// The memory has grown.
    Remembered {
        /// Statements of the person that are new.
        statements: usize,
        /// Each of them on a line, with the words it rests on.
        #[serde(default)]
        lines: Vec<String>,
    },
    /// The model is asked again from the start: words of this message that were shown are void.
    Again {
        /// Which attempt it is.
        attempt: u32,
    },
    /// Something went wrong that does not stop the thread.
    Notice(Notice),
}

/// Something that went wrong without stopping the thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What it is about.
    pub about: About,
    /// What happened, in words.
    pub message: String,
}

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum About {
    /// Documents.
    Documents,
    /// The memory file.
    Memory,
    /// Taking from the conversation what is remembered.
    Extraction,
    /// A reply of the model.
    Reply,
}

impl Notice {
    pub(crate) fn new(about: About, message: impl fmt::Display) -> Self {
        Self {
            about,
            message: sanitize(&message.to_string()),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
