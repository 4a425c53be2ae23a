//! The conversation: run, ask the person, run again, until the thread is done or the person leaves.
//!
//! `watch` shows a run while it goes, `asking` gets an answer to a question, `recovery` is what a person can do after a
//! run failed or was stopped.

mod asking;
mod recovery;
mod watch;

use superstep::{
    AskId, Error as RunError, ErrorKind, OpenAsk, Value,
    dynamic::{RunInput, Status, input},
    tools::approval::rebound,
};

use crate::{
    answers::Answers,
    console::Console,
    context::Context,
    notice::Notice,
    open::OpenAgent,
    prompt::Answer,
    span::{bad, plain},
};
use watch::Watched;

/// A conversation of an agent with a person, in one thread.
pub struct Conversation<'a, C> {
    agent: &'a mut dyn OpenAgent,
    console: C,
    context: Context,
    answers: Answers,
    /// The id of the question that the command answers, as it was given.
    named: Option<String>,
    /// The question that was open before: written answers were made with it in view.
    seen: Option<AskId>,
    /// Whether an answer was given: the first one is for the question that the command names.
    has_answered: bool,
    /// Whether the run began with input of this process.
    is_own: bool,
    /// Words of the person that can be changed after a reply was stopped.
    said: Option<String>,
    /// Whether the agent said itself how to answer later.
    has_hinted: bool,
}

/// The next step of a conversation.
#[derive(Clone, Debug)]
pub enum Next {
    /// New input for the graph.
    Input(Value),
    /// An answer to an open question.
    Answer(OpenAsk, Answer),
    /// The rest of a run that was interrupted or failed.
    Resume,
    /// An open question, to be asked.
    Ask(OpenAsk),
    /// The report of a thread that is done.
    Report,
}

/// The end of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The thread is done. A code is that of a run without the result it was for.
    Done(Option<u8>),
    /// A question is open.
    Waiting(OpenAsk),
    /// The person left a question open and continues without it.
    Skipped,
    /// The graph paused at a place where it always does; resuming continues it.
    Paused,
    /// Ctrl-C.
    Cancelled,
}

impl Next {
    /// The next step of a stored thread: its open question, the rest of its run, or its report.
    pub fn of(ask: Option<OpenAsk>, is_done: bool) -> Self {
        match ask {
            Some(ask) => Self::Ask(ask),
            None if is_done => Self::Report,
            None => Self::Resume,
        }
    }
}

/// One step of the loop.
enum Step {
    Next(Next),
    Ended(Ended),
}

impl<'a, C: Console> Conversation<'a, C> {
    /// A conversation in a thread.
    pub fn new(
        agent: &'a mut dyn OpenAgent,
        thread: impl Into<String>,
        answers: Answers,
        console: C,
    ) -> Self {
        let context = Context {
            thread: thread.into(),
            commands: console.commands(),
        };
        Self {
            agent,
            console,
            context,
            answers,
            named: None,
            seen: None,
            has_answered: false,
            is_own: false,
            said: None,
            has_hinted: false,
        }
    }

    /// The words that the thread begins with: a person may change them after a failure.
    #[must_use]
    pub fn saying(mut self, words: impl Into<String>) -> Self {
        self.said = Some(words.into());
        self
    }

    /// The id of the question that written answers are for.
    #[must_use]
    pub fn naming(mut self, question: Option<String>) -> Self {
        self.named = question;
        self
    }

    /// Talks until the thread is done, a question stays open or the person leaves. The thread is stored in any case.
    pub async fn run(mut self, next: Next) -> Result<Ended, C::Error> {
        if let Next::Ask(ask) = &next {
            self.seen = Some(ask.id);
        }
        let notices = self.agent.begin(&self.context).await?;
        self.show(&notices)?;
        let ended = self.steps(next).await;
        let is_over = matches!(ended, Ok(Ended::Done(_) | Ended::Skipped));
        if !is_over && !self.has_hinted {
            self.say_stored(ended.as_ref().err()).await;
        }
        ended
    }

