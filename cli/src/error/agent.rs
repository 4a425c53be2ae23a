//! Errors of agents, each in the file of its agent in `agents`.

use super::Error;

/// An error of an agent, as a command ends with it.
pub(crate) trait AgentFailure: std::error::Error + Send + Sync + 'static {
    /// The stable code, and what to do about it.
    fn coded(&self) -> (&'static str, Option<&'static str>);

    /// The exit code.
    fn exit(&self) -> u8;

    /// The error of a run, if it is one.
    fn run(&self) -> Option<&superstep::Error> {
        None
    }
}

/// An error of an agent about a file, which it does not name.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {error}")]
pub(crate) struct InFile<E> {
    pub(crate) file: String,
    pub(crate) error: E,
}

impl<E: AgentFailure> AgentFailure for InFile<E> {
    fn coded(&self) -> (&'static str, Option<&'static str>) {
        self.error.coded()
    }

    fn exit(&self) -> u8 {
        self.error.exit()
    }
}

impl<E: AgentFailure> From<E> for Error {
    fn from(error: E) -> Self {
        Self::Agent(Box::new(error))
    }
}
