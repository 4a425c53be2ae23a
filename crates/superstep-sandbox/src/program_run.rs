//! What a run gives.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use superstep_workbook::{Lineage, Operation, Workbook};

use crate::{
    error::SandboxError,
    fault::{Raised, Stop},
    stale_references,
};

/// A program that ran, to its end or not.
#[derive(Clone, Debug)]
pub struct ProgramRun {
    /// How it ended.
    pub ending: Ending,
    /// What it printed, up to the limit.
    pub stdout: String,
    /// How many bytes it printed beyond the limit.
    pub stdout_dropped: u64,
    /// How long it took, with the start of its process.
    pub took: Duration,
    /// How the workbook that the program wrote came from the given one.
    pub lineage: Lineage,
}

/// How a program ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Ending {
    /// It reached its end.
    Done(Outcome),
    /// It raised an exception that nothing in it caught; its changes are dropped.
    Raised(Raised),
    /// It was stopped at a limit; its changes are dropped.
    Stopped(Stop),
}

/// What a program made of the workbook.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Operations, to be applied in their order.
    Operations {
        /// What they are applied to.
        base: Base,
        /// The operations; none if the program changed nothing.
        operations: Vec<Operation>,
    },
    /// A workbook as a file, unchecked: only [`ProgramRun::workbook`] reads it, as hostile data.
    Package(Arc<[u8]>),
}

/// What operations are applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// The workbook of the job.
    Given,
    /// A new workbook with one empty sheet called `Sheet`.
    New,
}

impl ProgramRun {
    /// The workbook after the run, made from the one that went in. A program that did not reach its end
    /// made none; why is the error.
    pub fn workbook(&self, before: &Workbook) -> Result<Workbook, SandboxError> {
        match &self.ending {
            Ending::Done(Outcome::Operations { base, operations }) => {
                let after = match base {
                    Base::Given => before.apply(operations),
                    Base::New => Workbook::empty().and_then(|new| new.apply(operations)),
                };
                after.map_err(SandboxError::Result)
            }
            Ending::Done(Outcome::Package(bytes)) => {
                let limits = superstep_workbook::Limits::default();
                let after = Workbook::read(Arc::clone(bytes), &limits);
                after
                    .map(|after| after.in_place_of(before, &self.lineage))
                    .map_err(SandboxError::Result)
            }
            Ending::Raised(raised) => Err(SandboxError::Raised(raised.clone())),
            Ending::Stopped(stop) => Err(SandboxError::Stopped(*stop)),
        }
    }

    /// What may be wrong in the workbook after the run although the program reached its end, in words.
    pub fn warnings(&self, before: &Workbook, after: &Workbook) -> Vec<String> {
        stale_references::warnings(&self.lineage, before, after)
    }
}
