//! Threads of the spreadsheet agent: begun, continued, answered.

use std::path::{Path, PathBuf};

use superstep::{OpenAsk, tools::Verdict};
use superstep_agent::{Answers, Next};
use superstep_sheets::{Sheets, SheetsSession, SheetsState};

use super::overwrite;
use crate::{app::App, console, error::Error, question_id};

/// A thread and its agent.
pub(super) struct SheetThread {
    session: SheetsSession,
    thread: String,
}

impl SheetThread {
    pub(super) fn new(agent: Sheets, thread: String, output: Option<PathBuf>, force: bool) -> Self {
        Self {
            session: SheetsSession::new(agent, output, overwrite(force)),
            thread,
        }
    }

    pub(super) async fn begin(
        self,
        instruction: &str,
        workbook: &Path,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let input = self.session.begin(&self.thread, instruction, workbook);
        let next = Next::Input(input.await?);
        self.run(next, app).await
    }

    /// Another instruction, on the result of the thread.
    pub(super) async fn instruct(
        self,
        state: &SheetsState,
        instruction: &str,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let next = Next::Input(self.session.instruct(state, instruction)?);
        self.run(next, app).await
    }

    /// Answers the first open question, or the one with this id if it is open.
    pub(super) async fn answer(
        self,
        verdict: Verdict,
        question: Option<&str>,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let state = self.session.agent().graph().state(&*self.thread).await?;
        let ask = question_id::choose(state.asks, question)?;
        let ask = ask.ok_or_else(|| Error::Missing {
            what: format!("thread `{}` has no open question", self.thread),
            hint: "see `superstep threads list --waiting`",
        })?;
        let answer = self.session.verdict(&ask, verdict)?;
        self.run(Next::Answer(ask, answer), app).await
    }

    /// Shows a question that has to be answered before anything else.
    pub(super) fn waits(mut self, ask: &OpenAsk, app: &mut App<'_>) -> Result<Error, Error> {
        console::show_open(&mut self.session, &self.thread, ask, app)?;
        Ok(Error::Waiting {
            thread: self.thread,
        })
    }

    async fn run(mut self, next: Next, app: &mut App<'_>) -> Result<(), Error> {
        let answers = (Answers::person(), None);
        console::talk(&mut self.session, &self.thread, answers, next, app).await
    }
}
