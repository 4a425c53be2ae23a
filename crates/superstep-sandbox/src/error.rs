//! What prevents a run, or the use of what it gave: one enum with codes and hints.

use superstep_core::error::Category;

use crate::fault::{Raised, Stop};

/// Why a program gave no workbook. The workbook that went in is as it was.
#[derive(Debug, thiserror::Error, superstep_coded::Coded)]
#[non_exhaustive]
pub enum SandboxError {
    /// What would contain programs is missing.
    #[error("the sandbox `{sandbox}` cannot be used: {why}")]
    #[coded(
        "SS7601",
        Unavailable,
        hint = "install what is missing or choose another sandbox; programs are never run uncontained"
    )]
    Unavailable {
        /// Its name.
        sandbox: &'static str,
        /// What is missing.
        why: String,
    },
    /// The program raised an exception.
    #[error("the program failed: {}", .0.traceback)]
    #[coded(
        "SS7602",
        InvalidInput,
        hint = "nothing was changed; correct the program at the line that the traceback names"
    )]
    Raised(Raised),
    /// The program reached a limit.
    #[error("the program was stopped at a limit: {0}")]
    #[coded(
        "SS7603",
        Exhausted,
        hint = "nothing was changed; let the program do less at once, or raise the limit"
    )]
    Stopped(Stop),
    /// The process of the sandbox ended without an answer.
    #[error("the process of the sandbox ended without an answer: {what}")]
    #[coded(
        "SS7604",
        Internal,
        hint = "nothing was changed; the message says how the process ended: `superstep doctor` tells whether the sandbox works here, and a program that ends its own process has to be changed"
    )]
    Died {
        /// How it ended.
        what: String,
    },
    /// The process of the sandbox could not be started or reached.
    #[error("the process of the sandbox cannot be used: {0}")]
    #[coded(
        "SS7605",
        Unavailable,
        hint = "check that the program of the sandbox is installed and that processes can be started"
    )]
    Process(#[source] std::io::Error),
    /// What the program made cannot be used as a workbook.
    #[error("the result of the program cannot be used: {0}")]
    #[coded("SS7606", InvalidInput, hint = "nothing was changed; see the cause")]
    Result(#[source] superstep_workbook::Error),
    /// A sandbox that does not exist.
    #[error("there is no sandbox `{name}`; there are {known}")]
    #[coded("SS7607", NotFound, hint = "choose one of those that are listed")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}
