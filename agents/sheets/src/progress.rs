//! Progress events of a run: nodes emit them, `value.take::<Progress>()` gives them their type back.

use serde::{Deserialize, Serialize};

/// What happens in a run, for those who watch it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Progress {
    /// The planner chose an action.
    Planned {
        /// The number that the action gets, counted over all instructions of the thread.
        step: u32,
        /// The number of the last one that may be taken.
        max_steps: u32,
        /// What the planner said about it.
        thought: String,
        /// The tool, or `Finish`.
        action: String,
    },
    /// The planner chose an action, and none is left.
    NotTaken {
        /// The number of the last one that could be taken.
        max_steps: u32,
        /// What the planner said about it.
        thought: String,
        /// The tool.
        action: String,
    },
    /// A reply of the planner named no action.
    FormatError {
        /// How many in a row.
        count: u32,
        /// What is wrong with it.
        why: String,
    },
    /// An action was taken, or could not be.
    Observed {
        /// Its number.
        step: u32,
        /// The tool.
        tool: String,
        /// Whether it worked.
        is_done: bool,
        /// What the planner reads about it.
        observation: String,
    },
    /// The informer looked something up.
    Informed {
        /// The query, if one was made.
        sql: Option<String>,
        /// What it gave.
        text: String,
    },
}
