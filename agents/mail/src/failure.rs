//! The error as front ends report it.

use superstep_agent::{Failure, exit_of};

use crate::{AgentError, MailError, MemoryError};

impl Failure for AgentError {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn hint(&self) -> Option<&'static str> {
        Self::hint(self)
    }

    fn exit(&self) -> u8 {
        match self {
            Self::Run(error) if error.is_answer_misfit() => 2,
            Self::Run(error) => exit_of(error.code()),
            Self::NoZone { .. } => 2,
            Self::Mail(MailError::Auth { .. }) => 4,
            Self::Memory(MemoryError::Changed { .. }) => 6,
            _ => 1,
        }
    }

    fn run(&self) -> Option<&superstep::Error> {
        match self {
            Self::Run(error) => Some(error),
            _ => None,
        }
    }
}
