//! The tasks of a worker process, and its replies: JSON on both ways (`superstep_contain`).

use serde::{Deserialize, Serialize};
use superstep_workbook::{Calculated, Operation};

use crate::{
    fault::{Raised, Stop},
    limits::Limits,
    program_run::Base,
};

/// What a worker is to do with a workbook.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) task: Task,
    pub(crate) program: String,
    /// The name of the workbook's file.
    pub(crate) file: String,
    pub(crate) limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    /// Run the program.
    Run,
    /// Calculate the formulas.
    Calculate,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) ended: Ended,
    pub(crate) stdout: String,
    pub(crate) dropped: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended {
    Done {
        base: Base,
        operations: Vec<Operation>,
    },
    Raised(Raised),
    Stopped(Stop),
    Calculated(Calculated),
    /// The formulas cannot be calculated.
    NotCalculated(String),
    /// The workbook could not be read, or the worker could not contain itself.
    Failed(String),
}
