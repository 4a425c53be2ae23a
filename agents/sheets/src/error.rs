//! Errors of the spreadsheet agent, with stable codes. Codes are listed in `docs/errors.md`.
//!
//! What goes wrong inside a step is no error: the planner reads it and may correct itself.

use superstep::{Category, Coded, Failure, NodeError};

/// Why the agent cannot do something. The thread and the input are as they were.
#[derive(Debug, thiserror::Error, superstep::Coded)]
#[non_exhaustive]
pub enum Error {
    /// The state of a thread names no workbook.
    #[error("the thread has no workbook")]
    #[coded(
        "SS7701",
        NotFound,
        hint = "begin it with `superstep sheet run WORKBOOK -i ...`"
    )]
    NoWorkbook,
    /// There is no instruction.
    #[error("there is no instruction")]
    #[coded(
        "SS7702",
        InvalidInput,
        hint = "say what is to be done: with -i, or as `problem.instruction` of the input"
    )]
    NoInstruction,
    /// A version of a workbook is not stored here.
    #[error("version {hash} of the workbook is not stored here")]
    #[coded(
        "SS7703",
        NotFound,
        hint = "use the database that the thread was made with: an archive has no versions"
    )]
    VersionGone {
        /// Its hash.
        hash: String,
    },
    /// A stored version is not what its name says.
    #[error("version {hash} of the workbook is damaged")]
    #[coded(
        "SS7704",
        Internal,
        hint = "fork the thread at an earlier step; the input is unharmed"
    )]
    VersionDamaged {
        /// Its hash.
        hash: String,
    },
    /// Versions cannot be read or stored.
    #[error("versions of workbooks cannot be read or stored: {why}")]
    #[coded("SS7705", Unavailable, hint = "check permissions and free space")]
    Versions {
        /// What the storage says.
        why: String,
    },
    /// The tools cannot be used.
    #[error("the tools: {why}")]
    #[coded("SS7706", InvalidInput, hint = "see the message")]
    Tools {
        /// What is wrong.
        why: String,
    },
    /// A query of the mirror was refused.
    #[error("the query is refused: {why}")]
    #[coded(
        "SS7707",
        InvalidInput,
        hint = "write one SELECT over the tables that are listed; nothing can be written"
    )]
    Query {
        /// Why.
        why: String,
    },
    /// A query of the mirror takes too long.
    #[error("the query took longer than {seconds} s and was stopped")]
    #[coded("SS7708", Exhausted, hint = "ask for less")]
    QueryTime {
        /// The limit.
        seconds: u64,
    },
    /// The result would replace the input.
    #[error("`{path}` is the input, which is never modified")]
    #[coded("SS7709", Conflict, hint = "choose another name for the result")]
    OutputIsInput {
        /// The path.
        path: String,
    },
    /// A setting that makes no sense.
    #[error("{why}")]
    #[coded("SS7710", InvalidInput, hint = "see the message")]
    Settings {
        /// What is wrong.
        why: String,
    },
    /// Work on a workbook ended without a result.
    #[error("the work on the workbook was broken off: {why}")]
    #[coded("SS7711", Internal, hint = "report it: this is a mistake in superstep")]
    Broken {
        /// What happened.
        why: String,
    },
    /// The thread waits for a person.
    #[error("thread `{thread}` waits for an answer")]
    #[coded("SS7712", Conflict, hint = "answer its question, then resume it")]
    Waiting {
        /// The thread.
        thread: String,
    },
    /// The workbook cannot be read, changed or written.
    #[error(transparent)]
    #[coded(transparent)]
    Workbook(#[from] superstep_workbook::Error),
    /// A program gave no workbook.
    #[error(transparent)]
    #[coded(transparent)]
    Sandbox(#[from] superstep_sandbox::SandboxError),
    /// The run failed; its thread is kept.
    #[error(transparent)]
    #[coded(transparent)]
    Run(#[from] superstep::Error),
}

impl Error {
    /// The failure of a task that cannot continue with it.
    pub(crate) fn node(&self) -> NodeError {
        NodeError::failed(self.failure())
    }

    /// The failure of a run that stops with it.
    pub(crate) fn failure(&self) -> Failure {
        let coded = Coded {
            code: self.code(),
            category: self.category(),
            hint: self.hint(),
            transient: false,
        };
        coded.failure("SheetsError", self.to_string())
    }
}

/// An error on its way out of a task.
pub(crate) fn node(error: Error) -> NodeError {
    match error {
        Error::Run(error) => error.into(),
        error => error.node(),
    }
}
