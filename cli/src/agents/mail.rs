//! The e-mail assistant: its threads, and the assistant without a model and an account, for reading them.

use std::sync::Arc;

use superstep::Backends;
use superstep_mail::{MailAgent, Settings};

use super::{
    AgentKind, READ_ONLY,
    absent::Absent,
    no_account::{NoCalendar, NoMailbox},
};
use crate::error::Error;

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
