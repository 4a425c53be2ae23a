//! Archie in a conversation, as front ends show it.
//!
//! `events` puts a run into words, `question` the open question, `commands` replies to slash commands, `published` reports
//! the result.

mod commands;
mod events;
mod published;
mod question;

use std::{path::PathBuf, sync::Arc};

use serde::Deserialize as _;
use serde_json::{Value as Json, json};
use superstep::{
    Modes, Nodes as _, OpenAsk, Put, RunOptions, Schemas, Update as _,
    dynamic::{DynEvent, DynGraph, EventKind},
    future::BoxFuture,
    model::Message,
    store::Store,
};
use superstep_agent::{
    AgentError, Answer, Block, Context, Instead, Notice, OpenAgent, Prompt, QuestionOption,
    QuestionView, Reading, Reply, Report, Topic, Turn, Weight, faint, shown, strong,
};

use crate::{
    archie::{Archie, Brief},
    documents::Inputs,
    progress::Progress,
    state::{AnalysisUpdate, Flow, Node, Question},
};

/// The answer that approves.
const APPROVE: &str = "/approve";

/// The input of a flow that begins with words of the person: [`Archie::analyze`] or [`Archie::ask`].
pub type Begin = fn(&Archie, &Brief) -> AnalysisUpdate;

/// Archie in a conversation about one thread.
pub struct ArchieSession {
    archie: Archie,
    out: Option<PathBuf>,
    explains: bool,
    approve_after: Option<usize>,
    /// Nothing if the thread does not begin with words of the person.
    begun: Option<(Begin, Brief)>,
    /// The answer to the next question, given before the thread went back to it.
    ready: Option<String>,
    /// Whether words of the current turn were shown as they arrived.
    has_streamed: bool,
    /// The number of calls whose cost was shown.
    shown_calls: usize,
    /// Whether a run ended in this process.
    has_run: bool,
    /// The result that the thread had before, if it was done.
    before: Option<String>,
}

impl ArchieSession {
    /// A conversation with this agent.
    pub fn new(archie: Archie) -> Self {
        Self {
            archie,
            out: None,
            explains: false,
            approve_after: None,
            begun: None,
            ready: None,
            has_streamed: false,
            shown_calls: 0,
            has_run: false,
            before: None,
        }
    }

    /// The same, with the result in this file instead of the folder of the documents.
    #[must_use]
    pub fn writing_to(mut self, out: Option<PathBuf>) -> Self {
        self.out = out;
        self
    }

    /// The same; the report says where the figures and names of the result come from, if that is wanted.
    #[must_use]
    pub fn explaining(mut self, explains: bool) -> Self {
        self.explains = explains;
        self
    }

    /// The same, which approves from this turn on by itself.
    #[must_use]
    pub fn approving_after(mut self, turns: Option<usize>) -> Self {
        self.approve_after = turns;
        self
    }

    /// The same for a thread that begins with this brief: a person may begin it again with other words.
    #[must_use]
    pub fn beginning(mut self, begin: Begin, brief: Brief) -> Self {
        self.begun = Some((begin, brief));
        self
    }
}

impl OpenAgent for ArchieSession {
    fn graph(&self) -> &DynGraph {
        self.archie.graph().dynamic()
    }

