//! The question whether another round may begin.

use serde::{Deserialize, Serialize};
use superstep_derive::Ask;

/// Whether another round is worth what it will take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
#[non_exhaustive]
pub struct ApproveIteration {
    /// Whose analysis it is.
    pub agent: String,
    /// The round that would begin, from 1.
    pub iteration: u32,
    /// The grade so far.
    pub score: Option<f64>,
    /// The tokens it will take, as the last round did.
    pub tokens: u64,
    /// What it will cost, in millionths of a dollar, as far as it is known.
    pub micros: u64,
}
