//! Errors of the bench.

use std::process::ExitCode;

use superstep_core::{
    error::{Error, SaverError},
    plan::BuildErrors,
};

/// Why there is no figure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum BenchError {
    /// The command line makes no sense.
    #[error("{0}")]
    Args(String),
    /// The workload needs a backend this binary was not built with.
    #[error(
        "this build has no store `{0}`: only none, memory, sqlite, sqlite_normal and sqlite_async"
    )]
    NoStore(String),
    /// A figure of a wrong result would say nothing.
    #[error("{workload} ended with {got} instead of {expected}")]
    Wrong {
        /// The workload.
        workload: &'static str,
        /// What it should have given.
        expected: String,
        /// What it gave.
        got: String,
    },
    /// A graph did not build.
    #[error("{0}")]
    Build(#[from] BuildErrors),
    /// A run failed.
    #[error("{0}")]
    Run(#[from] Error),
    /// A database did not open.
    #[error("{0}")]
    Saver(#[from] SaverError),
    /// A workload of `all` failed, and has said why.
    #[error("`{0}` failed")]
    Failed(String),
    /// A task of the bench itself failed.
    #[error("{0}")]
    Join(#[from] tokio::task::JoinError),
    /// The process could not read about itself, or not start a child.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl BenchError {
    /// 2 for a wrong call, 3 for a missing store, 1 for anything else.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Args(_) => 2,
            Self::NoStore(_) => 3,
            _ => 1,
        })
    }
}