    async fn steps(&mut self, mut next: Next) -> Result<Ended, C::Error> {
        loop {
            let step = match next {
                Next::Input(value) => {
                    self.is_own = true;
                    self.play(RunInput::Value(value), None).await?
                }
                Next::Answer(ask, answer) => self.give(ask, answer).await?,
                Next::Resume => self.play(RunInput::Nothing, None).await?,
                Next::Ask(ask) => self.ask(ask).await?,
                Next::Report => Step::Ended(self.report().await?),
            };
            match step {
                Step::Next(following) => next = following,
                Step::Ended(ended) => return Ok(ended),
            }
        }
    }

    /// Gives an answer.
    async fn give(&mut self, ask: OpenAsk, answer: Answer) -> Result<Step, C::Error> {
        self.show(&answer.before)?;
        self.has_answered = true;
        let value = Value::from(answer.value.clone());
        let run = input::answers([(answer.id, value)]);
        self.play(run, Some((ask, answer))).await
    }

    /// Runs the graph, and decides what comes next.
    async fn play(
        &mut self,
        run: RunInput,
        answered: Option<(OpenAsk, Answer)>,
    ) -> Result<Step, C::Error> {
        let outcome = match self.watch(run).await? {
            Watched::Ended(outcome) => outcome,
            Watched::Stopped => return self.recover(None).await,
            Watched::Failed(error) => {
                return match answered {
                    Some((ask, answer)) => self.not_taken(error, ask, answer).await,
                    None => self.recover(Some(error)).await,
                };
            }
        };
        if let Some((_, answer)) = &answered {
            self.show(&answer.after)?;
        }
        let notices = self.agent.ended(&self.context).await?;
        self.show(&notices)?;
        Ok(match (outcome.status, outcome.asks.first()) {
            (Status::Done, _) => Step::Next(Next::Report),
            (_, Some(ask)) => Step::Next(Next::Ask(OpenAsk::from(ask))),
            (_, None) => Step::Ended(Ended::Paused),
        })
    }

    /// An answer that failed: it does not fit, came too late, or the run failed after it.
    async fn not_taken(
        &mut self,
        error: RunError,
        ask: OpenAsk,
        answer: Answer,
    ) -> Result<Step, C::Error> {
        if let ErrorKind::BadAnswer { why, asked, .. } = &*error.kind {
            let now = asked.as_deref().map_or(ask.clone(), OpenAsk::from);
            if let Some((id, value)) = rebound(&answer.value, &ask, &now) {
                let answer = Answer {
                    id,
                    value,
                    before: Vec::new(),
                    after: answer.after,
                };
                return Ok(Step::Next(Next::Answer(now, answer)));
            }
            self.show(&[Notice::say([bad("no: "), plain(why)])])?;
            // A person answers only what was shown to them.
            return match now.id == ask.id && now.body == ask.body {
                true => self.listen(now).await,
                false => Ok(Step::Next(Next::Ask(now))),
            };
        }
        if error.is_answer_not_taken() {
            let why = "your answer was not taken: another one came first, or another process works on the thread";
            self.show(&[Notice::say([bad(why)])])?;
            return Err(error.into());
        }
        self.recover(Some(error)).await
    }

    /// Shows an open question without asking for an answer, and how to answer it.
    pub fn show_open(mut self, ask: &OpenAsk) -> Result<(), C::Error> {
        let prompt = self.agent.present(ask, &self.context)?;
        self.show(std::slice::from_ref(&prompt.notice))?;
        self.show(&prompt.later)
    }

    async fn report(&mut self) -> Result<Ended, C::Error> {
        let report = self.agent.report(&self.context).await?;
        self.show(&report.notices)?;
        Ok(Ended::Done(report.exit))
    }

    fn show(&mut self, notices: &[Notice]) -> Result<(), C::Error> {
        notices
            .iter()
            .try_for_each(|notice| self.console.show(notice))
    }
}
