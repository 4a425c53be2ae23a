//! How a finished thread ended.

use serde::Serialize;

/// How a finished thread ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With its result.
    #[default]
    Done,
    /// Without its result.
    Failed,
    /// The agent declined to do what it was asked.
    Refused,
}