    fn schemas(&self) -> Schemas {
        self.archie.graph().schemas()
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            modes: Modes::MESSAGES.with(Modes::CUSTOM).with(Modes::UPDATES),
            log: Modes::TRACE,
            ..RunOptions::default()
        }
    }

    fn begin<'a>(
        &'a mut self,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Notice>, AgentError>> {
        Box::pin(async move {
            // A question may follow others of its thread, whose calls were shown then.
            let known = self.archie.graph().state(&*with.thread).await?;
            self.shown_calls = known.state.usage.len();
            let result = known.state.analysis_output.clone();
            self.before = result.filter(|_| known.is_done());
            let line = vec![faint("thread "), strong(shown(&with.thread))];
            let thread = Notice::named("thread", json!({"thread": with.thread}));
            Ok(vec![thread.with(vec![Block::Line(Weight::Note, line)])])
        })
    }

    fn progress(&mut self, event: &DynEvent) -> Vec<Notice> {
        match &event.kind {
            // What is taken for the memory is no part of the conversation.
            EventKind::Message { message, node } if Node::parse(node) != Some(Node::Remember) => {
                let Ok(message) = serde_json::from_value::<Message>(message.to_json()) else {
                    return Vec::new();
                };
                let text = message.text();
                self.has_streamed |= !text.is_empty();
                let token = Notice::named("token", json!({"text": text}));
                vec![token.with(vec![Block::Piece(text)])]
            }
            EventKind::Update { node, update, .. }
                if Node::parse(node) == Some(Node::DocumentRetrieval) =>
            {
                let Ok(update) = AnalysisUpdate::from_value(update) else {
                    return Vec::new();
                };
                let inputs = update.inputs.as_ref().and_then(Put::written);
                inputs.map_or_else(Vec::new, |inputs| {
                    let reachable = self.archie.reachable(inputs);
                    events::omissions(&inputs.files, reachable)
                })
            }
            EventKind::Custom(data) => match data.clone().take::<Progress>() {
                Ok(progress) => vec![events::told(&progress)],
                Err(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn ended<'a>(
        &'a mut self,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Notice>, AgentError>> {
        Box::pin(async move {
            let state = self.archie.graph().state(&*with.thread).await?.state;
            let new = state.usage.iter().skip(self.shown_calls);
            let notices: Vec<Notice> = new.map(events::usage).collect();
            self.shown_calls = state.usage.len();
            self.has_run = true;
            Ok(notices)
        })
    }

    fn broken_off<'a>(
        &'a mut self,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Notice>, AgentError>> {
        Box::pin(async move {
            // The run failed already; a second error would hide why.
            if let Ok(known) = self.archie.graph().state(&*with.thread).await {
                self.shown_calls = known.state.usage.len();
            }
            self.has_streamed = false;
            Ok(Vec::new())
        })
    }

    fn present(&mut self, ask: &OpenAsk, _: &Context) -> Result<Prompt, AgentError> {
        let question = ask.question::<Question>()?;
        let is_read = std::mem::take(&mut self.has_streamed);
        let notice = match &self.ready {
            Some(_) => Notice::people(Vec::new()),
            None => question::presented(ask.id, &question, is_read),
        };
        Ok(Prompt {
            input: "you> ".into(),
            topic: Topic::Message,
            echoes: true,
            takes_pipe: true,
            ..Prompt::new(notice)
        })
    }

    fn own_answer(&mut self, ask: &OpenAsk) -> Option<String> {
        if let Some(words) = self.ready.take() {
            return Some(words);
        }
        let after = self.approve_after?;
        let question = ask.question::<Question>().ok()?;
        (question.turn >= after).then(|| APPROVE.to_owned())
    }

    fn command<'a>(
        &'a mut self,
        text: &'a str,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Reply>, AgentError>> {
        Box::pin(self.reply(text, &with.thread))
    }

    fn read(&mut self, ask: &OpenAsk, text: &str) -> Result<Reading, AgentError> {
        if text.trim().is_empty() {
            return Ok(Reading::Empty);
        }
        // Words for this question replace earlier ones.
        self.ready = None;
        let answer = ask.answer::<Question>(&text.to_owned())?;
        Ok(Reading::Answer(Answer {
            before: vec![Notice::named("answer", json!({"text": text}))],
            ..Answer::from(answer)
        }))
    }

    fn words<'a>(
        &'a mut self,
        said: Option<&'a str>,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<Option<String>, AgentError>> {
        Box::pin(async move {
            let state = self.archie.graph().state(&*with.thread).await?.state;
            let said = said.unwrap_or(&state.user_input).to_owned();
            let can_change = self.begun.is_some() || !state.analysis_history.is_empty();
            Ok(Some(said).filter(|said| can_change && !said.is_empty()))
        })
    }

    /// Goes back to the question that was answered last, and keeps the words as its answer; without one, begins again.
    fn instead<'a>(
        &'a mut self,
        words: &'a str,
        with: &'a Context,
    ) -> BoxFuture<'a, Result<Instead, AgentError>> {
        Box::pin(async move {
            let questions = self.questions(&with.thread).await?;
            if let Some(question) = questions.into_iter().next() {
                let graph = self.archie.graph();
                graph.fork(&*with.thread, question).await?;
                self.ready = Some(words.to_owned());
                return Ok(Instead::Resume);
            }
            Ok(match &self.begun {
                Some((begin, brief)) => {
                    let brief = Brief {
                        words: words.to_owned(),
                        ..brief.clone()
                    };
                    Instead::Input(begin(&self.archie, &brief).into_value())
                }
                None => Instead::Resume,
            })
        })
    }

    fn report<'a>(&'a mut self, with: &'a Context) -> BoxFuture<'a, Result<Report, AgentError>> {
        Box::pin(async move {
            let state = self.archie.graph().state(&*with.thread).await?.state;
            let is_read = std::mem::take(&mut self.has_streamed);
            let out = self.out.as_deref();
            let is_same = self.before == state.analysis_output;
            let mut notices = match (self.has_run, is_same) {
                (true, true) => vec![published::answered(&state, is_read)],
                (true, false) => {
                    let before = self.before.as_deref();
                    vec![published::publish(&state, before, out, is_read)?]
                }
                (false, _) => vec![published::publish_again(&state, out)?],
            };
            if self.has_run && state.current_flow == Flow::Analysis {
                notices.push(published::revising(with));
            }
            if self.explains {
                let traces = self.archie.explain(&state).await?;
                notices.push(published::explained(&traces));
            }
            Ok(Report {
                notices,
                exit: None,
            })
        })
    }

    fn question_view(&self, ask: &OpenAsk) -> QuestionView {
        let approve = QuestionOption {
            label: "Approve and write the analysis".into(),
            answer: json!(APPROVE),
            danger: false,
        };
        QuestionView {
            facts: Vec::new(),
            options: vec![approve],
            ..QuestionView::of(ask)
        }
    }

    fn turns(&self, values: &Json) -> Vec<Turn> {
        let said = values.get("analysis_history");
        let mut turns = said.map(Turn::of_messages).unwrap_or_default();
        for turn in &mut turns {
            if turn.text.as_deref() == Some(APPROVE) {
                turn.text = Some("Approved.".to_owned());
            }
        }
        turns
    }

    fn text<'a>(
        &'a self,
        name: &'a str,
        values: &'a Json,
        store: Option<Arc<dyn Store>>,
    ) -> BoxFuture<'a, Result<Option<String>, AgentError>> {
        Box::pin(async move {
            let inputs = values
                .get("inputs")
                .and_then(|it| Inputs::deserialize(it).ok());
            let (Some(inputs), Some(store)) = (inputs, store) else {
                return Ok(None);
            };
            Ok(self.archie.document(name, &inputs, &*store).await?)
        })
    }

    fn review<'a>(&'a mut self, with: &'a Context) -> BoxFuture<'a, Result<Report, AgentError>> {
        Box::pin(async move {
            let state = self.archie.graph().state(&*with.thread).await?.state;
            Ok(Report {
                notices: vec![published::reviewed(&state)],
                exit: None,
            })
        })
    }
}
