//! Python programs that nobody vouches for, run on workbooks.
//!
//! A program gets a workbook and gives changes: nothing else leaves a [`Sandbox`], and the workbook
//! that went in stays as it is. What a program prints, raises or uses up is part of what a run gives
//! ([`ProgramRun`]); an error is what prevented the run.
//!
//! Formulas are calculated in such a process, too ([`Calculator`]): they are programs of others as well. `superstep-contain`
//! has the process and what contains it.
//!
//! Read `sandbox` for the trait, `ran` for what a run gives, `limits` for what it may use.

mod calculate;
#[cfg(target_os = "linux")]
mod cpython;
mod embedded;
mod error;
mod fault;
mod limits;
mod program_run;
mod protocol;
mod python;
mod sandbox;
mod stale_references;
mod syntax;
mod worker;

pub use calculate::Calculator;
#[cfg(target_os = "linux")]
pub use cpython::CPython;
pub use embedded::Embedded;
pub use error::SandboxError;
pub use fault::{Raised, Stop};
pub use limits::Limits;
pub use program_run::{Base, Ending, Outcome, ProgramRun};
pub use sandbox::{Availability, Job, Sandbox};
pub use superstep_contain::Worker;
pub use worker::{worker, worker_with};

/// All sandboxes, the one that always works first.
pub fn sandboxes(worker: &Worker) -> Vec<Box<dyn Sandbox>> {
    #[allow(unused_mut, reason = "there is one more on Linux")]
    let mut all: Vec<Box<dyn Sandbox>> = vec![Box::new(Embedded::new(worker.clone()))];
    #[cfg(target_os = "linux")]
    all.push(Box::new(CPython::new(worker.clone())));
    all
}

/// A sandbox by its name.
pub fn sandbox(name: &str, worker: &Worker) -> Result<Box<dyn Sandbox>, SandboxError> {
    let mut all = sandboxes(worker);
    match all.iter().position(|sandbox| sandbox.name() == name) {
        Some(at) => Ok(all.swap_remove(at)),
        None => {
            let known: Vec<_> = all
                .iter()
                .map(|sandbox| format!("`{}`", sandbox.name()))
                .collect();
            Err(SandboxError::Unknown {
                name: name.to_owned(),
                known: known.join(", "),
            })
        }
    }
}
