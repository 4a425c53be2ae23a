//! The trait of an opened agent: its graph and its dialogue.

use std::sync::Arc;

use serde_json::Value as Json;
use superstep::{
    OpenAsk, RunOptions, Schemas, Value,
    dynamic::{DynEvent, DynGraph},
    future::BoxFuture,
    store::Store,
    tools::Verdict,
};

use crate::{
    context::Context,
    defaults::{self, Typed},
    failure::AgentError,
    inbox::{Desk, InboxQuestion},
    notice::{Notice, Report},
    outcome::Outcome,
    prompt::{Answer, Prompt, Reading},
    question_view::QuestionView,
    turn::Turn,
};

/// Reply of an agent to a line that is a command of the conversation, such as `/help`.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It was shown; the question is asked again.
    Shown(Vec<Notice>),
    /// The thread was changed; the run resumes.
    Resume(Vec<Notice>),
    /// The person leaves this question open and continues without it.
    Skip(Vec<Notice>),
    /// The person leaves the conversation; the question stays open.
    Exit,
}

/// A new beginning with other words, after a run failed or was stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Instead {
    /// New input.
    Input(Value),
    /// The thread was changed; the run resumes.
    Resume,
}

/// An agent that is ready to run. Every method but [`graph`](OpenAgent::graph) has a default that works for any graph.
pub trait OpenAgent: Send {
    /// The graph.
    fn graph(&self) -> &DynGraph;

    /// Schemas of its state, its input and its answers, for forms.
    fn schemas(&self) -> Schemas {
        Schemas::default()
    }

    /// Options of its runs. The thread is set by the conversation.
    fn options(&self) -> RunOptions {
        defaults::options(RunOptions::default())
    }

    /// Notices before the first run of this process.
    fn begin<'a>(
        &'a mut self,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Notice>, AgentError>> {
        let thread = defaults::thread(with);
        Box::pin(async { Ok(vec![thread]) })
    }

    /// Notices of an event.
    fn progress(&mut self, event: &DynEvent) -> Vec<Notice> {
        defaults::token(defaults::streamed(event))
    }

    /// Notices when a run has ended, before its question or its report.
    fn ended<'a>(&'a mut self, _: &'a Context) -> BoxFuture<'a, Result<Vec<Notice>, AgentError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Notices when a run failed or was stopped.
    fn broken_off<'a>(
        &'a mut self,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Notice>, AgentError>> {
        self.ended(with)
    }

    /// A question, to be shown.
    fn present(&mut self, ask: &OpenAsk, with: &Context) -> Result<Prompt, AgentError> {
        Ok(defaults::present(ask, with))
    }

    /// An answer that the agent was told to give by itself.
    fn own_answer(&mut self, _: &OpenAsk) -> Option<String> {
        None
    }

    /// The reply to a line that is a command of the conversation; nothing if it is none.
    fn command<'a>(
        &'a mut self,
        _: &'a str,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Reply>, AgentError>> {
        Box::pin(async { Ok(None) })
    }

    /// A typed line as an answer.
    fn read(&mut self, ask: &OpenAsk, text: &str) -> Result<Reading, AgentError> {
        match defaults::read(ask, text) {
            Typed::Verdict(verdict) => self.decide(ask, verdict),
            Typed::Reading(reading) => Ok(reading),
        }
    }

    /// A verdict on the call that an [`Approval`](superstep::tools::Approval) asks about, as an answer.
    fn decide(&mut self, ask: &OpenAsk, verdict: Verdict) -> Result<Reading, AgentError> {
        Ok(Reading::Answer(Answer::to_call(ask, verdict)?))
    }

    /// Draft to edit and resend after a failed or stopped run; `None` allows only a retry. `said` is what was said last
    /// in this process.
    fn words<'a>(
        &'a mut self,
        _said: Option<&'a str>,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Option<String>, AgentError>> {
        Box::pin(async { Ok(None) })
    }

    /// Begins again with other words.
    fn instead<'a>(
        &'a mut self,
        _words: &'a str,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Instead, AgentError>> {
        Box::pin(async { Ok(Instead::Resume) })
    }

    /// The command that resumes the thread, for a conversation that ended early.
    fn resume(&self, with: &Context) -> String {
        with.command(&["threads", "resume", &with.thread])
    }

    /// The report of a thread that is done.
    fn report<'a>(&'a mut self, with: &'a Context) -> BoxFuture<'a, Result<Report, AgentError>> {
        defaults::report(self.graph().clone(), with, String::new())
    }

    /// A question as data for screens.
    fn question_view(&self, ask: &OpenAsk) -> QuestionView {
        QuestionView::of(ask)
    }

    /// An open question as an inbox lists and shows it: as the desk does, or as in a conversation.
    fn inbox_question<'a>(
        &'a mut self,
        ask: &'a OpenAsk,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<InboxQuestion, AgentError>> {
        let desk = self.desk();
        let presented = self.present(ask, with).map(|prompt| {
            let agent = &*self.graph().plan().name;
            let view = self.question_view(ask);
            InboxQuestion::of(&with.thread, ask, agent, &prompt.notice, view)
        });
        Box::pin(async move {
            let of_desk = match desk {
                Some(desk) => desk.question(&with.thread, ask).await?,
                None => None,
            };
            match of_desk {
                Some(question) => Ok(InboxQuestion {
                    is_of_desk: true,
                    ..question
                }),
                None => presented,
            }
        })
    }

    /// Gives answers of an inbox beside each other. Without it each is given in a conversation.
    fn desk(&self) -> Option<Arc<dyn Desk>> {
        None
    }

    /// The conversation of a stored thread by its values, oldest turn first. If the values hold none, front ends show the
    /// inputs of the runs and the report.
    fn turns(&self, values: &Json) -> Vec<Turn> {
        values
            .get("messages")
            .map(Turn::of_messages)
            .unwrap_or_default()
    }

    /// The text that the values of a thread name so: a document that was read, a page that was written. Values may be what a
    /// client made of them, so only what its runs may read is given. `store` is the long-term memory of the thread's owner.
    fn text<'a>(
        &'a self,
        _name: &'a str,
        _values: &'a Json,
        _store: Option<Arc<dyn Store>>,
    ) -> BoxFuture<'a, Result<Option<String>, AgentError>> {
        Box::pin(async { Ok(None) })
    }

    /// How a finished thread ended, by its values.
    fn outcome(&self, _values: &Json) -> Outcome {
        Outcome::Done
    }

    /// The report for a front end that only looks at a thread, any number of times. An agent whose report writes files
    /// leaves them alone here.
    fn review<'a>(&'a mut self, with: &'a Context) -> BoxFuture<'a, Result<Report, AgentError>> {
        self.report(with)
    }
}
