//! A thread to resume, and what was given with the command.

use superstep::{OpenAsk, ThreadId, dynamic::state::Depth};
use superstep_agent::Answers;

use crate::{
    agents::Agent,
    app::App,
    args::{AccountArgs, TalkOptions},
    consent::{self, Agreement},
    console, database,
    error::Error,
    output::shown,
    question_id,
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
    /// Refuses an answer to a question that is not open, and shows one that is.
    pub(crate) async fn check_question(&self, app: &mut App<'_>) -> Result<(), Error> {
        let (thread, id) = (self.thread, ThreadId::from(self.thread));
        let mut reader = self.agent.reader(database::read_only(app.global)?)?;
        let snapshot = reader.graph().state(&id, None, Depth::Here).await?;
        let asks: Vec<OpenAsk> = snapshot.asks().map(OpenAsk::from).collect();
        if self.question.is_some() && asks.is_empty() && snapshot.next.is_empty() {
            return Err(Error::Missing {
                what: format!("thread `{}` has no open question", shown(thread)),
                hint: "see `superstep threads list --waiting`",
            });
        }
        let first = asks.first().cloned();
        let chosen = question_id::choose(asks, self.question);
        if let (Err(_), Some(first)) = (&chosen, &first) {
            console::show_open(&mut *reader, thread, first, app)?;
        }
        chosen.map(drop)
    }

    /// Asks before a foreign thread is run.
    pub(crate) async fn agreement(&self, app: &mut App<'_>) -> Result<Agreement, Error> {
        consent::to_run(self.agent, self.thread, app).await
    }
}
