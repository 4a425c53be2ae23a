//! Answers given in the background, while the person reads other questions.

use serde_json::{Map, Value as Json};
use superstep::{OpenAsk, future::BoxFuture, tools::Mode};

use super::{answer::InboxAnswer, question::InboxQuestion};
use crate::{context::Context, failure::AgentError, notice::Notice};

/// Gives answers of an inbox. Runs of several threads continue beside each other.
pub trait Desk: Send + Sync {
    /// Whether accepted effects are carried out.
    fn mode(&self) -> Mode;

    /// A question of a thread, with the edit that is kept for it; nothing if it is shown as any other.
    fn question<'a>(
        &'a self,
        thread: &'a str,
        ask: &'a OpenAsk,
    ) -> BoxFuture<'a, Result<Option<InboxQuestion>, AgentError>>;

    /// The question with changed arguments. Refuses arguments that an answer cannot have.
    fn edited<'a>(
        &'a self,
        question: &'a InboxQuestion,
        args: &'a Map<String, Json>,
    ) -> BoxFuture<'a, Result<InboxQuestion, AgentError>>;

    /// Keeps changed arguments with the question until it is answered. Returns whether they differ from those it asks
    /// about.
    fn keep<'a>(
        &'a self,
        question: &'a InboxQuestion,
        args: &'a Map<String, Json>,
    ) -> BoxFuture<'a, Result<bool, AgentError>>;

    /// Answers questions of one thread together and resumes its run; only resumes it if there are no answers. `stop` stops
    /// the run, and the answers are kept. Fails if no answer was taken.
    fn give<'a>(
        &'a self,
        given: &'a [(InboxQuestion, InboxAnswer)],
        with: &'a Context,
        stop: BoxFuture<'a, ()>,
    ) -> BoxFuture<'a, Result<AfterAnswers, AgentError>>;
}

/// Effects of answers, and the end of their run.
#[derive(Debug)]
pub struct AfterAnswers {
    /// The effects, each with its summary as its first line, and the state of the thread.
    pub notices: Vec<Notice>,
    /// The end.
    pub end: RunEnd,
}

/// End of a run that answers resumed.
#[derive(Debug)]
pub enum RunEnd {
    /// It ended. The exit code is that of an approved effect that was not carried out.
    Done(Option<u8>),
    /// It was stopped.
    Stopped,
    /// It failed after an answer was taken.
    Failed(AgentError),
}
