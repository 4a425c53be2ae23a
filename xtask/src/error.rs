//! What can go wrong in a chore, as one line for the terminal.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a chore did not succeed.
#[derive(Debug)]
pub(crate) enum Error {
    /// A program could not be started at all.
    Start { program: String, source: io::Error },
    /// A program, or a chore of ours, ran and was not content.
    Failed { what: String, why: String },
    /// A file could not be read or written.
    File { path: PathBuf, source: io::Error },
}

impl Error {
    pub(crate) fn failed(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Failed {
            what: what.into(),
            why: why.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, source } => write!(f, "cannot start {program}: {source}"),
            Self::Failed { what, why } => write!(f, "{what}: {why}"),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::File { source, .. } => Some(source),
            Self::Failed { .. } => None,
        }
    }
}
