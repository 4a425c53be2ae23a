//! Threads of the spreadsheet agent: begun, continued, resumed, answered.

use std::path::{Path, PathBuf};

use superstep::{OpenAsk, tools::Verdict};
use superstep_agent::{Answers, Conversation, Next};
use superstep_sheets::{Sheets, SheetsSession, SheetsState, workbook::Overwrite};

use crate::{
    app::App,
    console::{self, TerminalConsole},
    error::{AskedBy, Error},
    question_id,
};

/// A thread and its agent.
pub(super) struct SheetThread {
    session: SheetsSession,
    thread: String,
}

impl SheetThread {
    pub(super) fn new(agent: Sheets, thread: String, output: Option<PathBuf>, force: bool) -> Self {
        let overwrite = match force {
            true => Overwrite::Replace,
            false => Overwrite::Never,
        };
        Self {
            session: SheetsSession::new(agent, output, overwrite),
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
        self.run(next, Answers::person(), app).await
    }

    /// Another instruction, on the result of the thread.
    pub(super) async fn instruct(
        self,
        state: &SheetsState,
        instruction: &str,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let next = Next::Input(self.session.instruct(state, instruction)?);
        self.run(next, Answers::person(), app).await
    }

    /// Asks the open question or shows the result. `question` is the one that written answers are for.
    pub(super) async fn resume(
        mut self,
        answers: Answers,
        question: Option<&str>,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let state = self.session.agent().graph().state(&*self.thread).await?;
        let is_done = state.is_done();
        let next = Next::of(state.asks.into_iter().next(), is_done);
        let console = TerminalConsole::new(app);
        let talk = Conversation::new(&mut self.session, &*self.thread, answers, console);
        let talk = talk.naming(question.map(str::to_owned));
        console::ended(talk.run(next).await?, &self.thread)
    }

    /// Answers the open question, or the one with this id if it is open.
    pub(super) async fn answer(
        self,
        verdict: Verdict,
        question: Option<&str>,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let state = self.session.agent().graph().state(&*self.thread).await?;
        let Some(ask) = state.asks.into_iter().next() else {
            return Err(Error::Missing {
                what: format!("thread `{}` has no open question", self.thread),
                hint: "see `superstep threads list --waiting`",
            });
        };
        if let Some(wanted) = question {
            question_id::require(&ask, wanted, AskedBy::Sheets)?;
        }
        let answer = self.session.verdict(&ask, verdict)?;
        let next = Next::Answer(ask, answer);
        self.run(next, Answers::person(), app).await
    }

    /// Shows a question that has to be answered before anything else.
    pub(super) fn waits(mut self, ask: &OpenAsk, app: &mut App<'_>) -> Result<Error, Error> {
        let (nobody, console) = (Answers::written([]), TerminalConsole::new(app));
        let talk = Conversation::new(&mut self.session, &*self.thread, nobody, console);
        talk.show_open(ask)?;
        Ok(Error::Waiting {
            thread: self.thread,
        })
    }

    async fn run(mut self, next: Next, answers: Answers, app: &mut App<'_>) -> Result<(), Error> {
        let console = TerminalConsole::new(app);
        let talk = Conversation::new(&mut self.session, &*self.thread, answers, console);
        console::ended(talk.run(next).await?, &self.thread)
    }
}
