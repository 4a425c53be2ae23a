//! A thread to resume, and what was given with the command: one way for the threads of all agents.

use std::any::Any;

use superstep::{OpenAsk, ThreadId, dynamic::state::Depth};
use superstep_agent::{Answers, Next, OpenAgent};

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

/// An agent opened for a thread, and what has to live as long.
pub(crate) type OpenedThread = (Box<dyn OpenAgent>, Box<dyn Any>);

/// What an agent is opened for.
pub(crate) struct StoredThread<'a> {
    pub(crate) name: &'a str,
    pub(crate) talk: &'a TalkOptions,
    pub(crate) agreement: &'a Agreement,
    /// Whether only its result is shown.
    pub(crate) is_done: bool,
}

impl Resumed<'_> {
    /// Answers an open question, finishes an interrupted run, or shows the result. The question is shown even if the agent
    /// cannot be opened.
    pub(crate) async fn run(
        self,
        open: impl AsyncFnOnce(&StoredThread<'_>, &mut App<'_>) -> Result<OpenedThread, Error>,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let (mut reader, next) = self.chosen(app).await?;
        let agreement = self.agreement(app).await?;
        let thread = StoredThread {
            name: self.thread,
            talk: self.talk,
            agreement: &agreement,
            is_done: matches!(next, Next::Report),
        };
        let (mut opened, _kept) = match open(&thread, app).await {
            Ok(opened) => opened,
            Err(error) => {
                if let Next::Ask(ask) = &next {
                    console::show_open(&mut *reader, self.thread, ask, app)?;
                }
                return Err(error);
            }
        };
        agreement.store().await?;
        let is_automatic = self.talk.approve_after.is_some();
        let answers = (self.answers.automatic(is_automatic), self.question);
        console::talk(&mut *opened, self.thread, answers, next, app).await
    }

    /// What comes next, and the agent to show it with. Refuses an answer to a question that is not open, and shows one that
    /// is.
    pub(crate) async fn chosen(
        &self,
        app: &mut App<'_>,
    ) -> Result<(Box<dyn OpenAgent>, Next), Error> {
        let (thread, id) = (self.thread, ThreadId::from(self.thread));
        let mut reader = self.agent.reader(database::read_only(app.global)?)?;
        let snapshot = reader.graph().state(&id, None, Depth::Here).await?;
        let asks: Vec<OpenAsk> = snapshot.asks().map(OpenAsk::from).collect();
        let is_done = snapshot.next.is_empty();
        if self.question.is_some() && asks.is_empty() && is_done {
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
        Ok((reader, Next::of(chosen?, is_done)))
    }

    /// Asks before a foreign thread is run.
    pub(crate) async fn agreement(&self, app: &mut App<'_>) -> Result<Agreement, Error> {
        consent::to_run(self.agent, self.thread, app).await
    }
}
