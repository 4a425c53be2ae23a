//! A thread to resume, and what was given with the command.

use superstep_agent::Answers;

use crate::{
    agents::Agent,
    app::App,
    args::{AccountArgs, TalkOptions},
    consent::{self, Agreement},
    error::Error,
};

/// A thread to resume.
pub(crate) struct Resumed<'a> {
    pub(crate) agent: Agent,
    pub(crate) thread: &'a str,
    /// The question that written answers are for.
    pub(crate) question: Option<&'a str>,
    pub(crate) talk: &'a TalkOptions,
    /// Written answers, or those of a person.
    pub(crate) answers: Answers,
    pub(crate) account: AccountArgs,
}

impl Resumed<'_> {
    /// Asks before a foreign thread is run.
    pub(crate) async fn agreement(&self, app: &mut App<'_>) -> Result<Agreement, Error> {
        consent::to_run(self.agent, self.thread, app).await
    }
}
