//! Errors of agents, as commands end with them.

use superstep_agent::{AgentError, Failure, UsageError};
use superstep_mail::account::AccountError;
use superstep_sheets::ReferencesError;

use super::Error;

/// An error of one of the agents in this program.
pub(crate) trait AgentFailure: Failure {}

impl AgentFailure for superstep_archie::Error {}
impl AgentFailure for superstep_atris::Error {}
impl AgentFailure for superstep_docgen::Error {}
impl AgentFailure for superstep_mail::AgentError {}
impl AgentFailure for superstep_sheets::Error {}

impl From<superstep_mail::MailError> for Error {
    fn from(error: superstep_mail::MailError) -> Self {
        superstep_mail::AgentError::from(error).into()
    }
}

impl From<superstep_mail::MemoryError> for Error {
    fn from(error: superstep_mail::MemoryError) -> Self {
        superstep_mail::AgentError::from(error).into()
    }
}

impl From<AccountError> for Error {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::Mail(error) => error.into(),
            AccountError::NoAccount => Self::NoAccount,
            other => Self::Usage(other.to_string()),
        }
    }
}

/// An error of an agent about a file, which it does not name.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {error}")]
pub(crate) struct InFile<E> {
    pub(crate) file: String,
    pub(crate) error: E,
}

impl<E: AgentFailure> Failure for InFile<E> {
    fn code(&self) -> &'static str {
        self.error.code()
    }

    fn hint(&self) -> Option<&'static str> {
        self.error.hint()
    }

    fn exit(&self) -> u8 {
        self.error.exit()
    }
}

impl<E: AgentFailure> AgentFailure for InFile<E> {}

impl<E: AgentFailure> From<E> for Error {
    fn from(error: E) -> Self {
        Self::Agent(AgentError::from(error))
    }
}

impl From<AgentError> for Error {
    fn from(error: AgentError) -> Self {
        Self::Agent(error)
    }
}

impl From<UsageError> for Error {
    fn from(error: UsageError) -> Self {
        match error {
            UsageError::Wrong(why) => Self::Usage(why),
            UsageError::Path(error) => Self::Model(error),
        }
    }
}

impl From<ReferencesError> for Error {
    fn from(error: ReferencesError) -> Self {
        match error {
            ReferencesError::Store(error) => Self::Store(error),
            ReferencesError::Saver(error) => Self::Saver(error),
            ReferencesError::Thread(error) => Self::Run(error),
            ReferencesError::Record(error) => Self::Io(error.into()),
        }
    }
}
