//! The e-mail assistant: its threads, and the assistant without a model and an account, for reading them.

use std::sync::Arc;

use superstep::Backends;
use superstep_mail::{AgentError, MailAgent, MailError, MemoryError, Settings};

use super::{
    AgentKind, READ_ONLY,
    absent::Absent,
    no_account::{NoCalendar, NoMailbox},
};
use crate::error::{AgentFailure, Error, exit_of};

pub(super) const KIND: AgentKind = AgentKind {
    name: "mail",
    graphs: &["mail", "email_assistant"],
    graph: |backends| Ok(read_only(backends)?.graph().dynamic().clone()),
    title: |state| state.pointer("/email_input/mail/subject"),
    paths: &[],
};

/// The e-mail assistant without a model and an account, for reading questions and notes.
pub(crate) fn read_only(backends: Backends) -> Result<MailAgent, Error> {
    without(READ_ONLY, backends)
}

/// The e-mail assistant without a model and an account, which refuses calls with why there is none.
pub(crate) fn without(why: &str, backends: Backends) -> Result<MailAgent, Error> {
    Ok(MailAgent::new(
        Arc::new(Absent::new(why)),
        Arc::new(NoMailbox::new(why)),
        Arc::new(NoCalendar::default()),
        Settings::default(),
        backends,
    )?)
}

impl AgentFailure for AgentError {
    fn coded(&self) -> (&'static str, Option<&'static str>) {
        (self.code(), self.hint())
    }

    fn exit(&self) -> u8 {
        match self {
            Self::Run(error) => match error.code() {
                // The answer does not fit its question, which stays open.
                "SS1015" => 2,
                code => exit_of(code),
            },
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

impl From<MailError> for Error {
    fn from(error: MailError) -> Self {
        AgentError::from(error).into()
    }
}

impl From<MemoryError> for Error {
    fn from(error: MemoryError) -> Self {
        AgentError::from(error).into()
    }
}
