//! Questions of a thread as front ends show them.
//!
//! `presented` shows what a person is asked, `said` reads what the person says, `report` shows answers and states,
//! `thread_errors` the errors of a thread, `commands` what can be said besides answers.

mod commands;
mod presented;
mod report;
mod thread_errors;
mod typed_answer;

use serde::Deserialize as _;
use serde_json::Value as Json;
use superstep::{
    Modes, OpenAsk, RunOptions, Schemas,
    dynamic::{DynEvent, DynGraph, EventKind},
    future::BoxFuture,
    tools::Verdict,
};
use superstep_agent::{
    AgentError, Context, Notice, OpenAgent, Outcome, Prompt, Reading, Reply, Report, Turn, faint,
    plain,
};

pub use commands::{SKIP, help_of};
pub use thread_errors::thread_errors;
pub use typed_answer::changes;

use crate::{Answer, Atris, Progress, Status};

/// Writes the command that answers a question, or that resumes the thread where there is none. It names the given host
/// instead of its own, if there is one: the question is about a call there.
pub type AnswerCommand = Box<dyn Fn(Option<&OpenAsk>, Option<&str>) -> String + Send + Sync>;

/// The agent at work on a thread.
pub struct AtrisSession {
    agent: Atris,
    answering: AnswerCommand,
    explains: bool,
    shows_states: bool,
    is_announced: bool,
    /// How many states the thread had before.
    before: usize,
}

impl AtrisSession {
    /// Questions to this agent, and the commands that answer what it asks.
    pub fn new(agent: Atris, answering: AnswerCommand) -> Self {
        Self {
            agent,
            answering,
            explains: false,
            shows_states: false,
            is_announced: false,
            before: 0,
        }
    }

    /// The same with the field that each number of an answer is.
    #[must_use]
    pub fn explaining(mut self, explains: bool) -> Self {
        self.explains = explains;
        self
    }

    /// The same with the state after each step.
    #[must_use]
    pub fn showing_states(mut self, shows_states: bool) -> Self {
        self.shows_states = shows_states;
        self
    }

    /// Says that the person knows the thread: reports do not name it.
    pub fn announced(&mut self) {
        self.is_announced = true;
    }

    /// The agent.
    pub fn agent(&self) -> &Atris {
        &self.agent
    }

    fn next_command(&self, ask: &OpenAsk) -> String {
        let is_elsewhere = |host: &String| self.agent.check_host(host).is_err();
        let other = typed_answer::host_of(ask).filter(is_elsewhere);
        (self.answering)(Some(ask), other.as_deref())
    }
}

impl OpenAgent for AtrisSession {
    fn graph(&self) -> &DynGraph {
        self.agent.graph().dynamic()
    }

    fn schemas(&self) -> Schemas {
        self.agent.graph().schemas()
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            modes: Modes::CUSTOM,
            log: Modes::TRACE,
            ..RunOptions::default()
        }
    }

    fn begin<'a>(
        &'a mut self,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Notice>, AgentError>> {
        Box::pin(async move {
            if self.shows_states {
                let history = self.agent.graph().history(&*with.thread).await;
                self.before = history.map_or(0, |history| history.len());
            }
            // The report names the thread.
            Ok(Vec::new())
        })
    }

    fn progress(&mut self, event: &DynEvent) -> Vec<Notice> {
        let EventKind::Custom(data) = &event.kind else {
            return Vec::new();
        };
        let progress = serde_json::from_value::<Progress>(data.to_json());
        let notices = progress.iter().map(report::progress);
        notices.collect()
    }

    fn present(&mut self, ask: &OpenAsk, with: &Context) -> Result<Prompt, AgentError> {
        let next = self.next_command(ask);
        let notice = presented::notice(ask, &next, &with.thread)?;
        Ok(Prompt {
            decides: typed_answer::decides(ask),
            takes_pipe: true,
            later: vec![Notice::say([faint("answer it with "), plain(next)]).for_people()],
            ..Prompt::new(notice)
        })
    }

    fn command<'a>(
        &'a mut self,
        text: &'a str,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Reply>, AgentError>> {
        Box::pin(async move { Ok(commands::reply(text.trim())) })
    }

    fn read(&mut self, ask: &OpenAsk, text: &str) -> Result<Reading, AgentError> {
        typed_answer::read(ask, text.trim(), &self.agent)
    }

    fn decide(&mut self, ask: &OpenAsk, verdict: Verdict) -> Result<Reading, AgentError> {
        typed_answer::decide(ask, verdict, &self.agent)
    }

    fn resume(&self, _: &Context) -> String {
        (self.answering)(None, None)
    }

    fn report<'a>(&'a mut self, with: &'a Context) -> BoxFuture<'a, Result<Report, AgentError>> {
        Box::pin(async move {
            let graph = self.agent.graph();
            let mut notices = Vec::new();
            if self.shows_states {
                let history = graph.history(&*with.thread).await?;
                notices.extend(report::states(&history, self.before));
            }
            let state = graph.state(&*with.thread).await?.state;
            let exit = match state.last() {
                Some(answer) => {
                    notices.push(report::answer(answer, &with.thread, self.explains));
                    report::exit(answer)
                }
                None => {
                    let what = format!("thread `{}` has no answer", with.thread);
                    notices.push(Notice::say([plain(what)]));
                    Some(1)
                }
            };
            if !self.is_announced {
                let thread = [faint("thread "), faint(&with.thread)];
                notices.push(Notice::note(thread).for_people());
            }
            Ok(Report { notices, exit })
        })
    }

    fn turns(&self, values: &Json) -> Vec<Turn> {
        let answers = answers(values);
        let turns = answers.map(|answer| {
            let shown = report::answer(&answer, "", true);
            [Turn::person(answer.question), Turn::shown(vec![shown])]
        });
        turns.flatten().collect()
    }

    fn outcome(&self, values: &Json) -> Outcome {
        match answers(values).last().map(|answer| answer.status) {
            Some(Status::Failed) => Outcome::Failed,
            Some(Status::Refused) => Outcome::Refused,
            _ => Outcome::Done,
        }
    }
}

/// The answers of a state in JSON, oldest first.
fn answers(values: &Json) -> impl Iterator<Item = Answer> {
    let history = values.get("message_history").and_then(Json::as_array);
    let history = history.into_iter().flatten();
    history.filter_map(|answer| Answer::deserialize(answer).ok())
}
